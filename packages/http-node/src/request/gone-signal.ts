// goneSignal: an AbortSignal that is aborted if the client disconnects before its response is complete, so that the core cancels the
// statements of the request.

import type { ServerResponse } from 'node:http'

/** Call before the response is sent. */
export function goneSignal(res: ServerResponse): AbortSignal {
  const gone = new AbortController()
  if (res.destroyed) gone.abort()
  else {
    // Node emits `close` on complete responses too.
    res.once('close', () => {
      if (!res.writableFinished) gone.abort()
    })
  }
  return gone.signal
}
