// Koa middleware: hands the raw request to the API and sets its answer; other paths go on to the host.

import type { Api } from '@model-api/core'
import {
  connectionTurn,
  hostError,
  limitSending,
  readParsed,
  unreadBody,
} from '@model-api/http-node'
import { answer, answerText, parsedBody, requestOf, urlOf } from './answer.ts'
import type { Handler } from './context.ts'

/**
 * Serves the API's paths; `next()` for every other. Works mounted under a prefix (`koa-mount`), behind other middleware,
 * and with or without a body parser before it.
 *
 * ```ts
 * const app = new Koa()
 * app.use(modelApi(api)) // GET /api/books
 * ```
 */
export function modelApi(api: Pick<Api, 'answer' | 'owns' | 'bodyLimit'>): Handler {
  return async (ctx, next) => {
    if (!api.owns(urlOf(ctx))) return next()
    const turn = connectionTurn(ctx.req, ctx.res)
    if (turn !== undefined && !(await turn)) return
    // Koa itself ends the response.
    ctx.res.once('prefinish', () => limitSending(ctx.res))
    const read = readParsed(ctx.req, parsedBody(ctx), api.bodyLimit)
    const body = read instanceof Promise ? await read : read
    answerText(ctx, await api.answer(requestOf(ctx, body)))
  }
}

/**
 * Answers what middleware before `modelApi` throws on the API's paths (a body parser, a guard of the host) in the API's
 * envelope; place it first.
 *
 * ```ts
 * app.use(apiErrors(api)).use(bodyParser()).use(modelApi(api))
 * ```
 */
export function apiErrors(api: Pick<Api, 'answer' | 'refuse' | 'owns'>): Handler {
  return async (ctx, next) => {
    // Taken now: a mount that throws leaves its own URL behind.
    const request = requestOf(ctx, undefined)
    try {
      await next()
    } catch (error) {
      if (!api.owns(request.url)) throw error
      // A body that a parser could not read matters only where a body is needed; the API knows where.
      const body = unreadBody(error)
      if (body === undefined) answer(ctx, await api.refuse(request, hostError(error)))
      else answerText(ctx, await api.answer({ ...request, body }))
    }
  }
}
