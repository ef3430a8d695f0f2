// Both directions between Koa and the API: an ApiRequest is made of a Koa context (`ctx`), and the response is put into the context, which
// Koa sends when the middleware returns.

import { type ApiRequest, type ApiResponse, responseText, type TextResponse } from '@model-api/core'
import { type Place, placeOf, readRequest, removedPrefix, setHeaders } from '@model-api/http-node'
import type { KoaContext } from './koa-context.ts'

/**
 * Returns the URL for the API and the prefix of the mount, which links in responses must repeat. Below `koa-mount('/v1', …)`, the request
 * `/v1/api/books` has the URL `/api/books` and the prefix `/v1`.
 *
 * Takes the URL as it was sent: Koa's parser of queries would change `or[…]`.
 */
export function placeIn(ctx: KoaContext, prefix: string | undefined): Place {
  const { originalUrl, mountPath } = ctx
  const url = ctx.req.url ?? '/'
  const baseUrl = removedPrefix(originalUrl, url)
  if (baseUrl !== '' || url === originalUrl || typeof mountPath !== 'string') {
    return placeOf({ url, baseUrl, originalUrl }, prefix)
  }
  // `koa-mount` has normalised the URL (`\` to `/`), so that it is not the end of the original one, and links get no prefix.
  const place = placeOf({ url, baseUrl: mountPath, originalUrl }, prefix)
  return { url: place.url, baseUrl: '' }
}

/** Converts a context to an ApiRequest. */
export const requestOf = (ctx: KoaContext, { url, baseUrl }: Place, body: unknown): ApiRequest =>
  readRequest(ctx.req, { url, baseUrl, body, host: ctx, res: ctx.res })

/** Returns the body that middleware of the host, such as `koa-bodyparser`, has parsed; undefined without one. */
export const parsedBody = (ctx: KoaContext): unknown => (ctx.request as { body?: unknown }).body

/** Puts a response whose body is an object into the context. */
export function putResponse(ctx: KoaContext, response: ApiResponse): void {
  const { body: _, ...others } = response
  putText(ctx, { ...others, text: responseText(response) })
}

/** Puts a response whose body is text, as `api.answer` returns it, into the context. */
export function putText(ctx: KoaContext, response: TextResponse): void {
  const { status, text, bytes } = response
  // Headers before the body: Koa guesses a content type if there is none, also for an empty body.
  setHeaders(ctx.res, response)
  ctx.status = status
  // Koa sends a Buffer unchanged, and other objects as JSON.
  ctx.body = bytes === undefined ? (text ?? null) : Buffer.from(bytes.buffer)
  if (text === '') ctx.res.removeHeader('content-type')
  // Koa sets status 204 for a null body.
  if (text === undefined) ctx.status = status
}
