// Closes connections whose clients do not read the response.

import type { ServerResponse } from 'node:http'

/** Milliseconds within which a client must read some of the response. */
const defaultSendTimeout = 30_000

/**
 * Closes the connection of an ended response if the client reads none of it for `milliseconds`. Most responses fit into the
 * operating system's send buffer and need no timer. When the response finishes, Node resets the timeout of the connection.
 */
export function limitSending(res: ServerResponse, milliseconds: number = defaultSendTimeout): void {
  const { socket } = res
  if (socket === null || res.writableFinished || socket.writableLength === 0) return
  // Node's server destroys a socket on timeout if there is no listener; progress of a write restarts the timeout.
  socket.setTimeout(milliseconds)
}
