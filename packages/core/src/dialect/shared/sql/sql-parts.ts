// Parts of SQL that several dialects share: comparisons with ranges, lists of keys, terms of ORDER BY, and conversions of values for them,
// such as datetimes, JSON and bytes.

import type { Expression, SqlBool } from 'kysely'
import { bytesOfBase64 } from '../../../lib/json/base64.ts'
import type { JsonValue } from '../../../lib/json/json-value.ts'
import { stringify } from '../../../lib/json/stringify.ts'
import { type Fragment, sql } from '../../../lib/sql/fragment.ts'
import type { Param } from '../../../lib/sql/param.ts'
import { columnTypes } from '../../../model/column-types.ts'
import type { DialectColumn } from '../../../model/dialect-column.ts'
import type { Comparison } from '../../../model/query-words/operators.ts'
import type { OrderTerm } from '../../dialect.ts'

/** A column in a statement, or an expression made of one: `"books"."title"`, `lower("books"."title")`. */
export type Ref = Expression<unknown>

/** A condition of a statement, true, false or NULL. */
export type SqlTest = Fragment<SqlBool>

const symbols: Readonly<Record<Comparison, Fragment>> = {
  eq: sql`=`,
  ne: sql`<>`,
  lt: sql`<`,
  le: sql`<=`,
  gt: sql`>`,
  ge: sql`>=`,
}

/** `ref <operator> value`, without conversion of either side. */
export function plainCompare(ref: Ref, operator: Comparison, value: unknown): SqlTest {
  return sql<SqlBool>`${ref} ${symbols[operator]} ${value}`
}

/**
 * Compares a column with a less precise value, such as microseconds with a millisecond. `from` is the first instant of the value,
 * `next` the first instant after it. The result is NULL if `ref` is NULL.
 */
export function rangeCompare(
  ref: Ref,
  operator: Comparison,
  from: unknown,
  next: unknown,
): SqlTest {
  switch (operator) {
    case 'eq':
      return sql<SqlBool>`(${ref} >= ${from} and ${ref} < ${next})`
    case 'ne':
      return sql<SqlBool>`(${ref} < ${from} or ${ref} >= ${next})`
    case 'lt':
      return sql<SqlBool>`${ref} < ${from}`
    case 'ge':
      return sql<SqlBool>`${ref} >= ${from}`
    case 'le':
      return sql<SqlBool>`${ref} < ${next}`
    case 'gt':
      return sql<SqlBool>`${ref} >= ${next}`
  }
}

/** Compares with a value that covers the instants from `first` to `last`; the result is NULL if `ref` is NULL. */
export function spanCompare(
  ref: Ref,
  operator: Comparison,
  first: unknown,
  last: unknown,
): SqlTest {
  if (operator === 'eq') return sql<SqlBool>`(${ref} >= ${first} and ${ref} <= ${last})`
  if (operator === 'ne') return sql<SqlBool>`(${ref} < ${first} or ${ref} > ${last})`
  return plainCompare(ref, operator, operator === 'lt' || operator === 'ge' ? first : last)
}

/** The most ranges in the condition of a list, so that the condition does not grow with the list. */
const mostRanges = 16

/**
 * Divides values, each of which stands for a range, into at most 16 groups of neighbours, so that few ranges contain those of all
 * values. Up to 16 values have a group each. `sorted` is in ascending order. Repeats the last group until their number is a power of
 * two, so that lists of all lengths share few statements.
 */
export function neighbours<T>(sorted: readonly T[]): readonly (readonly [first: T, last: T])[] {
  const size = Math.ceil(sorted.length / mostRanges)
  const groups: (readonly [T, T])[] = []
  for (let i = 0; i < sorted.length; i += size) {
    const last = Math.min(i + size, sorted.length) - 1
    groups.push([sorted[i] as T, sorted[last] as T])
  }
  return padded(groups)
}

/** Compares texts by code unit, for `sort`. */
export const byText = (one: string, other: string): number =>
  one < other ? -1 : Number(one > other)

// SQLite limits the depth of expressions to 1,000, and `a and b and c` is as deep as it is long.
const longestChain = 16

/** `a and b and c`; a long chain becomes a chain of chains, so that its depth grows with the logarithm of its length. */
export function chain(parts: readonly Ref[], word: 'and' | 'or'): SqlTest {
  const glue = word === 'and' ? sql` and ` : sql` or `
  let links = parts
  while (links.length > longestChain) {
    const shorter: Ref[] = []
    for (let i = 0; i < links.length; i += longestChain) {
      shorter.push(sql`(${sql.join(links.slice(i, i + longestChain), glue)})`)
    }
    links = shorter
  }
  return sql.join(links, glue) as SqlTest
}

/** `ref in (a, b)` */
export function inList(ref: Ref, items: readonly unknown[], negated = false): SqlTest {
  return sql<SqlBool>`${ref} ${negated ? sql`not in` : sql`in`} (${sql.join(items)})`
}

