// The listener: one node:http request in, one answer out; for http.createServer and whatever takes such a function.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Api } from '@model-api/core'
import { hasBody, readBody } from './read-body.ts'
import { readRequest } from './read-request.ts'
import { sendText } from './write-response.ts'

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
    if (fallback !== undefined && !api.owns(req.url ?? '/')) fallback(req, res)
    else void serve(api, req, res)
  }
}

async function serve(
  api: Pick<Api, 'answer' | 'bodyLimit'>,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  try {
    // Most requests have no body, and wait for none.
    const body = hasBody(req) ? await readBody(req, api.bodyLimit) : undefined
    sendText(res, await api.answer(readRequest(req, { body })))
  } catch {
    // Only a header that node refuses to send gets here; there is nobody left to tell.
    res.destroy()
  }
}
