// Reads the body of a node request within a limit; what cannot be read is a value too: the answer to whoever needs the body.

import type { IncomingMessage } from 'node:http'
import { type ApiError, bodyTooLarge, incompleteBody } from '@model-api/core'

/** These have no body that anybody reads. */
const bodiless = new Set(['GET', 'HEAD', 'OPTIONS'])

type Body = string | Uint8Array | ApiError | undefined

/** The body's text, its bytes where they are no UTF-8, or the ApiError that a write is to be answered with. */
export async function readBody(req: IncomingMessage, limit: number): Promise<Body> {
  if (!hasBody(req)) return undefined
  // Refused before a byte is read; node then discards what still comes.
  if (Number(req.headers['content-length'] ?? 0) > limit) return tooLarge(limit)
  const bytes = await collect(req, limit)
  return Buffer.isBuffer(bytes) ? textOf(bytes) : bytes
}

/** Whether there is a body that anybody reads. */
export const hasBody = (req: IncomingMessage): boolean =>
  !bodiless.has(req.method ?? 'GET') && announcesBody(req)

/** Whether anything was sent; what the host finds in the place of nothing is not the client's. */
export const announcesBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const tooLarge = (limit: number): ApiError => bodyTooLarge('API_BODY_LIMIT', limit)

/**
 * Events rather than iteration: leaving a loop early would destroy the connection before the answer is sent. The listeners
 * stay, since nothing happens to a request that has been read, and to take them away costs as much as to read a small one.
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
      // What comes after an answer is let go.
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
    // Every request is closed in the end, the one that has been read, too.
    const onCut = (): void => settle(incompleteBody)
    if (req.destroyed) onCut()
    else req.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut)
  })
}

/** Most bodies come in one piece. */
const whole = (chunks: readonly Buffer[], size: number): Buffer => {
  const [first] = chunks
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks, size)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Bytes that are no text are refused by the API itself, in its own words. */
function textOf(bytes: Buffer): string | Buffer {
  try {
    return utf8.decode(bytes)
  } catch {
    return bytes
  }
}
