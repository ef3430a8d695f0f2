// The keyset pass: plans `after`, `before` and `paging=cursor` as a page that begins beyond the cursor's row, found by its values in the
// order instead of by an offset (docs/reference/query-language.md). A *term* is one column of the order, whose value each cursor has.

import { conflictingParameters, invalidParameter, unsupportedQuery } from '../../../errors.ts'
import { didYouMean } from '../../../lib/naming/suggest.ts'
import { columnTypes } from '../../../model/column-types.ts'
import type { NamedColumn } from '../../../model/registry/resource.ts'
import { isKeyless, isTotal } from '../../../model/registry/row-identity.ts'
import { isStorable, keyValue } from '../conditions/value.ts'
import type { PlanContext } from '../context.ts'
import type { KeysetPage, KeysetTerm, PlannedOrder, RowPlan, Value } from '../plan.ts'
import { isToMany } from '../relations/joins.ts'
import { type CursorParts, type CursorValues, longValueMark, readCursor } from './cursor.ts'
import { pageSize } from './page.ts'
import { isRawCursorText, rawValueOf } from './raw-cursor-text.ts'

/** Whether the request pages by cursor. */
export function asksForKeyset(context: PlanContext): boolean {
  const { after, before, paging, page } = context.ast.single
  if (paging !== undefined && paging.text !== 'cursor' && paging.text !== 'page') {
    const hint = didYouMean(paging.text, ['cursor', 'page'])
    throw invalidParameter('paging', paging.text, 'cursor or page', hint)
  }
  if (after !== undefined && before !== undefined) {
    throw conflictingParameters('"after" and "before" exclude each other.', 'after')
  }
  const keyset = after !== undefined || before !== undefined || paging?.text === 'cursor'
  // The default may be sent; a cursor says where the page begins.
  if (keyset && page !== undefined && page.text !== '1') {
    throw conflictingParameters('"page" cannot be used together with cursors.', `page=${page.text}`)
  }
  return keyset
}

/** Plans the page after or before the cursor's row; without a cursor, the first page. */
export function planKeyset(context: PlanContext, rows: RowPlan): KeysetPage {
  const terms = rows.order.map((order) => keysetTerm(rows, order))
  refusePartialOrder(rows, terms)
  const signature = signatureOf(context, rows)
  const { after, before } = context.ast.single
  const direction = before === undefined ? 'after' : 'before'
  const cursor = before ?? after
  const page: KeysetPage = {
    kind: 'keyset',
    limit: pageSize(context),
    signature,
    direction,
    terms,
    key: keyTerms(rows, terms),
    values: null,
    unread: [],
  }
  return cursor === undefined ? page : pageBeyond(page, cursor.text)
}

/** Returns the page beyond a cursor; throws a 400 if the text is not a cursor of this order. */
function pageBeyond(page: KeysetPage, text: string): KeysetPage {
  const { direction, signature, terms, key } = page
  const parts = readCursor(direction, text, signature, terms.length, key)
  return {
    ...page,
    values: typedValues(direction, terms, parts),
    unread: parts.flatMap((part, i) => (part === longValueMark ? [i] : [])),
  }
}

/** Returns the page beyond the cursor's row, whose values were read. */
export const pageBeyondRow = (page: KeysetPage, values: CursorValues): KeysetPage => ({
  ...page,
  values: typedValues(page.direction, page.terms, values),
  unread: [],
})

/** The indexes of the terms that are the primary key of the base rows; undefined if these have none. */
function keyTerms(
  { from }: RowPlan,
  terms: readonly KeysetTerm[],
): ReadonlySet<number> | undefined {
  const { primaryKey } = from.resource
  const found = primaryKey.map((column) =>
    terms.findIndex(({ ref }) => ref.source === from && ref.column === column),
  )
  return found.length === 0 || found.includes(-1) ? undefined : new Set(found)
}

/** Returns the same page beyond another cursor, for a later request of a cached plan; undefined if the string is not a cursor of this order. */
export function keysetAt(page: KeysetPage, text: string): KeysetPage | undefined {
  try {
    return pageBeyond(page, text)
  } catch {
    return undefined
  }
}

/** Plans one term of the order as a part of cursors; throws a 400 if its values cannot be in a cursor. */
function keysetTerm(rows: RowPlan, { operand, descending, nulls }: PlannedOrder): KeysetTerm {
  if (operand.kind === 'related') {
    throw unsupportedQuery(
      'An order by an aggregate of related rows cannot be paged by cursor, because the value of a row may change between two pages; use page and limit.',
      'order_by',
    )
  }
  if (rows.shape === 'groups' || operand.kind !== 'column') {
    throw unsupportedQuery('Groups cannot be paged by cursor; use page and limit.', 'groupby')
  }
  const { nullable } = operand.column
  if (isToMany(rows.joins, operand.source) || rows.joins.some((join) => join.type === 'right')) {
    throw unsupportedQuery(
      'Joined rows of this kind cannot be paged by cursor; use page and limit.',
      'join',
    )
  }
  const outer = operand.source !== rows.from && rows.joins.some((join) => join.type === 'left')
  return { ref: operand, descending, nulls, mayBeNull: nullable || outer }
}

/** Refuses an order in which two rows can be equal: the next page would skip the rows that are equal to the cursor's row. */
function refusePartialOrder({ from }: RowPlan, terms: readonly KeysetTerm[]): void {
  const { resource } = from
  const ordered = terms.flatMap(({ ref }) => (ref.source === from ? [ref.column] : []))
  if (!isKeyless(resource) || isTotal(resource, ordered)) return
  throw unsupportedQuery(
    `Rows of "${resource.endpoint}" have no key that a cursor could name; use page and limit.`,
    resource.endpoint,
  )
}

/** Names an order: `Book books.price-f books.id+l`. Cursors contain this name and are refused with any other order. */
function signatureOf(context: PlanContext, rows: RowPlan): string {
  const terms = rows.order.flatMap(({ operand, descending, nulls }) => {
    if (operand.kind !== 'column') return []
    const { source, column } = operand
    return `${source.alias}.${column.name}${descending ? '-' : '+'}${nulls === 'first' ? 'f' : 'l'}`
  })
  const distinct = (rows.distinctOn ?? []).map(({ column }) => `distinct ${column.name}`)
  return [context.resource.name, ...distinct, ...terms].join(' ')
}

/** Converts the texts of a cursor to values; `name` is the parameter, for errors. */
function typedValues(
  name: string,
  terms: readonly KeysetTerm[],
  parts: CursorParts,
): readonly (Value | null)[] {
  return parts.map((text, i) => {
    if (text === null || text === longValueMark) return null
    const value = cursorValue((terms[i] as KeysetTerm).ref.column, text)
    if (value === undefined) {
      throw invalidParameter(name, text, 'a cursor taken from next_url or previous_url')
    }
    return value
  })
}

/** Converts one text of a cursor to a value of the column; undefined if it is none. A raw value (`raw-cursor-text.ts`) stays text. */
export function cursorValue(column: NamedColumn, text: string): Value | undefined {
  if (isRawCursorText(text)) return rawValueOf(text) === undefined ? undefined : text
  const special = column.special?.read(text)
  if (special !== undefined) return special
  const { fromCursor } = columnTypes[column.type]
  if (fromCursor === 'asFilters') return keyValue(column, text)
  return isStorable(text) ? fromCursor(text) : undefined
}
