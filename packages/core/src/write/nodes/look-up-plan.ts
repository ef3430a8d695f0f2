// Plans the look-ups of a write: they find stored records by the values of some columns, and read columns of their table, hidden ones too.
// The plans are those of `query/plan`, compiled by `resolve/look-up-records.ts` or, with a lock, by `statements/`.

import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import { comparedWith } from '../../dialect/shared/sql/compared-column.ts'
import type { Junction } from '../../model/registry/relations/junction.ts'
import type { NamedColumn, ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import type { ColumnValue } from '../../query/plan/conditions/path-key.ts'
import { refOf } from '../../query/plan/names.ts'
import type { Condition, Output, RowPlan, Source, Value } from '../../query/plan/plan.ts'

/** The columns of a key with its values. */
export const columnValues = (
  columns: readonly NamedColumn[],
  key: readonly Value[],
): readonly ColumnValue[] => columns.map((column, at) => ({ column, value: key[at] as Value, at }))

/** What a look-up reads. */
export interface LookUpOptions {
  /** The record has exactly this key, and not one that its collation finds equal; for keys in paths. */
  readonly isExact?: boolean
  /** The columns to read, as `columnsToRead` tells, or those of a key; undefined for all. */
  readonly read: readonly NamedColumn[] | undefined
  /** Whether records that are marked as deleted are found, too. */
  readonly includeDeleted?: boolean
}

/** Plans the rows that have all of these values: `where tenant_id = 3 and id = 7`. */
export function planLookUp(
  resource: Resource,
  values: readonly ColumnValue[],
  { read, includeDeleted = false }: LookUpOptions,
): RowPlan {
  const source = baseSource(resource, { includeDeleted })
  return { ...rowsOf(source, read), where: equalTo(source, values) }
}

/** Plans the records that have one of these keys, `where id in (7, 8)`; `columns` are those of the primary key or of a unique one. */
export function planRecords(
  resource: Resource,
  columns: readonly NamedColumn[],
  keys: readonly (readonly Value[])[],
  { read, includeDeleted = false }: LookUpOptions,
): RowPlan {
  const source = baseSource(resource, { includeDeleted })
  return { ...rowsOf(source, read), where: [withKeys(source, columns, keys)] }
}

/** Records that refer to others: the columns that hold the keys, and in the same order those that they refer to. */
interface Referrers {
  readonly resource: Resource
  readonly held: readonly NamedColumn[]
  readonly key: readonly { readonly column: NamedColumn }[]
}

/** Plans the records that refer to one of these keys of other records: `where author_id in (1, 2)` for the books of two authors. */
export const planReferrers = (
  dialect: InternalDialect,
  { resource, held, key }: Referrers,
  keys: readonly (readonly Value[])[],
  options: LookUpOptions,
): RowPlan => {
  // Compares each column as the foreign key constraint does: as the column that it refers to.
  const compared = held.map((column, i) => comparedWith(dialect, column, key[i]?.column ?? column))
  return planRecords(resource, compared, keys, options)
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
 * Plans links in a junction table with a published model: those that have one of the keys `links` and, if given, one of the keys `and` in
 * other columns. The same access rules apply as when the relation is read.
 */
export function planLinks(
  relation: ResolvedRelation,
  junction: Junction,
  links: OneOfKeys,
  { and, read, includeDeleted = false }: LookUpOptions & { readonly and?: OneOfKeys },
): RowPlan {
  const source: Source = {
    ...baseSource(junction.resource, { includeDeleted }),
    relation,
    many: true,
  }
  return {
    ...rowsOf(source, read),
    where: [links, ...(and === undefined ? [] : [and])].flatMap((keysOfEnd) =>
      hasOneOf(source, keysOfEnd),
    ),
  }
}

/** The conditions that the columns have one of the keys: `a = 1 and b = 2` for a single key. */
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

/** Columns of a record as the output of a statement: of a RETURNING clause or a SELECT. */
export const outputOfColumns = (
  resource: Resource,
  columns: readonly NamedColumn[],
): readonly Output[] => outputOf(baseSource(resource, { includeDeleted: true }), columns)

/** The key columns of a written record for a RETURNING clause; cached per resource, since the compiled clause is cached by this list. */
export function keyOutputOf(resource: Resource): readonly Output[] {
  const known = keyOutputs.get(resource) ?? outputOfColumns(resource, resource.primaryKey)
  keyOutputs.set(resource, known)
  return known
}

const keyOutputs = new WeakMap<Resource, readonly Output[]>()

/** Makes a plan, such as that of the filters of a bulk write, read these columns of its base instead of its own; undefined for all. */
export const withOutputColumns = (plan: RowPlan, read: LookUpOptions['read']): RowPlan => ({
  ...plan,
  shape: 'records',
  output: outputOf(plan.from, read ?? plan.from.resource.allColumns.values()),
})

/** The table of a resource as the base of a plan. */
const baseSource = (
  resource: Resource,
  { includeDeleted }: Pick<Source, 'includeDeleted'>,
): Source => ({
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

/** A plan of all rows of a source, in key order. */
function rowsOf(source: Source, read: LookUpOptions['read']): RowPlan {
  return {
    shape: 'records',
    from: source,
    joins: [],
    where: [],
    groupBy: [],
    having: [],
    output: outputOf(source, read ?? source.resource.allColumns.values()),
    order: source.resource.primaryKey.map((column) => ({
      operand: refOf(source, column),
      descending: false,
      nulls: 'last',
    })),
    distinctBase: false,
  }
}
