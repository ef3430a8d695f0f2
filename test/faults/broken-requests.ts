/** Requests of `fetch` whose connection broke: on a connection that had been used before, or as the first on a new one. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'

export interface BrokenRequests {
  readonly onKept: number
  readonly onNew: number
}

/** Counts from now on; the result ends it and gives the counts. Requests that were refused a connection are in neither. */
export function brokenRequests(): () => BrokenRequests {
  const used = new WeakSet<object>()
  const isFirst = new WeakMap<object, boolean>()
  let onKept = 0
  let onNew = 0
  const onSend = (message: unknown): void => {
    const { request, socket } = message as { request: object; socket: object }
    isFirst.set(request, !used.has(socket))
    used.add(socket)
  }
  const onError = (message: unknown): void => {
    const first = isFirst.get((message as { request: object }).request)
    if (first === true) onNew += 1
    if (first === false) onKept += 1
  }
  subscribe('undici:client:sendHeaders', onSend)
  subscribe('undici:request:error', onError)
  return () => {
    unsubscribe('undici:client:sendHeaders', onSend)
    unsubscribe('undici:request:error', onError)
    return { onKept, onNew }
  }
}
