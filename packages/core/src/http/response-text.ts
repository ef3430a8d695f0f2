// The response body as text, as every adapter sends it.

import type { JsonValue } from '../lib/json/json-value.ts'
import { stringify } from '../lib/json/stringify.ts'
import type { ApiResponse } from './response.ts'

/** Statuses without a body. */
const bodiless = new Set([204, 304])

/**
 * Returns the body's text; undefined if the status has no body.
 *
 * ```ts
 * responseText({ status: 200, headers: {}, body: { value: 1 } }) // '{"value":1}'
 * ```
 */
export function responseText({ status, headers, body }: ApiResponse): string | undefined {
  if (bodiless.has(status)) return undefined
  if (body === undefined) return ''
  const value = body as unknown as JsonValue
  // A bare value may also be a string; it is sent as JSON.
  const json = headers['content-type']?.startsWith('application/json') ?? true
  return typeof value === 'string' && !json ? value : stringify(value)
}
