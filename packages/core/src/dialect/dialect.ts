// Dialect: what differs between database families, as named functions over Kysely expressions; the only place that knows. Types only.

import type { DatabaseConnection, Expression, Kysely, SqlBool } from 'kysely'
import type { JsonValue } from '../json/json-value.ts'
import type { AggregateFunction } from '../parse/operators.ts'
import type { LookUp } from '../plan/plan.ts'
import type { NamedColumn } from '../registry/resource.ts'
import type { TextStyle } from '../sql/print.ts'
import type { Interruption } from './shared/interruption.ts'
import type { JsonText } from './shared/json-text.ts'
import type { JsonWriter } from './shared/json-writer.ts'
import type { ObjectText } from './shared/object-text.ts'
import type { Replication } from './shared/replication.ts'
import type { LoneWrites } from './shared/writes.ts'

/** What a dialect needs to know of a column; `aggregateColumn` gives the one of an aggregate's result. */
export interface DialectColumn
  extends Pick<
    NamedColumn,
    'name' | 'type' | 'nullable' | 'precision' | 'scale' | 'enum' | 'collation' | 'storage'
  > {
  /**
   * The expression that goes with this column was made by `comparable`, `aggregateComparable` or `bucket`, not by
   * a table: GROUP BY works on such expressions, so what is selected, ordered or compared beside it must, too.
   */
  readonly comparable?: true
}

/** A table of the API with its columns, the very objects that are handed to the other functions later. */
export interface DialectTable {
  /** The database schema; the connection's own when it is left out. */
  readonly schema?: string
  readonly table: string
  readonly columns: readonly (DialectColumn & Pick<NamedColumn, 'dbName' | 'computed'>)[]
}

/** A typed value of a plan (see `plan/plan.ts`). */
export type PlanValue = string | number | bigint | boolean

/** Two columns that hold the same key: the one that is looked up, and the one that a row brings. */
export interface KeyPair {
  readonly column: DialectColumn
  readonly ref: Expression<unknown>
  readonly otherColumn: DialectColumn
  readonly otherRef: Expression<unknown>
}

/** What went wrong in the database, by what the caller can do about it (reliability §3). */
export interface DatabaseFailure {
  readonly kind:
    | 'unique'
    | 'foreignKey'
    | 'notNull'
    | 'check'
    | 'value'
    | 'retry'
    | 'locked'
    | 'timeout'
    | 'unavailable'
    | 'other'
  /** Constraint, index or column name as the driver tells it; for our own look-ups, never for the client. */
  readonly constraint?: string
  readonly column?: string
  /** The connection broke, or nobody answered in time: a statement that was under way may have been executed. */
  readonly lost?: true
  /** Nothing of the transaction is stored, even if it was COMMIT that failed. */
  readonly undone?: true
}

export interface Dialect {
  readonly name: string

  /** The text of a read that the server gives up after `ms`; absent where only the connection can be told. */
  readonly timeLimited?: (text: string, ms: number) => string
  /** What `connect` found that its owner should know: sentences for `onWarning`. */
  readonly advice?: readonly string[]
  /** What the owner of a pool should know where none of the wrappers of `@model-api/core/prepared` stands around it. */
  readonly unwrappedAdvice?: (connection: DatabaseConnection) => readonly string[]

  /** How a statement under way is called off; without it, its connection is kept until it has settled. */
  readonly interruption?: Interruption
  /** Whether a statement holds the whole process until it ends, so that nothing can be done meanwhile. */
  readonly blocksProcess?: boolean

  /**
   * The BEGIN of a transaction that writes, where it can take the write lock at once: while another process holds it, nothing
   * has been done yet, and the transaction is begun again. Failures of kind `locked` are those that have done nothing.
   */
  readonly lockFirst?: string

  /** How statements are written, where the service prints them itself; without it Kysely does. */
  readonly textStyle?: TextStyle

  /** A bound number of rows, as LIMIT takes it. */
  rowCount(count: number): Expression<unknown>

  /** Whether a list's total is cheaper as a subquery of the same statement than as a statement of its own. */
  readonly countsInStatement: boolean

  /** Whether it is so for the total of a whole table at least, which no page of it but the last one proves. */
  readonly countsTablesInStatement?: boolean

  /**
   * Whether a kept plan is made for a limit that it knows: with another one, the database expects a tenth of the table, finds
   * each plan for the true number cheaper, and plans every time.
   */
  readonly plansByLimit?: boolean

  /** Whether groups may be counted beside themselves, by `count(*) over ()`, and keep their order. */
  readonly countsGroupsBeside?: boolean

  /** How the database writes embedded objects itself, where that costs less than reading their rows. */
  readonly jsonText?: JsonText

  /** How the database writes whole objects, to be checked afterwards, where that costs less than handing over their values. */
  readonly objectText?: ObjectText

  /**
   * Whether a kept statement is planned anew for each value that this column is compared with in that way; it then costs
   * as much as it is long, each time.
   */
  readonly plansAnew?: (column: DialectColumn, by: 'equality' | 'range' | 'pattern') => boolean

  /** Whether the driver answers statements that ask for it with rows as arrays (`shared/array-rows.ts`); found out by `createApi`. */
  readonly arrayRows?: boolean

