// An AbortSignal that is aborted if the client disconnects before its response is complete.

import type { ServerResponse } from 'node:http'

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
