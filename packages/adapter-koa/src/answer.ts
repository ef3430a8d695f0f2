// Converts a Koa context to an ApiRequest, and puts responses into the context.

import { type ApiRequest, type ApiResponse, responseText, type TextResponse } from '@model-api/core'
import { type Place, placeOf, readRequest, removedPrefix, setHeaders } from '@model-api/http-node'
import type { KoaContext } from './context.ts'

/**
 * Returns the raw URL that the API answers, since Koa's query parser would split `or[…]`, and the mount prefix: the part of
 * `originalUrl` that `url` lacks.
 */
export function placeIn(ctx: KoaContext, prefix: string | undefined): Place {
  const { originalUrl, mountPath } = ctx
  const url = ctx.req.url ?? '/'
  const baseUrl = removedPrefix(originalUrl, url)
  if (baseUrl !== '' || url === originalUrl || typeof mountPath !== 'string') {
    return placeOf({ url, baseUrl, originalUrl }, prefix)
  }
  // `koa-mount` has printed an unusual URL in another way (`\` as `/`), so that the rest tells no prefix.
  const place = placeOf({ url, baseUrl: mountPath, originalUrl }, prefix)
  return { url: place.url, baseUrl: '' }
}

/** Converts a context to an ApiRequest. */
export const requestOf = (ctx: KoaContext, { url, baseUrl }: Place, body: unknown): ApiRequest =>
  readRequest(ctx.req, { url, baseUrl, body, host: ctx, res: ctx.res })

/** Returns the body that a parser of the host has parsed. */
export const parsedBody = (ctx: KoaContext): unknown => (ctx.request as { body?: unknown }).body

/** Puts a response into the context. */
export function answer(ctx: KoaContext, response: ApiResponse): void {
  const { status, headers } = response
  answerText(ctx, { status, headers, text: responseText(response) })
}

/** Puts the result of `api.answer` into the context. */
export function answerText(ctx: KoaContext, { status, headers, text, bytes }: TextResponse): void {
  // Headers before the body: Koa guesses a content type if there is none, also for an empty body.
  setHeaders(ctx.res, headers)
  ctx.status = status
  // Koa sends a Buffer unchanged, and other objects as JSON.
  ctx.body = bytes === undefined ? (text ?? null) : Buffer.from(bytes.buffer)
  if (text === '') ctx.res.removeHeader('content-type')
  // Koa sets status 204 for a null body.
  if (text === undefined) ctx.status = status
}
