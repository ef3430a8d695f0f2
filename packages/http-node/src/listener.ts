// The listener: one node:http request in, one answer out; for http.createServer and whatever takes such a function.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Api } from '@model-api/core'
import { readBody } from './read-body.ts'
import { readRequest } from './read-request.ts'
import { writeText } from './write-response.ts'

export interface ListenerOptions {
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
  api: Pick<Api, 'answer' | 'owns' | 'bodyLimit'>,
  { fallback }: ListenerOptions = {},
): RequestListener {
  return (req, res) => {
    if (fallback !== undefined && !api.owns(req.url ?? '/')) {
      fallback(req, res)
      return
    }
    readBody(req, api.bodyLimit)
      .then((body) => api.answer(readRequest(req, { body })))
      .then((response) => writeText(res, response))
      // Only a header that node refuses to send gets here; there is nobody left to tell.
      .catch(() => res.destroy())
  }
}
