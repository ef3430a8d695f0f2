// RowPlan → the statement that reads the page and the one that counts; no decisions left, no client text but bound values.

import type { Expression, SqlBool } from 'kysely'
import type { Dialect } from '../dialect/dialect.ts'
import { natural } from '../dialect/sql-parts.ts'
import { decidingJoins } from '../plan/deciding-joins.ts'
import { isLookUpRelation } from '../plan/look-up-relation.ts'
import { keyRefs } from '../plan/names.ts'
import type { EmbedPlan, KeysetPage, Operand, PlannedJoin, RowPlan, Source } from '../plan/plan.ts'
import { type Aliased, type Fragment, madeOf, sql } from '../sql/fragment.ts'
import type { Place } from './cell.ts'
import { groupBy, orderBy, whereAll } from './clauses.ts'
import { allOf, compileOperand } from './condition.ts'
import { compileEmbedJoin, type JoinedEmbed } from './joined-embed.ts'
import { beyondPlace, type PlaceColumn, placeColumns } from './keyset.ts'
import { type ObjectSelection, objectAlias, type PromisedObject, promised } from './object-text.ts'
import { compileSelection, type MemberReader } from './selection.ts'
import { aliasedSource, columnOf, joinCondition, joinedSource, rightJoinSteps } from './source.ts'
import type { Target } from './target.ts'

export interface CompiledRows {
  readonly rows: Fragment
  readonly readers: readonly MemberReader[]
  /** What makes up a row's cursor, in the order of its terms. */
  readonly places: readonly PlaceColumn[]
  /** Where a row holds the text of an embedded relation, by its name. */
  readonly texts: ReadonlyMap<string, Place>
  /** Relations whose rows stand beside the rows. */
  readonly joined: readonly JoinedEmbed[]
  /** Where a row holds the text of its object, and the form of such texts. */
  readonly object?: PromisedObject
  /** Where a row holds the total, where it was asked for. */
  readonly total?: Place
}

/** Which of the rows are read: `limit` and `offset` are bound values; a keyset begins at a place in the order. */
export interface Slice {
  readonly limit: number
  /** The limit is no value but part of the text: nobody asked for it. */
  readonly fixed?: true
  readonly offset: number
  readonly keyset?: KeysetPage
  /** Relations that the database writes as JSON text. */
  readonly texts?: readonly EmbedText[]
  /** Relations that are joined instead of being read by a statement of their own. */
  readonly joined?: readonly EmbedPlan[]
  /** The object of each row, written by the database. */
  readonly object?: ObjectSelection
  /** Adds the total of the whole set to every row, as `totalAlias`; counts at most `most` where that is given. */
  readonly total?: { readonly most: number | null }
}

/** A relation by its name, and the subquery that gives its text. */
export interface EmbedText {
  readonly name: string
  readonly text: Fragment
}

/** No output has this name. */
const totalAlias = 'total of all'

/** The rows of one page. */
export function compileRows(target: Target, plan: RowPlan, slice: Slice): CompiledRows {
  const { keyset, object } = slice
  const selection = compileSelection(target, object?.kept ?? plan.output, plan.shape === 'groups')
  const objects = object === undefined ? [] : [object.text.as(objectAlias)]
  const first = selection.readers.length + objects.length
  const places = keyset === undefined ? [] : placeColumns(target, keyset, first)
  const texts = slice.texts ?? []
  let next = first + places.length + texts.length
  const embedded = (slice.joined ?? []).map((embed, i) => {
    const join = compileEmbedJoin(target, plan, embed, next, i)
    next += join.selected.length
    return join
  })
  const joins = embedded.map(({ join }) => join)
  // The joined rows are in the text of the whole.
  const beside = object?.whole === true ? [] : embedded
  const selected = [
    ...selection.expressions,
    ...objects,
    ...places.map(({ expression }) => expression),
    ...texts.map(({ text }, i) => text.as(textAlias(i))),
    ...beside.flatMap((join) => join.selected),
    ...(slice.total === undefined
      ? []
      : [totalWithin(target, plan, slice.total.most).as(totalAlias)]),
  ]
  const place = keyset && beyondPlace(target, keyset)
  const beyond = keyset && place && madeOf<SqlBool>(keyset.terms, place)
  const order = orderBy(orderTerms(target, plan, keyset?.direction === 'before'))
  const offset = slice.offset > 0 ? madeOf(offsetOrigin, offsetOf(slice)) : sql``
  const limit = slice.fixed ? natural(slice.limit) : target.dialect.rowCount(slice.limit)
  const page = sql`${order} limit ${limit}${offset}`
  const rows = (): Fragment => {
    const reading = sql`select ${sql.join(selected)} from `
    if (isFar(target, plan, slice)) {
      return sql`${reading}${aliasedSource(target, plan.from)}${sql.join(joins, sql``)} where ${keysOnPage(target, plan, page)}${order}`
    }
    if (object !== undefined && !isInOrder(plan)) {
      const cut = sql`${select(target, plan, columnsNeeded(plan, slice), { beyond })}${page}`
      return sql`${reading}${sql`(${cut})`.as(plan.from.alias)}${sql.join(joins, sql``)}${order}`
    }
    return sql`${select(target, plan, selected, { used: usedBy(plan), joins, beyond })}${page}`
  }
  return {
    rows: rows(),
    readers: selection.readers,
    places,
    texts: new Map(
      texts.map(({ name }, i) => [name, { alias: textAlias(i), index: first + places.length + i }]),
    ),
    joined: beside.map(({ embed, readers, key }) => ({ embed, readers, key })),
    ...promised(object, selection.readers.length),
    ...(slice.total === undefined
      ? {}
      : { total: { alias: totalAlias, index: selected.length - 1 } }),
  }
}

