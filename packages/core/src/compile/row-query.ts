// RowPlan → the statement that reads a page of its rows; no decisions left, no client text but bound values.

import type { SqlBool } from 'kysely'
import { rowCount } from '../dialect/shared/row-count.ts'
import { natural, tuple } from '../dialect/shared/sql-parts.ts'
import { keyRefs } from '../plan/names.ts'
import type { EmbedPlan, KeysetPage, RowPlan, Source } from '../plan/plan.ts'
import { type Aliased, type Fragment, madeOf, sql } from '../sql/fragment.ts'
import type { Place } from './cell.ts'
import { orderBy } from './clauses.ts'
import { compileEmbedJoin, type JoinedEmbed } from './joined-embed.ts'
import { beyondPlace, type PlaceColumn, placeColumns } from './keyset.ts'
import { type ObjectSelection, objectAlias, type PromisedObject, promised } from './object-json.ts'
import { totalWithin } from './row-count.ts'
import { isInOrder, orderTerms } from './row-order.ts'
import { readsBaseAlone, selectOf, usedBy } from './row-set.ts'
import { compileSelection, type MemberReader } from './selection.ts'
import { aliasedSource, columnOf } from './source.ts'
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

/** Which of the rows are read: `limit`, mostly, and `offset` are bound values; a keyset begins at a place in the order. */
export interface Slice {
  readonly limit: number
  /** The limit is no value but part of the text, and the same for all. */
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
  const limit = isLimitWritten(target, plan, slice)
    ? natural(slice.limit)
    : rowCount(target.dialect, slice.limit)
  const page = sql`${order} limit ${limit}${offset}`
  const rows = (): Fragment => {
    const reading = sql`select ${sql.join(selected)} from `
    if (skipsKeysFirst(target, plan, slice)) {
      return sql`${reading}${aliasedSource(target, plan.from)}${sql.join(joins, sql``)} where ${keysOnPage(target, plan, page)}${order}`
    }
    if (object !== undefined && !isInOrder(plan)) {
      const cut = sql`${selectOf(target, plan, columnsNeeded(plan, slice), { beyond })}${page}`
      return sql`${reading}${sql`(${cut})`.as(plan.from.alias)}${sql.join(joins, sql``)}${order}`
    }
    return sql`${selectOf(target, plan, selected, { used: usedBy(plan), joins, beyond })}${page}`
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

/**
 * Whether the limit is part of the text: of a single record, and of pages of the usual sizes of all that there is. Where
 * conditions choose the rows, those of policies and of soft delete included, a plan for all of their values could be a bad one for most, so that planning every time is
 * the better thing to do.
 */
export const isLimitWritten = (
  { dialect, scopes }: Target,
  { shape, where, joins, from }: RowPlan,
  { limit, fixed }: Slice,
): boolean =>
  fixed === true ||
  (dialect.shortcuts?.plansForLimit === true &&
    shape === 'entity' &&
    where.length === 0 &&
    joins.length === 0 &&
    !scopes.narrowing &&
    (from.includeDeleted || from.resource.settings.softDelete === null) &&
    isUsual(from, limit))

/** Whether a page of the default size, or of the largest, is read with so many rows; one more tells whether others follow. */
function isUsual({ resource: { settings } }: Source, limit: number): boolean {
  const { pageSizeDefault, pageSizeMax } = settings
  return [pageSizeDefault, pageSizeMax].some((size) => limit === size || limit === size + 1)
}

/** What a statement's offset is made of. */
export const offsetOrigin = {}

export const offsetOf = ({ offset }: Slice): Fragment => sql` offset ${offset}`

/** Rows skipped from which on a second look at the page's rows costs less than their values. */
export const keysFirstOffset = 200

/** Where the database would compute the values of the rows that it skips, it skips their keys first. */
const skipsKeysFirst = (target: Target, plan: RowPlan, { offset, texts }: Slice): boolean =>
  offset >= (texts === undefined ? keysFirstOffset : 1) && canSkipKeys(target, plan)

/** Whether the page's keys can be chosen first, and its rows read by them alone. */
export const canSkipKeys = ({ dialect }: Target, plan: RowPlan): boolean =>
  plan.shape === 'entity' &&
  dialect.shortcuts?.computesSkippedRows === true &&
  (plan.joins.length === 0 || (plan.distinctBase && readsBaseAlone(plan)))

const textAlias = (i: number): string => `text ${i}`

/** `key in (select key from base where … order by … limit … offset …)` */
function keysOnPage(target: Target, plan: RowPlan, page: Fragment): Fragment {
  const keys = keyRefs(plan.from).map(({ source, column }) => columnOf(source, column))
  const chosen = keys.map((key, i) => key.as(`key_${i}`))
  return sql`${tuple(keys)} in (${selectOf(target, plan, chosen)}${page})`
}

/**
 * Whether objects can be written of the rows of a page alone. Who sorts, sorts what was computed of every row of the set;
 * so the page is cut first, and what the statement reads besides must be in it.
 */
export const canWriteObjects = (plan: RowPlan, { keyset }: Slice): boolean =>
  isInOrder(plan) ||
  (readsBaseAlone(plan) && (keyset?.terms ?? []).every(({ ref }) => ref.source === plan.from))

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
