// What of Koa the adapter knows, by shape: types for Koa need not be installed.

import type { IncomingMessage, ServerResponse } from 'node:http'

/** A context of Koa. */
export interface KoaContext {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** Where body parsers leave what they read, as `body`. */
  readonly request: object
  /** The URL before any mount. */
  readonly originalUrl: string
  status: number
  body: unknown
}

export type Handler = (ctx: KoaContext, next: () => Promise<unknown>) => Promise<unknown>
