// Reads a node:http request into an ApiRequest: raw URL, headers, peer address, body text within a limit.

import type { IncomingMessage } from 'node:http'
import { type ApiError, type ApiRequest, apiError } from '@model-api/core'

export interface ReadOptions {
  /** Largest body in bytes. Default 1 MiB. */
  readonly bodyLimit?: number
  /** The body, where a parser of the host has read it already. */
  readonly body?: unknown
  /** The path and query below the mount prefix. Default: the request's own. */
  readonly url?: string
  /** The prefix the API is mounted under, as `/v1`. */
  readonly baseUrl?: string
  /** What hooks see as `request.host`. Default: the node request. */
  readonly host?: unknown
}

export const defaultBodyLimit: number = 1024 * 1024

/** These have no body that anybody reads. */
const bodiless = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * The request as the API takes it; rejects with the ApiError to answer when the body cannot be had.
 *
 * Nothing is parsed: `or[id__in=(1,2),title__eq=a%2Cb]` reaches the API as it was sent.
 */
export async function readRequest(
  req: IncomingMessage,
  options: ReadOptions = {},
): Promise<ApiRequest> {
  const method = req.method ?? 'GET'
  const body = 'body' in options ? options.body : await readBody(req, method, options.bodyLimit)
  return {
    method,
    url: options.url ?? req.url ?? '/',
    headers: req.headers,
    ...(body === undefined ? {} : { body }),
    ...(req.socket.remoteAddress === undefined ? {} : { ip: req.socket.remoteAddress }),
    ...(options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl }),
    host: options.host ?? req,
  }
}

async function readBody(
  req: IncomingMessage,
  method: string,
  limit: number = defaultBodyLimit,
): Promise<string | undefined> {
  if (bodiless.has(method)) return undefined
  // Refused before a byte is read; node then discards what still comes.
  const announced = Number(req.headers['content-length'] ?? 0)
  if (announced > limit) throw tooLarge(limit)
  const encoding = req.headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') {
    throw apiError(
      415,
      'Unsupported Media Type',
      `The body is sent as "${encoding}". Send it without Content-Encoding.`,
    )
  }
  const bytes = await collect(req, limit)
  return bytes.length === 0 ? undefined : decode(bytes)
}

/** Events rather than iteration: leaving a loop early would destroy the connection before the answer is sent. */
function collect(req: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const settle = (act: () => void): void => {
      req.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut)
      act()
    }
    const onData = (chunk: Buffer): void => {
      size += chunk.length
      if (size <= limit) chunks.push(chunk)
      else {
        settle(() => reject(tooLarge(limit)))
        req.on('error', () => {}).resume()
      }
    }
    const onEnd = (): void => settle(() => resolve(Buffer.concat(chunks, size)))
    const onCut = (): void =>
      settle(() => reject(apiError(400, 'Bad Request', 'The body ended before it was complete.')))
    req.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut)
  })
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw apiError(400, 'Bad Request', 'The body is not valid UTF-8.')
  }
}

const tooLarge = (limit: number): ApiError =>
  apiError(413, 'Content Too Large', `The body is larger than ${limit} bytes (API_BODY_LIMIT).`)
