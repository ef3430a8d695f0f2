// Copies JSON values deeply, including the marks that `stringify` uses.

import type { JsonValue } from './json-value.ts'
import { isKeptSorted, isVerbatim, keepSorted } from './verbatim.ts'

/** Copies a value deeply. Verbatim numbers are frozen, so the copy shares them. */
export function copyJson(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || isVerbatim(value)) return value
  if (Array.isArray(value)) return value.map(copyJson)
  // Does not assign the members, because assigning a key `__proto__` would set the prototype.
  const copy = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, copyJson(one)]))
  if (isKeptSorted(value)) keepSorted(copy)
  return copy
}
