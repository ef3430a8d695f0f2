// readJsonText: a strict JSON parser for bodies. It reports repeated keys and keys such as `__proto__`, and keeps all digits of numbers
// (docs/guide/writing.md): `12.50` and `12345678901234567890` become objects that stand for the number (`lib/json/verbatim.ts`).

import { malformedJson } from '../../../errors.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import { verbatimNumber } from '../../../lib/json/verbatim.ts'
import { keyGivenTwice, numberTooLarge } from '../../../problems.ts'
import type { InputProblems } from '../input-problems.ts'
import { plainJson } from '../plain-json.ts'
import { badKey, badText, refuseDepth, refuseKeyCount, refuseKeyLength } from './json-limits.ts'

/** `-12.5e3` at the position of the parser. */
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what a JSON string must escape
const string = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
/** A string without escapes and surrogates, which needs no decoding. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what a JSON string must escape
const plainString = /"[^"\\\u0000-\u001f\ud800-\udfff]*"/y
/** The JSON literals, by their first letters. */
const words: Readonly<Record<string, { readonly word: string; readonly meaning: JsonValue }>> = {
  t: { word: 'true', meaning: true },
  f: { word: 'false', meaning: false },
  n: { word: 'null', meaning: null },
}

/**
 * Parses a body.
 *
 * Malformed text, too deep nesting and too many keys throw 400 immediately; everything else is added to `problems`.
 */
export const readJsonText = (text: string, problems: InputProblems): JsonValue =>
  plainJson(text) ?? readCarefully(text, problems)

/** `readJsonText`, token by token. */
export function readCarefully(text: string, problems: InputProblems): JsonValue {
  let at = 0

  const fail = (): never => {
    throw malformedJson('is not JSON', at, text.slice(at, at + 20))
  }
  const skip = (): void => {
    // Fast path: any character above the space (0x20) is not whitespace.
    while (text.charCodeAt(at) <= 0x20 && ' \t\n\r'.includes(text[at] as string)) at += 1
  }
  const token = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0] ?? fail()
    at += found.length
    return found
  }
  const expect = (character: string): void => {
    if (text[at] !== character) fail()
    at += 1
  }
  const stringAt = (path: string): string => {
    plainString.lastIndex = at
    if (plainString.test(text)) {
      const start = at + 1
      at = plainString.lastIndex
      return text.slice(start, at - 1)
    }
    const value = JSON.parse(token(string)) as string
    const wrong = badText(value)
    if (wrong !== undefined) problems.add(path, wrong)
    return value
  }

  const value = (path: string, depth: number): JsonValue => {
    const first = text[at] ?? fail()
    if (first === '{' || first === '[') {
      refuseDepth(depth, at)
      return first === '{' ? object(path, depth) : list(path, depth)
    }
    if (first === '"') return stringAt(path)
    const known = words[first]
    if (known === undefined || !text.startsWith(known.word, at)) return numeric(token(number), path)
    at += known.word.length
    return known.meaning
  }

  const numeric = (digits: string, path: string): JsonValue => {
    const plain = Number(digits)
    if (!Number.isFinite(plain)) problems.add(path, numberTooLarge)
    return String(plain) === digits ? plain : verbatimNumber(digits)
  }

  const list = (path: string, depth: number): JsonValue => {
    const items: JsonValue[] = []
    at += 1
    skip()
    if (text[at] === ']') {
      at += 1
      return items
    }
    for (;;) {
      items.push(value(`${path}[${items.length}]`, depth + 1))
      skip()
      if (text[at] === ']') break
      expect(',')
      skip()
    }
    at += 1
    return items
  }

  const object = (path: string, depth: number): JsonValue => {
    const members: Record<string, JsonValue> = {}
    let count = 0
    at += 1
    skip()
    if (text[at] === '}') {
      at += 1
      return members
    }
    for (;;) {
      const start = at
      const key = stringAt(path)
      refuseKeyLength(key, start)
      const below = path === '' ? key : `${path}.${key}`
      if (Object.hasOwn(members, key)) problems.add(below, keyGivenTwice)
      else count += 1
      refuseKeyCount(count, at)
      skip()
      expect(':')
      skip()
      const member = value(below, depth + 1)
      const wrong = badKey(key)
      if (wrong === undefined) members[key] = member
      else problems.add(below, wrong)
      skip()
      if (text[at] === '}') break
      expect(',')
      skip()
    }
    at += 1
    return members
  }

  skip()
  const body = value('', 1)
  skip()
  if (at < text.length) fail()
  return body
}
