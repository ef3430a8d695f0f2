// Builds JSON objects in SQLite: one call of printf over the stored values.

import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import type { DialectColumn } from '../../model/dialect-column.ts'
import type { ObjectText, TextPiece } from '../shared/json/object-text.ts'
import { isText, natural, type Ref } from '../shared/sql/sql-parts.ts'
import { isNumber } from './stored/stored-forms.ts'

/** Returns the functions that build JSON, from columns that are stored in tables. */
export const sqliteObjectText = (stored: ReadonlySet<DialectColumn>): ObjectText => ({
  value: (column, ref) => (stored.has(column) ? valuePiece(column, ref) : undefined),
  keyPart(column, ref, isShown) {
    const form = stored.has(column) ? keyForms[column.type] : undefined
    if (form === undefined) return undefined
    const number = isShown ? sql`${ref}` : numberOf(ref)
    const value = isText(column) ? asciiText(ref) : number
    return { format: '%s', values: [value], form: () => form }
  },
  unless: (condition, piece) => ({
    format: '%s',
    values: [sql`case when ${condition} then 'null' else ${printed(piece)} end`],
    form: (base) => `(?:null|${piece.form(base)})`,
  }),
  // SQLite passes the rows of a derived table to this function in their order.
  listed: (text) => sql`group_concat(${text}, ',')`,
  written: (piece) => (isOneCall(piece) ? printed(piece) : undefined),
})

/** SQLite's default limit is 127 arguments per function (1,000 in newer versions); the format is one of them. */
const isOneCall = ({ values }: TextPiece): boolean => values.length <= 120

const printed = ({ format, values }: TextPiece): Fragment =>
  sql`printf(${sql.join([sql`${format}`, ...values])})`

const digits = '(?:0|-?[1-9][0-9]{0,14})'
const text = '"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"'
const day = '(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}'

/** Characters that percent-encoding does not change. */
const plainPath = "[A-Za-z0-9_.!~*'()-]+"

const keyForms: Readonly<Partial<Record<DialectColumn['type'], string>>> = {
  integer: digits,
  bigint: '-?[0-9]+',
  // Links contain a uuid in lower case.
  uuid: '[0-9a-f-]+',
  string: plainPath,
  text: plainPath,
}

/**
 * Replaces everything except numbers with `?`, which fails the test: `printf` cuts text at a NUL character, so text could become
 * a number. SQLite sorts numbers before all text, so `< ''` finds them.
 */
const numberOf = (ref: Ref): Fragment => sql`case when ${ref} < '' then ${ref} else '?' end`

/**
 * Replaces everything except ASCII text without NUL with `?`: `length` counts characters up to a NUL, and the length of a blob all
 * bytes.
 */
const asciiText = (ref: Ref): Fragment =>
  sql`case when ${ref} >= '' and ${ref} < x'' and length(${ref}) = length(cast(${ref} as blob)) then ${ref} else '?' end`

/**
 * Returns the piece for a column's value. A stored value in another format than the usual must give text that fails the test of
 * `form`, never text that passes it and differs from the decoded value.
 */
function valuePiece(column: DialectColumn, ref: Ref): TextPiece | undefined {
  const { nullable: mayBeNull } = column
  switch (column.type) {
    case 'integer':
      return {
        format: '%s',
        values: [
          mayBeNull
            ? sql`case when ${ref} is null then 'null' else ${numberOf(ref)} end`
            : numberOf(ref),
        ],
        form: () => orNull(digits, mayBeNull),
      }
    case 'string':
    case 'text':
    case 'enum':
    case 'uuid': {
      // Responses contain a uuid in lower case.
      const form =
        column.type === 'uuid' ? `(?:"[0-9a-f-]{36}"|(?!"[0-9A-Fa-f-]{36}")${text})` : text
      // json_quote fails on a blob. Blobs sort after all texts; the comparison with an empty blob excludes them.
      return {
        format: '%s',
        values: [sql`case when ${ref} >= x'' then '?' else json_quote(${ref}) end`],
        form: () => orNull(form, mayBeNull),
      }
    }
    case 'boolean':
      return {
        format: '%s',
        values: [
          sql`case when ${ref} = 1 then 'true' when ${ref} = 0 then 'false' when ${ref} is null then 'null' else '?' end`,
        ],
        form: () => orNull('(?:true|false)', mayBeNull),
      }
    case 'bigint':
      return quoted(mayBeNull, sql`${ref}`, '-?[0-9]+')
    case 'date':
      return quoted(mayBeNull, sql`${ref}`, day)
    case 'time':
      return quoted(mayBeNull, sql`${ref}`, '[0-9]{2}:[0-9]{2}:[0-9]{2}')
    case 'datetime':
      return quoted(
        mayBeNull,
        sql`replace(${ref}, ' ', 'T') || case length(${ref}) when 23 then 'Z' when 19 then '.000Z' when 24 then '' else '?' end`,
        `${day}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z`,
      )
    case 'decimal':
      return decimal(column, ref)
    default:
      return undefined
  }
}

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
function decimal(column: DialectColumn, ref: Ref): TextPiece | undefined {
  const { scale, storage, nullable: mayBeNull } = column
  if (scale === undefined || scale > 14) return undefined
  const fraction = scale === 0 ? '' : `\\.[0-9]{${scale}}`
  if (storage === 'text') {
    return quoted(mayBeNull, sql`cast(${ref} as text)`, `(?:0|[1-9][0-9]*)${fraction}`)
  }
  const unit = natural(10 ** scale)
  const whole = `(?!-0(?:\\.0+)?")-?(?:0|[1-9][0-9]{0,${14 - scale}})${fraction}`
  // Replaces text by 1e16, which has too many digits to pass the test. `printf` would write text as 0, which passes.
  const number = sql`ifnull(case when ${isNumber(ref)} then round(${ref} * ${unit}) / ${unit} end, 1e16)`
  const format = `"%.${scale}f"`
  if (!mayBeNull) return { format, values: [number], form: () => `"${whole}"` }
  return {
    format: '%s',
    values: [sql`case when ${ref} is null then 'null' else printf(${format}, ${number}) end`],
    form: () => `(?:null|"${whole}")`,
  }
}
