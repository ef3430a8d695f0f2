// readParsedJson: checks a body that a body parser of the host has already parsed: depth, keys, strings, numbers. `strict-json.ts` makes
// the same checks of a text.

import type { JsonValue } from '../../../lib/json/json-value.ts'
import { isVerbatim } from '../../../lib/json/verbatim.ts'
import { notJsonValue, numberTooLarge } from '../../../problems.ts'
import type { InputProblems } from '../input-problems.ts'
import { badKey, badText, refuseDepth, refuseKeyCount, refuseKeyLength } from './json-limits.ts'

/** Copies a parsed body, and adds its problems; repeated keys and lost digits can no longer be detected. */
export function readParsedJson(body: unknown, problems: InputProblems): JsonValue {
  const copy = (value: unknown, path: string, depth: number): JsonValue => {
    if (value === null || typeof value === 'boolean') return value
    if (typeof value === 'object') refuseDepth(depth)
    if (typeof value === 'string') {
      const wrong = badText(value)
      if (wrong !== undefined) problems.add(path, wrong)
      return value
    }
    if (typeof value === 'number') {
      if (!Number.isFinite(value)) problems.add(path, numberTooLarge)
      return value
    }
    if (Array.isArray(value)) return value.map((item, i) => copy(item, `${path}[${i}]`, depth + 1))
    if (typeof value === 'object' && isVerbatim(value)) return value
    if (typeof value === 'object' && isPlain(value)) return members(value, path, depth)
    problems.add(path, notJsonValue)
    return null
  }

  const members = (value: object, path: string, depth: number): JsonValue => {
    const entries = Object.entries(value)
    refuseKeyCount(entries.length)
    const result: Record<string, JsonValue> = {}
    for (const [key, member] of entries) {
      if (member === undefined) continue
      refuseKeyLength(key)
      const below = path === '' ? key : `${path}.${key}`
      const wrong = badKey(key) ?? badText(key)
      if (wrong === undefined) result[key] = copy(member, below, depth + 1)
      else problems.add(below, wrong)
    }
    return result
  }

  return copy(body, '', 1)
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}
