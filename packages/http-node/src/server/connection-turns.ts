// Serves pipelined requests of a connection one after the other, so that a client that reads nothing occupies memory for one response only.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A connection with more waiting requests than this is closed; HTTP clients that pipeline send a few at a time. */
const mostWaiting = 100

interface Turns {
  /** The response to the latest request. */
  last: ServerResponse
  /** Callbacks of requests that wait for an earlier response; created on first use. */
  waiting?: Set<() => void>
}

const turnsOf = new WeakMap<Socket, Turns>()

/**
 * Waits until a request of a connection may be served: undefined if immediately, otherwise a promise that resolves when all
 * earlier responses have been handed to the operating system. It resolves to false if the connection is closed; the request
 * is then not served.
 *
 * Without this, Node would hold the responses to all pipelined requests in memory.
 *
 * ```ts
 * const turn = connectionTurn(req, res)
 * if (turn !== undefined && !(await turn)) return
 * ```
 */
export function connectionTurn(
  { socket }: IncomingMessage,
  res: ServerResponse,
): Promise<boolean> | undefined {
  const turns = turnsOf.get(socket)
  if (turns === undefined) {
    turnsOf.set(socket, { last: res })
    return undefined
  }
  const before = turns.last
  turns.last = res
  if (before.writableFinished || before.closed) return undefined
  turns.waiting ??= waitingOn(socket)
  const { waiting } = turns
  if (waiting.size >= mostWaiting) {
    socket.destroy()
    return Promise.resolve(false)
  }
  return new Promise((resolve) => {
    const settle = (): void => {
      if (waiting.delete(settle)) resolve(!socket.destroyed)
    }
    waiting.add(settle)
    before.once('close', settle)
  })
}

/** Resolves waiting requests on `close` of the socket, since Node does not emit `close` on responses queued behind another. */
function waitingOn(socket: Socket): Set<() => void> {
  const waiting = new Set<() => void>()
  socket.once('close', () => {
    for (const settle of [...waiting]) settle()
  })
  return waiting
}
