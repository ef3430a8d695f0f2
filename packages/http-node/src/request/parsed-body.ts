// readParsed: the body of a request that a parser of the host, such as `express.json()`, has parsed, or that of the stream if none did. The
// adapters call it before they give the request to the API.

import type { IncomingMessage } from 'node:http'
import { announcesBody, receiveBody } from './received-body.ts'

/**
 * Returns the body that a parser of the host has parsed; undefined if the client sent none.
 *
 * If no parser did, `parsed` is undefined or an empty object and the stream is unread; this function then reads the body, up to
 * `limit` bytes.
 */
export function readParsed(
  req: IncomingMessage,
  parsed: unknown,
  limit: number,
): unknown | Promise<unknown> {
  if (!announcesBody(req)) return undefined
  const untouched = !req.readableDidRead && (parsed === undefined || isEmpty(parsed))
  return untouched ? receiveBody(req, limit) : parsed
}

const isEmpty = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && Object.keys(body).length === 0
