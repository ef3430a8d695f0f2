// The position in a pair and the few moves every production makes; knows separators and closers, no production.

import { excerpt } from '../error-size.ts'
import { type ApiError, malformedQuery } from '../errors.ts'
import type { Tally } from './limits.ts'
import { isRaw, type Pair, rawText } from './query-string.ts'

export interface Cursor {
  readonly pair: Pair
  readonly tally: Tally
  position: number
}

/**
 * `raw`: `,` and `=` separate only when written raw, so `%2C` is a comma in the text. `decoded`: the opener came
 * encoded, as URLSearchParams writes it, so every `,` and `=` separates.
 */
export type Reading = 'raw' | 'decoded'

/** What the cursor is inside of: a pair of its own (no closer), `[…]` or `(…)`. */
export interface Enclosure {
  readonly closer?: ']' | ')'
  readonly reading: Reading
  /** Where the construct began, for errors. */
  readonly start: number
  /** Its opener as documented: `or[`, `exists(`, `(`. */
  readonly opener: string
  /** How many groups are around. */
  readonly depth: number
}

/** A pair by itself: the value runs to its end. */
export const wholePair: Enclosure = { reading: 'raw', start: 0, opener: '', depth: 0 }

export function peek(cursor: Cursor): string {
  return cursor.pair.text.charAt(cursor.position)
}

export function atEnd(cursor: Cursor): boolean {
  return cursor.position >= cursor.pair.text.length
}

export function skipBlanks(cursor: Cursor): void {
  while (peek(cursor) === ' ') cursor.position += 1
}

/** Whether the character at `index` is a `,` or `=` that separates under this reading. */
export function isSeparator(pair: Pair, index: number, reading: Reading): boolean {
  const char = pair.text[index]
  return (char === ',' || char === '=') && (reading === 'decoded' || isRaw(pair, index))
}

/** How the inside of the opener under the cursor is read. */
export function readingAfter(cursor: Cursor, outer: Reading): Reading {
  return outer === 'raw' && isRaw(cursor.pair, cursor.position) ? 'raw' : 'decoded'
}

/** Where the name that begins at the cursor ends: at a bracket, a separator or the end of the pair. */
export function endOfName(cursor: Cursor, reading: Reading): number {
  const { text } = cursor.pair
  let index = cursor.position
  while (index < text.length) {
    if ('()[]'.includes(text.charAt(index)) || isSeparator(cursor.pair, index, reading)) break
    index += 1
  }
  return index
}

/** Passes the opener, reads items separated by commas, passes the closer. */
export function readItems<T>(cursor: Cursor, inside: Enclosure, readItem: () => T): T[] {
  const items: T[] = []
  cursor.position += 1
  skipBlanks(cursor)
  if (peek(cursor) !== inside.closer) {
    for (;;) {
      items.push(readItem())
      skipBlanks(cursor)
      if (!isComma(cursor, inside.reading)) break
      cursor.position += 1
      skipBlanks(cursor)
    }
  }
  if (peek(cursor) !== inside.closer) throw notClosed(cursor, inside)
  cursor.position += 1
  return items
}

function isComma(cursor: Cursor, reading: Reading): boolean {
  return peek(cursor) === ',' && isSeparator(cursor.pair, cursor.position, reading)
}

/** The 400 where a `,` or the closer was expected. */
function notClosed(cursor: Cursor, inside: Enclosure): ApiError {
  const at = rawText(cursor.pair, inside.start, cursor.pair.text.length)
  const reason = atEnd(cursor)
    ? `"${inside.opener}" is not closed: expected "${inside.closer}". An "&" inside it is written %26.`
    : `Unexpected "${peek(cursor)}" inside "${inside.opener}": expected "," or "${inside.closer}". ${quoteHint}`
  return malformedQuery(reason, at)
}

export const quoteHint = 'Text with brackets is written in quotes, such as "a (b)".'

/** After a group or relation filter that is a pair of its own: nothing, or the `=` that form encoders add. */
export function expectEnd(cursor: Cursor): void {
  const { pair, position } = cursor
  if (peek(cursor) === '=') cursor.position += 1
  if (atEnd(cursor)) return
  throw malformedQuery(
    `Unexpected "${excerpt(pair.text.slice(position))}" after "${pair.text.charAt(position - 1)}".`,
    rawText(pair, 0, 0),
  )
}

/** A 400 about a stretch of the pair. */
export function malformed(pair: Pair, start: number, end: number, reason: string): ApiError {
  return malformedQuery(reason, rawText(pair, start, end))
}
