// Structural types of the parts of Express that the adapter uses; they match Express 4 and 5 without installing its types.

import type { IncomingMessage, ServerResponse } from 'node:http'

/** The part of an Express request that the adapter uses. */
export interface ExpressRequest extends IncomingMessage {
  /** Path and query below the mount. */
  readonly url: string
  /** The mount prefix. */
  readonly baseUrl: string
  /** Path and query before any mount. */
  readonly originalUrl: string
  /** The result of a body parser. Express infers the type of `req.body` in later handlers of a route from this type. */
  // biome-ignore lint/suspicious/noExplicitAny: as in Express's own types
  readonly body?: any
}

export type Next = (error?: unknown) => void

export type Handler = (req: ExpressRequest, res: ServerResponse, next: Next) => void

export type ErrorHandler = (
  error: unknown,
  req: ExpressRequest,
  res: ServerResponse,
  next: Next,
) => void
