// JsonText: objects written as JSON text by the database itself, where the bytes are those of the service. Types, and the test of a text.

import type { Expression } from 'kysely'
import type { Fragment } from '../../sql/fragment.ts'
import type { DialectColumn } from '../dialect.ts'

export interface JsonText {
  /**
   * What to select so that the database's JSON of it is `writer(column)`'s text; undefined where that cannot be
   * promised. A single value that has another form after all is marked: see `fitsJson`.
   */
  value(column: DialectColumn, ref: Expression<unknown>): Expression<unknown> | undefined
  /** A column as part of the path of a record, where nothing in it can need an escape. */
  keyPart(column: DialectColumn, ref: Expression<unknown>): Fragment | undefined
  /** The object made of the columns of a select's one row; NULL where there is none. */
  object(rows: Fragment): Fragment
  /** `[{…},{…}]` of the rows of a select, in its order; marked as `fitsJson` tells where these are more than `most`. */
  list(rows: Fragment, most?: number): Fragment
  /** Such a text as a member of another object. */
  nested(text: Fragment): Fragment
  /** A bound text. */
  text(value: Fragment): Fragment
  /** Texts in a row. */
  joined(parts: readonly Fragment[]): Fragment
}

/** Whether every value in a text had the form that was promised. */
export const fitsJson = (text: string): boolean => !text.includes('\\u0001?')
