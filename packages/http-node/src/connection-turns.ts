// Lets one connection have one answer at a time, so that a client that pipelines requests and reads nothing costs one answer.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A connection with more waiting requests than this is closed; HTTP clients that pipeline send a few at a time. */
const mostWaiting = 100

interface Turns {
  /** The response that was asked for last. */
  last: ServerResponse
  /** What settles the turns of requests that wait for an earlier answer; made with the first of them. */
  waiting?: Set<() => void>
}

const turnsOf = new WeakMap<Socket, Turns>()

/**
 * When a request may be answered: undefined at once, else a promise that settles when every earlier answer of the same
 * connection has been handed to the operating system. Its value is false when the connection is gone; then nobody is to
 * be answered.
 *
 * Node keeps the answers to pipelined requests in memory until their turn comes, so they are not even begun before.
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

/** Node does not close a response that waits for its turn when its connection is closed. */
function waitingOn(socket: Socket): Set<() => void> {
  const waiting = new Set<() => void>()
  socket.once('close', () => {
    for (const settle of [...waiting]) settle()
  })
  return waiting
}
