// The one place where rows are read: a Source and its scope → a table, or a derived table that already hides what must be hidden.

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

/** The rows of a source, not aliased: the table itself, or a parenthesised select that narrows and computes. */
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

/** The rows of a junction: its table, or what its own model leaves of it. */
export const linkRows = (target: Target, source: Source, table: string): Expression<unknown> =>
  source.links === undefined ? tableOf(target, table) : rowsOf(target, source.links)

function expressionOf(column: NamedColumn): Expression<unknown> {
  if (column.computed === undefined) throw new Error(`${column.name} is not computed`)
  return column.computed(expressionBuilder())
}

/** The predicate of soft delete, over the unqualified column: only the deleted value is left out, not NULL or a third. */
export function notDeleted(target: Target, resource: Resource): Expression<unknown> | undefined {
  const { softDelete } = resource.settings
  const column = softDelete && resource.allColumns.get(softDelete.attribute)
  if (!softDelete || !column) return undefined
  const ref = sql.id(column.dbName)
  const other = sql`${ref} <> ${target.dialect.encode(column, softDelete.deleted)}`
  return column.nullable ? sql`(${other} or ${ref} is null)` : other
}

/** The base of a statement. */
export const aliasedSource = (target: Target, source: Source): Aliased =>
  sql`${rowsOf(target, source)}`.as(source.alias)

// Aliases inside the derived table of a many-to-many; no source can have them, since aliases are table names or relation keys.
export const junction = 'junction of'
const partner = 'partner of'

const linkColumn = (i: number): string => `link_${i}`

/**
 * What a join reads: the source, or for a many-to-many the source already joined to its junction, so that a left
 * join keeps one row for a base whose partners are all invisible.
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

/** Two keys are the same, column by column; `own` is what is looked up, so that its index serves. */
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

/** The keys of a join: what the joined rows are looked up by, and what the row it starts from brings. */
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
 * A right join over a many-to-many in two steps, of which the first adds the links: so that a partner to which
 * nothing leads is kept, and kept once.
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

/** `from … where …` of the rows at the end of a relation, correlated with the row it starts from. */
export function relatedRows(target: Target, join: Omit<PlannedJoin, 'type'>): Fragment {
  return sql`${joinedSource(target, join)} where ${joinCondition(target, join)}`
}