  /** Whether the select list is computed for rows that OFFSET skips. */
  readonly computesSkippedRows?: boolean

  /** True where the server takes no writes at the moment: a replica, or a server that was set read-only. */
  readonly refusesWrites?: Expression<unknown>

  /** How far a server has come in what was written; absent where it cannot be asked. */
  readonly replication?: Replication

  /** Whether `select … for update` holds rows until the transaction ends; without it transactions are serial. */
  readonly locksRows?: boolean

  /**
   * Milliseconds since 1970 by the clock of the server, the same for all processes that use it; absent where the server is
   * this process or its clock is not known.
   */
  readonly clock?: Expression<unknown>

  /** Which writes may be statements without a transaction; absent: none. `createApi` finds it out. */
  readonly loneWrites?: LoneWrites
  /** Asks for triggers and their like, of which RETURNING knows nothing. */
  readonly lookUpLoneWrites?: (
    // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
    db: Kysely<any>,
    tables: readonly DialectTable[],
  ) => Promise<LoneWrites>

  /**
   * Asks the database what must be known before the first statement (server family, collations, zoned columns) and
   * answers the refined dialect. Without `tables` nothing is known of single columns: answers stay right, but text
   * is then ordered and ranged without an index where the engine would need one of its own, and MySQL's `timestamp`
   * columns need a session in UTC.
   */
  readonly connect?: (
    // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
    db: Kysely<any>,
    tables?: readonly DialectTable[],
  ) => Promise<Dialect>

  /** Checks at start-up that the column can be served exactly; answers a sentence saying what to change, or undefined. */
  readonly refuses?: (column: DialectColumn) => string | undefined

  /** The expression to select so that `decoder` can read it exactly, whatever type parsers the user's driver has. */
  select(column: DialectColumn, ref: Expression<unknown>): Expression<unknown>
  /** Reader of one selected column: driver value → JSON form of contract §7. Called once per column, used per row. */
  decoder(column: DialectColumn): (raw: unknown) => JsonValue
  /** The JSON text of what `decode` reads, where there is a shorter way to it; the bytes are the same. */
  readonly writer?: (column: DialectColumn, decode: (raw: unknown) => JsonValue) => JsonWriter
  /**
   * A validated value → what the driver is given to store, or an expression that makes it. Takes the JSON form of
   * contract §7 and what a plan holds (bigint as bigint); `json` columns take any JsonValue; null is NULL.
   */
  encode(column: DialectColumn, value: unknown): unknown

  /**
   * `ref <operator> value` with the meaning of contract §4 and §7: code-point text, whole milliseconds, whole
   * seconds, exact decimals.
   *
   * `created__eq=2024-05-14T10:30:00Z` → `created >= '2024-05-14 10:30:00' and created < '2024-05-14 10:30:00.001'`
   *
   * A datetime or time with six digits of fraction, which only cursors hold, means that microsecond alone.
   */
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

  /** Two keys are the same value: what relations are joined on. Text by code point, and an index serves either side. */
  sameKey(
    column: DialectColumn,
    ref: Expression<unknown>,
    otherColumn: DialectColumn,
    otherRef: Expression<unknown>,
  ): Expression<SqlBool>

  /**
   * Whether a row brings a key that is among those of `rows` (what follows FROM); unknown where a key is NULL. Undefined
   * where EXISTS is better.
   *
   * `"books"."id" in (select "tags"."book_id" from …)`
   */
  readonly keysIn?: (
    lookUp: LookUp,
    keys: readonly KeyPair[],
    rows: Expression<unknown>,
  ) => Expression<SqlBool> | undefined

  /**
   * The form of a column in which equal JSON is equal and order is the contract's: what GROUP BY and DISTINCT work on.
   * Holds no bound value, so that it is the same expression wherever a statement repeats it. Select, order and
   * compare it with `{ ...column, comparable: true }`.
   */
  comparable(column: DialectColumn, ref: Expression<unknown>): Expression<unknown>

  /** An aggregate, as selected; read with `aggregateDecoder`. `sum` and `avg` select what that needs to be exact. */
  aggregate(
    fn: AggregateFunction,
    column: DialectColumn,
    ref: Expression<unknown>,
  ): Expression<unknown>
  aggregateDecoder(fn: AggregateFunction, column: DialectColumn): (raw: unknown) => JsonValue
  /**
   * An aggregate to order and compare by (HAVING); goes with the column `aggregateColumn(fn, column)`.
   *
   * `revenue__gt=100` → `compare(aggregateColumn('sum', total), aggregateComparable('sum', total, ref), 'gt', '100')`
   */
  aggregateComparable(
    fn: AggregateFunction,
    column: DialectColumn,
    ref: Expression<unknown>,
  ): Expression<unknown>

  /**
   * Calendar bucket in UTC: `year` an integer, `month` `YYYY-MM`, `day` `YYYY-MM-DD`; goes with `bucketColumn(unit)`.
   * Holds no bound value.
   */
  bucket(
    unit: 'year' | 'month' | 'day',
    column: DialectColumn,
    ref: Expression<unknown>,
  ): Expression<unknown>

  /** Classifies what the driver threw. */
  classify(error: unknown): DatabaseFailure
}
