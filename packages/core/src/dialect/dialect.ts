// Dialect: what the service must know about a database to give correct responses; public. `query/compile` and `write` build their
// statements with it, and `serialize` reads the rows. Types only.

import type { Expression, Kysely, SqlBool } from 'kysely'
import type { JsonValue } from '../lib/json/json-value.ts'
import type { Param } from '../lib/sql/param.ts'
import type { DialectColumn, DialectTable, JsonPath } from '../model/dialect-column.ts'
import type { AggregateFunction } from '../model/query-words/operators.ts'

/** A value of a query, checked against its column's type: in its JSON form, except that a bigint is a `bigint`. */
export type PlanValue = string | number | bigint | boolean

/** An error of the database, classified by what the caller can do about it. */
export interface DatabaseFailure {
  /**
   * - `unique`, `foreignKey`, `notNull`, `check`: a constraint refused the write.
   * - `policy`: row-level security of the database does not allow the row that the write would store.
   * - `trigger`: a trigger of the application refused the write; `message` is the trigger's message.
   * - `value`: a value does not fit its column's type.
   * - `retry`: the transaction failed because of a concurrent one, and may succeed if it is run again.
   * - `locked`: another process holds the lock; nothing was executed.
   * - `timeout`: the server ended the statement, or did not respond in time.
   * - `unavailable`: no connection, or a server that cannot take the statement now.
   * - `other`: none of these, such as a mistake in the statement.
   */
  readonly kind:
    | 'unique'
    | 'foreignKey'
    | 'notNull'
    | 'check'
    | 'policy'
    | 'trigger'
    | 'value'
    | 'retry'
    | 'locked'
    | 'timeout'
    | 'unavailable'
    | 'other'
  /**
   * The name of the constraint or index as the driver reports it; for most of them, SQLite reports the columns or the expression.
   * Clients see the name of a CHECK constraint if they see all of its columns.
   */
  readonly constraint?: string
  /** The column's name as the driver reports it. */
  readonly column?: string
  /** True if the statement may have been executed: the connection broke, or the server did not respond in time. */
  readonly lost?: true
  /** True if the database has stored nothing of the transaction, even if COMMIT was the statement that failed. */
  readonly undone?: true
  /** True if the database has rolled back the whole transaction, savepoints included: a further statement would be stored at once. */
  readonly ended?: true
}

/** What a database can do that changes how the service uses it. */
export interface Capabilities {
  /** `select … for update` locks rows until the transaction ends. Without it, transactions that write must run one at a time. */
  readonly locksRows: boolean
  /**
   * A statement blocks this process until it ends, as SQLite's drivers do. The service then retries until a lock is free, instead
   * of letting the driver wait.
   */
  readonly blocksEventLoop: boolean
  /** `create table` does not commit the transaction around it. */
  readonly createsTablesInTransactions: boolean
}

/** Types of the columns in the tables that the service creates for itself: refresh tokens and idempotency keys. */
export interface StoreTypes {
  /** A moment in UTC, to the millisecond. */
  readonly datetime: string
  /** 64 hexadecimal digits, compared byte by byte. */
  readonly digest: string
  /** Up to 255 characters, compared byte by byte. */
  readonly text: string
  readonly boolean: string
}

/** One aggregate function over one column. */
export interface Aggregate {
  /** The expression to select, from which `decode` can read the exact value; `sum(price)::text` on PostgreSQL. */
  select(ref: Expression<unknown>): Expression<unknown>
  /** Converts the selected value to its JSON form. */
  readonly decode: (raw: unknown) => JsonValue
  /** The expression for ORDER BY and HAVING, whose values have the type that `aggregateColumn` describes. */
  comparable(ref: Expression<unknown>): Expression<unknown>
}

export type ComparisonOperator = 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'

/** A filter on text: `title__contains=50%`. */
export interface TextTest {
  readonly match: 'contains' | 'startsWith' | 'endsWith'
  /** Matched literally, not as a pattern. */
  readonly text: Param<string>
  readonly ignoreCase: boolean
  readonly negated: boolean
}

/** A filter on a list column: `tags__overlaps=(a,b)`. */
export interface ListTest {
  /** `contains`: the list has all of the values; `overlaps`: at least one of them. */
  readonly match: 'contains' | 'overlaps'
  /** Checked against the type of the column's items. */
  readonly values: Param<readonly PlanValue[]>
}

/** One term of `order_by`. */
export interface OrderTerm {
  readonly descending: boolean
  readonly nulls: 'first' | 'last'
  /** False where no NULL can occur, so that a plain ORDER BY can use an index. */
  readonly mayBeNull: boolean
}

/**
 * A database, as the service sees it: functions over Kysely expressions. How to add one:
 * https://github.com/model-api/model-api/blob/main/docs/inside/adding-a-database.md
 *
 * A `ref` is a column of a table, or an expression that `comparable` made of one. A `Param` is a value of a request: a bound parameter
 * of the SQL, which a function can convert but not see.
 */
