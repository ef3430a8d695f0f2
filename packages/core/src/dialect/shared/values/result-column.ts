// Describes the results of aggregates and calendar units as columns, by which conditions and orders of groups compare them:
// `price__sum__gt=100`, `order_by=created__month`.

import { columnTypes } from '../../../model/column-types.ts'
import type { DialectColumn } from '../../../model/dialect-column.ts'
import type { AggregateFunction } from '../../../model/query-words/operators.ts'

/**
 * Describes the result of an aggregate as a column, for the expression that the aggregate's `comparable` returns. `columnTypes` tells of a
 * type whether its numbers are `whole`, `exact` or `approximate`, and whether their JSON is a number or a string.
 */
export function aggregateColumn(fn: AggregateFunction, column: DialectColumn): DialectColumn {
  if (fn === 'count')
    return { name: column.name, type: 'integer', nullable: false, comparable: true }
  const result = { ...column, nullable: true, comparable: true } as const
  if (fn === 'min' || fn === 'max') return result
  const { precision: _, ...open } = result
  const { number, json } = columnTypes[column.type]
  if (fn === 'sum') {
    // A sum of bigints may exceed 64 bits.
    if (number === 'whole' && json === 'string')
      return { ...open, type: 'decimal', scale: 0, aggregate: fn }
    // A float, so that the sum can be compared with any number: `n__gt=0.5`.
    if (number === 'whole') return { ...open, type: 'float', aggregate: fn }
    return number === 'exact' ? { ...open, aggregate: fn } : result
  }
  if (json === 'number') return { ...open, type: 'float' }
  // Four digits more than the column has; a decimal without a declared scale stays without one.
  if (number === 'whole') return { ...open, type: 'decimal', scale: 4, aggregate: fn }
  const scale = column.scale === undefined ? {} : { scale: column.scale + 4 }
  return { ...open, ...scale, aggregate: fn }
}

/** Describes a calendar unit of a datetime as a column: a year is an integer, `2024-05` and `2024-05-14` are strings. */
export function bucketColumn(unit: 'year' | 'month' | 'day'): DialectColumn {
  const type = unit === 'year' ? 'integer' : 'string'
  return { name: unit, type, nullable: true, comparable: true }
}
