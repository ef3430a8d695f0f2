// Keys of rows that were read: decoded JSON back to plan values, and to texts that can be compared in a map.

import type { JsonValue } from '../json/json-value.ts'
import type { Value } from '../plan/plan.ts'
import type { NamedColumn } from '../registry/resource.ts'

/** The plan value of a decoded key column; undefined when it is null. */
export function keyOf(column: NamedColumn, value: JsonValue | undefined): Value | undefined {
  if (typeof value === 'string') return column.type === 'bigint' ? BigInt(value) : value
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined
}

/** The plan values of a whole key, or undefined when a part of it is null: nothing can be related by it. */
export function keysOf(
  columns: readonly NamedColumn[],
  values: Readonly<Record<string, JsonValue>>,
): readonly Value[] | undefined {
  const key = columns.map((column) => keyOf(column, values[column.name]))
  return key.every((value) => value !== undefined) ? (key as readonly Value[]) : undefined
}

/** A text that is equal for equal keys of the same columns only. */
export const keyText = (key: readonly (Value | null)[]): string =>
  key.length === 1 ? String(key[0]) : JSON.stringify(key.map(String))