export interface Dialect {
  /** The dialect's name, for messages. All replicas must use a dialect of the same name. */
  readonly name: string
  readonly capabilities: Capabilities
  /** Column types of the tables that the service creates. Default: types of standard SQL. */
  readonly storeTypes?: StoreTypes

  /**
   * Reads what must be known before the first statement, such as the server's version and collations, and returns a dialect that
   * uses it. If `tables` is left out, the dialect must give correct results without knowing how any column is declared.
   */
  readonly connect?: (
    // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
    db: Kysely<any>,
    tables?: readonly DialectTable[],
  ) => Promise<Dialect>

  /** Checks when the API is created that the column can be served exactly; returns a sentence that says what to change, or undefined. */
  readonly refuses?: (column: DialectColumn) => string | undefined

  /** Returns the expression to select, whose value `decoder` can read exactly, whatever type parsers the driver has. */
  select(column: DialectColumn, ref: Expression<unknown>): Expression<unknown>

  /**
   * Returns the function that converts the driver's value of a selected column to its JSON form. Called once per column; the
   * result is used for each row.
   */
  decoder(column: DialectColumn): (raw: unknown) => JsonValue

  /**
   * Converts a validated value to the value or expression that stores it. Accepts both the JSON form and a `PlanValue`; a `json`
   * column takes any JSON value; null is NULL.
   */
  encode(column: DialectColumn, value: unknown): unknown

  /**
   * `ref <operator> value`: text by code point, datetimes by milliseconds, times by seconds, decimals exactly.
   *
   * `created__eq=2024-05-14T10:30:00Z` → `created >= '2024-05-14 10:30:00' and created < '2024-05-14 10:30:00.001'`
   *
   * A datetime or time with six fractional digits, which only cursors contain, stands for exactly that microsecond.
   */
  compare(
    column: DialectColumn,
    ref: Expression<unknown>,
    operator: ComparisonOperator,
    value: Param<PlanValue>,
  ): Expression<SqlBool>

  /** `ref in (values)`, or `ref not in (values)` if `negated`. `values` is never empty; the result is NULL if `ref` is NULL, as in SQL. */
  oneOf(
    column: DialectColumn,
    ref: Expression<unknown>,
    values: Param<readonly PlanValue[]>,
    negated: boolean,
  ): Expression<SqlBool>

  /** Tests whether `ref` contains, starts with or ends with a literal text; the result is NULL if `ref` is NULL, also when negated. */
  textMatch(column: DialectColumn, ref: Expression<unknown>, test: TextTest): Expression<SqlBool>

  /** Tests the items of a list column; the result is NULL if `ref` is NULL. Without this function, `createApi` refuses list columns. */
  readonly listMatch?: (
    column: DialectColumn,
    ref: Expression<unknown>,
    test: ListTest,
  ) => Expression<SqlBool>

  /**
   * Returns the value at a path of a json column, in the same form as `comparable` of a column of the path's type, without bound
   * parameters. NULL if the path does not exist, or leads to null or to a value of another JSON type, or if the column does not
   * contain JSON. No stored value may cause an error. An integer of at most 53 bits counts as an integer in any notation (`1.0`); a
   * number outside the range of a double is NULL. Without this function, `createApi` refuses paths into json columns.
   */
  readonly jsonValue?: (
    column: DialectColumn,
    ref: Expression<unknown>,
    path: JsonPath,
  ) => Expression<unknown>

  /** Returns the ORDER BY terms of one column; `term` says the direction and whether NULLs come first or last. */
  order(
    column: DialectColumn,
    ref: Expression<unknown>,
    term: OrderTerm,
  ): readonly Expression<unknown>[]

  /**
   * The join condition of a relation: tests whether two columns hold the same key, text by code point. An index on either should be
   * usable.
   */
  sameKey(
    column: DialectColumn,
    ref: Expression<unknown>,
    otherColumn: DialectColumn,
    otherRef: Expression<unknown>,
  ): Expression<SqlBool>

  /**
   * Returns the expression for GROUP BY, DISTINCT and PARTITION BY: it is equal for all values that have the same JSON. It has no
   * bound parameters, because a statement repeats it. `select`, `order` and `compare` get it with `{ ...column, comparable: true }`.
   */
  comparable(column: DialectColumn, ref: Expression<unknown>): Expression<unknown>

  /** `count`, `sum`, `avg`, `min` or `max` of a column. */
  aggregate(fn: AggregateFunction, column: DialectColumn): Aggregate

  /** Returns the calendar unit of a datetime in UTC, without bound parameters: `year` an integer, `month` `YYYY-MM`, `day` `YYYY-MM-DD`. */
  bucket(
    unit: 'year' | 'month' | 'day',
    column: DialectColumn,
    ref: Expression<unknown>,
  ): Expression<unknown>

  /** Classifies an error of the driver. */
  classify(error: unknown): DatabaseFailure
}
