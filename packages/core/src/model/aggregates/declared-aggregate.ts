// Declared aggregates: counts, sums and extremes of related records that a model has as read-only columns. `count`, `sum`, `avg`, `min` and `max`
// make plain data; `createApi` checks it and resolves the path.

import type { ColumnRight } from '../column.ts'
import type { AggregateFunction } from '../query-words/operators.ts'

/** The options of a declared aggregate. */
export interface AggregateOptions {
  /** Whether responses contain it without being asked. Default true; with false, `fields=*,open_count` adds it. */
  readonly sent?: boolean
  /** Who may read it; for all others the column does not exist. Default: all who may read the record. */
  readonly read?: ColumnRight
  /** For the OpenAPI document. */
  readonly description?: string
}

/**
 * Conditions on the related records, as in the `where` of the typed client: `{ status: { in: ['open', 'held'] } }`, `{ paid: true }`,
 * `{ or: [{ paid: true }, { amount: { lt: '5' } }] }`.
 */
export type AggregateWhere = Readonly<Record<string, unknown>>

/** An aggregate of related records, declared in a model. */
export interface DeclaredAggregate<
  Fn extends AggregateFunction = AggregateFunction,
  Path extends string = string,
> extends AggregateOptions {
  readonly function: Fn
  /** The relations to the aggregated records; for another function than `count`, followed by the column. */
  readonly of: Path
  readonly where?: AggregateWhere
}

/** The option `aggregates` of a model: by the names of their columns. */
export type DeclaredAggregates = Readonly<Record<string, DeclaredAggregate>>
export type NoAggregates = Readonly<Record<never, DeclaredAggregate>>

/** A declared aggregate with the types of its options. */
export type Declared<
  Fn extends AggregateFunction,
  Path extends string,
  O extends AggregateOptions,
> = DeclaredAggregate<Fn, Path> & O

type NoOptions = Readonly<Record<never, never>>

/** Makes the frozen declaration. */
function declared<Fn extends AggregateFunction, Path extends string, O extends AggregateOptions>(
  name: Fn,
  path: Path,
  where: AggregateWhere | undefined,
  options: O | undefined,
): Declared<Fn, Path, O> {
  const aggregate = { function: name, of: path, ...(where === undefined ? {} : { where }) }
  return Object.freeze({ ...options, ...aggregate }) as Declared<Fn, Path, O>
}

/**
 * Declares a column with the number of related records: an integer, 0 without any.
 *
 * Policies and soft delete of their model apply to the records that it counts, as in `fields=count(appointments)`.
 *
 * ```ts
 * aggregates: { open_count: count('appointments', { status: 'open' }) } // GET /api/sites?open_count__gt=0 → [{ …, "open_count": 2 }]
 * ```
 *
 * @param path The relations to the records, such as `appointments` or `floors.rooms`.
 * @param where Conditions on these records. Default: none.
 * @param options Whether it is sent, who may read it.
 */
export function count<const Path extends string, const O extends AggregateOptions = NoOptions>(
  path: Path,
  where?: AggregateWhere,
  options?: O,
): Declared<'count', Path, O> {
  return declared('count', path, where, options)
}

/**
 * Declares a column with the sum of a column of related records: null without any. A number, or a string for columns of type bigint
 * and decimal.
 *
 * ```ts
 * aggregates: { total: sum('lines.amount') } // { …, "total": "35.75" }
 * ```
 *
 * @param path The relations to the records, and the column. For the other parameters see `count`.
 */
export function sum<const Path extends string, const O extends AggregateOptions = NoOptions>(
  path: Path,
  where?: AggregateWhere,
  options?: O,
): Declared<'sum', Path, O> {
  return declared('sum', path, where, options)
}

/**
 * Declares a column with the average of a column of related records: null without any. A number, or for columns of type bigint and
 * decimal a string with four more digits.
 *
 * ```ts
 * aggregates: { usual_price: avg('books.price', { in_stock: true }) } // { …, "usual_price": "17.875000" }
 * ```
 *
 * @param path The relations to the records, and the column. For the other parameters see `count`.
 */
export function avg<const Path extends string, const O extends AggregateOptions = NoOptions>(
  path: Path,
  where?: AggregateWhere,
  options?: O,
): Declared<'avg', Path, O> {
  return declared('avg', path, where, options)
}

/**
 * Declares a column with the least value of a column of related records, of the column's type: null without any.
 *
 * ```ts
 * aggregates: { next_visit: min('appointments.starts_at', { status: 'open' }) }
 * ```
 *
 * @param path The relations to the records, and the column. For the other parameters see `count`.
 */
export function min<const Path extends string, const O extends AggregateOptions = NoOptions>(
  path: Path,
  where?: AggregateWhere,
  options?: O,
): Declared<'min', Path, O> {
  return declared('min', path, where, options)
}

/**
 * Declares a column with the greatest value of a column of related records, of the column's type: null without any.
 *
 * ```ts
 * aggregates: { last_published: max('books.published') }
 * ```
 *
 * @param path The relations to the records, and the column. For the other parameters see `count`.
 */
export function max<const Path extends string, const O extends AggregateOptions = NoOptions>(
  path: Path,
  where?: AggregateWhere,
  options?: O,
): Declared<'max', Path, O> {
  return declared('max', path, where, options)
}
