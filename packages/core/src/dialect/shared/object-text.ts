// ObjectText: objects written as JSON text by the database, and the form that a text has where every value is of its type.

import type { Expression } from 'kysely'
import { insideQuotes } from '../../json/quoted.ts'
import type { Fragment } from '../../sql/fragment.ts'
import type { DialectColumn } from '../dialect.ts'

/**
 * For databases whose columns hold what was stored, not what they declare: to test each value there costs more than to
 * write it, so the values are written as they are, and the text is tested. One that has not its form is not used.
 */
export interface ObjectText {
  /** A value as JSON; undefined where `writer(column)`'s text cannot be promised even of usual values. */
  value(column: DialectColumn, ref: Expression<unknown>): TextPiece | undefined
  /** A column as part of the path of a record, whose value the object may show; undefined where it is no text of its own. */
  keyPart(column: DialectColumn, ref: Expression<unknown>, isShown: boolean): TextPiece | undefined
  /** The piece, or JSON's null where the condition holds. */
  unless(condition: Fragment, piece: TextPiece): TextPiece
  /** The texts of all rows that a derived table gives in its order, with commas between them; NULL where there are none. */
  listed(text: Fragment): Fragment
  /** The whole as one value; undefined where it has more values than a function takes. */
  written(piece: TextPiece): Fragment | undefined
}

/** Text with values in it. */
export interface TextPiece {
  /** What the database puts the values into, in its own way. */
  readonly format: string
  readonly values: readonly Fragment[]
  /** The source of a regular expression: what it looks like where every value has the usual form. Links begin with `base`. */
  readonly form: (base: string) => string
}

/** Pieces in a row. */
export const inRow = (pieces: readonly TextPiece[]): TextPiece => ({
  format: pieces.map(({ format }) => format).join(''),
  values: pieces.flatMap(({ values }) => values),
  form: (base) => pieces.map(({ form }) => form(base)).join(''),
})

/** What links begin with, as it stands between quotes. */
export const basePiece = (value: Fragment): TextPiece => ({
  format: '%s',
  values: [value],
  form: (base) => literally(insideQuotes(base)),
})

/** Text that stands for itself. */
export const constant = (text: string): TextPiece => ({
  format: text.replaceAll('%', '%%'),
  values: [],
  form: () => literally(text),
})

const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** Longer texts are not tested: an expression that looks at every character needs room for what it has seen. */
const longest = 2_000_000

/** Tells whether a value is a text of that form. */
export function formTest(
  { form }: Pick<TextPiece, 'form'>,
  base: string,
): (value: unknown) => boolean {
  const whole = new RegExp(`^${form(base)}$`)
  return (value) => typeof value === 'string' && value.length <= longest && whole.test(value)
}

/** Tells whether a value is the text of so many of that form, with commas between them. */
export function listTest(
  { form }: Pick<TextPiece, 'form'>,
  base: string,
): (value: unknown, count: number) => boolean {
  const one = new RegExp(`${form(base)}(?:,|$)`, 'y')
  return (value, count) => {
    if (typeof value !== 'string' || value.length > longest || value.endsWith(',')) return false
    let found = 0
    // One after the other, so that what has been seen of one is forgotten before the next.
    for (let at = 0; at < value.length; found++) {
      one.lastIndex = at
      if (!one.test(value)) return false
      at = one.lastIndex
    }
    return found === count
  }
}
