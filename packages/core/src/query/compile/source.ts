// Compiles a source to a table, or to a derived table with only the rows in its scope: `"books"`, or
// `(select "id", … from "books" where "owner_id" = $1) as "books"`. All statements read rows through this file, so policies and soft
// delete always apply. Also compiles the columns of sources, and how sources are joined by the keys of relations.

import type { Expression } from 'kysely'
import type { KeyPair } from '../../dialect/internal-dialect.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { type Aliased, type Fragment, sql } from '../../lib/sql/fragment.ts'
import { fragmentOfText } from '../../lib/sql/kysely-text.ts'
import { constant } from '../../lib/sql/param.ts'
import { type TableName, tableOf } from '../../lib/sql/table-name.ts'
import type {
  ForeignKeyColumn,
  NamedColumn,
  ResolvedRelation,
  Resource,
} from '../../model/registry/resource.ts'
import { convertText } from '../plan/conditions/value.ts'
import type { ColumnRef, PlannedJoin, Source, Value } from '../plan/plan.ts'
import { slotParam } from './bound-target.ts'
import { computedOf, ownRow } from './computed-columns.ts'
import { readLock, withReadLock } from './read-lock.ts'
import { groupBy, whereAll } from './rows/clauses.ts'
import { namesOfTableColumns } from './rows/distinct-query.ts'
import type { KeyColumn } from './rows/keys-condition.ts'
import { hasConditions, isPrinted } from './scopes.ts'
import type { Target } from './target.ts'

/** Compiles a column of an aliased source. Both names come from the registry. */
export const columnOf = (source: Source, column: NamedColumn): Fragment =>
  sql.id(source.alias, column.dbName)

/** The column of a source, by which the dialect compares its values; other than the registry's if the query of a hook computes them. */
export const dialectColumnOf = (
  { scopes }: Target,
  source: Source,
  column: NamedColumn,
): NamedColumn =>
  scopes.computing && column.path === undefined && scopes.computes(source, column)
    ? { ...column, inPlaceOf: column }
    : column

/** Compiles the value of a column: the column itself, or the value at a path in a json column. */
export function valueIn(
  { dialect }: Target,
  { source, column }: Pick<ColumnRef, 'source' | 'column'>,
): Fragment {
  const ref = columnOf(source, column)
  if (column.path === undefined) return ref
  const value = dialect.jsonValue?.(column.path.of, ref, column.path.path)
  // createApi refuses paths into json columns if the dialect has no `jsonValue`.
  if (value === undefined) throw new Error(`${dialect.name} has no paths into json columns`)
  return sql`${value}`
}

/**
 * Compiles the rows of a source, without alias: the table, or a subquery that applies the scope and soft delete and adds computed
 * columns.
 */
function rowsOf(target: Target, source: Source): Expression<unknown> {
  const { resource } = source
  const scope = target.scopes.of(source)
  const notDeleted = source.includeDeleted ? undefined : isNotDeleted(target, resource, source)
  const computed = computedOf(resource.allColumns.values())
  if (scope === 'all' && notDeleted === undefined && computed.columns.length === 0) {
    return tableOf(resource)
  }
  const stored = namesOfTableColumns(resource).map((name) => sql.id(name))
  const selected = [
    ...stored,
    ...computed.columns.map(
      ({ dbName, expression }) =>
        sql`${withReadLock(target, expression, 'related')} as ${sql.id(dbName)}`,
    ),
  ]
  const rows = hasConditions(scope)
    ? scope.rows
    : isPrinted(scope)
      ? fragmentOfText(scope, slotParam(target, source, scope.parameters))
      : scope
  const part = source.relation === null ? 'base' : 'related'
  const lock = readLock(target, part)
  const narrowed = rows === 'all' ? tableOf(resource) : withReadLock(target, rows, part)
  const from = rows === 'all' ? narrowed : sql`${narrowed} as ${sql.id(resource.table)}`
  const policyTest = hasConditions(scope)
    ? scope.condition(target, slotParam(target, source, scope.values))
    : undefined
  if (computed.namesOwnRow) {
    // The condition of a policy names the table, which FROM can no longer do under another alias.
    const own =
      policyTest === undefined
        ? narrowed
        : sql`(select ${sql.join(stored)} from ${from} where ${policyTest}${lock})`
    const where = whereAll(notDeleted === undefined ? [] : [notDeleted])
    return sql`(select ${sql.join(selected)} from ${own} as ${sql.id(ownRow)}${where}${lock})`
  }
  const where = whereAll([notDeleted, policyTest].filter((test) => test !== undefined))
  return sql`(select ${sql.join(selected)} from ${from}${where}${lock})`
}