/** What a statement's offset is made of. */
export const offsetOrigin = {}

export const offsetOf = ({ offset }: Slice): Fragment => sql` offset ${offset}`

/** Rows skipped from which on a second look at the page's rows costs less than their values. */
export const far = 200

/** Where the database would compute the values of the rows that it skips, it skips their keys first. */
const isFar = (target: Target, plan: RowPlan, { offset, texts }: Slice): boolean =>
  offset >= (texts === undefined ? far : 1) && canSkipKeys(target, plan)

/** Whether the page's keys can be chosen first, and its rows read by them alone. */
export const canSkipKeys = ({ dialect }: Target, plan: RowPlan): boolean =>
  plan.shape === 'entity' &&
  dialect.computesSkippedRows === true &&
  (plan.joins.length === 0 || (plan.distinctBase && readsBaseAlone(plan)))

const readsBaseAlone = (plan: RowPlan): boolean =>
  [...usedBy(plan)].every((source) => source === plan.from)

const textAlias = (i: number): string => `text ${i}`

/** `key in (select key from base where … order by … limit … offset …)` */
function keysOnPage(target: Target, plan: RowPlan, page: Fragment): Fragment {
  const keys = keyRefs(plan.from).map(({ source, column }) => columnOf(source, column))
  const chosen = keys.map((key, i) => key.as(`key_${i}`))
  return sql`${tupleOf(keys)} in (${select(target, plan, chosen)}${page})`
}

const tupleOf = (keys: readonly Fragment[]): Fragment | undefined =>
  keys.length === 1 ? keys[0] : sql`(${sql.join(keys)})`

/**
 * Whether objects can be written of the rows of a page alone. Who sorts, sorts what was computed of every row of the set;
 * so the page is cut first, and what the statement reads besides must be in it.
 */
export const canWriteObjects = (plan: RowPlan, { keyset }: Slice): boolean =>
  isInOrder(plan) ||
  (readsBaseAlone(plan) && (keyset?.terms ?? []).every(({ ref }) => ref.source === plan.from))

/** Whether the rows come in their order without sorting: a single one, or all of a table by its key. */
function isInOrder(plan: RowPlan): boolean {
  const { order, where, joins, from } = plan
  if (order.length === 0) return true
  if (where.length > 0 || decidingJoins(where, joins).length > 0) return false
  const [key, ...others] = from.resource.primaryKey
  const [term] = order
  return (
    readsBaseAlone(plan) &&
    order.length === 1 &&
    others.length === 0 &&
    (key?.type === 'integer' || key?.type === 'bigint') &&
    term?.operand.kind === 'column' &&
    term.operand.source === from &&
    term.operand.column === key
  )
}

/** The columns of the base that anything outside of the cut page reads. */
function columnsNeeded(plan: RowPlan, { keyset, joined = [] }: Slice): readonly Aliased[] {
  const refs = [
    ...plan.output.map(({ value }) => value),
    ...plan.order.map(({ operand }) => operand),
    ...(keyset?.terms ?? []).map(({ ref }) => ref),
  ].map((operand) => (operand.kind === 'column' ? operand.column : operand.of.column))
  const keys = joined.flatMap(({ relation }) => relation.from)
  return [...new Set([...keyRefs(plan.from).map(({ column }) => column), ...refs, ...keys])].map(
    (column) => columnOf(plan.from, column).as(column.dbName),
  )
}

const nothing: ReadonlySet<Source> = new Set()

/** The total beside the rows. Groups are all made before the first is given: where that may be, they are counted then. */
const totalWithin = (target: Target, plan: RowPlan, most: number | null): Fragment =>
  countsBeside(target.dialect, plan)
    ? sql`count(*) over ()`
    : sql`(${compileCount(target, plan, most)})`

/** Whether the total is there as soon as the rows are. */
export const countsBeside = (dialect: Dialect, { shape }: RowPlan): boolean =>
  shape === 'groups' && dialect.countsGroupsBeside === true

/** The number of rows of the whole set, as `total`; counts at most `most` where that is given. */
export function compileCount(target: Target, plan: RowPlan, most: number | null = null): Fragment {
  const total = sql`count(*)`.as('total')
  if (plan.shape !== 'groups' && most === null) return select(target, plan, [total])
  const member = plan.shape === 'groups' ? sql`count(*)` : sql`1`
  const set = select(target, plan, [member.as('n')])
  const limit = most === null ? sql`` : sql` limit ${target.dialect.rowCount(most)}`
  return sql`select ${total} from (${set}${limit}) as ${sql.id('counted')}`
}

