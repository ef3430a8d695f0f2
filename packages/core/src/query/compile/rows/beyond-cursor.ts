// Keyset pages (`?after=…`) in SQL: the columns whose values make up the cursors of `next_url` and `previous_url`, and the condition that
// selects the rows beyond a cursor's row. A term is one column of the order, such as `price` of `order_by=-price`.

import type { Expression, SqlBool } from 'kysely'
import { cursorDecoderOf } from '../../../dialect/shared/values/decode.ts'
import { invalidParameter } from '../../../errors.ts'
import { type Aliased, type Fragment, sql } from '../../../lib/sql/fragment.ts'
import { constant, type Param } from '../../../lib/sql/param.ts'
import { columnTypes } from '../../../model/column-types.ts'
import type { NamedColumn } from '../../../model/registry/resource.ts'
import { keyValue } from '../../plan/conditions/value.ts'
import { cursorValue } from '../../plan/order/keyset.ts'
import { isRawCursorText, rawCursorText, rawValueOf } from '../../plan/order/raw-cursor-text.ts'
import type { KeysetPage, KeysetTerm, Value } from '../../plan/plan.ts'
import { slotParam } from '../bound-target.ts'
import { columnOf, dialectColumnOf, valueIn } from '../source.ts'
import type { Target } from '../target.ts'

/**
 * Selects the value of each term of the order, under an alias that no output has. `first` is the index of the first value in the
 * select list.
 */
export function cursorColumnsOf(
  target: Target,
  { terms }: KeysetPage,
  first: number,
): readonly CursorColumn[] {
  return terms.map(({ ref: term }, i) => {
    const { column } = term
    const alias = `place ${i}`
    const ref = valueIn(target, term)
    const { dialect } = target
    const selected = dialect.orderKey?.select?.(column, ref) ?? dialect.select(column, ref)
    const expression = sql`${selected}`.as(alias)
    return { alias, index: first + i, expression, read: cursorReader(dialect, column) }
  })
}

/** Selects one value of a row's cursor, and converts it to the string that the cursor contains. */
export interface CursorColumn {
  readonly alias: string
  readonly index: number
  readonly expression: Aliased
  readonly read: (raw: unknown) => string | null
}

/** Returns the function that converts a value of the driver to the string in a cursor. */
function cursorReader(dialect: Target['dialect'], column: NamedColumn): CursorColumn['read'] {
  const read = dialect.orderKey?.read?.(column) ?? typedReader(dialect, column)
  return (raw) => {
    if (raw === null || raw === undefined) return null
    const text = read(raw)
    // A usual text that looks like the mark of a raw value is written as a raw value, too.
    if (text !== undefined && isRawCursorText(text)) return rawCursorText(text)
    // Raw: a stored value of another type (`orderKey`), whose text the column would not read back.
    return dialect.orderKey === undefined || isCursorValue(column, text)
      ? (text ?? null)
      : rawCursorText(raw)
  }
}

/** Reads a value that has the type of its column, as text. */
function typedReader(
  dialect: Target['dialect'],
  column: NamedColumn,
): (raw: unknown) => string | undefined {
  const decode = cursorDecoderOf(column, dialect.decoder(column))
  return (raw) => {
    const value = decode(raw)
    return value === null ? undefined : String(value)
  }
}

const isCursorValue = (column: NamedColumn, text: string | undefined): boolean =>
  text !== undefined && cursorValue(column, text) !== undefined

/**
 * Returns the condition that a row is beyond the cursor's row: `a >= 1 and (a > 1 or (a = 1 and (b > 2 or (b = 2 and c > 3))))`;
 * undefined for the first page. The rest of the condition implies the bound `a >= 1`, but PostgreSQL and SQLite start an index scan at
 * the cursor only if the bound is a separate condition.
 */
export function beyondCursor(target: Target, page: KeysetPage): Fragment<SqlBool> | undefined {
  const { terms, values } = page
  if (values === null) return undefined
  refuseForeignCursor(target, terms, values)
  const backwards = page.direction === 'before'
  const cursor = slotParam(target, terms, values)
  const steps = terms.map((term, i): Step => {
    const value = cursor.map((all) => all[i] ?? null)
    return {
      beyond: beyond(target, term, value, backwards),
      same: () => same(target, term, value),
    }
  })
  const isBeyond = beyondAll(steps)
  if (isBeyond === undefined) return sql<SqlBool>`1 = 0`
  const bound = terms.length > 1 ? firstBound(target, page, cursor) : undefined
  return bound === undefined ? sql<SqlBool>`${isBeyond}` : sql<SqlBool>`${bound} and ${isBeyond}`
}

/** One term of the order, or several in a row. */
interface Step {
  /** The condition that a row comes after the cursor's row; undefined if none can. */
  readonly beyond: Expression<unknown> | undefined
  /** Makes the condition that a row equals the cursor's row. */
  readonly same: () => Expression<unknown>
}

/** A chain of steps is twice as deep as it is long, and SQLite limits the depth of expressions to 1,000. */
const longestChain = 32

/**
 * Returns the condition that a row comes after the cursor's row; undefined if none can. Each term is compared at most three times,
 * because the size of the condition must not grow faster than the number of terms.
 */
