// Compiles a source to a table, or to a derived table with only the rows in its scope. All statements read rows through this file, so policies and soft delete always apply.

import { type Expression, expressionBuilder } from 'kysely'
import type { KeyPair } from '../dialect/internal-dialect.ts'
import type { PlannedJoin, Source } from '../plan/plan.ts'
import type { NamedColumn, Resource } from '../registry/resource.ts'
import { type Aliased, type Fragment, sql } from '../sql/fragment.ts'
import type { Target } from './target.ts'

/** A column of an aliased source. Both names come from the registry. */
export const columnOf = (source: Source, column: NamedColumn): Fragment =>
  sql.id(source.alias, column.dbName)

/** A table by its database name, qualified by the schema where one is configured. */
export const tableOf = (target: Target, table: string): Fragment =>
  target.schema === undefined ? sql.id(table) : sql.id(target.schema, table)

/** The rows of a source without alias: the table, or a subquery that applies the scope and soft delete and adds computed columns. */
function rowsOf(target: Target, source: Source): Expression<unknown> {
  const { resource } = source
  const scope = target.scopes.of(source)
  const alive = source.includeDeleted ? undefined : notDeleted(target, resource)
  const computed = [...resource.allColumns.values()].filter(
    (column) => column.computed !== undefined,
  )
  if (scope === 'all' && alive === undefined && computed.length === 0) {
    return tableOf(target, resource.table)
  }
  const stored = [...resource.allColumns.values()].filter((column) => column.computed === undefined)
  const selected = [
    ...stored.map((column) => sql.id(column.dbName)),
    ...computed.map((column) => sql`${expressionOf(column)} as ${sql.id(column.dbName)}`),
  ]
  const from =
    scope === 'all' ? tableOf(target, resource.table) : sql`${scope} as ${sql.id(resource.table)}`
  const where = alive === undefined ? sql`` : sql` where ${alive}`
  return sql`(select ${sql.join(selected)} from ${from}${where})`
}

/** The rows of a junction: its table, or the rows in scope of its published model. */
export const linkRows = (target: Target, source: Source, table: string): Expression<unknown> =>
  source.links === undefined ? tableOf(target, table) : rowsOf(target, source.links)

function expressionOf(column: NamedColumn): Expression<unknown> {
  if (column.computed === undefined) throw new Error(`${column.name} is not computed`)
  return column.computed(expressionBuilder())
}

/** The condition that a record is not soft-deleted, on the unqualified column. NULL and any value but `deleted` count as not deleted. */
export function notDeleted(target: Target, resource: Resource): Expression<unknown> | undefined {
  const { softDelete } = resource.settings
  const column = softDelete && resource.allColumns.get(softDelete.attribute)
  if (!softDelete || !column) return undefined
  const ref = sql.id(column.dbName)
  const other = sql`${ref} <> ${target.dialect.encode(column, softDelete.deleted)}`
  return column.nullable ? sql`(${other} or ${ref} is null)` : other
}

/** The rows of a source under its alias, as in FROM. */
export const aliasedSource = (target: Target, source: Source): Aliased =>
  sql`${rowsOf(target, source)}`.as(source.alias)

// Aliases inside the derived table of a many-to-many. No source has them, because other aliases are table or relation names.
export const junction = 'junction of'
const partner = 'partner of'

const linkColumn = (i: number): string => `link_${i}`

/**
 * The table expression of a join: the source, or for a many-to-many a subquery that joins the source to its junction, so that
 * a left join gives a single row for a base row whose related rows are all hidden.
 */
export function joinedSource(target: Target, join: Omit<PlannedJoin, 'type'>): Aliased {
  const { relation, source } = join
  if (relation.through === undefined) return aliasedSource(target, source)
  const links = relation.through.from.map(
    (name, i) => sql`${sql.id(junction, name)} as ${sql.id(linkColumn(i))}`,
  )
  const columns = [...source.resource.allColumns.values()].map((column) =>
    sql.id(partner, column.dbName),
  )
  return sql`(select ${sql.join([...columns, ...links])} from ${linkRows(target, source, relation.through.table)} as ${sql.id(junction)} inner join ${rowsOf(target, source)} as ${sql.id(partner)} on ${junctionEquals(target, join)})`.as(
    source.alias,
  )
}

function junctionEquals(target: Target, { relation }: Pick<PlannedJoin, 'relation'>): Fragment {
  return sameKeys(
    target,
    relation.to,
    (relation.through?.to ?? []).map((name) => sql.id(junction, name)),
    relation.to.map(({ dbName }) => sql.id(partner, dbName)),
  )
}

/** The condition that two keys are equal. `own` are the columns that are looked up and stay unconverted, so that their index can be used. */
export function sameKeys(
  { dialect }: Target,
  columns: readonly NamedColumn[],
  own: readonly Fragment[],
  other: readonly Fragment[],
  otherColumns: readonly NamedColumn[] = columns,
): Fragment {
  const pairs = columns.map((column, i) =>
    dialect.sameKey(column, own[i] as Fragment, otherColumns[i] ?? column, other[i] as Fragment),
  )
  return sql.join(pairs, sql` and `)
}

/** The key columns of a join: those of the joined rows, and those of the row it starts from. */
export function joinKeys({
  relation,
  from,
  source,
}: Omit<PlannedJoin, 'type'>): readonly JoinKey[] {
  return relation.from.map((otherColumn, i) => {
    const to = relation.to[i]
    const own =
      relation.through === undefined && to !== undefined
        ? { column: to, ref: columnOf(source, to) }
        : { column: otherColumn, ref: sql.id(source.alias, linkColumn(i)) }
    return { ...own, otherColumn, otherRef: columnOf(from, otherColumn) }
  })
}

interface JoinKey extends KeyPair {
  readonly ref: Fragment
  readonly otherRef: Fragment
}

/** The ON condition of a join: the relation's keys. */
export function joinCondition({ dialect }: Target, join: Omit<PlannedJoin, 'type'>): Fragment {
  const pairs = joinKeys(join).map(({ column, ref, otherColumn, otherRef }) =>
    dialect.sameKey(column, ref, otherColumn, otherRef),
  )
  return sql.join(pairs, sql` and `)
}

/**
 * The two steps of a right join over a many-to-many: the base is joined to the links, then the related rows are left-joined
 * to that. So a related row without links is kept, and only once.
 */
export function rightJoinSteps(
  target: Target,
  { relation, from, source }: PlannedJoin,
): {
  readonly links: Aliased
  readonly onLinks: Fragment
  readonly partners: Aliased
  readonly onPartners: Fragment
} {
  const through = relation.through
  if (through === undefined) throw new Error(`${relation.name} has no junction`)
  const alias = `links of ${source.alias}`
  const on = (names: readonly string[], side: Source, columns: readonly NamedColumn[]) =>
    sameKeys(
      target,
      columns,
      names.map((name) => sql.id(alias, name)),
      columns.map((column) => columnOf(side, column)),
    )
  return {
    links: sql`${linkRows(target, source, through.table)}`.as(alias),
    onLinks: on(through.from, from, relation.from),
    partners: aliasedSource(target, source),
    onPartners: on(through.to, source, relation.to),
  }
}

/** `<table> where <keys are equal>`: the related rows of an outer row, for a correlated subquery. */
export function relatedRows(target: Target, join: Omit<PlannedJoin, 'type'>): Fragment {
  return sql`${joinedSource(target, join)} where ${joinCondition(target, join)}`
}
