// Converts lists to and from the array text of databases with array types.

import type { JsonValue } from '../../../lib/json/json-value.ts'
import type { DialectColumn } from '../../../model/dialect-column.ts'

/** Describes an item of a list as a column. */
export const itemOf = (column: DialectColumn): DialectColumn => ({
  ...column,
  type: column.items ?? 'text',
})

/**
 * Writes an array literal. Quotes every item except NULL, so that no text is read as NULL or as a bracket.
 *
 * `['a', null, 'b "c"']` → `{"a",NULL,"b \"c\""}`
 */
export function arrayLiteral(items: readonly unknown[]): string {
  return `{${items.map(itemLiteral).join(',')}}`
}

function itemLiteral(item: unknown): string {
  if (item === null) return 'NULL'
  if (Array.isArray(item)) return arrayLiteral(item)
  return `"${String(item).replace(/["\\]/g, '\\$&')}"`
}

/** Reads a selected list from a JSON array of texts; nested arrays are the further dimensions of a list. */
export function listFromText(raw: unknown, read: (raw: unknown) => JsonValue): JsonValue {
  const items: unknown = typeof raw === 'string' ? JSON.parse(raw) : raw
  return Array.isArray(items) ? items.map((item) => itemOrList(item, read)) : read(items)
}

function itemOrList(item: unknown, read: (raw: unknown) => JsonValue): JsonValue {
  if (item === null || item === undefined) return null
  return Array.isArray(item) ? listFromText(item, read) : read(item)
}
