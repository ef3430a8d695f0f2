// api.fetch: serves a web Request with a web Response; a thin wrapper of `answer` for Bun, Deno and workers.

import { type ApiError, bodyTooLarge, incompleteBody } from '../../errors.ts'
import type { ApiRequest } from '../../model/request.ts'
import { settingNames } from '../../model/settings/setting-names.ts'
import type { TextResponse } from '../response.ts'

/** What `api.fetch` may be told besides the Request. */
export interface FetchOptions<Other = never> {
  /** Address of the peer, which a Request does not contain; rate limits count by it. */
  readonly ip?: string | undefined
  /** The prefix the API is mounted under, such as `/v1`: removed from the path, and added to every URL in responses. */
  readonly baseUrl?: string | undefined
  /**
   * The value of `request.host` in hooks: the framework's context, for example, which knows the user that the host application
   * logged in. Default: the Request.
   */
  readonly host?: object | undefined
  /**
   * false: the documentation is not compressed, for hosts that remove `Content-Encoding` from responses, as Next.js does.
   * Default true.
   */
  readonly compress?: boolean | undefined
  /**
   * Serves every path that is not the API's; its result is that of `fetch`. Default: the API responds with 404.
   *
   * ```ts
   * app.use((context, next) => api.fetch(context.req.raw, { fallback: next })) // Hono
   * ```
   */
  readonly fallback?: ((request: Request) => Other | PromiseLike<Other>) | undefined
}

/** The part of the API that `fetch` uses. */
export interface Serving {
  answer(request: ApiRequest, refused?: { readonly error: unknown }): Promise<TextResponse>
  owns(url: string): boolean
  readonly bodyLimit: number
}

/** Serves a web Request. */
export async function serveFetch<Other = never>(
  { answer, owns, bodyLimit }: Serving,
  request: Request,
  // With `fetch: api.fetch` the runtime passes its own second argument, so members of other types must be ignored.
  { ip, baseUrl, host, compress, fallback }: FetchOptions<Other> = {},
): Promise<Response | Other> {
  const mount = typeof baseUrl === 'string' ? baseUrl : ''
  const sent = targetOf(request.url)
  const isBelow = below(sent, mount)
  const url = isBelow ? sent.slice(mount.length) : sent
  if (typeof fallback === 'function' && !(isBelow && owns(url))) return fallback(request)
  const isRead = bodyIsRead(request)
  const body = isRead ? undefined : await readBody(request, bodyLimit)
  const asked: ApiRequest = {
    method: request.method,
    url,
    headers: Object.fromEntries(request.headers),
    ...(body === undefined ? {} : { body }),
    ...(typeof ip === 'string' ? { ip } : {}),
    ...(mount === '' ? {} : { baseUrl: mount }),
    host: typeof host === 'object' && host !== null ? host : request,
    takesBytes: compress !== false,
    // A getter, because some runtimes create the signal on access.
    get signal() {
      return request.signal
    },
  }
  const refused = isRead ? { error: new TypeError(bodyWasRead) } : undefined
  return toResponse(request.method, await answer(asked, refused))
}

const bodyWasRead =
  'The body of the Request was read before api.fetch. Ask the API first, or read a copy: request.clone().json().'

/** Whether code of the host has read the body, or is reading it. */
const bodyIsRead = ({ bodyUsed, body }: Request): boolean => bodyUsed || body?.locked === true

/** Returns path and query as they were sent, without the origin: `https://shop.example/api/books?page=2` → `/api/books?page=2`. */
const targetOf = (url: string): string => url.replace(/^[a-z]+:\/\/[^/?#]*/i, '')

/** Whether a path is the mount prefix or lies below it: `/v1/books` is below `/v1`, `/v12` is not. */
const below = (url: string, mount: string): boolean =>
  url.startsWith(mount) && /^(?:[/?]|$)/.test(url.slice(mount.length))

/** Reads the body's bytes. If they cannot be read, returns the error that a write responds with. */
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

/** Joins the chunks of a body. */
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

/** Makes a web Response of a response as text. */
function toResponse(
  method: string,
  { text, bytes: compressed, ...response }: TextResponse,
): Response {
  const headers = new Headers(response.headers)
  for (const cookie of response.cookies ?? []) headers.append('set-cookie', cookie)
  if (text === undefined) {
    headers.delete('content-type')
    return new Response(null, { status: response.status, headers })
  }
  const bytes = compressed ?? new TextEncoder().encode(text)
  headers.set('content-length', String(bytes.length))
  // Servers guess a content type for an empty text.
  const body = method === 'HEAD' || bytes.length === 0 ? null : bytes
  return new Response(body, { status: response.status, headers })
}