/**
 * Compiles the rows of `table`, the junction of a many-to-many that leads to `source`: the table, or the rows of its published model that
 * are in scope. A pair of keys may occur twice.
 */
export const junctionRows = (
  target: Target,
  source: Source,
  table: TableName,
): Expression<unknown> =>
  source.junction === undefined ? tableOf(table) : rowsOf(target, source.junction)

/** Compiles the rows of a junction without repeated pairs of keys, because each would repeat a related record. */
function distinctPairs(
  target: Target,
  source: Source,
  through: NonNullable<ResolvedRelation['through']>,
): Expression<unknown> {
  const rows = junctionRows(target, source, through)
  if (!through.repeats) return rows
  const keys = [...through.from, ...through.to].map(({ dbName, held }) => {
    const ref = sql.id(dbName)
    return { ref, exact: target.dialect.comparable(held, ref) }
  })
  // Also groups by the exact keys, because two keys that are equal under their collation may belong to two records.
  const exact = keys.flatMap((key) => (key.exact === key.ref ? [] : [key.exact]))
  const refs = keys.map(({ ref }) => ref)
  return sql`(select ${sql.join(refs)} from ${rows} as ${sql.id('links')}${groupBy([...refs, ...exact])}${readLock(target, 'related')})`
}

/**
 * Returns the condition that a record is not soft-deleted, on the column without a table name; undefined for a model without soft delete.
 * `source` is given if its rows are tested, whose column the query of a hook may compute; otherwise those of the table are.
 */
export function isNotDeleted(
  target: Target,
  resource: Resource,
  source?: Source,
): Expression<unknown> | undefined {
  const { softDelete } = resource.settings
  const own = softDelete && resource.allColumns.get(softDelete.attribute)
  if (!softDelete || !own) return undefined
  const column = source === undefined ? own : dialectColumnOf(target, source, own)
  // `active`: the value in a record that is not deleted; null stands for NULL.
  const { active, deleted } = softDelete
  const ref = sql.id(column.dbName)
  const compare = (operator: 'eq' | 'ne', value: JsonValue): Expression<unknown> =>
    target.dialect.compare(column, ref, operator, constant(constantOf(column, value)))
  if (deleted.kind !== 'value') {
    return active === null ? sql`${ref} is null` : compare('eq', active)
  }
  const other = compare('ne', deleted.value)
  return column.nullable ? sql`(${other} or ${ref} is null)` : other
}

/** Converts a constant of the configuration to the type of the column. */
function constantOf(column: NamedColumn, value: JsonValue): Value {
  const converted = convertText(column, String(value))
  return 'value' in converted ? converted.value : (value as Value)
}

/** Compiles the rows of a source under its alias, for FROM. */
export const aliasedSource = (target: Target, source: Source): Aliased =>
  sql`${rowsOf(target, source)}`.as(source.alias)

// Aliases of the junction and of the related table in the derived table of a many-to-many. Because of the space, no source has
// them.
export const junctionAlias = 'junction of'
const linkedAlias = 'partner of'

/** How the rows of a many-to-many may be read. */
interface RepeatedRows {
  /** True if only the existence of a row matters, so that repeated pairs of keys need not be removed. */
  readonly rowsMayRepeat?: boolean
}

const linkColumn = (i: number): string => `link_${i}`

/**
 * Compiles the table expression of a join: the source, or for a many-to-many a subquery that joins the source to its junction. Left
 * joins need the subquery: a base row whose related rows are all hidden then occurs once, not once per junction row.
 */
