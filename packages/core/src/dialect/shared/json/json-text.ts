// JsonText: how a database builds the JSON of embedded records with exactly the bytes that the service would write. `query/compile/json`
// builds statements by it. Types, and the test for marked values.

import type { Expression } from 'kysely'
import type { Fragment } from '../../../lib/sql/fragment.ts'
import type { DialectColumn } from '../../../model/dialect-column.ts'

export interface JsonText {
  /**
   * Returns an expression whose JSON equals the text of `writer(column)`, and the value of `decode` when parsed; undefined if that is
   * not guaranteed for the column, such as a json column. A value whose JSON would differ is replaced by a mark, which `hasNoMark` finds.
   */
  value(column: DialectColumn, ref: Expression<unknown>): Expression<unknown> | undefined
  /** A key column as part of a URL path; undefined if its values may need escapes. */
  keyPart(column: DialectColumn, ref: Expression<unknown>): Fragment | undefined
  /** A JSON object of the columns of a one-row select; NULL without a row. */
  object(rows: Fragment): Fragment
  /** A JSON array of the rows of a select, in its order. If there are more rows than `most`, the mark that `hasNoMark` finds. */
  list(rows: Fragment, most?: number): Fragment
  /** Makes JSON text a member of another object. */
  nested(text: Fragment): Fragment
  /** Casts a bound string to text, whose type the database would not know otherwise. */
  text(value: Fragment): Fragment
  /** Concatenates texts. */
  joined(parts: readonly Fragment[]): Fragment
}

/**
 * Whether JSON from the database contains no mark in place of a value; the dialects write U+0001 and `?` as the mark. If not, the service
 * reads the rows again and builds the JSON itself. A text that has these characters by chance only causes that, too.
 */
export const hasNoMark = (text: string): boolean => !text.includes('\\u0001?')
