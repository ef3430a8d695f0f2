// stringify: JSON.stringify with verbatim numbers (kept as their text, `1.0`), sorted keys and any depth. All JSON of responses and of json
// columns is written by it, unless a database or a JsonWriter writes it. stringifyUnless is for values of the host, which may not be JSON,
// asciiJson for columns that may lack characters.

import { compareCodePoints } from './code-points.ts'
import type { JsonValue } from './json-value.ts'
import { isKeptSorted, isVerbatim, specialValuesSeen } from './verbatim.ts'

/**
 * Serialises a value as JSON: verbatim numbers as their text, documents of `canonicalJson` with keys in code point order,
 * everything else exactly as JSON.stringify.
 */
export const stringify = (value: JsonValue): string => stringifyUnless(value, nothing)

const nothing = (): void => {}

/**
 * `stringify` for a value that may not be JSON. If JSON.stringify throws or returns undefined, calls `refuse`, which throws an
 * error with the reason. Unlike checking the whole value beforehand, this costs nothing if the value is JSON.
 */
export function stringifyUnless(value: JsonValue, refuse: () => void): string {
  const before = specialValuesSeen()
  let text: string | undefined
  try {
    text = JSON.stringify(value)
  } catch (error) {
    refuse()
    // JSON.stringify recurses, and a document may be deeper than the stack.
    if (error instanceof RangeError) return write(value)
    throw error
  }
  if (text === undefined) refuse()
  return specialValuesSeen() === before ? (text ?? 'null') : write(value)
}

/** An array or object that is being written, and the position of its next element. */
type Open =
  | { readonly items: readonly unknown[]; next: number; readonly close: ']' }
  | {
      readonly object: Readonly<Record<string, unknown>>
      readonly keys: readonly string[]
      next: number
      first: boolean
      readonly close: '}'
    }

function write(root: JsonValue): string {
  const open: Open[] = []
  let text = ''
  const enter = (given: unknown): void => {
    const value = given === undefined ? null : given
    if (typeof value !== 'object' || value === null) {
      text += JSON.stringify(value) ?? 'null'
    } else if (isVerbatim(value)) {
      text += value.verbatim
    } else if (Array.isArray(value)) {
      text += '['
      open.push({ items: value, next: 0, close: ']' })
    } else if (isKeptSorted(value) || typeof (value as Hooked).toJSON !== 'function') {
      text += '{'
      const object = value as Readonly<Record<string, unknown>>
      const keys = Object.keys(object)
      if (isKeptSorted(value)) keys.sort(compareCodePoints)
      open.push({ object, keys, next: 0, first: true, close: '}' })
    } else {
      enter((value as Required<Hooked>).toJSON())
    }
  }
  enter(root)
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    if ('items' in top) {
      if (top.next < top.items.length) {
        if (top.next > 0) text += ','
        top.next += 1
        enter(top.items[top.next - 1])
        continue
      }
    } else if (top.next < top.keys.length) {
      const key = top.keys[top.next] as string
      top.next += 1
      const member = top.object[key]
      if (member === undefined || typeof member === 'function' || typeof member === 'symbol')
        continue
      text += `${top.first ? '' : ','}${JSON.stringify(key)}:`
      top.first = false
      enter(member)
      continue
    }
    text += top.close
    open.pop()
  }
  return text
}

interface Hooked {
  toJSON?: () => unknown
}

/** Writes JSON with all characters beyond ASCII escaped, for columns that may have any character set. */
export const asciiJson = (value: JsonValue): string =>
  stringify(value).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
