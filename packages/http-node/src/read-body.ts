// Reads the body of a Node request within a limit. A failure is returned as an ApiError, which only requests that need the body throw.

import type { IncomingMessage } from 'node:http'
import { type ApiError, bodyTooLarge, incompleteBody } from '@model-api/core'

/** Methods whose bodies are not read. */
const bodiless = new Set(['GET', 'HEAD', 'OPTIONS'])

type Body = string | Uint8Array | ApiError | undefined

/** Reads the body: its text, its bytes if they are not UTF-8, or the ApiError that a write responds with. */
export async function readBody(req: IncomingMessage, limit: number): Promise<Body> {
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
 * Whether the client sent a body; otherwise a parsed value comes from the host, not from the client. An HTTP/2 request has one if its
 * headers do not end the stream; it needs neither of the headers by which HTTP/1 announces a body.
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
    // A parser of the host has read an empty body to its end.
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