export function joinedSource(
  target: Target,
  { relation, source }: Pick<PlannedJoin, 'relation' | 'source'>,
  { rowsMayRepeat = false }: RepeatedRows = {},
): Aliased {
  const { through } = relation
  if (through === undefined) return aliasedSource(target, source)
  const pairs = rowsMayRepeat ? junctionRows : distinctPairs
  const links = through.from.map(
    ({ dbName }, i) => sql`${sql.id(junctionAlias, dbName)} as ${sql.id(linkColumn(i))}`,
  )
  const columns = [...source.resource.allColumns.values()].map((column) =>
    sql.id(linkedAlias, column.dbName),
  )
  return sql`(select ${sql.join([...columns, ...links])} from ${pairs(target, source, through)} as ${sql.id(junctionAlias)} inner join ${rowsOf(target, source)} as ${sql.id(linkedAlias)} on ${sameKeys(target, through.to, junctionAlias, linkedAlias)}${readLock(target, 'related')})`.as(
    source.alias,
  )
}

/** Compiles the condition that a foreign key of the junction (alias `links`) equals the key that it refers to (alias `rows`). */
function sameKeys(
  { dialect }: Target,
  key: readonly ForeignKeyColumn[],
  links: string,
  rows: string,
): Fragment {
  const pairs = key.map(({ dbName, column, held }) =>
    dialect.sameKey(held, sql.id(links, dbName), column, sql.id(rows, column.dbName)),
  )
  return sql.join(pairs, sql` and `)
}

/**
 * Returns the columns of the joined rows that the join compares, each with the column of the starting row that it must equal. For a
 * many-to-many, these are the columns of the junction's foreign key, which `joinedSource` selects as `link_0`, `link_1`, ….
 */
export function comparedColumns(
  target: Target,
  { relation: { pairs, through }, source }: Pick<PlannedJoin, 'relation' | 'source'>,
): readonly ComparedColumn[] {
  if (through === undefined) {
    return pairs.map(({ from, to }) => ({
      column: dialectColumnOf(target, source, to),
      ref: columnOf(source, to),
      otherColumn: from,
    }))
  }
  return through.from.map(({ column, held }, i) => ({
    column: held,
    ref: sql.id(source.alias, linkColumn(i)),
    otherColumn: column,
  }))
}

/** A column that a join compares, with its SQL, and the column of the starting row that it must equal. */
export interface ComparedColumn extends KeyColumn {
  readonly otherColumn: NamedColumn
}

/** Returns the columns that a join compares, with the SQL of both. */
export const joinKeys = (target: Target, join: Omit<PlannedJoin, 'type'>): readonly JoinKey[] =>
  comparedColumns(target, join).map((compared) => ({
    ...compared,
    otherColumn: dialectColumnOf(target, join.from, compared.otherColumn),
    otherRef: columnOf(join.from, compared.otherColumn),
  }))

/** A pair of columns that a join compares, with the SQL of both. */
interface JoinKey extends KeyPair {
  readonly ref: Fragment
  readonly otherRef: Fragment
}

/** Compiles the ON condition of a join, which compares the relation's keys. */
export function joinCondition(target: Target, join: Omit<PlannedJoin, 'type'>): Fragment {
  const pairs = joinKeys(target, join).map(({ column, ref, otherColumn, otherRef }) =>
    target.dialect.sameKey(column, ref, otherColumn, otherRef),
  )
  return sql.join(pairs, sql` and `)
}

/**
 * Compiles a right join over a many-to-many as two joins: the base with the junction, then the result with the related rows. So a
 * related row without a row in the junction appears once.
 */
export function rightJoinSteps(
  target: Target,
  { relation, from, source }: PlannedJoin,
): {
  readonly links: Aliased
  readonly onLinks: Fragment
  readonly linked: Aliased
  readonly onLinked: Fragment
} {
  const through = relation.through
  if (through === undefined) throw new Error(`${relation.name} has no junction`)
  const alias = `links of ${source.alias}`
  return {
    links: sql`${distinctPairs(target, source, through)}`.as(alias),
    onLinks: sameKeys(target, through.from, alias, from.alias),
    linked: aliasedSource(target, source),
    onLinked: sameKeys(target, through.to, alias, source.alias),
  }
}

/** Compiles `<table> where <keys are equal>`, the related rows of an outer row, for a correlated subquery. */
export function relatedRows(
  target: Target,
  join: Omit<PlannedJoin, 'type'>,
  repeated: RepeatedRows = {},
): Fragment {
  return sql`${joinedSource(target, join, repeated)} where ${joinCondition(target, join)}`
}
