// Limits of JSON bodies, as text or parsed by the host: nesting, number and length of keys, and strings that cannot be stored. All parsers
// of bodies use them.

import { malformedJson } from '../../../errors.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import type { CodedProblem } from '../../../lib/problems/problem-codes.ts'
import { forbiddenKey, loneSurrogate, nulCharacter } from '../../../problems.ts'

/** Most levels of lists and objects; the body itself is level 1. */
const deepest = 32
/** Most keys of one object. */
const mostKeys = 1000
/** Enough for a URL. V8 hashes strings of more than 16,383 characters by their length only, so that equally long keys would all collide. */
const longestKey = 1000

/** Throws 400 for a list or object deeper than 32 levels; `at` is its position in the text. */
export function refuseDepth(depth: number, at?: number): void {
  if (depth > deepest) throw malformedJson(`is nested deeper than ${deepest} levels`, at)
}

/** Throws 400 for an object with more than 1,000 keys. */
export function refuseKeyCount(count: number, at?: number): void {
  if (count > mostKeys) throw malformedJson(`has an object of more than ${mostKeys} keys`, at)
}

/** Throws 400 for a key of more than 1,000 characters. */
export function refuseKeyLength({ length }: string, at?: number): void {
  if (length > longestKey)
    throw malformedJson(`has a key of more than ${longestKey} characters`, at)
}

type Members = Readonly<Record<string, JsonValue>>

const noKeys: ReadonlySet<string> = new Set()

/** Whether a value from JSON.parse passes the three checks above, and has none of the `refused` keys. */
export function isWithinLimits(
  value: JsonValue,
  depth = 1,
  refused: ReadonlySet<string> = noKeys,
): boolean {
  if (!isNested(value)) return true
  if (depth > deepest) return false
  if (Array.isArray(value)) {
    for (const item of value) if (!isWithinLimits(item, depth + 1, refused)) return false
    return true
  }
  let keys = 0
  for (const key in value) {
    keys += 1
    if (key.length > longestKey || refused.has(key)) return false
    const member = (value as Members)[key] as JsonValue
    // Most members are neither objects nor lists; testing that here saves a call for each.
    if (isNested(member) && !isWithinLimits(member, depth + 1, refused)) return false
  }
  return keys <= mostKeys
}

/** Whether the value is an object or a list. */
const isNested = (value: JsonValue): value is JsonValue & object =>
  typeof value === 'object' && value !== null

/** Keys that a body must not contain: setting or merging them can change the prototype of an object. */
export const prototypeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/** The problem with the key of a member, or undefined. */
export const badKey = (key: string): CodedProblem | undefined =>
  prototypeKeys.has(key) ? forbiddenKey(key) : undefined

/** The problem with a string, or undefined: databases store neither NUL nor lone surrogates. */
export function badText(text: string): CodedProblem | undefined {
  if (text.includes('\0')) return nulCharacter
  return /\p{Surrogate}/u.test(text) ? loneSurrogate : undefined
}
