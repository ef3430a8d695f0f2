// Cursor: the position of the parser in a `name=value` pair, and the operations that all functions `read…` of `terms/` share. Each begins
// at the cursor and leaves it after what it has read. (The cursors of pages are in `plan/order/cursor.ts`.)

import { type ApiError, malformedQuery } from '../../errors.ts'
import { excerpt } from '../../lib/error-size.ts'
import type { Tally } from './limits.ts'
import { isRaw, type Pair, rawText, wholeText } from './query-string.ts'

/** The position of the parser; the functions that read move it. */
export interface Cursor {
  /** The `name=value` that is parsed. */
  readonly pair: Pair
  /** The limits of the query, and what was counted so far. */
  readonly tally: Tally
  /** An index in `pair.text`. */
  position: number
}

/**
 * Which `,` and `=` are separators. `raw`: only those that are not percent-encoded; `%2C` is a comma in the text. `decoded`: all of
 * them, because the opening bracket was percent-encoded, as URLSearchParams does.
 */
export type Separators = 'raw' | 'decoded'

/** The construct around the cursor: the pair itself (no closer), `[…]` or `(…)`. */
export interface Enclosure {
  readonly closer?: ']' | ')'
  /** Which `,` and `=` are separators inside. */
  readonly separators: Separators
  /** Where the construct began, for errors. */
  readonly start: number
  /** Its opening text: `or[`, `exists(`, `(`. */
  readonly opener: string
  /** The number of enclosing groups. */
  readonly depth: number
}

/** The construct of a pair without brackets: its value ends with the pair. */
export const wholePair: Enclosure = { separators: 'raw', start: 0, opener: '', depth: 0 }

/** Returns the character at the cursor; empty at the end. */
export function peek(cursor: Cursor): string {
  return cursor.pair.text.charAt(cursor.position)
}

export function atEnd(cursor: Cursor): boolean {
  return cursor.position >= cursor.pair.text.length
}

export function skipBlanks(cursor: Cursor): void {
  while (peek(cursor) === ' ') cursor.position += 1
}

/** Whether the character at `index` is a separating `,` or `=`. */
export function isSeparator(pair: Pair, index: number, separators: Separators): boolean {
  const char = pair.text[index]
  return (char === ',' || char === '=') && (separators === 'decoded' || isRaw(pair, index))
}

/** Returns the `Separators` inside the bracket at the cursor; `outer` are those outside of it. */
export function separatorsAfter(cursor: Cursor, outer: Separators): Separators {
  return outer === 'raw' && isRaw(cursor.pair, cursor.position) ? 'raw' : 'decoded'
}

/** Finds the end of the name at the cursor: a bracket, a separator or the end of the pair. */
export function endOfName(cursor: Cursor, separators: Separators): number {
  const { text } = cursor.pair
  for (let index = cursor.position; index < text.length; index++) {
    switch (text[index]) {
      case '(':
      case ')':
      case '[':
      case ']':
        return index
      case ',':
      case '=':
        if (isSeparator(cursor.pair, index, separators)) return index
    }
  }
  return text.length
}

/** Reads a bracketed, comma-separated list of items; the cursor is at the opening bracket, and moves behind the closing one. */
export function readItems<T>(cursor: Cursor, inside: Enclosure, readItem: () => T): T[] {
  const items: T[] = []
  cursor.position += 1
  skipBlanks(cursor)
  if (peek(cursor) !== inside.closer) {
    for (;;) {
      items.push(readItem())
      skipBlanks(cursor)
      if (!isComma(cursor, inside.separators)) break
      cursor.position += 1
      skipBlanks(cursor)
    }
  }
  if (peek(cursor) !== inside.closer) throw notClosed(cursor, inside)
  cursor.position += 1
  return items
}

function isComma(cursor: Cursor, separators: Separators): boolean {
  return peek(cursor) === ',' && isSeparator(cursor.pair, cursor.position, separators)
}

/** Makes the 400 for a missing `,` or closing bracket. */
function notClosed(cursor: Cursor, inside: Enclosure): ApiError {
  const at = rawText(cursor.pair, inside.start, cursor.pair.text.length)
  const reason = atEnd(cursor)
    ? `"${inside.opener}" is not closed: expected "${inside.closer}". An "&" inside it is written %26.`
    : `Unexpected "${peek(cursor)}" inside "${inside.opener}": expected "," or "${inside.closer}". ${quoteHint}`
  return malformedQuery(reason, at)
}

export const quoteHint = 'Text with brackets is written in quotes, such as "a (b)".'

/** Requires the end of the pair after a group or relation filter, or the `=` that form encoders append. */
export function expectEnd(cursor: Cursor): void {
  const { pair, position } = cursor
  if (peek(cursor) === '=') cursor.position += 1
  if (atEnd(cursor)) return
  throw malformedQuery(
    `Unexpected "${excerpt(pair.text.slice(position))}" after "${pair.text.charAt(position - 1)}".`,
    wholeText(pair),
  )
}

/** Makes a 400 that quotes the raw text of the pair from `start` to `end`; the whole pair if that is empty. */
export function malformed(pair: Pair, start: number, end: number, reason: string): ApiError {
  return malformedQuery(reason, rawText(pair, start, end))
}
