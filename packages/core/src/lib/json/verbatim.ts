// Values that JSON.stringify would change: verbatim numbers, and objects whose keys JavaScript would reorder.

import type { JsonValue, VerbatimNumber } from './json-value.ts'

const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

/**
 * Counts how often JSON.stringify serialises a verbatim number or an object with sorted keys. If the count rises, `stringify`
 * writes the whole value itself.
 */
const seen = { count: 0 }

function numberOf(this: VerbatimNumber): number {
  seen.count += 1
  return Number(this.verbatim)
}

function itself(this: object): object {
  seen.count += 1
  return this
}

/** Makes a number that `stringify` writes as `text`; throws if `text` is not a JSON number. */
export function verbatimNumber(text: string): VerbatimNumber {
  if (!jsonNumber.test(text)) throw new TypeError(`not a JSON number: ${text}`)
  return Object.freeze({ verbatim: text, toJSON: numberOf })
}

/** Whether a value comes from `verbatimNumber`; false for every value of a parsed JSON document. */
export function isVerbatim(value: object): value is VerbatimNumber {
  return (value as { toJSON?: unknown }).toJSON === numberOf
}

/**
 * Marks an object whose keys `stringify` writes in code point order. JavaScript lists integer keys such as `10` first and in
 * numeric order, whatever the order of insertion. Only `stringify` sees the mark.
 */
export function keepSorted(object: { [key: string]: JsonValue }): void {
  if (Object.hasOwn(object, 'toJSON')) return
  Object.defineProperty(object, 'toJSON', { value: itself })
}

/** Whether `keepSorted` has marked the object. */
export function isKeptSorted(object: object): boolean {
  return (object as { toJSON?: unknown }).toJSON === itself
}

/** Returns how many verbatim numbers and objects with sorted keys JSON.stringify has serialised so far. */
export function specialValuesSeen(): number {
  return seen.count
}