/** The terms of ORDER BY where NULLS FIRST and NULLS LAST exist. `nullIs` says where the database sorts NULL without them. */
export function nullsOrderTerms(
  by: Ref,
  { descending, nulls, mayBeNull }: OrderTerm,
  nullIs: 'smallest' | 'largest',
): readonly Fragment[] {
  const direction = descending ? sql`desc` : sql`asc`
  const usualPlace = descending === (nullIs === 'largest') ? 'first' : 'last'
  if (!mayBeNull || nulls === usualPlace) return [sql`${by} ${direction}`]
  return [sql`${by} ${direction} ${nulls === 'first' ? sql`nulls first` : sql`nulls last`}`]
}

/** One expression, or a row value `(a, b)` of several. */
export const tuple = (parts: readonly Ref[]): Ref =>
  parts.length === 1 ? (parts[0] as Ref) : sql`(${sql.join(parts)})`

/** The expressions for both sides of a comparison of keys. They are equal exactly if the keys are equal. */
export interface KeySides {
  /** Of the table that is searched. */
  readonly ofTable: Ref
  /** Of the row whose key is searched for. */
  readonly ofRow: Ref
}

/** `key in (select key from rows)` */
export function inKeys(keys: readonly KeySides[], rows: Ref): SqlTest {
  const tableKey = sql.join(keys.map((key) => key.ofTable))
  return sql<SqlBool>`${tuple(keys.map(({ ofRow }) => ofRow))} in (select ${tableKey} from ${rows})`
}

/**
 * `key in (select … from (select distinct …))`. Without DISTINCT the planner merges the subquery into the statement: MariaDB then
 * joins it, and PostgreSQL, with a small LIMIT, executes it again for each row.
 */
export function inDistinctKeys(keys: readonly KeySides[], rows: Ref): SqlTest {
  const tableKey = keys.map((key, i) => sql`${key.ofTable}`.as(`key_${i}`))
  const set = sql`select distinct ${sql.join(tableKey)} from ${rows}`
  return sql<SqlBool>`${tuple(keys.map(({ ofRow }) => ofRow))} in (select * from (${set}) as ${sql.id('keys')})`
}

/** Longer lists are padded to a multiple of this number, so that those of 10,000 values stay below the limits of bound values. */
const longestStep = 2048

/** The length to which a list is padded, so that lists of all lengths share few statements: a power of two, or a multiple of 2,048. */
export function paddedLength(length: number): number {
  let most = 1
  while (most < length) most += Math.min(most, longestStep)
  return most
}

/** Repeats the last value until the list has its `paddedLength`. */
export function padded<T>(values: readonly T[]): readonly T[] {
  const length = paddedLength(values.length)
  const last = values[values.length - 1] as T
  return [...values, ...Array<T>(length - values.length).fill(last)]
}

/** The values of a list as parameters, padded to the list's `paddedLength`. */
export const paddedItems = <V>(values: Param<readonly V[]>): readonly Param<V>[] =>
  values.items(values.decide((list) => paddedLength(list.length)))

/** Whether a column of the type may have a collation. */
export const isText = ({ type }: Pick<DialectColumn, 'type'>): boolean =>
  columnTypes[type].options.includes('collation')

/**
 * Writes a natural number of a model, such as a scale, as SQL text: GROUP BY and SELECT must contain the same expression, and two
 * parameters are never the same. JavaScript writes such a number as digits alone, so it cannot be any other SQL.
 */
export function natural(value: number): Fragment {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new RangeError(`not a natural number: ${value}`)
  }
  return sql([String(value)])
}

/** Returns the text that a `json` column stores for a value. */
export function jsonText(value: unknown): string {
  return stringify(value as JsonValue)
}

/** Returns the bytes that a `binary` column stores for a value. */
export const storedBytes = (value: unknown): Uint8Array => bytesOfBase64(String(value))

const canonical = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$/

/** Converts a datetime to `YYYY-MM-DDTHH:MM:SS.sssZ`. */
export function canonicalInstant(value: unknown): string {
  if (typeof value === 'string' && canonical.test(value)) return value
  return value instanceof Date ? value.toISOString() : new Date(String(value)).toISOString()
}

/**
 * Cuts a datetime, `2024-05-14T10:30:00.500Z`, to the digits after the second that its column holds, because the servers round it to
 * different values. Values of clients fit; those of the clock, of defaults and of callbacks may not.
 */
export const cutMoment = (text: string, digits: number | undefined): string =>
  digits === undefined || digits >= 3
    ? text
    : text.replace(
        /\.([0-9]{3})Z$/,
        (_, given: string) => `.${given.slice(0, digits).padEnd(3, '0')}Z`,
      )

/** Tests that a number is one that values at JSON paths may be: an integer of at most 53 bits, or within the range of a double. */
export const inJsonRange = {
  safeIntegers: (ref: Ref): Fragment => sql`${ref} between -9007199254740991 and 9007199254740991`,
  doubles: (ref: Ref): Fragment =>
    sql`${ref} > -1.7976931348623157e308 and ${ref} < 1.7976931348623157e308`,
} as const