interface SelectParts {
  /** The joined sources that it reads from. */
  readonly used?: ReadonlySet<Source>
  /** Joins of what is embedded. */
  readonly joins?: readonly Fragment[]
  readonly beyond?: Fragment | undefined
}

/** SELECT … FROM … WHERE … GROUP BY … HAVING of a plan. */
function select(
  target: Target,
  plan: RowPlan,
  selected: readonly Aliased[],
  { used = nothing, joins = [], beyond }: SelectParts = {},
): Fragment {
  const { from, where } = narrowed(target, plan, used)
  const conditions = beyond === undefined ? where : [...where, beyond]
  return sql`select ${sql.join(selected)} from ${from}${sql.join(joins, sql``)}${whereAll(conditions)}${grouping(target, plan)}`
}

/** What a statement reads from, and the conditions it is narrowed by. */
interface Narrowed {
  readonly from: Fragment
  readonly where: readonly Fragment[]
}

/** FROM, JOIN and WHERE: either joined outright, or the base narrowed to the keys that the joins choose. */
function narrowed(target: Target, plan: RowPlan, used: ReadonlySet<Source>): Narrowed {
  if (!plan.distinctBase) {
    const joins = withoutIdle(plan, used)
    return { from: joined(target, plan.from, joins), where: conditionsOf(target, plan) }
  }
  const needed = plan.joins
    .filter((join) => used.has(join.source))
    .map((join): PlannedJoin => ({ ...join, type: 'left' }))
  const deciding = decidingJoins(plan.where, plan.joins)
  const where =
    deciding.length === 0 ? conditionsOf(target, plan) : [chosenKeys(target, plan, deciding)]
  return { from: joined(target, plan.from, needed), where }
}

/**
 * The joins without those that change nothing: a left join finds one row or none by a primary key, and nothing is read
 * of it. Not every database leaves it out by itself.
 */
function withoutIdle(plan: RowPlan, used: ReadonlySet<Source>): readonly PlannedJoin[] {
  if (plan.shape === 'groups' || plan.joins.every((join) => !isLookUp(join))) return plan.joins
  const deciding = new Set(decidingJoins(plan.where, plan.joins))
  const kept: PlannedJoin[] = []
  // From the last to the first, since a join may start where another one ends.
  for (const join of [...plan.joins].reverse()) {
    const isStart = kept.some(({ from }) => from === join.source)
    const idle = isLookUp(join) && !deciding.has(join) && !used.has(join.source) && !isStart
    if (!idle) kept.unshift(join)
  }
  return kept
}

const isLookUp = ({ type, relation }: PlannedJoin): boolean =>
  type === 'left' && isLookUpRelation(relation)

const joinWords = { inner: sql` inner join `, left: sql` left join `, right: sql` right join ` }

function joined(target: Target, from: Source, joins: readonly PlannedJoin[]): Fragment {
  const tables: unknown[] = [aliasedSource(target, from)]
  for (const join of joins) {
    if (join.type === 'right' && join.relation.through !== undefined) {
      const { links, onLinks, partners, onPartners } = rightJoinSteps(target, join)
      tables.push(sql` left join ${links} on ${onLinks} right join ${partners} on ${onPartners}`)
      continue
    }
    tables.push(
      sql`${joinWords[join.type]}${joinedSource(target, join)} on ${joinCondition(target, join)}`,
    )
  }
  return sql.join(tables, sql``)
}

function conditionsOf(target: Target, plan: RowPlan): readonly Fragment[] {
  const condition = allOf(target, plan.where)
  return condition === undefined ? [] : [condition]
}

/** `key in (select key from base join … where …)`: joined rows repeat keys, not base rows. */
function chosenKeys(target: Target, plan: RowPlan, joins: readonly PlannedJoin[]): Fragment {
  const keys = keyRefs(plan.from).map(({ source, column }) => columnOf(source, column))
  const from = joined(target, plan.from, joins)
  const chosen = sql.join(keys.map((key, i) => key.as(`key_${i}`)))
  return sql`${tupleOf(keys)} in (select ${chosen} from ${from}${whereAll(conditionsOf(target, plan))})`
}

function grouping(target: Target, plan: RowPlan): Fragment {
  if (plan.shape !== 'groups') return sql``
  const keys = groupBy(plan.groupBy.map((key) => compileOperand(target, key, true).expression))
  const having = allOf(target, plan.having)
  return having === undefined ? keys : sql`${keys} having ${having}`
}

/** Backwards, every direction and every null placement turns around; the reader turns the rows again. */
function orderTerms(
  target: Target,
  plan: RowPlan,
  backwards: boolean,
): readonly Expression<unknown>[] {
  return plan.order.flatMap(({ operand, descending, nulls }) => {
    const { column, expression } = compileOperand(target, operand, plan.shape === 'groups')
    const term = {
      descending: descending !== backwards,
      nulls: (nulls === 'first') !== backwards ? ('first' as const) : ('last' as const),
      mayBeNull: mayBeNull(plan, operand),
    }
    return target.dialect.order(column, expression, term)
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
