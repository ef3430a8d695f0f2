// The sort key that cursors contain: a value with all digits that ORDER BY compares, also if it is not of its column's type.

import type { DialectColumn } from '../../model/dialect-column.ts'
import type { Ref } from '../shared/sql/sql-parts.ts'
import { isScaled, operand } from './operand.ts'
import { exactForm, hasForms } from './stored/stored-forms.ts'
import { storedDecoder } from './stored/stored-values.ts'

/** Returns the expression that ORDER BY compares, or one with the same order. */
export function exactValue(column: DialectColumn, ref: Ref): Ref {
  return hasForms(column) ? exactForm(column, ref) : operand(column, ref)
}

/**
 * Converts a selected `exactValue` to the text that cursors contain, which is the same on every database; undefined if it may not
 * be of the type.
 */
export function readExact(column: DialectColumn): (raw: unknown) => string | undefined {
  const decode = storedDecoder(column, isScaled(column))
  return (raw) => {
    if (raw instanceof Uint8Array) return undefined
    const text = String(raw)
    switch (column.type) {
      case 'datetime':
        return /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/.test(text)
          ? `${text.replace(' ', 'T')}Z`
          : undefined
      case 'time':
        return text
      // SQLite sorts a number before all texts.
      case 'string':
      case 'text':
      case 'enum':
        return typeof raw === 'string' ? raw : undefined
      // SQLite sorts a text after all numbers, even if it looks like one.
      case 'integer':
      case 'float':
        return typeof raw === 'string' ? undefined : String(decode(raw))
      default:
        return String(decode(raw))
    }
  }
}
