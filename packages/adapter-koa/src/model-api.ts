// Koa middleware: hands the raw request to the API and sets its answer; other paths go on to the host.

import type { Api, ApiResponse } from '@model-api/core'
import { hostError, readParsed, refusal, responseText } from '@model-api/http-node'
import type { Context, Middleware } from 'koa'

export interface ModelApiOptions {
  /** Largest body in bytes, where no parser of the host has read it. Default 1 MiB. */
  readonly bodyLimit?: number
}

/** What body parsers and mounts add to Koa's context. */
interface Touched {
  readonly mountPath?: string
  readonly request: { readonly body?: unknown }
}

/**
 * Serves the API's paths; `next()` for every other. Works mounted under a prefix (`koa-mount`), behind other middleware,
 * and with or without a body parser before it.
 *
 * ```ts
 * const app = new Koa()
 * app.use(modelApi(api)) // GET /api/books
 * ```
 */
export function modelApi(
  api: Pick<Api, 'handle' | 'owns'>,
  options: ModelApiOptions = {},
): Middleware {
  return async (ctx, next) => {
    const url = ctx.req.url ?? '/'
    if (!api.owns(url)) return next()
    const { mountPath = '', request } = ctx as unknown as Touched
    const parsed = { url, baseUrl: mountPath, body: request.body, host: ctx, ...options }
    const response = await readParsed(ctx.req, parsed)
      .then((read) => api.handle(read))
      .catch((error: unknown) => refusal(error))
    answer(ctx, response)
  }
}

/**
 * Answers errors that middleware before `modelApi` throws on the API's paths (a body parser's, a router's) in the API's
 * envelope; place it first.
 *
 * ```ts
 * app.use(apiErrors(api)).use(bodyParser()).use(modelApi(api))
 * ```
 */
export function apiErrors(api: Pick<Api, 'owns'>): Middleware {
  return async (ctx, next) => {
    const url = ctx.req.url ?? '/'
    try {
      await next()
    } catch (error) {
      if (!api.owns(url)) throw error
      answer(ctx, refusal(hostError(error)))
    }
  }
}

function answer(ctx: Context, response: ApiResponse): void {
  const text = responseText(response)
  ctx.status = response.status
  for (const [name, value] of Object.entries(response.headers)) ctx.set(name, value)
  if (text === undefined) ctx.body = null
  else {
    const type = response.headers['content-type']
    ctx.body = text
    // Koa guesses a type for text; ours is known.
    if (type !== undefined) ctx.set('content-type', type)
  }
  ctx.status = response.status
}
