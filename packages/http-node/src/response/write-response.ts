// Writes responses to node:http: adds headers to those of the host, and sends the body with its length.

import type { ServerResponse } from 'node:http'
import { type ApiResponse, responseText, type TextResponse } from '@model-api/core'

/** Sends a response; HEAD gets the headers of GET; does nothing if the client has disconnected. */
export function writeResponse(res: ServerResponse, response: ApiResponse): void {
  const { body: _, ...others } = response
  writeText(res, { ...others, text: responseText(response) })
}

/** Sends the result of `api.answer`, as `writeResponse` sends a response. */
export function writeText(res: ServerResponse, response: TextResponse): void {
  const { status, text } = response
  if (res.headersSent || res.destroyed) return
  res.statusCode = status
  setHeaders(res, response)
  if (text === undefined) {
    res.removeHeader('content-type')
    res.end()
    return
  }
  const body = response.bytes ?? text
  res.setHeader('content-length', Buffer.byteLength(body))
  // Node omits the body of a response to HEAD.
  res.end(body)
}

/**
 * Sends a response as `writeText` does, but faster, if no code of the host uses the response afterwards. Unless the host has set
 * headers, `writeHead` writes them directly; storing them on the response would be most of their cost.
 */
export function sendText(res: ServerResponse, answer: TextResponse): void {
  const { status, headers, cookies, text } = answer
  if (
    cookies !== undefined ||
    text === undefined ||
    res.headersSent ||
    res.destroyed ||
    hasHeaders(res)
  ) {
    writeText(res, answer)
    return
  }
  const body = answer.bytes ?? text
  res.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  res.end(body)
}

/** Whether the host has set headers. */
const hasHeaders = (res: ServerResponse): boolean => res.getHeaderNames().length > 0

/** Sets the headers of a response, replacing those of the host's middleware; `Vary` and the cookies are appended. */
export function setHeaders(
  res: ServerResponse,
  { headers, cookies = [] }: Pick<ApiResponse, 'headers' | 'cookies'>,
): void {
  for (const cookie of cookies) res.appendHeader('set-cookie', cookie)
  for (const name of Object.keys(headers)) {
    const value = headers[name] as string
    const before = name === 'vary' ? res.getHeader(name) : undefined
    res.setHeader(name, before === undefined ? value : `${before}, ${value}`)
  }
}
