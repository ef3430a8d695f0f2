// Dialect: what differs between database families, as named functions over Kysely expressions; the only place that knows. Types only.

import type { Expression, Kysely, SqlBool } from 'kysely'
import type { JsonValue } from '../json/json-value.ts'
import type { AggregateFunction } from '../parse/operators.ts'
import type { NamedColumn } from '../registry/resource.ts'

/** What a dialect needs to know of a column; aggregates pass a column of the result's type. */
export type DialectColumn = Pick<
  NamedColumn,
  'name' | 'type' | 'nullable' | 'precision' | 'scale' | 'enum' | 'collation' | 'storage'
>

/** A typed value of a plan (see `plan/plan.ts`). */
export type PlanValue = string | number | bigint | boolean

/** What went wrong in the database, by what the caller can do about it (reliability §3). */
export interface DatabaseFailure {
  readonly kind:
    | 'unique'
    | 'foreignKey'
    | 'notNull'
    | 'check'
    | 'value'
    | 'retry'
    | 'timeout'
    | 'unavailable'
    | 'other'
  /** Constraint, index or column name as the driver tells it; for our own look-ups, never for the client. */
  readonly constraint?: string
  readonly column?: string
}

/** An expression that is not a plain column, and the column type its comparisons and order follow. */
export interface DialectOperand {
  readonly column: DialectColumn
  readonly expression: Expression<unknown>
}

export interface Dialect {
  readonly name: string

  /** Asks the database what must be known before the first statement (server family, collations); answers the refined dialect. */
  // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
  readonly connect?: (db: Kysely<any>) => Promise<Dialect>

  /** Checks at start-up that the column can be served exactly; answers a sentence saying what to change, or undefined. */
  readonly refuses?: (column: DialectColumn) => string | undefined

  /** The expression to select so that `decoder` can read it exactly, whatever type parsers the user's driver has. */
  select(column: DialectColumn, ref: Expression<unknown>): Expression<unknown>
  /** Reader of one selected column: driver value → JSON form of contract §7. Called once per column, used per row. */
  decoder(column: DialectColumn): (raw: unknown) => JsonValue
  /** A planned or validated value → what the driver is given to store. `json` columns take any JsonValue. */
  encode(column: DialectColumn, value: unknown): unknown

  /** `ref <operator> value` with the meaning of contract §4 and §7: code-point text, whole milliseconds, exact decimals. */
  compare(
    column: DialectColumn,
    ref: Expression<unknown>,
    operator: 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge',
    value: PlanValue,
  ): Expression<SqlBool>
  /** `in` / `not in`; the list is never empty (the compiler answers that case itself). NULL follows SQL. */
  oneOf(
    column: DialectColumn,
    ref: Expression<unknown>,
    values: readonly PlanValue[],
    negated: boolean,
  ): Expression<SqlBool>
  /** Literal text inside, at the start or at the end of a column; NULL stays NULL, also when negated. */
  textMatch(
    column: DialectColumn,
    ref: Expression<unknown>,
    test: {
      readonly match: 'contains' | 'startsWith' | 'endsWith'
      readonly text: string
      readonly ignoreCase: boolean
      readonly negated: boolean
    },
  ): Expression<SqlBool>

  /** ORDER BY terms, complete with direction and null placement; `mayBeNull` is false where no NULL can occur, so that an index can serve. */
  order(
    column: DialectColumn,
    ref: Expression<unknown>,
    term: {
      readonly descending: boolean
      readonly nulls: 'first' | 'last'
      readonly mayBeNull: boolean
    },
  ): readonly Expression<unknown>[]
  /** The comparable form of a column: what GROUP BY, DISTINCT and min/max work on, so that text groups by code point. */
  comparable(column: DialectColumn, ref: Expression<unknown>): Expression<unknown>

  /** An aggregate, as selected; read with `aggregateDecoder`. `avg` is selected as what `aggregateDecoder` needs. */
  aggregate(
    fn: AggregateFunction,
    column: DialectColumn,
    ref: Expression<unknown>,
  ): Expression<unknown>
  aggregateDecoder(fn: AggregateFunction, column: DialectColumn): (raw: unknown) => JsonValue

  /** Calendar bucket in UTC: `year` an integer, `month` `YYYY-MM`, `day` `YYYY-MM-DD`. */
  bucket(
    unit: 'year' | 'month' | 'day',
    column: DialectColumn,
    ref: Expression<unknown>,
  ): Expression<unknown>

  /** Reads a selected bucket: a number for `year`, text for `month` and `day`. */
  bucketDecoder(unit: 'year' | 'month' | 'day', column: DialectColumn): (raw: unknown) => JsonValue
  /** A bucket as an operand of `compare` and `order`: its expression and the column type it behaves as. */
  bucketOperand(
    unit: 'year' | 'month' | 'day',
    column: DialectColumn,
    ref: Expression<unknown>,
  ): DialectOperand
  /** An aggregate as an operand of `compare` (HAVING) and `order`: exact for sums, numeric for averages. */
  aggregateOperand(
    fn: AggregateFunction,
    column: DialectColumn,
    ref: Expression<unknown>,
  ): DialectOperand
  /** As `select`, for a column that stands in GROUP BY as its `comparable` form; read with `decoder`. */
  selectGrouped(column: DialectColumn, ref: Expression<unknown>): Expression<unknown>

  /** Classifies what the driver threw. */
  classify(error: unknown): DatabaseFailure
}
