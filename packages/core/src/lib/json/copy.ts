// copyJson: copies JSON values deeply, including the marks that `stringify` uses, so that functions of the host may change what they get.

import { canonicalJson } from './canonical.ts'
import type { JsonValue } from './json-value.ts'
import { stringify } from './stringify.ts'
import { isKeptSorted, isVerbatim, keepSorted } from './verbatim.ts'

/** What is deeper is copied as text, because recursion uses the stack, and because a value that contains itself has no end. */
const deepest = 200

/**
 * Copies a value deeply. Verbatim numbers are frozen, so the copy shares them. Objects with `toJSON` are replaced by its result. Throws a
 * TypeError for a value that contains itself.
 */
export const copyJson = (value: JsonValue): JsonValue => copyAt(value, 0)

function copyAt(value: JsonValue, depth: number): JsonValue {
  if (typeof value !== 'object' || value === null || isVerbatim(value)) return value
  if (depth > deepest) return canonicalJson(stringify(value))
  if (Array.isArray(value)) return value.map((item) => copyAt(item, depth + 1))
  const isSorted = isKeptSorted(value)
  const { toJSON } = value as { readonly toJSON?: unknown }
  if (!isSorted && typeof toJSON === 'function') return copyAt(toJSON.call(value), depth + 1)
  const copy: Record<string, JsonValue> = {}
  for (const key of Object.keys(value)) {
    const member = copyAt(
      (value as Readonly<Record<string, JsonValue>>)[key] as JsonValue,
      depth + 1,
    )
    // An assignment to __proto__ would set the prototype instead.
    if (key === '__proto__') define(copy, key, member)
    else copy[key] = member
  }
  if (isSorted) keepSorted(copy)
  return copy
}

const define = (object: object, key: string, value: JsonValue): void => {
  Object.defineProperty(object, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  })
}
