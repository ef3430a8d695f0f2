// Parses JSON and keeps all digits of numbers. canonicalJson sorts keys by code point, so that a json column has the same response on every
// database, whatever order it stores: `{"b":1.0,"a":2}` → `{"a":2,"b":1.0}`. exactJson keeps the order of keys, for stored responses.

import { compareCodePoints } from './code-points.ts'
import type { JsonValue } from './json-value.ts'
import { keepSorted, verbatimNumber } from './verbatim.ts'

type Members = { [key: string]: JsonValue }

/** An array or object being read: its elements or members so far, and the key whose value follows. */
type Open =
  | { readonly items: JsonValue[] }
  | { readonly members: Map<string, JsonValue>; key: string }

/** Numbers that may lose digits as JavaScript numbers: with a fraction, an exponent, sixteen digits, or a zero, which may be negative. */
const mayLoseDigits = /(?:^|[[,:\s])-?(?:[0-9]+[.eE]|[0-9]{16}|0(?![0-9]))/

/** Strings (skipped) and numbers. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][-+.0-9eE]*/g

/** Deeper or longer (in characters) documents are parsed by the loop in `read`, because recursion and regular expressions use the stack. */
const deepest = 200
const longest = 100_000

/**
 * Reads a JSON text: keys sorted by code point, the last of equal keys wins, and a number that
 * JavaScript would print differently keeps its text.
 *
 * Throws SyntaxError if the text is not JSON. Only memory limits the depth.
 */
export function canonicalJson(text: string): JsonValue {
  const plain: JsonValue = JSON.parse(text)
  if (typeof plain === 'number') return numberFrom(text.trim())
  if (typeof plain !== 'object' || plain === null) return plain
  const careful = mayLoseDigits.test(text) && (text.length > longest || losesDigits(text))
  return careful ? read(text, inOrder) : (sorted(plain, 0) ?? read(text, inOrder))
}

/** Numbers, as above, and keys that JavaScript lists before others. */
const mayDiffer = /[0-9][.eE0-9]{15}|[0-9][.eE]|-0|"[0-9]+"\s*:|"__proto__"/

/**
 * Reads a JSON text that `stringify` has written, so that `stringify` writes it again: numbers keep their text, and so does the order of
 * keys. JavaScript would list integer keys first. An object of the text whose keys stand in another order comes from `canonicalJson`, in
 * code point order: it is marked, and `stringify` writes that order again.
 */
export const exactJson = (text: string): JsonValue =>
  mayDiffer.test(text) ? read(text, (keys) => keys) : JSON.parse(text)

function losesDigits(text: string): boolean {
  for (const [token] of text.matchAll(tokens)) {
    if (!token.startsWith('"') && String(Number(token)) !== token) return true
  }
  return false
}

/** Sorts the result of JSON.parse, in place if the keys are already in order; undefined if it is too deep. */
function sorted(value: JsonValue, depth: number): JsonValue | undefined {
  if (typeof value !== 'object' || value === null) return value
  if (depth > deepest) return undefined
  return Array.isArray(value) ? sortedItems(value, depth) : sortedMembers(value as Members, depth)
}

function sortedItems(items: JsonValue[], depth: number): JsonValue | undefined {
  for (let at = 0; at < items.length; at += 1) {
    const item = sorted(items[at] as JsonValue, depth + 1)
    if (item === undefined) return undefined
    items[at] = item
  }
  return items
}

function sortedMembers(parent: Members, depth: number): JsonValue | undefined {
  const keys = Object.keys(parent)
  let isSorted = true
  for (let at = 0; at < keys.length; at += 1) {
    const key = keys[at] as string
    const member = sorted(parent[key] as JsonValue, depth + 1)
    if (member === undefined) return undefined
    // Even `__proto__` is an own member here, because JSON.parse defines it.
    parent[key] = member
    if (at > 0 && isSorted) isSorted = compareCodePoints(keys[at - 1] as string, key) < 0
  }
  return isSorted
    ? parent
    : objectOf(new Map(keys.map((key) => [key, parent[key] as JsonValue])), inOrder)
}

// UTF-16 units at which the tokens of JSON begin.
const blank = 0x20
const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openList = 0x5b
const backslash = 0x5c
const closeList = 0x5d
const letterF = 0x66
const letterN = 0x6e
const letterT = 0x74
const openObject = 0x7b
const closeObject = 0x7d

/** Parses valid JSON with an explicit stack, because a stored document may be nested deeper than the call stack allows. */
function read(text: string, order: KeyOrder): JsonValue {
  const open: Open[] = []
  let at = 0
  for (;;) {
    const unit = text.charCodeAt(at)
    let value: JsonValue
    if (unit === openObject) {
      open.push({ members: new Map(), key: '' })
      at += 1
      continue
    }
    if (unit === openList) {
      open.push({ items: [] })
      at += 1
      continue
    }
    if (unit <= blank || unit === comma || unit === colon) {
      at += 1
      continue
    }
    if (unit === closeObject || unit === closeList) {
      value = closed(open.pop(), order)
      at += 1
    } else {
      const end = unit === quote ? endOfString(text, at) : endOfWord(text, at)
      const token = text.slice(at, end)
      at = end
      if (unit === quote) {
        const string = stringFrom(token)
        const top = open.at(-1)
        if (top !== undefined && 'members' in top && isKey(text, at)) {
          top.key = string
          continue
        }
        value = string
      } else if (unit === letterT) value = true
      else if (unit === letterF) value = false
      else if (unit === letterN) value = null
      else value = numberFrom(token)
    }
    const top = open.at(-1)
    if (top === undefined) return value
    if ('items' in top) top.items.push(value)
    else top.members.set(top.key, value)
  }
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === quote) return at + 1
    if (unit === backslash) at += 1
  }
}

function endOfWord(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit <= blank || unit === comma || unit === closeList || unit === closeObject) return at
  }
  return text.length
}

function stringFrom(token: string): string {
  return token.includes('\\') ? JSON.parse(token) : token.slice(1, -1)
}

function isKey(text: string, end: number): boolean {
  let at = end
  while (text.charCodeAt(at) <= blank) at += 1
  return text.charCodeAt(at) === colon
}

function numberFrom(token: string): JsonValue {
  const value = Number(token)
  return String(value) === token ? value : verbatimNumber(token)
}

function closed(top: Open | undefined, order: KeyOrder): JsonValue {
  if (top === undefined) throw new SyntaxError('unbalanced JSON')
  return 'items' in top ? top.items : objectOf(top.members, order)
}

/** Puts the keys of an object in the order in which `stringify` is to write them. */
type KeyOrder = (keys: string[]) => string[]

const inOrder: KeyOrder = (keys) => keys.sort(compareCodePoints)

function objectOf(members: ReadonlyMap<string, JsonValue>, order: KeyOrder): Members {
  const keys = order([...members.keys()])
  const object: Members = {}
  for (const key of keys) {
    const value = members.get(key) as JsonValue
    // An assignment to __proto__ would set the prototype instead.
    if (key === '__proto__') {
      const own = { value, enumerable: true, configurable: true, writable: true }
      Object.defineProperty(object, key, own)
    } else object[key] = value
  }
  // JavaScript lists integer keys first; the mark makes `stringify` write the keys by code point.
  if (Object.keys(object).some((key, at) => key !== keys[at])) keepSorted(object)
  return object
}
