// Plans the reads of a write: records by some of their columns, with every column, hidden ones too.

import type { Junction } from '../registry/junction.ts'
import type { NamedColumn, ResolvedRelation, Resource } from '../registry/resource.ts'
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

/** Records that have one of these keys. */
export function planRecords(resource: Resource, keys: readonly (readonly Value[])[]): RowPlan {
  const source = oneOf(resource, false)
  return { ...everything(source), where: [withKeys(source, resource.primaryKey, keys)] }
}

/** Rows of a source in whose columns the values are those of one of the keys. */
export function withKeys(
  source: Source,
  columns: readonly NamedColumn[],
  keys: readonly (readonly Value[])[],
): Condition {
  const [only, ...others] = columns
  if (only !== undefined && others.length === 0) {
    const values = keys.map(([value]) => value as Value)
    return { kind: 'oneOf', operand: refOf(source, only), values, negated: false }
  }
  return {
    kind: 'or',
    all: keys.map((key) => ({
      kind: 'and',
      all: equalTo(
        source,
        columns.map((column, i) => ({ column, value: key[i] as Value })),
      ),
    })),
  }
}

/**
 * The links of a record that are rows of a published junction, narrowed as where the relation is read. `partners` asks
 * for those to some partners, `columns` for a part of the row.
 */
export function planLinks(
  relation: ResolvedRelation,
  junction: Junction,
  own: readonly Value[],
  asked: {
    readonly partners?: readonly (readonly Value[])[]
    readonly columns?: readonly NamedColumn[]
    readonly includeDeleted?: boolean
  } = {},
): RowPlan {
  const { resource } = junction
  const { partners, columns, includeDeleted = false } = asked
  const source: Source = { ...oneOf(resource, includeDeleted), relation, many: true }
  const plan = everything(source)
  const mine = junction.own.map((column, i) => ({ column, value: own[i] as Value }))
  const theirs = partners === undefined ? [] : [withKeys(source, junction.partner, partners)]
  return {
    ...plan,
    where: [...equalTo(source, mine), ...theirs],
    output: columns === undefined ? plan.output : outputOf(source, columns),
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
