// listener: serves an API as a node:http request listener.

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Api } from '@model-api/core'
import { connectionTurn } from './connection-turns.ts'
import { hasBody, readBody } from './read-body.ts'
import { readRequest } from './read-request.ts'
import { limitSending } from './send-deadline.ts'
import { sendText } from './write-response.ts'

export interface ListenerOptions {
  /** Serves every path that is not the API's. Default: the API responds with 404. */
  readonly fallback?: (req: IncomingMessage, res: ServerResponse) => void
  /** Milliseconds within which a client must read some of the response, or its connection is closed. Default 30 000. */
  readonly sendTimeout?: number
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
  { fallback, sendTimeout }: ListenerOptions = {},
): RequestListener {
  return (req, res) => {
    if (fallback !== undefined && !api.owns(req.url ?? '/')) fallback(req, res)
    else void serve(api, req, res, sendTimeout)
  }
}

async function serve(
  api: Pick<Api, 'answer' | 'bodyLimit'>,
  req: IncomingMessage,
  res: ServerResponse,
  sendTimeout: number | undefined,
): Promise<void> {
  try {
    const turn = connectionTurn(req, res)
    if (turn !== undefined && !(await turn)) return
    // Without a body there is nothing to await.
    const body = hasBody(req) ? await readBody(req, api.bodyLimit) : undefined
    sendText(res, await api.answer(readRequest(req, { body, res })))
    limitSending(res, sendTimeout)
  } catch {
    // Only a header that Node refuses to send throws here; no response is possible then.
    res.destroy()
  }
}
