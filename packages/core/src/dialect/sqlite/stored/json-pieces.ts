// JSON of stored values, by column type, for records that SQLite writes with one call of printf (`sqlite-json.ts`). Each piece has a
// regular expression that finds values which printf has not written as the service would.

import { type Fragment, sql } from '../../../lib/sql/fragment.ts'
import type { DialectColumn } from '../../../model/dialect-column.ts'
import type { TextPiece } from '../../shared/json/object-text.ts'
import { natural, type Ref } from '../../shared/sql/sql-parts.ts'
import { isStoredNumber } from './stored-forms.ts'

/** Writes the value of a column as JSON; undefined if that may differ from the JSON that the service would write. */
type Piece = (ref: Ref, column: DialectColumn) => TextPiece | undefined

/** An integer of at most 15 digits, a JSON string, and a date without the year 0000, as regular expressions. */
const digits = '(?:0|-?[1-9][0-9]{0,14})'
const text = '"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"'
const day = '(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}'

/** Regular expressions for keys that URLs contain unchanged. */
export const pathForms: Readonly<Record<'integer' | 'bigint' | 'uuid' | 'plain', string>> = {
  integer: digits,
  bigint: '-?[0-9]+',
  // Links contain a uuid in lower case.
  uuid: '[0-9a-f-]+',
  // Characters that percent-encoding does not change.
  plain: "[A-Za-z0-9_.!~*'()-]+",
}

/**
 * Replaces everything except numbers with `?`, which fails the test: `printf` cuts text at a NUL character, so text could become
 * a number. SQLite sorts numbers before all text, so `< ''` finds them.
 */
export const numberOf = (ref: Ref): Fragment => sql`case when ${ref} < '' then ${ref} else '?' end`

export const integerPiece: Piece = (ref, { nullable }) => ({
  format: '%s',
  values: [
    nullable ? sql`case when ${ref} is null then 'null' else ${numberOf(ref)} end` : numberOf(ref),
  ],
  form: () => orNull(digits, nullable),
})

const quotedText =
  (form: string): Piece =>
  (ref, { nullable }) => ({
    format: '%s',
    // json_quote fails on a blob. Blobs sort after all texts; the comparison with an empty blob excludes them.
    values: [sql`case when ${ref} >= x'' then '?' else json_quote(${ref}) end`],
    form: () => orNull(form, nullable),
  })

export const textPiece: Piece = quotedText(text)
// Responses contain a uuid in lower case.
export const uuidPiece: Piece = quotedText(`(?:"[0-9a-f-]{36}"|(?!"[0-9A-Fa-f-]{36}")${text})`)

export const booleanPiece: Piece = (ref, { nullable }) => ({
  format: '%s',
  values: [
    sql`case when ${ref} = 1 then 'true' when ${ref} = 0 then 'false' when ${ref} is null then 'null' else '?' end`,
  ],
  form: () => orNull('(?:true|false)', nullable),
})

export const bigintPiece: Piece = (ref, { nullable }) => quoted(nullable, sql`${ref}`, '-?[0-9]+')

export const datePiece: Piece = (ref, { nullable }) => quoted(nullable, sql`${ref}`, day)

export const timePiece: Piece = (ref, { nullable }) =>
  quoted(nullable, sql`${ref}`, '[0-9]{2}:[0-9]{2}:[0-9]{2}')

export const datetimePiece: Piece = (ref, { nullable }) =>
  quoted(
    nullable,
    sql`replace(${ref}, ' ', 'T') || case length(${ref}) when 23 then 'Z' when 19 then '.000Z' when 24 then '' else '?' end`,
    `${day}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z`,
  )

/** Returns the form for a column that may be NULL. A NULL in a column that is declared NOT NULL must fail the test. */
const orNull = (form: string, mayBeNull: boolean): string => (mayBeNull ? `(?:null|${form})` : form)

/** Writes a value between quotes, or null for NULL. The closing quote is part of the value, so that text cut by `printf` fails the test. */
const quoted = (mayBeNull: boolean, value: Fragment, form: string): TextPiece =>
  mayBeNull
    ? {
        format: '%s',
        values: [sql`ifnull('"' || ${value} || '"', 'null')`],
        form: () => `(?:null|"${form}")`,
      }
    : { format: '"%s', values: [sql`${value} || '"'`], form: () => `"${form}"` }

/**
 * Prints a decimal from the rounded number of units that comparisons use: with at most 15 digits, the quotient has exactly the
 * original digits.
 */
export const decimalPiece: Piece = (ref, column) => {
  const { scale, storage, nullable: mayBeNull } = column
  if (scale === undefined || scale > 14) return undefined
  const fraction = scale === 0 ? '' : `\\.[0-9]{${scale}}`
  if (storage === 'text') {
    return quoted(mayBeNull, sql`cast(${ref} as text)`, `(?:0|[1-9][0-9]*)${fraction}`)
  }
  const unit = natural(10 ** scale)
  const whole = `(?!-0(?:\\.0+)?")-?(?:0|[1-9][0-9]{0,${14 - scale}})${fraction}`
  // Replaces text by 1e16, which has too many digits to pass the test. `printf` would write text as 0, which passes.
  const number = sql`ifnull(case when ${isStoredNumber(ref)} then round(${ref} * ${unit}) / ${unit} end, 1e16)`
  const format = `"%.${scale}f"`
  if (!mayBeNull) return { format, values: [number], form: () => `"${whole}"` }
  return {
    format: '%s',
    values: [sql`case when ${ref} is null then 'null' else printf(${format}, ${number}) end`],
    form: () => `(?:null|"${whole}")`,
  }
}
