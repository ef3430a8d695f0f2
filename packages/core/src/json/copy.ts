// Copies JSON values deeply, including the marks that `stringify` uses.

import type { JsonValue } from './json-value.ts'
import { isKeptSorted, isVerbatim, keepSorted } from './verbatim.ts'

/** A deep copy. Verbatim numbers are frozen, so the copy shares them. */
export function copyJson(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || isVerbatim(value)) return value
  if (Array.isArray(value)) return value.map(copyJson)
  // Not by assignment, which would set the prototype for a key "__proto__".
  const copy = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, copyJson(one)]))
  if (isKeptSorted(value)) keepSorted(copy)
  return copy
}
