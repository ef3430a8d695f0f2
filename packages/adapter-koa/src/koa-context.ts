// Structural types of the parts of Koa that the adapter uses, without installing Koa's types.

import type { IncomingMessage, ServerResponse } from 'node:http'

/** The part of a Koa context that the adapter uses. */
export interface KoaContext {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** Body parsers set `body` here. */
  readonly request: object
  /** The URL before any mount. */
  readonly originalUrl: string
  /** The innermost prefix that `koa-mount` has removed. */
  readonly mountPath?: unknown
  status: number
  body: unknown
}

/** A middleware of Koa. */
export type Handler = (ctx: KoaContext, next: () => Promise<unknown>) => Promise<unknown>
