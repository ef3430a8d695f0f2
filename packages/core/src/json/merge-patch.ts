// mergePatch: JSON Merge Patch (RFC 7396).

import type { JsonValue } from './json-value.ts'
import { isVerbatim } from './verbatim.ts'

type Members = { readonly [key: string]: JsonValue }

/** Whether a JSON value is an object: not a list and not a verbatim number. */
export const isJsonObject = (value: JsonValue | undefined): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isVerbatim(value)

/**
 * The value after a merge patch. A patch that is an object sets its members and removes those that are null, at every depth; any
 * other patch replaces the whole value. The depth of the recursion is that of the patch.
 *
 * `mergePatch({ a: 1, b: { c: 2 } }, { a: null, b: { d: 3 } })` → `{ b: { c: 2, d: 3 } }`
 */
export function mergePatch(value: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch
  // A Map, because a stored member may be named `__proto__`, and a value has members of its prototype.
  const members = new Map(isJsonObject(value) ? Object.entries(value) : [])
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) members.delete(name)
    else members.set(name, mergePatch(members.get(name), change))
  }
  return Object.fromEntries(members)
}
