// Refusal: what the host's function `onRefusal` (an option of `createApi`) receives for each refused request, to log or count it. Types only.

/** A 401, 403 or 429. It holds no credential, no query and no body. */
export interface Refusal {
  readonly status: number
  /** The stable identifier of the error, such as `invalid_credentials`. */
  readonly code: string | undefined
  readonly requestId: string
  readonly method: string
  /** Without the query, at most 200 characters; control characters are escaped. */
  readonly path: string
  /** Address of the peer, where the adapter knows it. */
  readonly address: string | undefined
}
