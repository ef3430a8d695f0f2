// ApiRequest: what an adapter hands over, a plain object with the raw URL; header look-up.

/** A file that a host has installed, as text. */
export interface Asset {
  readonly text: string
  /** Whether it is an ECMAScript module. */
  readonly module: boolean
}

/** One request, framework-free. */
export interface ApiRequest {
  /** `GET`, `POST`, …; any case. */
  readonly method: string
  /** Path and raw query string, as received: `/api/books?title__ilike=emma`. Never a parsed query. */
  readonly url: string
  /** Header names in lower case. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Parsed body, its text or bytes; where it could not be read, the ApiError that a write is then answered with. */
  readonly body?: unknown
  /** Address of the peer. */
  readonly ip?: string
  /** The prefix the API is mounted under: `/v1`; put before every emitted URL. */
  readonly baseUrl?: string
  /** The framework's own request, for hooks. */
  readonly host?: unknown
  /**
   * Reads a file the host has installed; the service itself touches no file system. `redoc.js` is the script that
   * draws the documentation page; without it the page is a plain one.
   */
  readonly asset?: (name: 'redoc.js') => Promise<Asset | undefined>
  /**
   * Aborted when the client goes away: the statement that is under way for it is called off then. It is asked for only when a
   * statement takes long, so that a getter can make it when it is needed.
   */
  readonly signal?: AbortSignal | undefined
  /** The authenticated user; custom strategies may set it. */
  user?: unknown
}

/** The headers that the service reads, and no others; tests send each of them in the forms that cost most. */
export const requestHeaders = [
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'host',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'origin',
  'sec-fetch-site',
  'x-forwarded-for',
  'x-request-id',
  'x-write-position',
] as const

export type RequestHeader = (typeof requestHeaders)[number]

/** One header's value, or undefined; a repeated header gives its first value. */
export function header(request: ApiRequest, name: RequestHeader): string | undefined {
  const value = request.headers?.[name]
  return typeof value === 'string' || value === undefined ? value : value[0]
}

/** All values of a header, joined by commas as one line; undefined where there is none. */
export function wholeHeader(request: ApiRequest, name: RequestHeader): string | undefined {
  const value = request.headers?.[name]
  return typeof value === 'string' || value === undefined ? value : value.join(',')
}
