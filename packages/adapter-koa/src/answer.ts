// What Koa's context says of a request, and how an answer is put into it.

import { type ApiRequest, type ApiResponse, responseText, type TextResponse } from '@model-api/core'
import { readRequest, setHeaders } from '@model-api/http-node'
import type { KoaContext } from './context.ts'

/** The text of the URL below every mount; `ctx.query` is not used: it tears `or[…]` apart. */
export const urlOf = (ctx: KoaContext): string => ctx.req.url ?? '/'

/** The request as the API takes it; a mount prefix is what `originalUrl` has more than the URL. */
export function requestOf(ctx: KoaContext, body: unknown): ApiRequest {
  const url = urlOf(ctx)
  const { originalUrl } = ctx
  const baseUrl = originalUrl.endsWith(url) ? originalUrl.slice(0, -url.length) : ''
  return readRequest(ctx.req, { url, baseUrl, body, host: ctx, res: ctx.res })
}

/** What a body parser of the host left. */
export const parsedBody = (ctx: KoaContext): unknown => (ctx.request as { body?: unknown }).body

/** Puts an answer of the API into the context. */
export function answer(ctx: KoaContext, response: ApiResponse): void {
  const { status, headers } = response
  answerText(ctx, { status, headers, text: responseText(response) })
}

/** As `answer`, of what `api.answer` gives. */
export function answerText(ctx: KoaContext, { status, headers, text }: TextResponse): void {
  // Headers first: Koa would guess a type for a text that has none.
  setHeaders(ctx.res, headers)
  ctx.status = status
  ctx.body = text ?? null
  // Koa makes nothing a 204.
  if (text === undefined) ctx.status = status
}
