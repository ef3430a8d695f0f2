// periodProblems: whether the period of a record, of which a rule of the model (`exclude`) names the columns, ends before it has begun.
// Called for the values of a body, for the record with its stored values, and for the record to store, which callbacks may have changed.

import { compareDigits } from '../../lib/json/compare-digits.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import type { FieldProblem } from '../../lib/problems/problem-codes.ts'
import { columnTypes } from '../../model/column-types.ts'
import { isInBodies } from '../../model/registry/checks/field-rules.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import { endBeforeStart } from '../../problems.ts'
import { pathTo, type Values } from './node.ts'

/**
 * The problems of a record whose period would end before it has begun. `row` is the record as it will be, `changed` the values that the
 * write sets: a stored period that it leaves as it is has no problem. `path` is that of the record in the body.
 */
export function periodProblems(
  { exclusions, allColumns }: Resource,
  row: Values,
  changed: Values,
  path: string,
): readonly FieldProblem[] {
  return exclusions.flatMap(({ start, end }) => {
    const isChanged = changed[start.name] !== undefined || changed[end.name] !== undefined
    if (!isChanged || isBefore(start, row[start.name], row[end.name]) !== false) return []
    const [from, to] = [start, end].map(({ name }) => allColumns.get(name) as NamedColumn)
    const shown = [to, from].find((column) => column !== undefined && isInBodies(column))
    const at = shown === undefined ? path : pathTo(path, shown.name)
    return [{ path: at, ...endBeforeStart(from as NamedColumn) }]
  })
}

/** Whether a value is before another one of the same type; undefined if one is NULL, or has no usual form of its type. */
function isBefore(
  { type }: NamedColumn,
  value: JsonValue | undefined,
  other: JsonValue | undefined,
): boolean | undefined {
  if (typeof value === 'number' && typeof other === 'number') return value < other
  if (typeof value !== 'string' || typeof other !== 'string') return undefined
  if (columnTypes[type].number !== false) {
    const order = compareDigits(value, other)
    return order === undefined ? undefined : order < 0
  }
  // `2026-05-14T10:30:00.000Z`, `2026-05-14` and `10:30:00` are in the order of their texts, but for the Z after further digits.
  const usual = /^\d{4}-|^\d\d:/
  if (!usual.test(value) || !usual.test(other)) return undefined
  return value.replace('Z', '') < other.replace('Z', '')
}
