// Converts lists to the array text of databases with array types, `{"a",NULL}` (arrayLiteral), and back (itemsOfLiteral). Lists that the
// service itself selects arrive as JSON arrays of texts (listFromText).

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

/** Tokens of an array literal: a bracket, a comma, a quoted item or a plain one. */
const literalTokens = /[{},]|"(?:[^"\\]|\\.)*"|[^{},"]+/gs

/**
 * Reads an array literal, for drivers that do not know the type of its items. Nested arrays are the further dimensions of a list.
 *
 * `{"a",NULL,"b \"c\""}` → `['a', null, 'b "c"']`
 */
export function itemsOfLiteral(text: string): unknown {
  const open: unknown[][] = [[]]
  // An array whose first index is not 1 begins with its bounds: `[0:1]={a,b}`
  for (const token of text.replace(/^[^{]*=/, '').match(literalTokens) ?? []) {
    if (token === '{') open.push([])
    else if (token === '}') {
      const list = open.pop()
      open.at(-1)?.push(list)
    } else if (token !== ',') open.at(-1)?.push(itemOfLiteral(token))
  }
  return open[0]?.[0]
}

function itemOfLiteral(token: string): string | null {
  if (token.startsWith('"')) return token.slice(1, -1).replace(/\\(.)/gs, '$1')
  return token.toUpperCase() === 'NULL' ? null : token
}
