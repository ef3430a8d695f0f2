// modelApi: Koa middleware that passes requests with the API's paths to the API, and all others to next(). And apiErrors, for errors of
// the host's middleware before it.

import type { Api } from '@model-api/core'
import {
  connectionTurn,
  hostError,
  isApiRefusal,
  limitSending,
  readParsed,
} from '@model-api/http-node'
import { parsedBody, placeIn, putResponse, putText, requestOf } from './answer.ts'
import type { Handler } from './koa-context.ts'

/**
 * Serves the API's paths and calls `next()` for all others. Works mounted under a prefix (`koa-mount`), behind other middleware,
 * and with or without a body parser before it.
 *
 * ```ts
 * const app = new Koa()
 * app.use(modelApi(api)) // GET /api/books
 * app.use(mount('/api', modelApi(api))) // also GET /api/books: a mount that repeats API_PREFIX is not removed
 * ```
 */
export function modelApi(
  api: Pick<Api, 'answer' | 'owns' | 'bodyLimit'> & Partial<Pick<Api, 'prefix'>>,
): Handler {
  return async (ctx, next) => {
    const place = placeIn(ctx, api.prefix)
    if (!api.owns(place.url)) return next()
    const turn = connectionTurn(ctx.req, ctx.res)
    if (turn !== undefined && !(await turn)) return
    const read = readParsed(ctx.req, parsedBody(ctx), api.bodyLimit)
    const body = read instanceof Promise ? await read : read
    putText(ctx, await api.answer(requestOf(ctx, place, body)))
    limitSending(ctx.res)
  }
}

/**
 * Sends errors that middleware after it throws on the API's paths (a body parser, a guard of the host) in the API's envelope, and those of
 * `apiError` and of calls of `api.as` on all paths; install it first.
 *
 * ```ts
 * app.use(apiErrors(api)).use(bodyParser()).use(modelApi(api))
 * ```
 */
export function apiErrors(
  api: Pick<Api, 'refuse' | 'owns'> & Partial<Pick<Api, 'prefix'>>,
): Handler {
  return async (ctx, next) => {
    // Read the URL now: koa-mount does not restore it after an error.
    const request = requestOf(ctx, placeIn(ctx, api.prefix), undefined)
    try {
      await next()
    } catch (error) {
      if (!api.owns(request.url) && !isApiRefusal(error)) throw error
      putResponse(ctx, await api.refuse(request, hostError(error)))
    }
  }
}
