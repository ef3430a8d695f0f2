// Compiles a RowPlan to the SELECT statement of one page of its rows. Three forms give the same rows: the plain
// `select … from … where … order by … limit …`; with the page's keys in a subquery, if OFFSET skips many rows (`skipsKeysFirst`); with the
// page in a derived table, if the select list is expensive (`readsPageFirst`).

import type { CellLocation } from '../../../database/cell.ts'
import { natural, tuple } from '../../../dialect/shared/sql/sql-parts.ts'
import { limitValue } from '../../../dialect/shared/values/limit-value.ts'
import { type Aliased, type Fragment, sql } from '../../../lib/sql/fragment.ts'
import { keyRefs } from '../../plan/names.ts'
import type { EmbedPlan, KeysetPage, RowPlan, Source } from '../../plan/plan.ts'
import { readsBaseAlone, usedBy } from '../../plan/relations/used-sources.ts'
import { slotParam } from '../bound-target.ts'
import { compileEmbedJoin, type JoinedEmbed } from '../json/joined-embed.ts'
import {
  type ObjectColumn,
  type ObjectSelection,
  objectAlias,
  objectColumn,
} from '../json/object-json.ts'
import { readLock } from '../read-lock.ts'
import { type MemberReader, selectList } from '../selection.ts'
import { aliasedSource, columnOf } from '../source.ts'
import type { Target } from '../target.ts'
import { beyondCursor, type CursorColumn, cursorColumnsOf } from './beyond-cursor.ts'
import { orderBy } from './clauses.ts'
import { type GroupedAggregates, groupedForRows } from './related-groups.ts'
import { totalColumn } from './row-count.ts'
import { isInOrder, orderTerms } from './row-order.ts'
import { selectOf } from './row-set.ts'

const noEmbeddedJson: ReadonlyMap<string, CellLocation> = new Map()

/** The statement of a slice, and where its rows have their values. */
export interface CompiledRows {
  /** The SELECT. */
  readonly rows: Fragment
  readonly readers: readonly MemberReader[]
  /** The columns of a row's cursor, in the order of its terms. */
  readonly cursorColumns: readonly CursorColumn[]
  /** Where a row contains the JSON of each embedded relation, by the relation's name. */
  readonly embeddedJson: ReadonlyMap<string, CellLocation>
  /** Relations whose columns are in the rows, because the statement joins them. */
  readonly joined: readonly JoinedEmbed[]
  /** Where a row contains the JSON of its object, and the test whether that has the expected form. */
  readonly object?: ObjectColumn
  /** Where a row contains the total, if the statement includes it. */
  readonly total?: CellLocation
}

/** Which of the plan's rows a statement reads, and what it reads with them. `limit` is usually a parameter, `offset` always. */
export interface Slice {
  readonly limit: number
  /** Set if the limit is the same for every request, so that it is written as a literal. */
  readonly fixed?: true
  readonly offset: number
  /** Begins beyond the row of a cursor. */
  readonly keyset?: KeysetPage
  /** Embedded relations that the database returns as JSON. */
  readonly embeddedJson?: readonly EmbeddedJson[]
  /** Embedded relations that the statement joins instead of leaving them to their own statements. */
  readonly joined?: readonly EmbedPlan[]
  /** The JSON of each row's object, built by the database. */
  readonly object?: ObjectSelection
  /** Adds the total number of rows to each row, as `totalAlias`; counts at most `maxRows` unless that is null. */
  readonly total?: { readonly maxRows: number | null }
}

/** The name of a relation, and the subquery that returns its JSON. */
export interface EmbeddedJson {
  readonly name: string
  readonly text: Fragment
}

/** An alias that no column or label can have, because it has spaces. */
const totalAlias = 'total of all'

