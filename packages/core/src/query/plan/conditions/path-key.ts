// Keys in paths: the `1` of `/api/books/1`, or `1,2` of two columns. Only the spelling of the URLs in responses is accepted, so that each
// record has exactly one URL; other spellings are a 404.

import { columnTypes } from '../../../model/column-types.ts'
import type { NamedColumn, Resource } from '../../../model/registry/resource.ts'
import type { Value } from '../plan.ts'
import { keyValue } from './value.ts'

/**
 * Converts the parts of a path to a primary key; undefined if no record can have this URL.
 *
 * ```ts
 * pathKey(books, ['1']) // [1]
 * pathKey(books, ['01']) // undefined
 * ```
 */
export function pathKey(
  { primaryKey }: Resource,
  parts: readonly string[],
): readonly Value[] | undefined {
  if (parts.length !== primaryKey.length) return undefined
  const key: Value[] = []
  for (const [i, column] of primaryKey.entries()) {
    const text = parts[i] ?? ''
    const value = keyValue(column, text)
    if (value === undefined || !isCanonical(column, value, text)) return undefined
    key.push(value)
  }
  return key
}

/** A column and the value it must equal. */
export interface ColumnValue {
  readonly column: NamedColumn
  readonly value: Value
  /** The index of the value in the key. */
  readonly at: number
}

/**
 * The columns of a key with its values. If the collation of a column also finds other spellings, it is compared twice: under its
 * collation, for which it may have an index, and by code point.
 */
export function exactValues(
  columns: readonly NamedColumn[],
  key: readonly Value[],
): readonly ColumnValue[] {
  const values: ColumnValue[] = []
  for (const [at, column] of columns.entries()) {
    const value = key[at] as Value
    values.push({ column, value, at })
    if (column.collation === undefined) continue
    const { collation: _, ...byCodePoint } = column
    values.push({ column: { ...byCodePoint, inPlaceOf: column }, value, at })
  }
  return values
}

/** Returns the parts of a key as URLs in responses spell them, before percent-encoding. */
export const pathPartsOf = ({ primaryKey }: Resource, key: readonly Value[]): readonly string[] =>
  primaryKey.map((column, i) => textOf(column, key[i] ?? ''))

/** The text of a value as URLs in responses spell it. */
const textOf = (column: NamedColumn, value: Value): string =>
  columnTypes[column.type].pathText(String(value), column)

/** Whether a string is spelled as URLs in responses spell the value. */
function isCanonical(column: NamedColumn, value: Value, text: string): boolean {
  const expected = textOf(column, value)
  if (columnTypes[column.type].number !== 'exact' || column.scale !== undefined)
    return text === expected
  // Without a declared scale, the number of trailing zeros depends on the stored value, so any number of them is accepted.
  const [whole, fraction = ''] = expected.split('.')
  const [textWhole, textFraction = ''] = text.split('.')
  return textWhole === whole && textFraction.startsWith(fraction)
}
