// Plans the reads of a write: records by some of their columns, with every column, hidden ones too.

import type { NamedColumn, Resource } from '../registry/resource.ts'
import { refOf } from './names.ts'
import type { Condition, Output, RowPlan, Source, Value } from './plan.ts'

/** One column and the value it must have. */
export interface Equal {
  readonly column: NamedColumn
  readonly value: Value
}

/** The key of a record as conditions. */
export const keyEquals = (resource: Resource, key: readonly Value[]): readonly Equal[] =>
  resource.primaryKey.map((column, i) => ({ column, value: key[i] as Value }))

/** Rows that have all of these values. */
export function planLookUp(
  resource: Resource,
  equal: readonly Equal[],
  includeDeleted: boolean,
): RowPlan {
  const source = oneOf(resource, includeDeleted)
  return {
    ...everything(source),
    where: equalTo(source, equal),
  }
}

/** The conditions that rows of a source with these values meet. */
export const equalTo = (source: Source, equal: readonly Equal[]): readonly Condition[] =>
  equal.map(({ column, value }) => ({
    kind: 'compare',
    operand: refOf(source, column),
    operator: 'eq',
    value,
  }))

/** Some columns of a record that is being written, to be given back. */
export const columnsOf = (resource: Resource, columns: readonly NamedColumn[]): readonly Output[] =>
  outputOf(oneOf(resource, true), columns)

/** The key of the row, the same list for a resource every time. */
export function keyOutputOf(resource: Resource): readonly Output[] {
  const known = keyOutputs.get(resource) ?? columnsOf(resource, resource.primaryKey)
  keyOutputs.set(resource, known)
  return known
}

const keyOutputs = new WeakMap<Resource, readonly Output[]>()

/** The same rows that a list would show, with all their columns instead of what the client asked to see. */
export const withAllColumns = (plan: RowPlan): RowPlan => ({
  ...plan,
  shape: 'entity',
  output: everything(plan.from).output,
})

const oneOf = (resource: Resource, includeDeleted: boolean): Source => ({
  resource,
  alias: resource.table,
  relation: null,
  many: false,
  includeDeleted,
})

const outputOf = (source: Source, columns: Iterable<NamedColumn>): readonly Output[] =>
  [...columns].map((column) => ({
    key: column.name,
    value: refOf(source, column),
    visible: !column.hidden,
  }))

function everything(source: Source): RowPlan {
  return {
    shape: 'entity',
    from: source,
    joins: [],
    where: [],
    groupBy: [],
    having: [],
    output: outputOf(source, source.resource.allColumns.values()),
    order: source.resource.primaryKey.map((column) => ({
      operand: refOf(source, column),
      descending: false,
      nulls: 'last',
    })),
    distinctBase: false,
  }
}
