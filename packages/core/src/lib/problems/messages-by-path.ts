// The form of a reason that lists messages by path.

type Messages = Readonly<Record<string, readonly string[]>>

/** Whether a reason has the form of the service's own: a list of messages for each path. Other objects have members of the host. */
export function isMessagesByPath(reason: unknown): reason is Messages {
  return (
    typeof reason === 'object' &&
    reason !== null &&
    !Array.isArray(reason) &&
    Object.values(reason).every(
      (one) => Array.isArray(one) && one.every((text) => typeof text === 'string'),
    )
  )
}
