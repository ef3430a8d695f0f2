// The key by which an upsert looks up the stored record for an object of its body: with `on_conflict=isbn`, its `isbn`. `initialColumns`
// finds the columns of it whose values the service has to add first.

import { hasInitialValue } from '../../../../model/registry/checks/field-rules.ts'
import type { NamedColumn } from '../../../../model/registry/resource.ts'
import { valueOfJson } from '../../../../query/plan/conditions/value.ts'
import type { Value } from '../../../../query/plan/plan.ts'
import { keyFromRow } from '../../../../query/run/key.ts'
import type { RecordNode, Values } from '../../../../write/nodes/node.ts'

/** The values of the unique key of a record; undefined if one is missing or null. `values` are those of the body, and initial ones. */
export function upsertKeyOf(
  columns: readonly NamedColumn[],
  node: RecordNode,
  values: Values = node.values,
): readonly Value[] | undefined {
  if (node.parents.length === 0) return keyFromRow(columns, values)
  const key: Value[] = []
  for (const column of columns) {
    const value = referredValue(node, column) ?? valueOfJson(column, values[column.name])
    if (value === undefined) return undefined
    key.push(value)
  }
  return key
}

/** The value of a foreign key that a nested object sets; undefined if none does, or if its record is not known before it is written. */
function referredValue({ parents }: RecordNode, column: NamedColumn): Value | undefined {
  for (const { relation, node } of parents) {
    if (node.kind !== 'reference') continue
    for (const { from, to } of relation.pairs) {
      if (from === column && to.type === from.type)
        return node.key[node.resource.primaryKey.indexOf(to)]
    }
  }
  return undefined
}

const noColumns: readonly NamedColumn[] = []

/** Returns the columns of the key that the body does not set; none if the service does not know the initial value of each of them. */
export function initialColumns(
  node: RecordNode,
  columns: readonly NamedColumn[],
): readonly NamedColumn[] {
  let missing = noColumns
  for (let i = 0; i < columns.length; i++) {
    const column = columns[i] as NamedColumn
    if (Object.hasOwn(node.values, column.name)) continue
    if (referredValue(node, column) === undefined) missing = [...missing, column]
  }
  if (missing.length === 0) return noColumns
  return missing.every((column) => hasKnownValue(node, column)) ? missing : noColumns
}

/** Whether the service knows the value of a column that was not sent: it has one, and no nested object sets it. */
const hasKnownValue = ({ resource, parents }: RecordNode, column: NamedColumn): boolean =>
  hasInitialValue(resource, column) &&
  !parents.some(({ relation }) => relation.from.includes(column))
