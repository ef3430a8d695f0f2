// The transport of a client (transportTo): sends one request by `fetch` and reads its response, with or without envelope. Sends a query
// that is too long for a URL as QUERY. Returns errors as values. `client-in-process.ts` makes its results and failures by the other
// functions.

import type { Failure, Result, Transport } from './client-call.ts'
import { ClientError, type ClientErrorDetails } from './client-error.ts'

/** Headers, or a function that returns them for each request, for example with a token. */
export type ClientHeaders =
  | Readonly<Record<string, string>>
  | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)

/** How a client sends requests. */
export interface TransportOptions {
  /** Sends a request; pass `api.fetch` to call an API in the same process. Default: the global `fetch`. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  readonly headers?: ClientHeaders | undefined
  /** Requests with longer URLs are sent as QUERY, with the query in the body. Default 4000 characters. */
  readonly maxUrlLength?: number | undefined
  /** `'POST'`: QUERY is sent as POST with `X-HTTP-Method-Override`, for proxies that refuse it. Default `'QUERY'`. */
  readonly queryMethod?: 'QUERY' | 'POST' | undefined
  /** Set to false if the API responds without envelope (`dump_envelope` is off). Default true. */
  readonly envelope?: boolean | undefined
}

/** Makes a failure. */
export const failed = (message: string, details: ClientErrorDetails): Failure => ({
  ok: false,
  status: details.status,
  error: new ClientError(message, details),
})

/** The envelope of a failure. */
interface ErrorBody {
  readonly errors?: {
    readonly error: string
    readonly reason?: unknown
    readonly code?: string | undefined
    readonly at?: string | undefined
    readonly problems?: ClientErrorDetails['problems']
  } | null
}

/** The envelope of a response. */
interface Body extends ErrorBody {
  readonly value?: unknown
  readonly total_count?: number
  readonly next_url?: string | null
  readonly previous_url?: string | null
}

/** Returns the cursor in the URL of a page; null without one. */
export const cursorIn = (url: string | null, name: string): string | null =>
  new URLSearchParams(url?.replace(/.*?\?/, '')).get(name)

const numberIn = (text: string | null | undefined): number | undefined =>
  text == null ? undefined : Number(text)

/** Makes the failure of a response; `wait` is its Retry-After. */
export function failureOf(
  status: number,
  { errors }: ErrorBody,
  wait: string | null | undefined,
  cause?: unknown,
): Failure {
  const { error = `HTTP ${status}`, reason, code, at, problems } = errors ?? {}
  return failed(typeof reason === 'object' ? error : String(reason ?? error), {
    status,
    code,
    at,
    problems,
    retryAfter: numberIn(wait),
    cause,
  })
}

/** Makes the result of a response with the body `text`. Without envelope, total and pages are in headers. */
function resultOf(
  { status, headers, ok }: Response,
  text: string,
  envelope: boolean,
): Result<unknown> {
  const content = parsed(text)
  if (!ok && status !== 304) return failureOf(status, content ?? {}, headers.get('retry-after'))
  const body = (envelope ? content : { value: content }) ?? {}
  const link = (rel: string): string | null =>
    new RegExp(`<([^>]*)>; rel="${rel}"`).exec(headers.get('link') ?? '')?.[1] ?? null
  const next = body.next_url ?? link('next')
  const previous = body.previous_url ?? link('prev')
  return {
    ok: true,
    status,
    value: body.value ?? null,
    total: body.total_count ?? numberIn(headers.get('x-total-count')),
    next,
    previous,
    after: cursorIn(next, 'after'),
    before: cursorIn(previous, 'before'),
    etag: headers.get('etag'),
    headers,
  }
}

/** Parses a body as JSON; undefined if it is not JSON, such as the error page of a proxy. */
function parsed(text: string): Body | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Creates the function that sends the requests of a client to the URL. */
export function transportTo(url: string, options: TransportOptions): Transport {
  const { maxUrlLength = 4000, queryMethod = 'QUERY', envelope = true } = options
  const send = options.fetch ?? ((request: Request) => fetch(request))
  return async ({ method, path, query, body, headers, many }, signal) => {
    const wholeUrl = `${url}${path}${query && `?${query}`}`
    const asQuery = many && wholeUrl.length > maxUrlLength
    const init = asQuery
      ? {
          method: queryMethod,
          body: query,
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            ...(queryMethod === 'POST' && { 'x-http-method-override': 'QUERY' }),
          },
        }
      : {
          method,
          ...(body !== undefined && {
            body: JSON.stringify(body),
            headers: { 'content-type': 'application/json' },
          }),
        }
    try {
      const own = typeof options.headers === 'function' ? await options.headers() : options.headers
      const request = new Request(asQuery ? url + path : wholeUrl, {
        ...init,
        signal: signal ?? null,
        headers: { accept: 'application/json', ...init.headers, ...own, ...headers },
      })
      const response = await send(request)
      return resultOf(response, await response.text(), envelope)
    } catch (cause) {
      return failed(String(cause), { status: 0, code: 'no_answer', cause })
    }
  }
}
