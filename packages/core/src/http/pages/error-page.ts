// The HTML page of an error: status, error and reason, and the JSON body that they come from.

import type { JsonValue } from '../../lib/json/json-value.ts'
import { framedPage, type PageFrame } from './frame.ts'
import { escaped } from './html.ts'
import { jsonSection } from './json-section.ts'

/** Returns the page as HTML. `body` is the JSON body; a callback may have replaced the envelope by any other JSON. */
export function errorPage(frame: PageFrame, status: number, body: JsonValue): string {
  const errors = memberOf(body, 'errors') ?? null
  const error = textOf(errors, 'error')
  const reason = textOf(errors, 'reason')
  const at = textOf(errors, 'at')
  return framedPage(
    frame,
    error ?? String(status),
    `<h1>${status} <small>${escaped(error ?? '')}</small></h1>
${reason === undefined ? '' : `<p>${escaped(reason)}</p>`}
${at === undefined ? '' : `<p class="meta">In the request: <code>${escaped(at)}</code></p>`}
${jsonSection(body)}`,
  )
}

const memberOf = (value: JsonValue, name: string): JsonValue | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, JsonValue>>)[name]
    : undefined

function textOf(value: JsonValue, name: string): string | undefined {
  const member = memberOf(value, name)
  return typeof member === 'string' ? member : undefined
}
