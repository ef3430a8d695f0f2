// What of Express the adapter knows, by shape: the types of Express 4 and 5 fit both, and need not be installed.

import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request of Express. */
export interface ExpressRequest extends IncomingMessage {
  /** Path and query below the mount. */
  readonly url: string
  /** The mount prefix. */
  readonly baseUrl: string
  /** What a body parser left. */
  readonly body?: unknown
}

export type Next = (error?: unknown) => void

export type Handler = (req: ExpressRequest, res: ServerResponse, next: Next) => void

export type ErrorHandler = (
  error: unknown,
  req: ExpressRequest,
  res: ServerResponse,
  next: Next,
) => void
