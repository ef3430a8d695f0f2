// Call: what each method of a client returns: a request that is sent when it is awaited. Its result is a value or an error. A batch takes
// calls that were not sent. `callOf` makes calls, which are sent by a Transport.

import type { ClientError } from './client-error.ts'

/** A request that succeeded. */
export interface Success<T> {
  readonly ok: true
  readonly status: number
  readonly value: T
  /** The number of matching records of a list, 1 for one record; undefined if the API does not count. */
  readonly total: number | undefined
  /** URLs of the neighbouring pages; null if there is none. */
  readonly next: string | null
  readonly previous: string | null
  /** Cursors of the neighbouring pages, with `paging: 'cursor'`; null if there is none. */
  readonly after: string | null
  readonly before: string | null
  /**
   * The version of one record, for `ifMatch` and `ifNoneMatch`; that of a list, with `API_LIST_ETAGS`, for `ifNoneMatch`; null for other
   * responses.
   */
  readonly etag: string | null
  readonly headers: Headers
}

/** A request that failed. */
export interface Failure {
  readonly ok: false
  readonly status: number
  readonly error: ClientError
}

/** What awaiting a call gives. */
export type Result<T> = Success<T> | Failure

/** The content of a request. */
export interface CallRequest {
  /** Distinguishes the call from others, for references. A batch names its operations by their positions instead. */
  readonly id: string
  readonly method: string
  /** Relative to the URL of the client: `/books/1`. */
  readonly path: string
  /** The query string without `?`; empty if there is none. */
  readonly query: string
  readonly body?: unknown
  /** Whether it reads a list, so that a long query may be sent in the body of the HTTP method QUERY. */
  readonly many?: boolean
  /** Extracts the requested part from the value of the response: the `fields` and `include` of the query. Undefined: the whole value. */
  readonly read?: ((value: unknown) => unknown) | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * A request. The first `await` sends it; every `await` returns its result. A call that is not awaited is not sent.
 *
 * ```ts
 * const result = await client.books.get(1)
 * if (result.ok) console.log(result.value.title)
 * else console.log(result.error.code) // 'record_not_found'
 * ```
 */
export interface Call<T> extends PromiseLike<Result<T>> {
  readonly request: CallRequest
  /** A cache key of the request. */
  readonly key: readonly [collection: string, path: string, query: string]
  /** Sends the request again on each call. */
  send(signal?: AbortSignal): Promise<Result<T>>
  /** Returns the value alone; throws the `ClientError` of a failure. */
  unwrap(): Promise<T>
}

/** Returns the value of a result; throws its error if it is a failure. */
export function unwrapped<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw result.error
}

/** Sends a request and reads its response. */
export type Transport = (request: CallRequest, signal?: AbortSignal) => Promise<Result<unknown>>

/** A call with the transport of its client, by which a batch recognises calls of other clients. */
export interface OwnCall<T> extends Call<T> {
  readonly transport: Transport
}

/** Creates the call of a request. `signal` is that of its options; one that is passed to `send` takes precedence. */
export function callOf<T>(
  transport: Transport,
  request: CallRequest,
  signal?: AbortSignal,
): OwnCall<T> {
  const send = async (abort = signal): Promise<Result<T>> => {
    const result = await transport(request, abort)
    if (!result.ok || !request.read) return result as Result<T>
    try {
      // A result belongs to this call alone.
      return Object.assign(result, { value: request.read(result.value) as T })
    } catch (error) {
      return { ok: false, status: result.status, error: error as ClientError }
    }
  }
  let sent: Promise<Result<T>> | undefined
  const once = (): Promise<Result<T>> => {
    sent ??= send()
    return sent
  }
  return {
    transport,
    request,
    key: [request.path.split('/')[1] ?? '', request.path, request.query],
    send,
    unwrap: () => once().then(unwrapped),
    // biome-ignore lint/suspicious/noThenProperty: a call is awaited
    then: (resolve, reject) => once().then(resolve, reject),
  }
}
