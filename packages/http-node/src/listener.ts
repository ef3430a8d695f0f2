// The listener: one node:http request in, one answer out; for http.createServer and whatever takes such a function.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Api } from '@model-api/core'
import { type ReadOptions, readRequest } from './read-request.ts'
import { refusal } from './refusal.ts'
import { writeResponse } from './write-response.ts'

export interface ListenerOptions extends Pick<ReadOptions, 'bodyLimit'> {
  /** Serves every path that is not the API's. Default: the API answers 404. */
  readonly fallback?: (req: IncomingMessage, res: ServerResponse) => void
}

/**
 * The API as a request listener.
 *
 * ```ts
 * http.createServer(listener(api, { fallback: (req, res) => res.end('hello') })).listen(3000)
 * ```
 */
export function listener(
  api: Pick<Api, 'handle' | 'owns'>,
  options: ListenerOptions = {},
): RequestListener {
  const { fallback, ...reading } = options
  return (req, res) => {
    if (fallback !== undefined && !api.owns(req.url ?? '/')) {
      fallback(req, res)
      return
    }
    readRequest(req, reading)
      .then((request) => api.handle(request))
      .catch((error: unknown) => refusal(error))
      .then((response) => writeResponse(res, response))
      // Only a header that node refuses to send gets here; there is nobody left to tell.
      .catch(() => res.destroy())
  }
}
