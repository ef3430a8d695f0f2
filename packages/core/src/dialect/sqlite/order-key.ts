// The sort key that cursors contain, for `orderKey` of the dialect: a value with all digits that ORDER BY compares, also if it is not of its
// column's type.

import type { DialectColumn } from '../../model/dialect-column.ts'
import type { Ref } from '../shared/sql/sql-parts.ts'
import { isScaled, operand } from './operand.ts'
import { exactForm, hasForms, sqliteTypes, storedDecoder } from './stored/sqlite-types.ts'

/** Returns the expression that ORDER BY compares, or one with the same order; `select` and `compare` of `orderKey` use it. */
export function exactValue(column: DialectColumn, ref: Ref): Ref {
  return hasForms(column) ? exactForm(column, ref) : operand(column, ref)
}

/**
 * Converts a selected `exactValue` to the text that cursors contain, which is the same on every database; undefined if it may not
 * be of the type.
 */
export function readExact(column: DialectColumn): (raw: unknown) => string | undefined {
  const decode = storedDecoder(column, isScaled(column))
  const { cursorText } = sqliteTypes[column.type]
  return (raw) => {
    if (raw instanceof Uint8Array) return undefined
    return cursorText(raw, decode)
  }
}
