// Express middleware: hands the raw request to the API and writes its answer; other paths go on to the host.

import type { Api } from '@model-api/core'
import { hostError, readParsed, refusal, writeResponse } from '@model-api/http-node'
import type { ErrorRequestHandler, RequestHandler } from 'express'

export interface ModelApiOptions {
  /** Largest body in bytes, where no parser of the host has read it. Default 1 MiB. */
  readonly bodyLimit?: number
}

/**
 * Serves the API's paths; `next()` for every other. Works mounted under a prefix, behind other middleware, and with or
 * without a body parser before it: what a parser of the host refuses on our paths is answered in our envelope.
 *
 * ```ts
 * const app = express()
 * app.use('/v1', modelApi(api)) // GET /v1/api/books
 * ```
 */
export function modelApi(
  api: Pick<Api, 'handle' | 'owns'>,
  options: ModelApiOptions = {},
): [RequestHandler, ErrorRequestHandler] {
  const serve: RequestHandler = (req, res, next) => {
    if (!api.owns(req.url)) {
      next()
      return
    }
    // req.query is not used: it tears `or[…]` apart. req.url keeps the text as it was sent.
    const { url, baseUrl, body } = req
    readParsed(req, { url, baseUrl, body, host: req, ...options })
      .then((request) => api.handle(request))
      .catch((error: unknown) => refusal(error))
      .then((response) => writeResponse(res, response))
      .catch(() => res.destroy())
  }
  const refuse: ErrorRequestHandler = (error, req, res, next) => {
    if (!api.owns(req.url)) next(error)
    else writeResponse(res, refusal(hostError(error)))
  }
  return [serve, refuse]
}
