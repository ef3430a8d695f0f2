// sqliteObjectText: builds the JSON of records in SQLite, by one call of printf over the stored values:
// `printf('{"id":%s,"title":%s}', "id", json_quote("title"))`.

import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import type { DialectColumn } from '../../model/dialect-column.ts'
import type { ObjectText, TextPiece } from '../shared/json/object-text.ts'
import { isText, type Ref } from '../shared/sql/sql-parts.ts'
import { numberOf } from './stored/json-pieces.ts'
import { sqliteTypes } from './stored/sqlite-types.ts'

/** Returns the functions that build JSON, from columns that are stored in tables. */
export const sqliteObjectText = (stored: ReadonlySet<DialectColumn>): ObjectText => ({
  value: (column, ref) =>
    stored.has(column) ? sqliteTypes[column.type].json(ref, column) : undefined,
  keyPart(column, ref, isShown) {
    const form = stored.has(column) ? sqliteTypes[column.type].pathForm : undefined
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

/**
 * Replaces everything except ASCII text without NUL with `?`: `length` counts characters up to a NUL, and the length of a blob all
 * bytes. Texts sort before all blobs, of which x'' is the first.
 */
const asciiText = (ref: Ref): Fragment =>
  sql`case when ${ref} >= '' and ${ref} < x'' and length(${ref}) = length(cast(${ref} as blob)) then ${ref} else '?' end`
