// A signal that is aborted when the client of a response goes away before it is answered.

import type { ServerResponse } from 'node:http'

export function goneSignal(res: ServerResponse): AbortSignal {
  const gone = new AbortController()
  if (res.destroyed) gone.abort()
  else {
    // Every response is closed in the end.
    res.once('close', () => {
      if (!res.writableFinished) gone.abort()
    })
  }
  return gone.signal
}
