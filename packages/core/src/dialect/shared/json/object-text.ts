// ObjectText: how a database builds the JSON of the records of a list of pieces (TextPiece), which the service checks by a regular
// expression before use (formTest, listTest). `query/compile/json` puts the pieces together.

import type { Expression } from 'kysely'
import { insideQuotes } from '../../../lib/json/quoted.ts'
import { lruMap } from '../../../lib/lru-map.ts'
import type { Fragment } from '../../../lib/sql/fragment.ts'
import type { DialectColumn } from '../../../model/dialect-column.ts'

/**
 * For databases that do not enforce the declared types, such as SQLite. There, testing each value in SQL would cost more than
 * writing it. So the database writes values as they are stored, and the service tests the whole text and discards it if the test
 * fails.
 */
export interface ObjectText {
  /** Writes a value as JSON; undefined if the JSON could differ from the text of `writer(column)` even for values in their usual format. */
  value(column: DialectColumn, ref: Expression<unknown>): TextPiece | undefined
  /**
   * Writes a key column as part of a URL path; undefined if the part is not the stored text. `isShown`: the object also contains the
   * column's value, so that its test already refuses a value of another type.
   */
  keyPart(column: DialectColumn, ref: Expression<unknown>, isShown: boolean): TextPiece | undefined
  /** Writes the piece, or JSON's null if the condition holds. */
  unless(condition: Fragment, piece: TextPiece): TextPiece
  /** Concatenates the texts of all rows of a derived table, in its order and separated by commas; NULL if there are no rows. */
  listed(text: Fragment): Fragment
  /** Returns the expression that writes the piece; undefined if it has more values than the database's function takes arguments. */
  written(piece: TextPiece): Fragment | undefined
}

/** A part of the JSON, as a format string with its values: `"id":%s` and `books.id`, with the form `"id":-?[0-9]+`. */
export interface TextPiece {
  /** The format string of the database, such as printf's. */
  readonly format: string
  readonly values: readonly Fragment[]
  /** The source of a regular expression that matches the text if every value has its usual format. Links begin with `base`. */
  readonly form: (base: string) => string
}

/** Concatenates pieces. */
export const joinedPieces = (pieces: readonly TextPiece[]): TextPiece => ({
  format: pieces.map(({ format }) => format).join(''),
  values: pieces.flatMap(({ values }) => values),
  form: (base) => pieces.map(({ form }) => form(base)).join(''),
})

/** Writes the beginning of links, escaped for a JSON string. */
export const basePiece = (value: Fragment): TextPiece => ({
  format: '%s',
  values: [value],
  form: (base) => literally(insideQuotes(base)),
})

/** Writes literal text. */
export const literalText = (text: string): TextPiece => ({
  format: text.replaceAll('%', '%%'),
  values: [],
  form: () => literally(text),
})

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** Longest text to test, in characters: the regular expression engine's memory grows with the text. */
const longest = 2_000_000

/** Returns a function that takes the beginning of links and returns a test: whether a value is text of this form. */
export const formTest = (
  form: TextPiece['form'],
): ((base: string) => (value: unknown) => boolean) =>
  oncePerBase((base) => {
    const whole = new RegExp(`^${form(base)}$`)
    return (value) => typeof value === 'string' && value.length <= longest && whole.test(value)
  })

/** Like `formTest`, but the test is whether a value is `count` texts of this form, separated by commas. */
export const listTest = (
  form: TextPiece['form'],
): ((base: string) => (value: unknown, count: number) => boolean) =>
  oncePerBase((base) => {
    const item = new RegExp(`${form(base)}(?:,|$)`, 'y')
    return (value, count) => {
      if (typeof value !== 'string' || value.length > longest || value.endsWith(',')) return false
      let found = 0
      // Matches one at a time, so that the regular expression's backtracking state stays small.
      for (let at = 0; at < value.length; found++) {
        item.lastIndex = at
        if (!item.test(value)) return false
        at = item.lastIndex
      }
      return found === count
    }
  })

/** Maximum number of bases whose tests are cached: an API is mounted at few paths. */
const mostBases = 8

function oncePerBase<T>(make: (base: string) => T): (base: string) => T {
  const known = lruMap<T>(mostBases)
  return (base) => {
    const before = known.get(base)
    if (before !== undefined) return before
    const made = make(base)
    known.set(base, made)
    return made
  }
}
