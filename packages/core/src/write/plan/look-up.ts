// Plans the reads of a write: they find records by the values of some columns, and read all columns, including hidden ones.

import { refOf } from '../../plan/names.ts'
import type { Condition, Output, RowPlan, Source, Value } from '../../plan/plan.ts'
import type { Junction } from '../../registry/junction.ts'
import type { NamedColumn, ResolvedRelation, Resource } from '../../registry/resource.ts'

/** A column and the value it must equal. */
export interface ColumnValue {
  readonly column: NamedColumn
  readonly value: Value
}

/** The columns of a key with its values. */
export const columnValues = (
  columns: readonly NamedColumn[],
  key: readonly Value[],
): readonly ColumnValue[] => columns.map((column, i) => ({ column, value: key[i] as Value }))

/** Plans the rows that have all of these values. */
export function planLookUp(
  resource: Resource,
  values: readonly ColumnValue[],
  includeDeleted: boolean,
): RowPlan {
  const source = baseSource(resource, includeDeleted)
  return {
    ...allColumnsOf(source),
    where: equalTo(source, values),
  }
}

/** Plans the records that have one of these keys; `columns` are those of the primary key or of a unique one. */
export function planRecords(
  resource: Resource,
  columns: readonly NamedColumn[],
  keys: readonly (readonly Value[])[],
  {
    read = resource.allColumns.values(),
    includeDeleted = false,
  }: { readonly read?: Iterable<NamedColumn> | undefined; readonly includeDeleted?: boolean } = {},
): RowPlan {
  const source = baseSource(resource, includeDeleted)
  return {
    ...allColumnsOf(source),
    where: [withKeys(source, columns, keys)],
    output: outputOf(source, read),
  }
}

/** The condition that the columns of a source have the values of one of the keys. */
export const withKeys = (
  source: Source,
  columns: readonly NamedColumn[],
  keys: readonly (readonly Value[])[],
): Condition => ({ kind: 'keys', source, columns, keys })

/** The condition that `columns` have the values of one of `keys`. */
export type OneOfKeys = readonly [
  columns: readonly NamedColumn[],
  keys: readonly (readonly Value[])[],
]

/**
 * Plans links in a junction table with a published model. The same access rules apply as when the relation is read. `columns` are those
 * to read (default: all).
 */
export function planLinks(
  relation: ResolvedRelation,
  junction: Junction,
  links: OneOfKeys,
  options: {
    readonly and?: OneOfKeys
    readonly columns?: readonly NamedColumn[]
    readonly includeDeleted?: boolean
  } = {},
): RowPlan {
  const { and, columns, includeDeleted = false } = options
  const source: Source = { ...baseSource(junction.resource, includeDeleted), relation, many: true }
  const plan = allColumnsOf(source)
  return {
    ...plan,
    where: [links, ...(and === undefined ? [] : [and])].flatMap((one) => hasOneOf(source, one)),
    output: columns === undefined ? plan.output : outputOf(source, columns),
  }
}

function hasOneOf(source: Source, [columns, keys]: OneOfKeys): readonly Condition[] {
  const [only, ...others] = keys
  return only !== undefined && others.length === 0
    ? equalTo(source, columnValues(columns, only))
    : [withKeys(source, columns, keys)]
}

/** The conditions that the columns of a source have these values. */
export const equalTo = (source: Source, values: readonly ColumnValue[]): readonly Condition[] =>
  values.map(({ column, value }) => ({
    kind: 'compare',
    operand: refOf(source, column),
    operator: 'eq',
    value,
  }))

/** Columns of a written record for a RETURNING clause. */
export const columnsOf = (resource: Resource, columns: readonly NamedColumn[]): readonly Output[] =>
  outputOf(baseSource(resource, true), columns)

/** The key columns of a written record for a RETURNING clause; cached per resource, since the compiled clause is cached by this list. */
export function keyOutputOf(resource: Resource): readonly Output[] {
  const known = keyOutputs.get(resource) ?? columnsOf(resource, resource.primaryKey)
  keyOutputs.set(resource, known)
  return known
}

const keyOutputs = new WeakMap<Resource, readonly Output[]>()

/** Makes a list plan read all columns, instead of those that the client selected. */
export const withAllColumns = (plan: RowPlan): RowPlan => ({
  ...plan,
  shape: 'records',
  output: allColumnsOf(plan.from).output,
})

const baseSource = (resource: Resource, includeDeleted: boolean): Source => ({
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

/** A plan of all rows of a source, in key order, with all columns. */
function allColumnsOf(source: Source): RowPlan {
  return {
    shape: 'records',
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
