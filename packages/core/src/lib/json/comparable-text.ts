// comparableText: one text for all JSON texts of the same value. Requests with one Idempotency-Key are compared by it.

import type { JsonValue } from './json-value.ts'
import { isVerbatim } from './verbatim.ts'

/**
 * JSON text that is the same for equal values, whatever the order of their members, and whether their numbers were read by this
 * library or by `JSON.parse`: a number is the 64-bit float nearest to its digits. Linear, but for sorting the members of each object.
 * The recursion is as deep as the value.
 *
 * `comparableText({ b: 1, a: [2] })` → `'{"a":[2],"b":1}'`
 */
export const comparableText = (value: JsonValue): string => JSON.stringify(sorted(value))

/** The value with the members of every object in one order; verbatim numbers stay, because JSON.stringify writes their nearest float. */
function sorted(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || isVerbatim(value)) return value
  if (Array.isArray(value)) return value.map(sorted)
  const members = Object.entries(value).map(([name, member]) => [name, sorted(member)] as const)
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)))
}
