// The text of an answer's body, as every adapter sends it.

import { type ApiResponse, type JsonValue, stringify } from '@model-api/core'

/** Answers that have no body, whatever the response says. */
const bodiless = new Set([204, 304])

/** The body's text; undefined where the status has no body. */
export function responseText({ status, body }: ApiResponse): string | undefined {
  if (bodiless.has(status)) return undefined
  if (body === undefined) return ''
  return typeof body === 'string' ? body : stringify(body as unknown as JsonValue)
}
