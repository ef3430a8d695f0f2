// How much one query may ask for: the limits a caller sets, the nesting limit, and the tally kept while reading.

import { limitExceeded, malformedQuery } from '../errors.ts'

/** A limit and the name of the setting it comes from; the name appears in the error only. */
export interface RequestLimit {
  readonly setting: string
  readonly value: number
}

export interface ParseLimits {
  /** Filters, relation filters, aggregates and grouping keys of the whole query, nested ones included. */
  readonly conditions: RequestLimit
  /** Relations that the relation filters of the whole query follow: databases take a table for each into the plan. */
  readonly relationFilters: RequestLimit
  /** Items of one list of values, and of one list parameter such as `fields`. */
  readonly list: RequestLimit
}

/** Groups in groups; a fixed number, because it guards the stack and no honest query comes near it. */
export const maxGroupDepth = 32

/** What has been read so far; the one thing that changes while a query is read, besides the cursor. */
export interface Tally {
  readonly limits: ParseLimits
  conditions: number
  relationFilters: number
}

/** Counts one filter, relation filter, aggregate or grouping key. */
export function countCondition(tally: Tally, at: string): void {
  tally.conditions += 1
  const { setting, value } = tally.limits.conditions
  if (tally.conditions > value) {
    throw limitExceeded(setting, value, 'The query has too many conditions', at)
  }
}

/** Counts a relation filter that follows so many relations. */
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

/** Refuses a list that has grown beyond the limit; called once per item, so that reading stops there. */
export function checkListLength(tally: Tally, length: number, at: () => string): void {
  const { setting, value } = tally.limits.list
  if (length > value) throw limitExceeded(setting, value, 'The list has too many items', at())
}

/** Refuses groups nested so deeply that reading them could exhaust the stack. */
export function checkDepth(depth: number, at: () => string): void {
  if (depth > maxGroupDepth) {
    throw malformedQuery(`Groups may be nested ${maxGroupDepth} levels deep at most.`, at())
  }
}
