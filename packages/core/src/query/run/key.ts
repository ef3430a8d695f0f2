// Keys of rows: from decoded JSON back to plan values, and to strings for use as map keys, by which related rows and written records are
// found: `[1, 'a']` → `["1","a"]`, `[7]` → `7`.

import type { JsonValue } from '../../lib/json/json-value.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import { valueOfJson } from '../plan/conditions/value.ts'
import type { Value } from '../plan/plan.ts'

/** The plan values of a row's key; undefined if one is null, since NULL equals nothing. */
export function keyFromRow(
  columns: readonly NamedColumn[],
  values: Readonly<Record<string, JsonValue>>,
): readonly Value[] | undefined {
  const only = columns[0]
  if (only !== undefined && columns.length === 1) {
    const value = valueOfJson(only, values[only.name])
    // A literal takes a quarter of the memory of a list that grows by `push`.
    return value === undefined ? undefined : [value]
  }
  const key: Value[] = []
  for (const column of columns) {
    const value = valueOfJson(column, values[column.name])
    if (value === undefined) return undefined
    key.push(value)
  }
  return key
}

/** `keyText` of the key in a row's values; undefined if a part is missing or null. */
export function keyTextIn(
  columns: readonly NamedColumn[],
  values: Readonly<Record<string, JsonValue>>,
): string | undefined {
  const only = columns[0]
  if (only === undefined || columns.length > 1) {
    const key = keyFromRow(columns, values)
    return key && keyText(key)
  }
  const value = valueOfJson(only, values[only.name])
  return value === undefined ? undefined : keyTextOfOne(value)
}

/** A string that is equal for two keys of the same columns exactly if the keys are equal. */
export const keyText = (key: readonly (Value | null)[]): string =>
  key.length === 1 ? keyTextOfOne(key[0] as Value | null) : JSON.stringify(key.map(String))

/** `keyText` of a key of one column. */
export const keyTextOfOne = (value: Value | null): string => String(value)