/** Compiles the statement of the rows of a slice, and says where each value is in a row. */
export function compileRows(target: Target, plan: RowPlan, slice: Slice): CompiledRows {
  const { keyset, object } = slice
  // Besides the JSON of the object, only the columns that embeds and links need.
  const selection = selectList(target, object?.separate ?? plan.output, {
    grouped: plan.shape === 'groups',
  })
  const objects = object === undefined ? [] : [object.text.as(objectAlias)]
  const first = selection.readers.length + objects.length
  const cursorColumns = keyset === undefined ? [] : cursorColumnsOf(target, keyset, first)
  const embeddedJson = slice.embeddedJson ?? []
  const firstJoined = first + cursorColumns.length + embeddedJson.length
  let next = firstJoined
  const joinedEmbeds = (slice.joined ?? []).map((embed, i) => {
    const join = compileEmbedJoin(target, plan, embed, next, i)
    next += join.selected.length
    return join
  })
  const joins = joinedEmbeds.map(({ join }) => join)
  // The object's JSON includes the joined relations.
  const separate = object?.complete === true ? [] : joinedEmbeds
  const joinedValues = separate.flatMap((join) => join.selected)
  const selected = [
    ...selection.items,
    ...objects,
    ...cursorColumns.map(({ expression }) => expression),
    ...embeddedJson.map(({ text }, i) => text.as(embeddedJsonAlias(i))),
    ...joinedValues,
    ...(slice.total === undefined
      ? []
      : [totalColumn(target, plan, slice.total.maxRows).as(totalAlias)]),
  ]
  const beyond = keyset && beyondCursor(target, keyset)
  const backwards = keyset?.direction === 'before'
  const order = orderBy(orderTerms(target, plan, { backwards }))
  const grouped = groupedForRows(target, plan)
  // Joined aggregates can be read where the page is chosen, but not by the ORDER BY outside of that, which computes them again.
  const pageOrder =
    grouped.joins.length === 0 ? order : orderBy(orderTerms(grouped.target, plan, { backwards }))
  const offset =
    slice.offset > 0 ? sql` offset ${slotParam(target, offsetSlot, slice.offset)}` : sql``
  const limit = isLimitLiteral(target, plan, slice)
    ? natural(slice.limit)
    : limitValue(target.dialect, slice.limit)
  const page = sql`${pageOrder} limit ${limit}${offset}`
  const lock = readLock(target, 'base')
  const rows = (): Fragment => {
    const reading = sql`select ${sql.join(selected)} from `
    if (skipsKeysFirst(target, plan, slice)) {
      return sql`${reading}${aliasedSource(target, plan.from)}${sql.join(joins, sql``)} where ${keysOnPage(grouped, plan, page)}${order}${lock}`
    }
    if (readsPageFirst(plan, slice)) {
      const pageRows = sql`${selectOf(grouped.target, plan, columnsNeeded(plan, slice), { joins: grouped.joins, beyond })}${page}${lock}`
      return sql`${reading}${sql`(${pageRows})`.as(plan.from.alias)}${sql.join(joins, sql``)}${order}`
    }
    return sql`${selectOf(grouped.target, plan, selected, { used: usedBy(plan), joins: [...grouped.joins, ...joins], beyond })}${page}${lock}`
  }
  return {
    rows: rows(),
    readers: selection.readers,
    cursorColumns,
    embeddedJson: cellsOf(embeddedJson, first + cursorColumns.length),
    joined: separate.map(({ embed, readers, key }) => ({ embed, readers, key })),
    ...objectColumn(object, selection.readers.length),
    ...(slice.total === undefined
      ? {}
      : { total: { alias: totalAlias, index: firstJoined + joinedValues.length } }),
  }
}

/**
 * Whether the limit is a literal instead of a parameter: for a single record, and for pages of the usual sizes of a whole table.
 * PostgreSQL's generic plan for `LIMIT $1` assumes 10 % of the rows, so PostgreSQL plans such a statement again at each execution.
 * With conditions, including those of policies and soft delete, the limit stays a parameter: one plan would suit few of their
 * values.
 */
export const isLimitLiteral = (
  { dialect, scopes }: Target,
  { shape, where, joins, from }: RowPlan,
  { limit, fixed }: Slice,
): boolean =>
  fixed === true ||
  (dialect.shortcuts?.plansForLimit === true &&
    shape !== 'groups' &&
    where.length === 0 &&
    joins.length === 0 &&
    !scopes.narrowing &&
    (from.includeDeleted || from.resource.settings.softDelete === null) &&
    isUsual(from, limit))

