// Reads the body of a node request within a limit; what cannot be read is a value too: the answer to whoever needs the body.

import type { IncomingMessage } from 'node:http'
import { type ApiError, apiError, bodyTooLarge, incompleteBody } from '@model-api/core'

/** These have no body that anybody reads. */
const bodiless = new Set(['GET', 'HEAD', 'OPTIONS'])

type Body = string | Uint8Array | ApiError | undefined

/** The body's text, its bytes where they are no UTF-8, or the ApiError that a write is to be answered with. */
export async function readBody(req: IncomingMessage, limit: number): Promise<Body> {
  if (bodiless.has(req.method ?? 'GET') || !announcesBody(req)) return undefined
  // Refused before a byte is read; node then discards what still comes.
  if (Number(req.headers['content-length'] ?? 0) > limit) return tooLarge(limit)
  const bytes = await collect(req, limit)
  return Buffer.isBuffer(bytes) ? textOf(bytes) : bytes
}

/** Whether anything was sent; what the host finds in the place of nothing is not the client's. */
export const announcesBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const tooLarge = (limit: number): ApiError => bodyTooLarge('API_BODY_LIMIT', limit)

/** Events rather than iteration: leaving a loop early would destroy the connection before the answer is sent. */
function collect(req: IncomingMessage, limit: number): Promise<Buffer | ApiError | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const settle = (result: Buffer | ApiError | undefined): void => {
      req.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut)
      resolve(result)
    }
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      else {
        settle(tooLarge(limit))
        req.on('error', () => {}).resume()
      }
    }
    const onEnd = (): void => settle(size === 0 ? undefined : Buffer.concat(chunks, size))
    const onCut = (): void => settle(incompleteBody())
    if (req.destroyed) settle(incompleteBody())
    else req.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut)
  })
}

/** Bytes that are no text are refused by the API itself, in its own words. */
function textOf(bytes: Buffer): string | Buffer {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return bytes
  }
}

/**
 * A body that a parser of the host has read, or failed to read: what it left of it.
 *
 * A parser that found nothing to parse leaves nothing, or an empty object, and the stream untouched.
 */
export async function readParsed(
  req: IncomingMessage,
  parsed: unknown,
  limit: number,
): Promise<unknown> {
  if (!announcesBody(req)) return undefined
  const untouched = !req.readableDidRead && (parsed === undefined || isEmpty(parsed))
  return untouched ? readBody(req, limit) : parsed
}

const isEmpty = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && Object.keys(body).length === 0

/** What a body parser throws: http-errors with a type, or with the text it stumbled over. */
interface ParserError {
  readonly type?: unknown
  readonly status?: unknown
  readonly body?: unknown
  readonly limit?: unknown
  readonly code?: unknown
}

/**
 * The body behind an error of a body parser, or undefined where the error is no such one: its text, which the API then
 * refuses in its own words, or the ApiError to answer.
 */
export function unreadBody(error: unknown): string | ApiError | undefined {
  const { type, status, body, limit, code } = (error ?? {}) as ParserError
  if (type === 'entity.verify.failed') return undefined
  if (typeof body === 'string' && status === 400) return body
  if (status === 415) {
    return apiError(415, 'Unsupported Media Type', 'The body must be JSON in UTF-8, not packed.')
  }
  // It could not be unpacked; the API refuses what is packed anyway.
  if (typeof code === 'string' && code.startsWith('Z_')) return incompleteBody()
  switch (type) {
    case 'entity.too.large': {
      const bound = typeof limit === 'number' ? ` than ${limit} bytes` : ' than it may be'
      return apiError(413, 'Content Too Large', `The body is larger${bound}.`)
    }
    case 'request.aborted':
    case 'request.size.invalid':
      return incompleteBody()
    default:
      return undefined
  }
}
