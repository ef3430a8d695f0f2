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

/**
 * As `writeText`, where nobody but this package may look at the response again: headers that stand alone go out without
 * being kept, which is most of what they cost.
 */
export function sendText(res: ServerResponse, answer: TextResponse): void {
  const { status, headers, text } = answer
  if (text === undefined || res.headersSent || res.destroyed || hasHeaders(res)) {
    writeText(res, answer)
    return
  }
  res.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) })
  res.end(text)
}

const hasHeaders = (res: ServerResponse): boolean => res.getHeaderNames().length > 0

/** Sets headers over those of the host's middleware; `vary` and cookies come on top of theirs. */
export function setHeaders(res: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(headers)) {
    const value = headers[name] as string
    switch (name) {
      case 'vary': {
        const before = res.getHeader(name)
        res.setHeader(name, before === undefined ? value : `${before}, ${value}`)
        break
      }
      case 'set-cookie':
        res.appendHeader(name, value)
        break
      default:
        res.setHeader(name, value)
    }
  }
}
