// Limits of a query: those that settings such as API_MAX_CONDITIONS configure, the fixed ones, and the counters during parsing. A query
// beyond a limit is refused with a 400 that quotes `at`, the part of the query string where the limit was exceeded.

import { limitExceeded, malformedQuery } from '../../errors.ts'

/** A limit, and the name of its setting, such as `API_MAX_CONDITIONS`, which appears in the error. */
export interface RequestLimit {
  readonly setting: string
  readonly value: number
}

/** The configured limits of the text of a query, those of the resource that it is about. */
export interface ParseLimits {
  /** Filters, relation filters, aggregates, grouping keys and terms of orders of the whole query, nested ones included. */
  readonly conditions: RequestLimit
  /** Relations in all relation filters of the query: each adds a table to the database's query plan. */
  readonly relationFilters: RequestLimit
  /** Aggregates of related rows in the whole query: the database computes each for every row of a page, or of the table. */
  readonly aggregates: RequestLimit
  /** Items of one list of values, and of one list parameter such as `fields`. */
  readonly list: RequestLimit
}

/** Levels of nested groups; fixed, because it prevents a stack overflow, and real queries are far below. */
export const maxGroupDepth = 32

/**
 * Alternatives into which conditions on the rows of several joins are multiplied out; fixed, because each repeats the conditions in the
 * statement.
 */
export const maxAlternatives = 32

/**
 * Look-ups of related rows in all alternatives; fixed, because each is a subquery for which a database reserves memory: MariaDB up to two
 * megabytes, once for the rows and once for their number.
 */
export const maxLookUps = 96

/** Combinations of joined rows that one query reads where a statement blocks the event loop; fixed, because no timeout stops it there. */
export const maxCombinations = 200_000

/** Counts the conditions, relation filters and aggregates of related rows that were parsed so far. */
export interface Tally {
  readonly limits: ParseLimits
  conditions: number
  relationFilters: number
  aggregates: number
}

/** Counts one filter, relation filter, aggregate, grouping key or term of an order; `what` names them in the error. */
export function countCondition(tally: Tally, at: string, what = 'conditions'): void {
  tally.conditions += 1
  const { setting, value } = tally.limits.conditions
  if (tally.conditions > value) {
    throw limitExceeded(setting, value, `The query has too many ${what}`, at)
  }
}

/** Counts the relations of a relation filter. */
export function countRelationFilter(tally: Tally, relations: number, at: () => string): void {
  tally.relationFilters += relations
  const { setting, value } = tally.limits.relationFilters
  if (tally.relationFilters > value) {
    throw limitExceeded(
      setting,
      value,
      'The conditions on related rows follow too many relations',
      at(),
    )
  }
}

/** Counts an aggregate of related rows, which is also a condition. */
export function countRelatedAggregate(tally: Tally, at: string): void {
  countCondition(tally, at)
  tally.aggregates += 1
  const { setting, value } = tally.limits.aggregates
  if (tally.aggregates > value) {
    throw limitExceeded(setting, value, 'The query has too many aggregates of related rows', at)
  }
}

/** Refuses a list longer than the limit; called per item, so that parsing stops there. `at` is called only for the error. */
export function checkListLength(tally: Tally, length: number, at: () => string): void {
  const { setting, value } = tally.limits.list
  if (length > value) throw limitExceeded(setting, value, 'The list has too many items', at())
}

/** Refuses groups nested deeper than `maxGroupDepth`. */
export function checkDepth(depth: number, at: () => string): void {
  if (depth > maxGroupDepth) {
    throw malformedQuery(`Groups may be nested ${maxGroupDepth} levels deep at most.`, at())
  }
}
