// ClientError: why a request of a client failed.

/** What a ClientError is made of. */
export interface ClientErrorDetails {
  readonly status: number
  readonly code?: string | undefined
  readonly at?: string | undefined
  readonly problems?: Readonly<Record<string, readonly string[]>> | undefined
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

/** Why a request failed: the `errors` of the API's answer, as an Error that can be thrown. */
export class ClientError extends Error {
  /** Status of the answer; 0 if there was none. */
  readonly status: number
  /** Stable identifier such as `unknown_column`; `no_answer` if the server could not be reached. */
  readonly code: string | undefined
  /** The text of the request that caused it. */
  readonly at: string | undefined
  /** What is wrong with a body, by path: `{ 'author.email': ['…'] }`; empty for other failures. */
  readonly problems: Readonly<Record<string, readonly string[]>>
  /** Seconds after which another attempt makes sense. */
  readonly retryAfter: number | undefined

  constructor(message: string, details: ClientErrorDetails) {
    super(message, details)
    this.name = 'ClientError'
    this.status = details.status
    this.code = details.code
    this.at = details.at
    this.problems = details.problems ?? {}
    this.retryAfter = details.retryAfter
  }
}
