/** Counts requests of `fetch` whose connection broke: those on a reused connection, and those that were the first on a new one. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'

export interface BrokenRequests {
  readonly onKept: number
  readonly onNew: number
}

/** Starts counting; the returned function stops and returns the counts. Requests whose connection was refused are not counted. */
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
