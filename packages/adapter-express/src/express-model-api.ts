// modelApi: Express middleware that passes requests with the API's paths to the API, and all others to next().

import type { ServerResponse } from 'node:http'
import type { Api } from '@model-api/core'
import {
  connectionTurn,
  hostError,
  isApiRefusal,
  limitSending,
  type Place,
  placeOf,
  readParsed,
  readRequest,
  writeResponse,
  writeText,
} from '@model-api/http-node'
import type { ErrorHandler, ExpressRequest, Handler } from './handler.ts'

/**
 * Serves the API's paths and calls `next()` for all others. Works mounted under a prefix, behind other middleware, and with or
 * without a body parser before it. Errors of earlier middleware on the API's paths, and those of `apiError` and of calls of `api.as` on all
 * paths, are sent in the API's envelope.
 *
 * ```ts
 * const app = express()
 * app.use('/v1', modelApi(api)) // GET /v1/api/books
 * app.use('/api', modelApi(api)) // GET /api/books: a mount that repeats API_PREFIX is not removed
 * ```
 */
export function modelApi(
  api: Pick<Api, 'answer' | 'refuse' | 'owns' | 'bodyLimit'> & Partial<Pick<Api, 'prefix'>>,
): [Handler, ErrorHandler] {
  const serve: Handler = (req, res, next) => {
    const place = placeOf(req, api.prefix)
    if (!api.owns(place.url)) {
      next()
      return
    }
    void answer(req, res, place)
  }
  const answer = async (req: ExpressRequest, res: ServerResponse, place: Place): Promise<void> => {
    try {
      const turn = connectionTurn(req, res)
      if (turn !== undefined && !(await turn)) return
      const read = readParsed(req, req.body, api.bodyLimit)
      const body = read instanceof Promise ? await read : read
      writeText(res, await api.answer(requestOf(req, res, place, body)))
      limitSending(res)
    } catch {
      res.destroy()
    }
  }
  const refuse: ErrorHandler = (error, req, res, next) => {
    const place = placeOf(req, api.prefix)
    // Express closes the connection of a response that has begun.
    if (res.headersSent || !(api.owns(place.url) || isApiRefusal(error))) {
      next(error)
      return
    }
    api
      .refuse(requestOf(req, res, place, undefined), hostError(error))
      .then((response) => writeResponse(res, response))
      .catch(() => res.destroy())
  }
  return [serve, refuse]
}

/** Converts an Express request. Uses `req.url`, the raw text, because Express's query parser would split `or[…]`. */
const requestOf = (req: ExpressRequest, res: ServerResponse, place: Place, body: unknown) =>
  readRequest(req, { url: place.url, baseUrl: place.baseUrl, body, res })
