// Keyset pages in SQL: the columns a cursor is made of, and the condition that begins after its row.

import type { Expression, SqlBool } from 'kysely'
import { exactDatetime, exactTime } from '../dialect/shared/calendar-text.ts'
import type { KeysetPage, KeysetTerm, Value } from '../plan/plan.ts'
import type { NamedColumn } from '../registry/resource.ts'
import { type Aliased, type Fragment, sql } from '../sql/fragment.ts'
import { columnOf } from './source.ts'
import type { Target } from './target.ts'

/** The values of each order term, as selected, under aliases no output has, with their readers; `first` is the place of the first in the select list. */
export function placeColumns(
  target: Target,
  { terms }: KeysetPage,
  first: number,
): readonly PlaceColumn[] {
  return terms.map(({ ref: { column, source } }, i) => {
    const alias = `place ${i}`
    const selected = target.dialect.select(column, columnOf(source, column))
    const expression = sql`${selected}`.as(alias)
    return { alias, index: first + i, expression, read: placeReader(target, column) }
  })
}

/** Selects one part of a row's place in the order, and reads it as the text that a cursor holds. */
export interface PlaceColumn {
  readonly alias: string
  readonly index: number
  readonly expression: Aliased
  readonly read: (raw: unknown) => string | null
}

function placeReader(target: Target, column: NamedColumn): PlaceColumn['read'] {
  const decode =
    column.type === 'datetime'
      ? (raw: unknown) => exactDatetime(String(raw))
      : column.type === 'time'
        ? (raw: unknown) => exactTime(String(raw))
        : target.dialect.decoder(column)
  return (raw) => {
    const value = raw === null || raw === undefined ? null : decode(raw)
    return value === null ? null : String(value)
  }
}

/** Rows beyond the cursor's: greater in the first term, or equal there and greater in the second, and so on. */
export function beyondPlace(target: Target, page: KeysetPage): Fragment<SqlBool> | undefined {
  const { terms, values } = page
  if (values === null) return undefined
  const backwards = page.direction === 'before'
  const choices: Expression<unknown>[] = []
  for (let i = 0; i < terms.length; i++) {
    const greater = beyond(target, terms[i] as KeysetTerm, values[i] ?? null, backwards)
    if (greater === undefined) continue
    const equal = terms.slice(0, i).map((term, k) => same(target, term, values[k] ?? null))
    choices.push(sql`(${sql.join([...equal, greater], sql` and `)})`)
  }
  return choices.length === 0
    ? sql<SqlBool>`1 = 0`
    : sql<SqlBool>`(${sql.join(choices, sql` or `)})`
}

function same(target: Target, { ref }: KeysetTerm, stored: Value | null): Expression<unknown> {
  const expression = columnOf(ref.source, ref.column)
  if (stored === null) return sql`${expression} is null`
  return compare(target, ref, 'eq', stored)
}

/** Undefined when nothing can lie beyond. */
function beyond(
  target: Target,
  { ref, descending, nulls, mayBeNull }: KeysetTerm,
  stored: Value | null,
  backwards: boolean,
): Expression<unknown> | undefined {
  const expression = columnOf(ref.source, ref.column)
  const nullsComeLater = (nulls === 'last') !== backwards
  if (stored === null) return nullsComeLater ? undefined : sql`${expression} is not null`
  const greater = compare(target, ref, descending !== backwards ? 'lt' : 'gt', stored)
  return nullsComeLater && mayBeNull ? sql`(${greater} or ${expression} is null)` : greater
}

function compare(
  target: Target,
  { source, column }: KeysetTerm['ref'],
  operator: 'eq' | 'lt' | 'gt',
  value: Value,
): Expression<unknown> {
  return target.dialect.compare(column, columnOf(source, column), operator, value)
}
