// Keys of rows: from decoded JSON back to plan values, and to strings for use as map keys.

import type { JsonValue } from '../json/json-value.ts'
import type { Value } from '../plan/plan.ts'
import type { NamedColumn } from '../registry/resource.ts'

/** The plan value of a decoded key column; undefined if it is null. */
function planValue(column: NamedColumn, value: JsonValue | undefined): Value | undefined {
  if (typeof value === 'string') return column.type === 'bigint' ? BigInt(value) : value
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined
}

/** The plan values of a row's key; undefined if one is null, since NULL equals nothing. */
export function keyFromRow(
  columns: readonly NamedColumn[],
  values: Readonly<Record<string, JsonValue>>,
): readonly Value[] | undefined {
  const key = columns.map((column) => planValue(column, values[column.name]))
  return key.every((value) => value !== undefined) ? (key as readonly Value[]) : undefined
}

/** A string that is equal for two keys of the same columns exactly if the keys are equal. */
export const keyText = (key: readonly (Value | null)[]): string =>
  key.length === 1 ? String(key[0]) : JSON.stringify(key.map(String))
