// ClientError: why a request of a client failed, as the `error` of a `Result`, or thrown by `unwrap`.

import type { FieldProblem } from '../lib/problems/problem-codes.ts'

/** The members of a ClientError, which explains them. */
export interface ClientErrorDetails {
  readonly status: number
  readonly code?: string | undefined
  readonly at?: string | undefined
  readonly problems?: readonly FieldProblem[] | undefined
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

/** Why a request failed: the `errors` of the API's response, as an Error that can be thrown. */
export class ClientError extends Error {
  /** The status of the response; 0 without a response. */
  declare readonly status: number
  /**
   * Stable identifier such as `unknown_column`; `no_answer` if the server could not be reached; undefined if the response is not one of the
   * API, such as the error page of a proxy.
   */
  declare readonly code: string | undefined
  /** The part of the request that caused the error. */
  declare readonly at: string | undefined
  /** The problems of a body: `{ path: 'author.email', code: 'required', params: {}, message: '…' }`; empty for other failures. */
  declare readonly problems: readonly FieldProblem[]
  /** Seconds to wait before another attempt (`Retry-After`). */
  declare readonly retryAfter: number | undefined

  constructor(message: string, details: ClientErrorDetails) {
    super(message, details)
    const { problems = [] } = details
    Object.assign(this, details, { name: 'ClientError', problems })
  }
}
