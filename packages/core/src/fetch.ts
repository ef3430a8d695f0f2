// api.fetch: a web Request in, a Response out; a thin wrapper of `answer` for Bun, Deno and workers.

import { settingNames } from './config/setting-names.ts'
import { type ApiError, bodyTooLarge, incompleteBody } from './errors.ts'
import type { ApiRequest } from './http/request.ts'
import type { TextResponse } from './http/response.ts'

export interface FetchOptions {
  /** Address of the peer, which a Request does not know; rate limits count by it. */
  readonly ip?: string
  /** The prefix the API is mounted under, such as `/v1`: removed from the path, and added to every URL in responses. */
  readonly baseUrl?: string
}

/** The part of the API that `fetch` uses. */
export interface Serving {
  answer(request: ApiRequest): Promise<TextResponse>
  readonly bodyLimit: number
}

/** Serves a web Request. */
export async function serveFetch(
  { answer, bodyLimit }: Serving,
  request: Request,
  // With `fetch: api.fetch` the runtime passes its own second argument; only strings under these names are used.
  { ip, baseUrl }: FetchOptions = {},
): Promise<Response> {
  const body = await readBody(request, bodyLimit)
  const mount = typeof baseUrl === 'string' ? baseUrl : ''
  const url = targetOf(request.url)
  const response = await answer({
    method: request.method,
    url: below(url, mount) ? url.slice(mount.length) : url,
    headers: Object.fromEntries(request.headers),
    ...(body === undefined ? {} : { body }),
    ...(typeof ip === 'string' ? { ip } : {}),
    ...(mount === '' ? {} : { baseUrl: mount }),
    host: request,
    // A getter, because some runtimes create the signal on access.
    get signal() {
      return request.signal
    },
  })
  return toResponse(request.method, response)
}

/** Path and query as they were sent, without the origin. */
const targetOf = (url: string): string => url.replace(/^[a-z]+:\/\/[^/?#]*/i, '')

const below = (url: string, mount: string): boolean =>
  url.startsWith(mount) && /^(?:[/?]|$)/.test(url.slice(mount.length))

/** The body's bytes, or the error that a write responds with if they could not be read. */
async function readBody(
  { method, headers, body }: Request,
  limit: number,
): Promise<Uint8Array | ApiError | undefined> {
  if (body === null || method === 'GET' || method === 'HEAD') return undefined
  const tooLarge = bodyTooLarge(settingNames.bodyLimit, limit)
  if (Number(headers.get('content-length') ?? 0) > limit) return tooLarge
  const chunks: Uint8Array[] = []
  const reader = body.getReader()
  let size = 0
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      size += read.value.length
      if (size > limit) {
        reader.cancel().catch(() => {})
        return tooLarge
      }
      chunks.push(read.value)
    }
  } catch {
    return incompleteBody()
  }
  return size === 0 ? undefined : joined(chunks, size)
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = chunks
  if (chunks.length === 1 && only !== undefined) return only
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

function toResponse(method: string, { text, ...response }: TextResponse): Response {
  const headers = new Headers(response.headers)
  if (text === undefined) {
    headers.delete('content-type')
    return new Response(null, { status: response.status, headers })
  }
  const bytes = new TextEncoder().encode(text)
  headers.set('content-length', String(bytes.length))
  const body = method === 'HEAD' ? null : bytes
  return new Response(body, { status: response.status, headers })
}
