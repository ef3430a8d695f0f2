// isMessagesByPath: recognises a reason that lists messages by path: `{ "items[0].sku": ["Expected a string."] }`.

type Messages = Readonly<Record<string, readonly string[]>>

/** Whether a reason has the form of the service's own: a list of messages for each path. Other objects have members of the host. */
export function isMessagesByPath(reason: unknown): reason is Messages {
  return (
    typeof reason === 'object' &&
    reason !== null &&
    !Array.isArray(reason) &&
    Object.values(reason).every(
      (messages) => Array.isArray(messages) && messages.every((text) => typeof text === 'string'),
    )
  )
}
