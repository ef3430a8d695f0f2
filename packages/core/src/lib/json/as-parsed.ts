// asParsed: a value as `JSON.parse` would return it, for results of the client in the process, which the application uses as they are.

import type { JsonValue } from './json-value.ts'
import { stringify } from './stringify.ts'
import { isVerbatim } from './verbatim.ts'

/** What is deeper becomes text in between, because recursion uses the stack. */
const deepest = 200

/** Replaces verbatim numbers by JavaScript's nearest ones, in place. */
export const asParsed = (value: JsonValue): JsonValue => plainAt(value, 0)

function plainAt(value: JsonValue, depth: number): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (isVerbatim(value)) return value.toJSON()
  if (depth > deepest) return JSON.parse(stringify(value))
  const members = value as { [key: string]: JsonValue }
  // For an array these are its indexes.
  for (const key of Object.keys(members)) {
    const member = members[key] as JsonValue
    if (typeof member !== 'object' || member === null) continue
    const plain = plainAt(member, depth + 1)
    if (plain !== member) members[key] = plain
  }
  return value
}
