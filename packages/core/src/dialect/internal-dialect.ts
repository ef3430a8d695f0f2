// InternalDialect: what the dialects of this package add to the public Dialect; the same answers come without any of it. Types only.

import type { DatabaseConnection, Expression, Kysely, SqlBool } from 'kysely'
import type { JsonValue } from '../json/json-value.ts'
import type { SpecialValues } from '../model/type-rules.ts'
import type { LookUp } from '../plan/plan.ts'
import type { TextStyle } from '../sql/print.ts'
import type { TableName } from '../sql/table-name.ts'
import type {
  ComparisonOperator,
  Dialect,
  DialectColumn,
  DialectTable,
  DialectTableColumn,
  SearchIndex,
} from './dialect.ts'
import type { Interruption } from './shared/interruption.ts'
import type { JsonText } from './shared/json-text.ts'
import type { JsonWriter } from './shared/json-writer.ts'
import type { ObjectText } from './shared/object-text.ts'
import type { Replication } from './shared/replication.ts'
import type { SingleWrites } from './shared/writes.ts'

/** Every `Dialect` is one, without server functions and shortcuts. */
export interface InternalDialect extends Dialect {
  readonly server?: ServerFunctions
  readonly shortcuts?: Shortcuts
  /** The values that a column may hold besides those of the usual form of its type. */
  readonly specialValues?: (column: DialectColumn) => SpecialValues | undefined
  /** Whether a column may hold values that are none of its type and can be read, but neither compared nor written. */
  readonly keepsOtherForms?: (column: DialectColumn) => boolean
  /** Default: `ref is null`. */
  readonly isNull?: (column: DialectColumn, ref: Expression<unknown>) => Expression<SqlBool>
  /** Columns of the constraint that an error names, by database names; other words may be among them. */
  readonly constraintColumns?: (
    // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
    db: Kysely<any>,
    table: TableName,
    name: string,
  ) => Promise<readonly string[]>
  /** How to set the counter of a column forward that gives keys which are taken. */
  readonly counterAdvice?: (table: TableName, column: DialectTableColumn) => string
  /** INSERT has RETURNING, though Kysely's adapter does not say so. */
  readonly insertReturns?: boolean
  /** What the database's own default gives; for keys that no other way tells. Undefined if it is not known. */
  readonly defaultOf?: (column: DialectColumn) => Expression<unknown> | undefined
  /** The key that this connection's last INSERT was given, as text; for drivers that round the number they report. */
  readonly insertId?: Expression<unknown>
  /**
   * The query of the keys of the rows in which the index finds every word; at least one is given. Undefined where `connect`
   * did not find the index: the search then reads the columns.
   */
  readonly foundByIndex?: (
    search: SearchIndex,
    words: readonly string[],
  ) => Expression<unknown> | undefined
  /** For databases whose columns may hold values that have no JSON form of their type. */
  readonly orderKey?: OrderKey
  readonly connect?: (
    // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
    db: Kysely<any>,
    tables?: readonly DialectTable[],
  ) => Promise<InternalDialect>
}

/** What ORDER BY compares, for cursors at a value that has no JSON form of its column's type. */
export interface OrderKey {
  /** Default: what the dialect selects of the column. */
  select?(column: DialectColumn, ref: Expression<unknown>): Expression<unknown>
  /** Reads a selected key that is not NULL as the text that cursors of every database hold; undefined if it is none. */
  read?(column: DialectColumn): (raw: unknown) => string | undefined
  /** Compares the key with one that was selected; undefined if the column cannot hold it. */
  compare(
    column: DialectColumn,
    ref: Expression<unknown>,
    operator: ComparisonOperator,
    key: unknown,
  ): Expression<SqlBool> | undefined
}

/** How servers of this database are operated: time limits, interruption, locks, replication, warnings. */
export interface ServerFunctions {
  /** The text of a read that the server ends after `ms` milliseconds, where the statement itself can say so. */
  readonly timeLimited?: (text: string, ms: number) => string
  /** How a running statement is cancelled. Without it, its connection stays checked out until the statement ends. */
  readonly interruption?: Interruption
  /**
   * The BEGIN that takes the write lock of the whole database at once. While another process holds that lock, the
   * transaction has done nothing, and is begun again.
   */
  readonly beginWrite?: string
  /** Checks the constraints that are deferred to COMMIT, for a transaction that will not commit. */
  readonly checkDeferred?: string
  /** True where the server takes no writes at the moment: a replica, or a server that was set read-only. */
  readonly isReadOnly?: Expression<unknown>
  /** How far a server has come in the log of changes. */
  readonly replication?: Replication
  /** Milliseconds since 1970 by the server's clock, the same for all processes that use it. */
  readonly clock?: Expression<unknown>
  /** Sentences for `onWarning` about what `connect` found. */
  readonly advice?: readonly string[]
  /** Sentences for `onWarning` about a pool without a wrapper of `@model-api/core/prepared`. */
  readonly poolAdvice?: (connection: DatabaseConnection) => readonly string[]
}

