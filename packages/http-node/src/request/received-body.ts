// Reads the body of a Node request, up to a limit of bytes (receiveBody); hasBody and announcesBody tell whether there is one. A body that
// is too long or cut off gives an ApiError as the result, not as an exception: the request is then still routed, so that a caller without
// rights gets 403 or 404 and not 413.

import type { IncomingMessage } from 'node:http'
import { type ApiError, bodyTooLarge, incompleteBody } from '@model-api/core'

/** Methods whose bodies are not read. */
const bodiless = new Set(['GET', 'HEAD', 'OPTIONS'])

type Body = string | Uint8Array | ApiError | undefined

/**
 * Reads the body: its text, its bytes if they are not UTF-8, undefined if there is none, or the ApiError with which a request that needs
 * the body is answered.
 */
export async function receiveBody(req: IncomingMessage, limit: number): Promise<Body> {
  if (!hasBody(req)) return undefined
  // Refuses the body without reading it; Node discards it.
  if (Number(req.headers['content-length'] ?? 0) > limit) return tooLarge(limit)
  const bytes = await collect(req, limit)
  return Buffer.isBuffer(bytes) ? textOf(bytes) : bytes
}

/** Whether the request has a body that must be read. */
export const hasBody = (req: IncomingMessage): boolean =>
  !bodiless.has(req.method ?? 'GET') && announcesBody(req)

/** A request of node:http2. */
interface Http2Request extends IncomingMessage {
  readonly stream?: { readonly endAfterHeaders: boolean }
}

/**
 * Whether the client sent a body. If not, a `req.body` that the host's middleware has set is no body of the client.
 *
 * HTTP/1 requests announce a body by `Content-Length` or `Transfer-Encoding`. HTTP/2 requests need neither: there is a body unless the
 * headers end the stream.
 */
export function announcesBody({ headers, stream }: Http2Request): boolean {
  if (stream !== undefined) return !stream.endAfterHeaders
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

const tooLarge = (limit: number): ApiError => bodyTooLarge('API_BODY_LIMIT', limit)

/**
 * Collects the chunks. Uses events, because leaving an async iteration early would destroy the connection before the response
 * is sent. The listeners are not removed: they no longer fire after the end, and removing them costs as much as reading a small
 * body.
 */
function collect(req: IncomingMessage, limit: number): Promise<Buffer | ApiError | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    let isSettled = false
    const settle = (outcome: () => Buffer | ApiError | undefined): void => {
      if (isSettled) return
      isSettled = true
      resolve(outcome())
    }
    const onData = (chunk: Buffer): void => {
      // Data after the limit was exceeded is discarded.
      if (isSettled) return
      size += chunk.length
      if (size <= limit) {
        chunks.push(chunk)
        return
      }
      chunks.length = 0
      settle(() => tooLarge(limit))
    }
    const onEnd = (): void => settle(() => (size === 0 ? undefined : whole(chunks, size)))
    // Node emits `close` on complete requests too; `settle` then does nothing.
    const onCut = (): void => settle(incompleteBody)
    // A parser of the host has read an empty body to its end. A body with content that it has read is gone: the stream is destroyed, which
    // gives the error of a body that is cut off. `readParsed` does not come here then.
    if (req.readableEnded && !req.readableDidRead) onEnd()
    else if (req.destroyed) onCut()
    else req.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut)
  })
}

/** Joins the chunks; most bodies are a single one. */
const whole = (chunks: readonly Buffer[], size: number): Buffer => {
  const [first] = chunks
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, size)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Returns the text, or the bytes if they are not UTF-8; the API refuses such bytes with its own error. */
function textOf(bytes: Buffer): string | Buffer {
  try {
    return utf8.decode(bytes)
  } catch {
    return bytes
  }
}
