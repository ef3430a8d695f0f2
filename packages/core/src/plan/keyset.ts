// Keyset paging: `after`, `before` and `paging=cursor` → the place to go on from, over any order that is total (contract §6).

import { conflictingParameters, invalidParameter, unsupportedQuery } from '../errors.ts'
import { parseDatetime, parseTime } from './calendar.ts'
import type { PlanContext } from './context.ts'
import { type Place, readCursor } from './cursor.ts'
import { isToMany } from './joins.ts'
import { pageSize } from './page.ts'
import type { ColumnRef, KeysetPage, KeysetTerm, PlannedOrder, RowPlan, Value } from './plan.ts'
import { keyValue } from './value.ts'

/** Whether the request pages by cursor. */
export function asksForKeyset(context: PlanContext): boolean {
  const { after, before, paging, page } = context.ast.single
  if (paging !== undefined && paging.text !== 'cursor' && paging.text !== 'page') {
    throw invalidParameter('paging', paging.text, 'cursor or page')
  }
  if (after !== undefined && before !== undefined) {
    throw conflictingParameters('"after" and "before" exclude each other.', 'after')
  }
  const keyset = after !== undefined || before !== undefined || paging?.text === 'cursor'
  if (keyset && page !== undefined) {
    throw conflictingParameters('"page" cannot be used together with cursors.', `page=${page.text}`)
  }
  return keyset
}

/** The page that begins after, or ends before, the cursor's row; without a cursor the first one. */
export function planKeyset(context: PlanContext, rows: RowPlan): KeysetPage {
  const terms = rows.order.map((order) => keysetTerm(rows, order))
  const signature = signatureOf(context, rows)
  const { after, before } = context.ast.single
  const direction = before === undefined ? 'after' : 'before'
  const cursor = before ?? after
  const place = cursor && readCursor(direction, cursor.text, signature, terms.length)
  return {
    kind: 'keyset',
    limit: pageSize(context),
    signature,
    direction,
    terms,
    values: place ? stored(direction, terms, place) : null,
  }
}

/** The same order, from another place on; undefined where the text is no cursor of it. */
export function keysetAt(page: KeysetPage, text: string): KeysetPage | undefined {
  const { direction, signature, terms } = page
  try {
    const place = readCursor(direction, text, signature, terms.length)
    return { ...page, values: stored(direction, terms, place) }
  } catch {
    return undefined
  }
}

function keysetTerm(rows: RowPlan, { operand, descending, nulls }: PlannedOrder): KeysetTerm {
  if (rows.shape === 'groups' || operand.kind !== 'column') {
    throw unsupportedQuery('Groups cannot be paged by cursor; use page and limit.', 'groupby')
  }
  const { name, collation, nullable } = operand.column
  if (isToMany(rows.joins, operand.source) || rows.joins.some((join) => join.type === 'right')) {
    throw unsupportedQuery(
      'Joined rows of this kind cannot be paged by cursor; use page and limit.',
      'join',
    )
  }
  if (collation !== undefined) {
    throw unsupportedQuery(
      `"${name}" is ordered by the database's own collation, which cursors cannot follow; use page and limit.`,
      name,
    )
  }
  const outer = operand.source !== rows.from && rows.joins.some((join) => join.type === 'left')
  return { ref: operand, descending, nulls, mayBeNull: nullable || outer }
}

/** The order in words: a cursor of one order is refused by every other. */
function signatureOf(context: PlanContext, rows: RowPlan): string {
  const terms = rows.order.map(({ operand, descending, nulls }) => {
    const { source, column } = operand.kind === 'column' ? operand : operand.of
    return `${source.alias}.${column.name}${descending ? '-' : '+'}${nulls === 'first' ? 'f' : 'l'}`
  })
  return [context.resource.name, ...terms].join(' ')
}

function stored(
  name: string,
  terms: readonly KeysetTerm[],
  place: Place,
): readonly (Value | null)[] {
  return place.map((text, i) => {
    if (text === null) return null
    const value = storedValue((terms[i] as KeysetTerm).ref, text)
    if (value === undefined) {
      throw invalidParameter(name, text, 'a cursor taken from next_url or previous_url')
    }
    return value
  })
}

/** Points in time travel with six digits of fraction, as the databases store them. */
function storedValue({ column }: ColumnRef, text: string): Value | undefined {
  if (column.type === 'datetime') {
    return /^[0-9]{4}-[0-9T:-]{14}\.[0-9]{6}Z$/.test(text) && parseDatetime(`${text.slice(0, -4)}Z`)
      ? text
      : undefined
  }
  if (column.type === 'time') {
    return /^[0-9:]{8}\.[0-9]{6}$/.test(text) && parseTime(text.slice(0, 8)) ? text : undefined
  }
  return keyValue(column, text)
}
