// What JSON.stringify would change: numbers kept as their text, and objects whose keys JavaScript would reorder.

import type { JsonValue, VerbatimNumber } from './json-value.ts'

const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/

/** Raised whenever JSON.stringify meets one of ours, so that `stringify` knows its text has to be written again. */
const met = { count: 0 }

function numberOf(this: VerbatimNumber): number {
  met.count += 1
  return Number(this.verbatim)
}

function itself(this: object): object {
  met.count += 1
  return this
}

/** A number that `stringify` writes as `text`; anything that is no JSON number throws. */
export function verbatimNumber(text: string): VerbatimNumber {
  if (!jsonNumber.test(text)) throw new TypeError(`not a JSON number: ${text}`)
  return Object.freeze({ verbatim: text, toJSON: numberOf })
}

/** True for what `verbatimNumber` made, and for nothing a JSON document could hold. */
export function isVerbatim(value: object): value is VerbatimNumber {
  return (value as { toJSON?: unknown }).toJSON === numberOf
}

/**
 * Notes that the keys are to be written by code point. JavaScript lists keys like `10` before all others and by
 * their number, whatever the order of insertion; the mark is invisible to everything but `stringify`.
 */
export function keepSorted(object: { [key: string]: JsonValue }): void {
  if (Object.hasOwn(object, 'toJSON')) return
  Object.defineProperty(object, 'toJSON', { value: itself })
}

export function isKeptSorted(object: object): boolean {
  return (object as { toJSON?: unknown }).toJSON === itself
}

/** How many of ours JSON.stringify has met so far. */
export function metSoFar(): number {
  return met.count
}
