// genericTypes: the column types on any other database: what is bound for a value, and which values stand for ranges of stored ones.

import type { ColumnType } from '../../model/column.ts'
import { canonicalInstant, jsonText, storedBytes } from '../shared/sql/sql-parts.ts'
import { nextMillisecond, nextSecond } from '../shared/values/calendar-text.ts'

interface GenericType {
  /** Converts a value other than null to the one that is stored. */
  readonly encode: (value: unknown) => unknown
  /**
   * The end of the range of stored values that a value stands for: `10:30:00` of a time stands for all before `10:30:01`. False if each
   * value stands for itself.
   */
  readonly next: ((text: string) => string) | false
}

const plain: GenericType = {
  encode: (value) => (typeof value === 'bigint' ? String(value) : value),
  next: false,
}

export const genericTypes: Readonly<Record<ColumnType, GenericType>> = {
  integer: plain,
  bigint: plain,
  float: plain,
  decimal: plain,
  boolean: plain,
  string: plain,
  text: plain,
  date: plain,
  datetime: { encode: canonicalInstant, next: nextMillisecond },
  time: { ...plain, next: nextSecond },
  uuid: plain,
  json: { ...plain, encode: jsonText },
  binary: { ...plain, encode: storedBytes },
  enum: plain,
  list: plain,
  opaque: plain,
}
