// ApiRequest: what an adapter hands over, a plain object with the raw URL; header look-up.

/** One request, framework-free. */
export interface ApiRequest {
  /** `GET`, `POST`, …; any case. */
  readonly method: string
  /** Path and raw query string, as received: `/api/books?title__ilike=emma`. Never a parsed query. */
  readonly url: string
  /** Header names in lower case. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Parsed body or its text. */
  readonly body?: unknown
  /** Address of the peer. */
  readonly ip?: string
  /** The prefix the API is mounted under: `/v1`; put before every emitted URL. */
  readonly baseUrl?: string
  /** The framework's own request, for hooks. */
  readonly host?: unknown
  /** The authenticated user; custom strategies may set it. */
  user?: unknown
}

/** One header's value, or undefined; a repeated header gives its first value. */
export function header(request: ApiRequest, name: string): string | undefined {
  const value = request.headers?.[name]
  return typeof value === 'string' || value === undefined ? value : value[0]
}