/** Whether `limit` is the default or maximum page size, with or without the extra row that shows whether there is a next page. */
function isUsual({ resource: { settings } }: Source, limit: number): boolean {
  const { pageSizeDefault, pageSizeMax } = settings
  return [pageSizeDefault, pageSizeMax].some((size) => limit === size || limit === size + 1)
}

/** The slot of the offset. */
export const offsetSlot: object = { name: 'offset' }

/** From this offset on, selecting the page's keys first and then its rows costs less than computing the values of skipped rows. */
export const keysFirstOffset = 200

/**
 * Whether the statement selects the page's keys in a subquery first, because the database computes the values even of rows that
 * OFFSET skips. With embedded JSON, which costs most, from the first skipped row on.
 */
const skipsKeysFirst = (target: Target, plan: RowPlan, { offset, embeddedJson }: Slice): boolean =>
  offset >= (embeddedJson === undefined ? keysFirstOffset : 1) && canSkipKeys(target, plan)

/**
 * Whether the statement selects the page in a derived table first, because the database would also build the JSON, or compute the
 * aggregates of related rows, of rows that it sorts or skips.
 */
function readsPageFirst(plan: RowPlan, slice: Slice): boolean {
  if (slice.object !== undefined) return !isInOrder(plan)
  const computes = plan.output.some(({ value }) => value.kind === 'related')
  const isRead = slice.offset > 0 || !isInOrder(plan)
  return computes && isRead && canBuildObjects(plan, slice)
}

/** Whether the page's keys can be selected first and its rows read by these keys. */
export const canSkipKeys = ({ dialect }: Target, plan: RowPlan): boolean =>
  plan.shape === 'records' &&
  plan.from.resource.primaryKey.length > 0 &&
  dialect.shortcuts?.computesSkippedRows === true &&
  (plan.joins.length === 0 || (plan.distinctBase && readsBaseAlone(plan)))

/** Returns where a row contains the JSON of the embedded relations; the first is at the index `start`. */
const cellsOf = (
  embeddedJson: readonly EmbeddedJson[],
  start: number,
): CompiledRows['embeddedJson'] =>
  embeddedJson.length === 0
    ? noEmbeddedJson
    : new Map(
        embeddedJson.map(({ name }, i) => [
          name,
          { alias: embeddedJsonAlias(i), index: start + i },
        ]),
      )

const embeddedJsonAlias = (i: number): string => `text ${i}`

/** Compiles `key in (select key from base where … order by … limit … offset …)`. */
function keysOnPage({ target, joins }: GroupedAggregates, plan: RowPlan, page: Fragment): Fragment {
  const keys = keyRefs(plan.from).map(({ source, column }) => columnOf(source, column))
  const chosen = keys.map((key, i) => key.as(`key_${i}`))
  return sql`${tuple(keys)} in (${selectOf(target, plan, chosen, { joins })}${page}${readLock(target, 'base')})`
}

/**
 * Whether the database can build the JSON of only the page's rows. If the database has to sort, it would build the JSON of all rows
 * first. The page is then selected in a derived table, which requires that all columns come from the base.
 */
export const canBuildObjects = (plan: RowPlan, { keyset }: Slice): boolean =>
  isInOrder(plan) ||
  (readsBaseAlone(plan) && (keyset?.terms ?? []).every(({ ref }) => ref.source === plan.from))

/** Returns the columns of the base that the derived table of the page must select. */
function columnsNeeded(plan: RowPlan, { keyset, joined = [] }: Slice): readonly Aliased[] {
  const refs = [
    ...plan.output.map(({ value }) => value),
    ...plan.order.map(({ operand }) => operand),
    ...(keyset?.terms ?? []).map(({ ref }) => ref),
  ].flatMap((operand) => {
    if (operand.kind === 'related') return operand.path[0]?.relation.from ?? []
    return operand.kind === 'column' ? operand.column : operand.of.column
  })
  const keys = joined.flatMap(({ relation }) => relation.from)
  const needed = [...keyRefs(plan.from).map(({ column }) => column), ...refs, ...keys]
  // Each database name once: several paths into a json column need the same column.
  return [...new Map(needed.map((column) => [column.dbName, column])).values()].map((column) =>
    columnOf(plan.from, column).as(column.dbName),
  )
}
