// ApiRequest: the plain request object that adapters (Express, Koa, `node:http`, fetch) pass to the core, and header look-up.

/** An installed file, as text. */
export interface Asset {
  readonly text: string
  /** Whether it is an ECMAScript module. */
  readonly module: boolean
}

/** A request, independent of any framework. */
export interface ApiRequest {
  /** `GET`, `POST`, …; any case. */
  readonly method: string
  /** Path and raw query string, as received: `/api/books?title__ilike=emma`. Never a parsed query. */
  readonly url: string
  /** `handle` and `authenticate` take names in any case; `answer` takes them in lower case. Hooks receive them in lower case. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>> | undefined
  /**
   * The body: parsed, or as text or bytes. If the adapter could not read the body, an ApiError, which is thrown only if the
   * endpoint needs the body.
   */
  readonly body?: unknown
  /** Address of the peer. */
  readonly ip?: string | undefined
  /** The prefix the API is mounted under: `/v1`; added to URLs in responses. */
  readonly baseUrl?: string | undefined
  /** The framework's own request, for hooks. */
  readonly host?: unknown
  /**
   * Reads a file that the host application has installed; the core itself has no file access. `redoc.js` is the script of
   * the documentation page; if it is missing, the page has no script.
   */
  readonly asset?: ((name: 'redoc.js') => Promise<Asset | undefined>) | undefined
  /**
   * Whether the adapter can send the `bytes` of a TextResponse in place of its `text`. If not, responses are not compressed.
   */
  readonly takesBytes?: boolean | undefined
  /**
   * Aborted when the client disconnects, so that a running statement of the request is cancelled. The service reads it only if a
   * statement takes long, and before it transforms a value (`transform` of a column), so an adapter can create it in a getter.
   */
  readonly signal?: AbortSignal | undefined
  /**
   * The user whose request it is, null for nobody, if the host passes it to `handle` or `answer`; without it the strategies decide. Custom
   * strategies may set it.
   */
  user?: unknown
}

/** Every header that the service reads; the growth tests send each of them in its most expensive form. */
export const requestHeaders = [
  'accept',
  'accept-encoding',
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
  'prefer',
  'sec-fetch-site',
  'x-forwarded-for',
  'x-http-method-override',
  'x-request-id',
  'x-write-position',
] as const

export type RequestHeader = (typeof requestHeaders)[number]

/** Returns the request with header names in lower case: the same object if they are so already, as those of Node and of web requests. */
export function withLowerCaseNames(request: ApiRequest): ApiRequest {
  const { headers } = request
  if (typeof headers !== 'object' || headers === null) return request
  const names = Object.keys(headers)
  if (names.every((name) => name === name.toLowerCase())) return request
  const lowerCased = names.map((name) => [name.toLowerCase(), headers[name]])
  return { ...request, headers: Object.fromEntries(lowerCased) }
}

/** Returns the value of a header, the first one if it is repeated; undefined without the header. */
export function header(request: ApiRequest, name: RequestHeader): string | undefined {
  const value = request.headers?.[name]
  // A host may pass null for a header that is missing.
  return typeof value === 'string' ? value : value?.[0]
}

/** Returns all values of a header, joined by commas; undefined without the header. */
export function wholeHeader(request: ApiRequest, name: RequestHeader): string | undefined {
  const value = request.headers?.[name]
  return typeof value === 'string' ? value : value?.join(',')
}
