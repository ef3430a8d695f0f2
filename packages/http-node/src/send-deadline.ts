// Ends connections whose clients do not read their answers.

import type { ServerResponse } from 'node:http'

/** Milliseconds in which a client must take some of an answer. */
export const defaultSendTimeout = 30_000

/**
 * Closes the connection of an ended response when the client takes none of it for `milliseconds`. Most answers fit into
 * the operating system's buffer at once and need no timer. Node sets the time limit of the connection anew when the
 * response is finished.
 */
export function limitSending(res: ServerResponse, milliseconds: number = defaultSendTimeout): void {
  const { socket } = res
  if (socket === null || res.writableFinished || socket.writableLength === 0) return
  // Node destroys a socket whose time is over unless somebody listens; progress of a write counts as activity.
  socket.setTimeout(milliseconds)
}
