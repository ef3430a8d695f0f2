// RowPlan → the statement that reads the page and the one that counts; no decisions left, no client text but bound values.

import { type Compilable, type RawBuilder, type SqlBool, sql } from 'kysely'
import { keyRefs } from '../plan/names.ts'
import type { KeysetPage, Operand, PlannedJoin, RowPlan, Source } from '../plan/plan.ts'
import { allOf, compileOperand } from './condition.ts'
import { beyondPlace, type PlaceColumn, placeColumns } from './keyset.ts'
import { compileSelection, type Reader } from './selection.ts'
import { aliasedSource, columnOf, joinCondition, joinedSource, rightJoinSteps } from './source.ts'
import type { AnyDatabase, Target } from './target.ts'

// biome-ignore lint/suspicious/noExplicitAny: the builder's row type is the plan's output, known at run time
type Query = ReturnType<AnyDatabase['selectFrom']> extends infer Q ? Q & any : never

export interface CompiledRows {
  readonly rows: Compilable
  readonly readers: readonly Reader[]
  /** What makes up a row's cursor, in the order of its terms. */
  readonly places: readonly PlaceColumn[]
}

/** Which of the rows are read: `limit` and `offset` are bound values; a keyset begins at a place in the order. */
export interface Slice {
  readonly limit: number
  readonly offset: number
  readonly keyset?: KeysetPage
  /** Adds the total of the whole set to every row, as `totalAlias`; counts at most `most` where that is given. */
  readonly total?: { readonly most: number | null }
}

/** Where a row holds the total; no output has this name. */
export const totalAlias = 'total of all'

/** The rows of one page. */
export function compileRows(target: Target, plan: RowPlan, slice: Slice): CompiledRows {
  const { keyset } = slice
  const selection = compileSelection(target, plan.output, plan.shape === 'groups')
  const places = keyset === undefined ? [] : placeColumns(target, keyset)
  let query = narrowed(target, plan, usedBy(plan)).select([
    ...selection.expressions,
    ...places.map(({ expression }) => expression),
    ...(slice.total === undefined
      ? []
      : [sql`${compileCount(target, plan, slice.total.most)}`.as(totalAlias)]),
  ])
  const beyond = keyset && beyondPlace(target, keyset)
  if (beyond !== undefined) query = query.where(beyond)
  query = grouped(target, plan, query)
  const backwards = keyset?.direction === 'before'
  for (const term of orderTerms(target, plan, backwards)) query = query.orderBy(term)
  query = query.limit(slice.limit)
  if (slice.offset > 0) query = query.offset(slice.offset)
  return { rows: query, readers: selection.readers, places }
}

/** The number of rows of the whole set, as `total`; counts at most `most` where that is given. */
export function compileCount(target: Target, plan: RowPlan, most: number | null = null): Query {
  const total = sql`count(*)`.as('total')
  if (plan.shape !== 'groups' && most === null)
    return narrowed(target, plan, new Set()).select(total)
  let set = narrowed(target, plan, new Set()).select(sql`count(*)`.as('n'))
  if (plan.shape === 'groups') set = grouped(target, plan, set)
  else set = narrowed(target, plan, new Set()).select(sql`1`.as('n'))
  if (most !== null) set = set.limit(most)
  return target.db.selectFrom(set.as('counted')).select(total)
}

/** FROM, JOIN and WHERE: either joined outright, or the base narrowed to the keys that the joins choose. */
function narrowed(target: Target, plan: RowPlan, used: ReadonlySet<Source>): Query {
  if (!plan.distinctBase) return where(target, plan, joined(target, plan.from, plan.joins))
  const needed = plan.joins.filter((join) => used.has(join.source))
  const outer = joined(
    target,
    plan.from,
    needed.map((join) => ({ ...join, type: 'left' })),
  )
  return outer.where(chosenKeys(target, plan))
}

function joined(target: Target, from: Source, joins: readonly PlannedJoin[]): Query {
  let query: Query = target.db.selectFrom(aliasedSource(target, from) as never)
  for (const join of joins) {
    if (join.type === 'right' && join.relation.through !== undefined) {
      const { links, onLinks, partners, onPartners } = rightJoinSteps(target, join)
      query = query
        .leftJoin(links, (builder: Query) => builder.on(onLinks))
        .rightJoin(partners, (builder: Query) => builder.on(onPartners))
      continue
    }
    const on = joinCondition(join)
    query = query[`${join.type}Join`](joinedSource(target, join), (builder: Query) =>
      builder.on(on),
    )
  }
  return query
}

function where(target: Target, plan: RowPlan, query: Query): Query {
  const condition = allOf(target, plan.where)
  return condition === undefined ? query : query.where(condition)
}

/** `key in (select key from base join … where …)`: joined rows repeat keys, not base rows. */
function chosenKeys(target: Target, plan: RowPlan): RawBuilder<SqlBool> {
  const keys = keyRefs(plan.from).map(({ source, column }) => columnOf(source, column))
  const chosen = where(target, plan, joined(target, plan.from, plan.joins)).select(
    keys.map((key, i) => key.as(`key_${i}`)),
  )
  const tuple = keys.length === 1 ? keys[0] : sql`(${sql.join(keys)})`
  return sql<SqlBool>`${tuple} in ${chosen}`
}

function grouped(target: Target, plan: RowPlan, query: Query): Query {
  if (plan.shape !== 'groups') return query
  let result = query
  for (const key of plan.groupBy) result = result.groupBy(groupKey(target, key))
  const having = allOf(target, plan.having)
  return having === undefined ? result : result.having(having)
}

const groupKey = (target: Target, operand: RowPlan['groupBy'][number]): RawBuilder<unknown> =>
  sql`${compileOperand(target, operand, true).expression}`

/** Backwards, every direction and every null placement turns around; the reader turns the rows again. */
function orderTerms(
  target: Target,
  plan: RowPlan,
  backwards: boolean,
): readonly RawBuilder<unknown>[] {
  return plan.order.flatMap(({ operand, descending, nulls }) => {
    const { column, expression } = compileOperand(target, operand, plan.shape === 'groups')
    const term = {
      descending: descending !== backwards,
      nulls: (nulls === 'first') !== backwards ? ('first' as const) : ('last' as const),
      mayBeNull: mayBeNull(plan, operand),
    }
    return target.dialect.order(column, expression, term).map((part) => sql`${part}`)
  })
}

/** Where no NULL can occur, the database may follow an index. */
function mayBeNull(plan: RowPlan, operand: Operand): boolean {
  const { source, column } = operand.kind === 'column' ? operand : operand.of
  if (operand.kind === 'aggregate') return operand.function !== 'count'
  const outer = plan.joins.some(
    (join) => join.type === 'right' || (join.type === 'left' && join.source === source),
  )
  return column.nullable || outer || (plan.distinctBase && source !== plan.from)
}

/** The joined sources that output and order read, with what leads to them. */
function usedBy(plan: RowPlan): ReadonlySet<Source> {
  const used = new Set<Source>()
  const operands = [
    ...plan.output.map(({ value }) => value),
    ...plan.order.map(({ operand }) => operand),
  ]
  for (const operand of operands) {
    let source: Source | undefined = operand.kind === 'column' ? operand.source : operand.of.source
    while (source !== undefined && !used.has(source)) {
      used.add(source)
      const end: Source = source
      source = plan.joins.find((join) => join.source === end)?.from
    }
  }
  return used
}
