// What cursors hold of a row: its value to the last digit that ORDER BY compares, also where it is not of its column's type.

import type { DialectColumn } from '../dialect.ts'
import type { Ref } from '../shared/sql-parts.ts'
import { isScaled, operand } from './operand.ts'
import { exactForm, hasForms } from './stored-forms.ts'
import { storedDecoder } from './stored-values.ts'

/** What ORDER BY compares, or what orders alike. */
export function exactValue(column: DialectColumn, ref: Ref): Ref {
  return hasForms(column) ? exactForm(column, ref) : operand(column, ref)
}

/** Reads a selected `exactValue` as the text that cursors of every database hold; undefined if it may not be of the type. */
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
      // A text stands after all numbers, also if it is one.
      case 'integer':
      case 'float':
        return typeof raw === 'string' ? undefined : String(decode(raw))
      default:
        return String(decode(raw))
    }
  }
}
