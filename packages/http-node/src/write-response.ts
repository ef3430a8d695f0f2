// Writes an ApiResponse to a node:http response: JSON text, its length, one end().

import type { ServerResponse } from 'node:http'
import type { ApiResponse } from '@model-api/core'
import { responseText } from './response-text.ts'

/** Sends the answer; HEAD gets the headers of GET, and a client that has gone gets nothing. */
export function writeResponse(res: ServerResponse, response: ApiResponse): void {
  if (res.headersSent || res.destroyed) return
  res.statusCode = response.status
  for (const [name, value] of Object.entries(response.headers)) res.setHeader(name, value)
  const text = responseText(response)
  if (text === undefined) {
    res.removeHeader('content-type')
    res.end()
    return
  }
  if (text !== '' && !res.hasHeader('content-type')) {
    res.setHeader('content-type', 'application/json; charset=utf-8')
  }
  res.setHeader('content-length', Buffer.byteLength(text))
  // Node itself leaves out the body of an answer to HEAD.
  res.end(text)
}
