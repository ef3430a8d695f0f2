// limitSending: closes connections, and streams of HTTP/2, whose clients do not read the response, which would occupy memory forever.

import type { ServerResponse } from 'node:http'
import { constants, type ServerHttp2Stream } from 'node:http2'

/** Milliseconds within which a client must read some of the response. */
const defaultSendTimeout = 30_000

/** A response of node:http2, which has a stream of its own. */
interface Http2Response extends ServerResponse {
  readonly stream?: Pick<ServerHttp2Stream, 'close' | 'setTimeout'>
}

/**
 * Closes the connection of a response if the client reads none of it for `milliseconds` after the server has ended it. Most
 * responses fit into the operating system's send buffer and need no timer. When the response finishes, Node resets the timeout of the
 * connection. Of an HTTP/2 connection, which other responses share, only the stream is closed.
 */
export function limitSending(res: Http2Response, milliseconds: number = defaultSendTimeout): void {
  const { stream } = res
  if (stream !== undefined) {
    stream.setTimeout(milliseconds, () => stream.close(constants.NGHTTP2_CANCEL))
  } else if (res.writableEnded) limitSocket(res, milliseconds)
  // A host that sends the response later, such as Koa.
  else res.once('prefinish', () => limitSocket(res, milliseconds))
}

/** Sets the time limit if a part of the response has not reached the operating system yet. */
function limitSocket({ socket, writableFinished }: ServerResponse, milliseconds: number): void {
  if (socket === null || writableFinished || socket.writableLength === 0) return
  // Node's server destroys a socket on timeout if there is no listener; progress of a write restarts the timeout.
  socket.setTimeout(milliseconds)
}
