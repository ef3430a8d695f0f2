// Whether a value fits a column's type; for values in declarations, not in requests.

import type { Column } from './column.ts'

/**
 * Whether a column could hold the value, NULL aside.
 *
 * ```ts
 * fits({ type: 'enum', enum: ['draft', 'done'] }, 'done') // true
 * fits({ type: 'boolean' }, 1) // false
 * ```
 */
export function fits(column: Pick<Column, 'type' | 'items' | 'enum'>, value: unknown): boolean {
  switch (column.type) {
    case 'list': {
      const item = { ...column, type: column.items ?? 'text' }
      return Array.isArray(value) && value.every((one) => one === null || fits(item, one))
    }
    case 'json':
      return true
    case 'boolean':
      return typeof value === 'boolean'
    case 'integer':
      return Number.isSafeInteger(value)
    case 'float':
      return Number.isFinite(value)
    case 'enum':
      return typeof value === 'string' && (column.enum ?? []).includes(value)
    case 'bigint':
      return typeof value === 'string' && /^-?\d+$/.test(value)
    case 'decimal':
      return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)
    case 'string':
    case 'text':
    case 'uuid':
    case 'date':
    case 'time':
    case 'datetime':
    case 'binary':
    case 'opaque':
      return typeof value === 'string'
  }
}
