// mergePatch: JSON Merge Patch (RFC 7396), for writes of json columns; and isJsonObject, by which readers of bodies recognise objects.

import type { JsonValue } from './json-value.ts'
import { isVerbatim } from './verbatim.ts'

type Members = { readonly [key: string]: JsonValue }

/** Whether a JSON value is an object: not a list and not a verbatim number. */
export const isJsonObject = (value: JsonValue | undefined): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isVerbatim(value)

/**
 * Applies a merge patch. If the patch is an object, its members replace the value's, at every depth; a null member removes one.
 * Any other patch replaces the whole value. `value` is undefined if there is none to patch. The recursion is as deep as the patch.
 *
 * `mergePatch({ a: 1, b: { c: 2 } }, { a: null, b: { d: 3 } })` → `{ b: { c: 2, d: 3 } }`
 */
export function mergePatch(value: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch
  // A Map, because a stored member may be named `__proto__`, and a plain object also has the members of its prototype.
  const members = new Map(isJsonObject(value) ? Object.entries(value) : [])
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) members.delete(name)
    else members.set(name, mergePatch(members.get(name), change))
  }
  return Object.fromEntries(members)
}