function beyondAll(steps: readonly Step[]): Expression<unknown> | undefined {
  if (steps.length > longestChain) return beyondAll(chainsOf(steps))
  // From the last term to the first: the condition on the terms that follow.
  let laterTerms: Expression<unknown> | undefined
  for (const { beyond, same } of [...steps].reverse()) {
    const later = laterTerms === undefined ? undefined : sql`(${same()} and ${laterTerms})`
    laterTerms =
      beyond === undefined || later === undefined ? (beyond ?? later) : sql`(${beyond} or ${later})`
  }
  return laterTerms
}

/** Combines steps into longer ones. */
function chainsOf(steps: readonly Step[]): readonly Step[] {
  const chains: Step[] = []
  for (let start = 0; start < steps.length; start += longestChain) {
    const chain = steps.slice(start, start + longestChain)
    const same = (): Fragment => {
      const equals = chain.map((step) => step.same())
      return sql`(${sql.join(equals, sql` and `)})`
    }
    chains.push({ beyond: beyondAll(chain), same })
  }
  return chains
}

/** Returns the bound on the first term, `a >= 1`; undefined if NULLs come after the cursor's value or that value is NULL. */
function firstBound(
  target: Target,
  { terms, direction }: KeysetPage,
  cursor: Param<CursorRow>,
): Expression<unknown> | undefined {
  const { ref, descending, nulls, mayBeNull } = terms[0] as KeysetTerm
  const backwards = direction === 'before'
  const stored = cursor.map(([first]) => first ?? null)
  if (stored.decide(isNull)) return undefined
  if (mayBeNull && (nulls === 'last') !== backwards) return undefined
  return compare(target, ref, descending !== backwards ? 'le' : 'ge', stored)
}

/** Compiles the condition that a row's term equals the cursor's value; NULL equals NULL here. */
function same(
  target: Target,
  { ref }: KeysetTerm,
  stored: Param<Value | null>,
): Expression<unknown> {
  const expression = valueIn(target, ref)
  if (stored.decide(isNull)) return sql`${expression} is null`
  return compare(target, ref, 'eq', stored)
}

/**
 * Returns the condition that a term's value comes after the cursor's value; undefined if none can, for example after a NULL that
 * comes last.
 */
function beyond(
  target: Target,
  { ref, descending, nulls, mayBeNull }: KeysetTerm,
  stored: Param<Value | null>,
  backwards: boolean,
): Expression<unknown> | undefined {
  const expression = valueIn(target, ref)
  const nullsComeLater = (nulls === 'last') !== backwards
  if (stored.decide(isNull)) return nullsComeLater ? undefined : sql`${expression} is not null`
  const greater = compare(target, ref, descending !== backwards ? 'lt' : 'gt', stored)
  return nullsComeLater && mayBeNull ? sql`(${greater} or ${expression} is null)` : greater
}

/** Compiles the comparison of a term with a value of the cursor, which may be a raw one (`cursorValueKind`). */
function compare(
  target: Target,
  term: KeysetTerm['ref'],
  operator: 'eq' | 'lt' | 'gt' | 'le' | 'ge',
  stored: Param<Value | null>,
): Expression<unknown> {
  const { dialect } = target
  const column = dialectColumnOf(target, term.source, term.column)
  const ref = valueIn(target, term)
  const kind = stored.decide((value) => cursorValueKind(column, value))
  if (kind === 'itself') return dialect.compare(column, ref, operator, stored as Param<Value>)
  const raw = stored.map((value) => rawValueOf(String(value)))
  if (kind === 'text') return dialect.compare(column, ref, operator, raw as Param<Value>)
  // `refuseForeignCursor` has refused a value for which there is no such test.
  return dialect.orderKey?.compare(column, ref, operator, raw) as Expression<unknown>
}

/** Refuses a cursor with a raw value that the column of this database cannot hold, such as one of a cursor of another database. */
function refuseForeignCursor(
  { dialect }: Target,
  terms: readonly KeysetTerm[],
  values: CursorRow,
): void {
  for (const [i, { ref }] of terms.entries()) {
    const value = values[i] ?? null
    if (cursorValueKind(ref.column, value) !== 'raw') continue
    const raw = constant(rawValueOf(String(value)))
    const test = dialect.orderKey?.compare(ref.column, columnOf(ref.source, ref.column), 'eq', raw)
    if (test === undefined) {
      const expected = 'a cursor taken from next_url or previous_url'
      throw invalidParameter('cursor', String(value), expected)
    }
  }
}

type CursorRow = readonly (Value | null)[]

const isNull = (value: Value | null): boolean => value === null

/**
 * How a cursor has a value. `itself`: as in a response. `raw`: as it is stored, because it has no JSON form of its column's type. `text`: a
 * text that looks like the mark of a raw value, and is compared as a text.
 */
function cursorValueKind(column: NamedColumn, value: Value | null): 'itself' | 'text' | 'raw' {
  if (typeof value !== 'string' || !isRawCursorText(value)) return 'itself'
  const stored = rawValueOf(value)
  return typeof stored === 'string' && isPlainText(column, stored) ? 'text' : 'raw'
}

/** Whether a text is a usual value of a column of texts; one with a NUL is not. */
const isPlainText = ({ type }: NamedColumn, text: string): boolean =>
  columnTypes[type].text !== false && keyValue({ type: 'string' }, text) !== undefined
