// EmbedPlan + the parents' keys → the one statement that reads all related rows of that relation.

import type { Expression, SqlBool } from 'kysely'
import { rowCount } from '../dialect/shared/row-count.ts'
import { chain } from '../dialect/shared/sql-parts.ts'
import type { JsonValue } from '../json/json-value.ts'
import type { EmbedPlan, Value } from '../plan/plan.ts'
import type { NamedColumn } from '../registry/resource.ts'
import { type Fragment, madeOf, sql } from '../sql/fragment.ts'
import { orderBy } from './clauses.ts'
import { allOf, compileOperand } from './condition.ts'
import { type ObjectSelection, objectAlias, type PromisedObject, promised } from './object-json.ts'
import { compileSelection, type MemberReader } from './selection.ts'
import { columnOf, joinedSource } from './source.ts'
import type { Target } from './target.ts'

export interface CompiledEmbed {
  readonly rows: Fragment
  readonly readers: readonly MemberReader[]
  /** Where a row holds the text of its object, and the form of such texts. */
  readonly object?: PromisedObject
  /** Reads the key of the parent a row belongs to, in the order of `relation.from`. */
  readonly parentKey: readonly KeyReader[]
}

/** Reads one part of a key. */
export interface KeyReader {
  readonly alias: string
  readonly index: number
  readonly decode: (raw: unknown) => JsonValue
}

const parentAlias = (i: number): string => `parent_${i}`
const rank = 'rank_in_parent'

/**
 * `most` bounds the rows read, so that one request cannot ask for a whole database; null for to-one relations. `object`:
 * what the database writes of each row.
 */
export function compileEmbed(
  target: Target,
  embed: EmbedPlan,
  keys: readonly (readonly Value[])[],
  most: number | null,
  object?: ObjectSelection,
): CompiledEmbed {
  const { relation, rows: plan } = embed
  const { dialect } = target
  const selection = compileSelection(target, object?.kept ?? plan.output, false)
  const parents = parentColumns(embed)
  const source = joinedSource(target, { from: plan.from, relation, source: plan.from })
  const chosen = allOf(target, plan.where)
  const order = embedOrder(target, embed)
  const parentSelection = parents.map(({ column, ref }, i) =>
    sql`${dialect.select(column, ref)}`.as(parentAlias(i)),
  )
  const { readers } = selection
  const objects = object === undefined ? [] : [object.text.as(objectAlias)]
  const parentKey = parents.map(({ column }, i) => ({
    alias: parentAlias(i),
    index: readers.length + objects.length + i,
    decode: dialect.decoder(column),
  }))
  const selected = [...selection.expressions, ...objects, ...parentSelection]
  const reading = { readers, parentKey, ...promised(object, readers.length) }
  const within = madeOf<SqlBool>(keysOrigin, parentIn(target, parents, keys))
  const where = chosen === undefined ? within : sql`${within} and ${chosen}`
  const first = most === null ? sql`` : madeOf(mostOrigin, mostOf(target, most))
  if (embed.limit === null) {
    const all = sql`select ${sql.join(selected)} from ${source} where ${where}`
    return { rows: sql`${all}${orderBy(order)}${first}`, ...reading }
  }
  const partition = sql.join(parents.map(({ column, ref }) => dialect.comparable(column, ref)))
  const ranking = sql`row_number() over (partition by ${partition} order by ${sql.join(order)})`
  const ranked = sql`select ${sql.join([...selected, ranking.as(rank)])} from ${source} where ${where}`
  return {
    rows: sql`select * from (${ranked}) as ${sql.id('ranked')} where ${sql.id(rank)} <= ${embed.limit} order by ${sql.id(rank)}${first}`,
    ...reading,
  }
}

/** The order of the related rows. */
export const embedOrder = (target: Target, { rows }: EmbedPlan): readonly Expression<unknown>[] =>
  rows.order.flatMap(({ operand, descending, nulls }) => {
    const { column, expression } = compileOperand(target, operand)
    const mayBeNull = operand.kind !== 'column' || operand.column.nullable
    return target.dialect.order(column, expression, { descending, nulls, mayBeNull })
  })

/** What the condition on the parents' keys, and the bound of the rows, are made of. */
export const keysOrigin = {}
export const mostOrigin = {}

export const mostOf = ({ dialect }: Target, most: number): Fragment =>
  sql` limit ${rowCount(dialect, most)}`

/** The condition on the parents' keys alone. */
export const parentsIn = (
  target: Target,
  embed: EmbedPlan,
  keys: readonly (readonly Value[])[],
): Fragment => parentIn(target, parentColumns(embed), keys)

interface ParentColumn {
  readonly column: NamedColumn
  readonly ref: Fragment
}

/** The columns of the related rows that hold the parent's key: the target's own, or the junction's. */
function parentColumns({ relation, rows }: EmbedPlan): readonly ParentColumn[] {
  return relation.from.map((column, i) => {
    const to = relation.to[i]
    return relation.through === undefined && to !== undefined
      ? { column: to, ref: columnOf(rows.from, to) }
      : { column, ref: sql.id(rows.from.alias, `link_${i}`) }
  })
}

function parentIn(
  target: Target,
  parents: readonly ParentColumn[],
  keys: readonly (readonly Value[])[],
): Fragment<SqlBool> {
  const [only, ...others] = parents
  if (only !== undefined && others.length === 0) {
    const values = keys.map(([value]) => value as Value)
    return sql<SqlBool>`${target.dialect.oneOf(only.column, only.ref, values, false)}`
  }
  const rows = keys.map((key) => {
    const parts = parents.map(({ column, ref }, i) =>
      target.dialect.compare(column, ref, 'eq', key[i] as Value),
    )
    return sql`(${sql.join(parts, sql` and `)})`
  })
  return sql<SqlBool>`(${chain(rows, 'or')})`
}
