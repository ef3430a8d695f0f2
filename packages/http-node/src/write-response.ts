// Writes an ApiResponse to a node:http response: headers beside those of the host, JSON text, its length, one end().

import type { ServerResponse } from 'node:http'
import { type ApiResponse, responseText, type TextResponse } from '@model-api/core'

/** Sends the answer; HEAD gets the headers of GET, and a client that has gone gets nothing. */
export function writeResponse(res: ServerResponse, response: ApiResponse): void {
  const { status, headers } = response
  writeText(res, { status, headers, text: responseText(response) })
}

/** As `writeResponse`, of what `api.answer` gives. */
export function writeText(res: ServerResponse, { status, headers, text }: TextResponse): void {
  if (res.headersSent || res.destroyed) return
  res.statusCode = status
  setHeaders(res, headers)
  if (text === undefined) {
    res.removeHeader('content-type')
    res.end()
    return
  }
  res.setHeader('content-length', Buffer.byteLength(text))
  // Node itself leaves out the body of an answer to HEAD.
  res.end(text)
}

/** Sets headers over those of the host's middleware; `vary` and cookies come on top of theirs. */
export function setHeaders(res: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    const before = res.getHeader(name)
    if (before === undefined) res.setHeader(name, value)
    else if (name === 'vary') res.setHeader(name, `${before}, ${value}`)
    else if (name === 'set-cookie') res.appendHeader(name, value)
    else res.setHeader(name, value)
  }
}