/** Faster ways to the same answers. */
export interface Shortcuts {
  /** How the service prints statements itself; Kysely prints them where this is missing. */
  readonly textStyle?: TextStyle

  /** A bound number of rows in LIMIT, where the plain bound value costs the database more. */
  readonly limitValue?: (count: number) => Expression<unknown>

  /** A list's total costs less as a subquery of the page's statement than as a statement of its own. */
  readonly countsInStatement?: boolean
  /** The same, for the total of a whole table only. */
  readonly countsTablesInStatement?: boolean
  /** Groups may be counted by `count(*) over ()` in their own statement, which keeps their order. */
  readonly countsGroupsByWindow?: boolean
  /** The database computes the select list for rows that OFFSET skips, so a deep page reads its keys first. */
  readonly computesSkippedRows?: boolean

  /**
   * A cached statement writes its limit as a literal. PostgreSQL's generic plan for `LIMIT $n` assumes 10 % of the rows,
   * so it looks worse than each custom plan, and every execution is planned again.
   */
  readonly plansForLimit?: boolean
  /** The database plans a prepared statement again for each value that is compared with the column in this way. */
  readonly replansForValue?: (
    column: DialectColumn,
    by: 'equality' | 'range' | 'pattern',
  ) => boolean

  /** The database builds the JSON of embedded objects, in exactly the service's bytes. */
  readonly jsonText?: JsonText
  /** The database builds the JSON of whole objects, which the service checks before use. */
  readonly objectText?: ObjectText
  /** The JSON text of what `decode` reads, without the value in between; the same bytes. */
  readonly writer?: (column: DialectColumn, decode: (raw: unknown) => JsonValue) => JsonWriter
  /** The driver returns rows as arrays to statements that ask for them (`shared/array-rows.ts`); found out at the first connection. */
  readonly arrayRows?: boolean

  /**
   * Whether a row's key is among those of `rows` (what follows FROM); unknown where a key is NULL. Undefined where EXISTS
   * costs less.
   *
   * `"books"."id" in (select "tags"."book_id" from …)`
   */
  readonly keysIn?: (
    lookUp: LookUp,
    keys: readonly KeyPair[],
    rows: Expression<unknown>,
  ) => Expression<SqlBool> | undefined

  /** How one statement inserts many records. Without it, each record is a statement. */
  readonly multiRowInserts?: MultiRowInserts

  /**
   * Rows of bound values as a table that an UPDATE joins by FROM, in their order; undefined where the type of a column is not
   * known, or the values of two rows would not be compared as the columns are.
   */
  readonly valuesTable?: (columns: readonly BoundColumn[]) => ValuesTable | undefined

  /** FOR UPDATE locks the rows that it finds, not the places of others, so that the keys of new records may be among those it looks for. */
  readonly locksFoundRowsOnly?: boolean

  /** Which writes may be one statement without a transaction; found out at the first connection. */
  readonly singleWrites?: SingleWrites
  /** Looks for triggers, rules and their like, which RETURNING does not show. */
  readonly lookUpSingleWrites?: (
    // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
    db: Kysely<any>,
    tables: readonly DialectTable[],
  ) => Promise<SingleWrites>
}

/** The bound values of a column, one of each row. */
export interface BoundColumn {
  readonly column: DialectColumn
  readonly values: readonly unknown[]
}

/** A table of bound values. */
export interface ValuesTable {
  /** What follows FROM. */
  readonly table: Expression<unknown>
  /** The columns, in their order. */
  readonly refs: readonly Expression<unknown>[]
}

/** What the service relies on where one statement inserts many records. */
export interface MultiRowInserts {
  /**
   * What a row says for a column of the statement that it leaves to the database: DEFAULT, or NULL where that is the default.
   * Undefined where it can say nothing, so that it does not fit into the statement.
   */
  readonly omitted: (column: DialectColumn) => Expression<unknown> | undefined
  /**
   * How the keys of a counter become known: RETURNING gives them in the order of the records or in any other, or they
   * follow the driver's insert id, each by `step` more than the one before.
   */
  readonly counter: { readonly by: 'returning' } | InsertId
  /** INSERT … SELECT from `valuesTable` costs less than INSERT … VALUES, and numbers the records in the same order. */
  readonly selectsValues?: boolean
}

interface InsertId {
  readonly by: 'insert id'
  readonly step: Expression<unknown>
}

/** Two columns that hold the same key: the one that is looked up, and the one that a row brings. */
export interface KeyPair {
  readonly column: DialectColumn
  readonly ref: Expression<unknown>
  readonly otherColumn: DialectColumn
  readonly otherRef: Expression<unknown>
}
