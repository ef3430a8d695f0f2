// Reads the body that a parser of the host has parsed, or the stream if none did.

import type { IncomingMessage } from 'node:http'
import { announcesBody, receiveBody } from './received-body.ts'

/**
 * Returns the body that a parser of the host has parsed.
 *
 * If no parser did, `parsed` is undefined or an empty object and the stream is unread; this function then reads the body.
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
