// InternalDialect: what the dialects of this package add to the public Dialect. Each comment says what the caller does with the member,
// and without it. Types only.

import type { DatabaseConnection, Expression, Kysely, SqlBool } from 'kysely'
import type { JsonValue } from '../lib/json/json-value.ts'
import type { Param } from '../lib/sql/param.ts'
import type { TextStyle } from '../lib/sql/print.ts'
import type { TableName } from '../lib/sql/table-name.ts'
import type {
  DialectColumn,
  DialectTable,
  DialectTableColumn,
  SearchIndex,
} from '../model/dialect-column.ts'
import type { SpecialValues } from '../model/type-definition.ts'
import type { ComparisonOperator, Dialect, PlanValue } from './dialect.ts'
import type { RelatedLookUp } from './related-look-up.ts'
import type { JsonText } from './shared/json/json-text.ts'
import type { JsonWriter } from './shared/json/json-writer.ts'
import type { ObjectText } from './shared/json/object-text.ts'
import type { Interruption } from './shared/session/interruption.ts'
import type { Replication } from './shared/session/replication.ts'
import type { SessionSettings } from './shared/session/session-settings.ts'
import type { SingleWrites } from './shared/sql/single-writes.ts'

/** Every public `Dialect` is also an `InternalDialect`, because all added members are optional. */
export interface InternalDialect extends Dialect {
  readonly server?: ServerFunctions
  readonly shortcuts?: Shortcuts
  /** The settings of a session on which statements depend; each connection is checked for them. */
  readonly sessionSettings?: SessionSettings
  /** The values of a column that do not have the usual format of its type, such as MySQL's zero dates; undefined if it has none. */
  readonly specialValues?: (column: DialectColumn) => SpecialValues | undefined
  /**
   * Whether a column may contain values that are not of its type, such as text in an integer column of SQLite. Clients can read such
   * values, but neither compare nor write them.
   */
  readonly keepsOtherForms?: (column: DialectColumn) => boolean
  /**
   * Compares like `compare`, for a filter: without the values that are not of the column's type. Order and cursors have a place for
   * these. Set if columns may contain such values.
   */
  readonly filter?: Dialect['compare']
  /**
   * Returns the function that converts a value of a row to its JSON form, as the driver returns it for the plain column; `decoder` reads
   * what `select` makes of it. It throws a TypeError for a value that does not tell the stored one. Default: `decoder`.
   */
  readonly rowDecoder?: (column: DialectColumn) => (raw: unknown) => JsonValue
  /**
   * Converts a validated value to the one with which a statement of the application compares the column, where that is not the one that
   * `encode` stores. Default: `encode`.
   */
  readonly comparand?: (column: DialectColumn, value: unknown) => unknown
  /** What a column of the database holds, if that may be less than its model says; writes refuse values that it would round or cut. */
  readonly holds?: (column: DialectColumn) => Held | undefined
  /** Tests for NULL. Default: `ref is null`. */
  readonly isNull?: (column: DialectColumn, ref: Expression<unknown>) => Expression<SqlBool>
  /**
   * Returns the database names of the columns of the constraint that an error names, which the response to a refused write names; the
   * list may also contain words that are no columns.
   */
  readonly constraintColumns?: (
    // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
    db: Kysely<any>,
    table: TableName,
    name: string,
  ) => Promise<readonly string[]>
  /**
   * Advice for a column that the database fills with values which already exist: how to advance its counter (sequence,
   * auto-increment). Without `isGenerated`, the column only has a default, which need not be a counter.
   */
  readonly counterAdvice?: (
    table: TableName,
    column: DialectTableColumn,
    isGenerated: boolean,
  ) => string
  /**
   * The lock of a SELECT for a row that a new row will refer to: the one that the foreign key constraint takes. Others who lock the row
   * FOR UPDATE wait for it. Undefined if this user of the database cannot lock rows of the table without changing what it finds.
   */
  readonly lockReferred?: (table: TableName) => Expression<unknown> | undefined
  /**
   * The lock by which a SELECT reads the newest committed rows in a transaction whose plain SELECTs read an older snapshot, while its
   * UPDATEs and DELETEs change the newest rows. Undefined if no transaction mixes the two.
   */
  readonly readNewest?: Expression<unknown>
  /**
   * The expression whose SELECT locks a name until the transaction ends: others that lock the same name wait. Without it, rules by which no
   * two records overlap lock a record to which both refer.
   */
  readonly lockOfName?: (name: string) => Expression<unknown>
  /** The constraints of the database by which no two rows of a table overlap. */
  readonly exclusionConstraints?: ExclusionConstraints
  /** True if the database does not delete a row that refers to itself, unless the reference is emptied before. */
  readonly keepsOwnReferences?: boolean
  /**
   * Expressions that find the generated key of a new row, where neither RETURNING nor the insert id tells it, because triggers store
   * the rows of a view. Undefined for a table.
   */
  readonly keysOfView?: (table: TableName, column: DialectTableColumn) => KeysOfView | undefined
  /** True if INSERT has RETURNING although Kysely's adapter reports that it has not. */
  readonly insertReturns?: boolean
  /**
   * Returns the database's default of a column, such as `uuid()`; undefined if it is not known. The service selects
   * the default before the INSERT if the key cannot be read back after it, or not assigned to one of several records.
   */
  readonly defaultOf?: (column: DialectColumn) => Expression<unknown> | undefined
  /** The key that the last INSERT of this connection generated, as text; for drivers that round the number they report. */
  readonly insertId?: Expression<unknown>
  /**
   * The column as `sameKey` compares it with values of another one, to which it refers or which refers to it: by code point, or by the
   * collation of the other one, if their collations differ.
   */
  readonly comparedWith?: <C extends DialectColumn>(column: C, other: DialectColumn) => C
  /**
   * Returns a table of keys with their numbers: a row that belongs to one of the keys tells its number, where a collation finds keys equal
   * whose texts differ. Undefined for keys that are equal only if their texts are.
   */
  readonly numberedKeys?: (
    pairs: readonly Omit<KeyPair, 'ref' | 'otherRef'>[],
  ) => ((keys: Param<readonly (readonly PlanValue[])[]>) => NumberedKeys) | undefined
  /**
   * Returns a query that selects the primary keys of the rows in which the index finds, for each of `words`, of which there
   * is at least one, a word that begins with it. Undefined if `connect` did not find the index; the search then reads the columns.
   */
  readonly foundByIndex?: (
    search: SearchIndex,
    words: readonly string[],
  ) => Expression<unknown> | undefined
  /**
   * Writes an EXISTS whose rows meet this number of conditions, more than the database takes in one. Absent if the database takes any
   * number that a request may have.
   */
  readonly existsOfMany?: (exists: Expression<SqlBool>, conditions: number) => Expression<SqlBool>
  /** How cursors read and compare sort keys. Set if columns may contain values that have no JSON form of the column's type. */
  readonly orderKey?: OrderKey
  readonly connect?: (
    // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
    db: Kysely<any>,
    tables?: readonly DialectTable[],
  ) => Promise<InternalDialect>
}

/** The constraints by which no two rows of a table overlap. `rule` is that of `DialectExclusion`. */
export interface ExclusionConstraints {
  /** Whether a constraint, checked by each statement, refuses all rows that the rule does not allow. */
  readonly enforces: (rule: object) => boolean
  /** Whether the constraint that an error names is about the columns of the rule. */
  readonly isOf: (rule: object, constraint: string) => boolean
}

/** The limits of the values that a column of the database holds, or of the items of its lists. A member that is absent or false limits nothing. */
export interface Held {
  /** Digits after the point of a number, or after the second of a datetime; negative for a number that is rounded to tens or hundreds. */
  readonly digits?: number | undefined
  /** Most significant digits of a 32-bit float that the database shows; undefined for other types. */
  readonly floatDigits?: number | undefined
  /** The length of a text in characters; beyond it, blanks at the end are cut. */
  readonly length?: number | undefined
  /** The length of a text in bytes, and the bytes of one in the encoding of the column; beyond it, blanks at the end are cut. */
  readonly bytes?: { readonly most: number; readonly of: (text: string) => number } | undefined
  /** Characters beyond the length are cut, too. */
  readonly cutsTexts?: boolean
  /** Blanks at the end of a text are lost within its length, too. */
  readonly losesBlanks?: boolean
  /** The size of a binary value; shorter ones are filled up with zeros. */
  readonly fixedBytes?: number | undefined
  /** The numbers 1 to 99 stand for years of the 20th and 21st century. */
  readonly shortYears?: boolean
  /** 0 stands for the next number of the column's counter. */
  readonly generatesForZero?: boolean
}

export interface KeysOfView {
  /** The largest key, as text; NULL without rows. */
  readonly largest: Expression<unknown>
  /** The number of keys beyond an earlier `largest`; null: the number of all keys, because there were no rows. */
  readonly countBeyond: (largest: string | null) => Expression<unknown>
}

/** How a cursor contains the sort key of a row whose value has no JSON form of its column's type, such as text in a float column. */
export interface OrderKey {
  /** Returns the expression that selects the key. Default: the dialect's `select`. */
  select?(column: DialectColumn, ref: Expression<unknown>): Expression<unknown>
  /**
   * Converts a selected, non-NULL key to the text that cursors contain, which is the same on every database; undefined if the
   * value is not of the column's type.
   */
  read?(column: DialectColumn): (raw: unknown) => string | undefined
  /** Compares the column's key with `key`, which an earlier page selected; undefined if the column cannot hold `key`. */
  compare(
    column: DialectColumn,
    ref: Expression<unknown>,
    operator: ComparisonOperator,
    key: Param,
  ): Expression<SqlBool> | undefined
}

/** Features of the server: time limits, cancelling of statements, locks, replication, warnings. */
export interface ServerFunctions {
  /** The largest number of bound values of one statement. */
  readonly maxValues?: number
  /**
   * Adds settings of single statements to the SQL of a read: the server ends it after `ms` milliseconds, if given, and sorts by what
   * cursors compare.
   */
  readonly textOfRead?: (text: string, ms: number | undefined) => string
  /** How a running statement is cancelled. Without it, its connection stays checked out until the statement ends. */
  readonly interruption?: Interruption
  /**
   * The BEGIN that immediately takes the write lock of the whole database. If another process holds the lock, BEGIN fails before
   * the transaction has done anything, and the service retries it.
   */
  readonly beginWrite?: string
  /** The statement that checks deferred constraints before COMMIT, for a transaction that will be rolled back. */
  readonly checkDeferred?: string
  /** True if the server currently refuses writes: a replica, or a server that was set to read-only. Without it, the service takes the server for writable. */
  readonly isReadOnly?: Expression<unknown>
  /** The position of a server in the replication log. */
  readonly replication?: Replication
  /** Milliseconds since 1970 by the server's clock, which all processes share. */
  readonly clock?: Expression<unknown>
  /** Warnings for `onWarning` about settings that `connect` found. */
  readonly advice?: readonly string[]
  /** Warnings for `onWarning` about a pool that `@model-api/core/drivers` does not wrap. */
  readonly poolAdvice?: (connection: DatabaseConnection) => readonly string[]
}

/** Faster ways to the same results. */
export interface Shortcuts {
  /** The quotes and placeholders with which the service prints statements itself. If it is absent, Kysely prints them. */
  readonly textStyle?: TextStyle

  /** The expression for a bound number of rows after LIMIT, if it costs the database less than a plain parameter. */
  readonly limitValue?: (count: number | Param<number>) => Expression<unknown>

  /**
   * True if sending a statement costs more than a turn of the event loop. One statement then looks up the users of all requests of
   * a turn.
   */
  readonly sharesLookUps?: boolean

  /** True if counting the total in a subquery of the page's statement costs less than a separate statement. */
  readonly countsInStatement?: boolean
  /** True if that subquery costs less for the count of a whole table, but not for a count with conditions. */
  readonly countsTablesInStatement?: boolean
  /** True if `count(*) over ()` may count the groups in their own statement. False if the database then ignores ORDER BY. */
  readonly countsGroupsByWindow?: boolean
  /** True if the database has `select distinct on (…)`, which can read an index in order; other databases number the rows. */
  readonly distinctOn?: boolean
  /**
   * True if a join of related rows that are grouped by their key reads each of them once. Other databases read the groups of the table
   * again for rows of the parent, or write them to a temporary table, which costs more than a subquery for each row.
   */
  readonly groupsRelatedRows?: boolean
  /** True if the database computes the select list also for rows that OFFSET skips. A deep page then reads its keys first. */
  readonly computesSkippedRows?: boolean

  /**
   * True if a stored statement writes its limit as a literal. PostgreSQL's generic plan for `LIMIT $n` assumes 10 % of the rows,
   * so it looks worse than each custom plan, and every execution is planned again.
   */
  readonly plansForLimit?: boolean
  /** Whether the database plans a prepared statement again for each value that it compares with the column; `by` says how it compares. */
  readonly replansForValue?: (
    column: DialectColumn,
    by: 'equality' | 'range' | 'pattern',
  ) => boolean

  /** Builds the JSON of embedded objects in the database, with exactly the service's bytes. */
  readonly jsonText?: JsonText
  /** Builds the JSON of whole objects in the database; the service checks it before use. Only for drivers with `arrayRows`, which cache statements. */
  readonly objectText?: ObjectText
  /** Returns a function that converts the driver's value directly to JSON text, with the same bytes as the JSON of the decoded value. */
  readonly writer?: (column: DialectColumn, decode: (raw: unknown) => JsonValue) => JsonWriter
  /**
   * True if the driver returns arrays for statements with the mark of `shared/values/array-rows.ts`, false if not; undefined until the
   * first connection, at which `withArrayRows` detects it.
   */
  readonly arrayRows?: boolean

  /**
   * Tests whether a row's key is among the keys of `rows`, which is the text after FROM; the result is NULL if a key is NULL.
   * Undefined if EXISTS costs less.
   *
   * `"books"."id" in (select "tags"."book_id" from …)`
   */
  readonly keysIn?: (
    lookUp: RelatedLookUp,
    keys: readonly KeyPair[],
    rows: Expression<unknown>,
  ) => Expression<SqlBool> | undefined

  /**
   * How one list holds keys of these columns: `(a, b) in (…)`. Undefined if it cannot, because a value stands for a range of stored ones,
   * or because the types of the columns are unknown. Without a list, keys of several columns are compared one by one.
   */
  readonly keyList?: (columns: readonly DialectColumn[]) => KeyList | undefined

  /** How one statement inserts many records. Without it, each record takes its own statement. */
  readonly multiRowInserts?: MultiRowInserts

  /**
   * Returns a table of bound values, one row for each record in their order, which an UPDATE or a SELECT … FOR UPDATE can join.
   * Undefined if the database type of a column is unknown, or if values from the table would be compared or stored differently from
   * parameters.
   */
  readonly valuesTable?: (columns: readonly BoundColumn[]) => ValuesTable | undefined
  /**
   * Tests whether a key of text equals `value`, a column of a `valuesTable`, as `compare` does for a parameter, by an index of the
   * column. Undefined if the database has no such test for the column.
   */
  readonly equalsValue?: (
    column: DialectColumn,
    ref: Expression<unknown>,
    value: Expression<unknown>,
  ) => Expression<SqlBool> | undefined
  /**
   * True if CASE returns a column's value unchanged, so that an UPDATE with a `valuesTable` may set a column in some of its rows and
   * keep it in the others.
   */
  readonly keepsByCase?: boolean

  /**
   * True if FOR UPDATE locks only the rows that it finds and no gaps between them, so that a look-up may include the keys of records
   * that do not exist yet.
   */
  readonly locksFoundRowsOnly?: boolean

  /**
   * The lock of a SELECT for a change of columns that no foreign key can refer to. Unlike FOR UPDATE, it lets others insert rows that
   * refer to the locked one.
   */
  readonly lockBesidesKeys?: Expression<unknown>

  /** True if an UPDATE may read any table in a subquery. MySQL refuses its own table, also through a view. */
  readonly updatesReadAnyTable?: boolean

  /**
   * Whether an UPDATE that joins a `valuesTable` finds at most one record of the table for each value of this column, locks the
   * records in the order of the values, tells how many it has found, and is undone by ROLLBACK. A list of changes then needs no look-up.
   */
  readonly orderedUpdates?: OrderedUpdates
  /** Finds the tables and columns for `orderedUpdates`. */
  readonly lookUpOrderedUpdates?: (
    // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
    db: Kysely<any>,
    tables: readonly DialectTable[],
  ) => Promise<OrderedUpdates>

  /** False if each step of a write has statements of its own (`write/fusion`); tests compare both. Default: true. */
  readonly fusesWrites?: boolean

  /** Which writes can be a single statement without a transaction; detected at the first connection. */
  readonly singleWrites?: SingleWrites
  /** Finds the tables for `singleWrites`: looks for triggers, rules and similar objects, whose changes RETURNING does not return. */
  readonly lookUpSingleWrites?: (
    // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
    db: Kysely<any>,
    tables: readonly DialectTable[],
  ) => Promise<SingleWrites>
}

/** A condition for any number of keys. */
export interface KeyList {
  /** A list costs less than comparing more groups than this, of keys that differ in one column. */
  readonly mostGroups: number
  /** Tests whether a row has one of the keys, by an index of the columns, as `compare` tests each of their values. */
  readonly test: (
    refs: readonly Expression<unknown>[],
    keys: Param<readonly (readonly PlanValue[])[]>,
  ) => Expression<SqlBool>
}

/** Keys of `otherColumn`s as the rows of a table. */
export interface NumberedKeys {
  /** What follows FROM. */
  readonly table: Expression<unknown>
  /** The place of the key in the list; the first one has the number 1. */
  readonly number: Expression<unknown>
  /** The parts of the key. They have the types and collations of their columns, as `sameKey` compares them. */
  readonly refs: readonly Expression<unknown>[]
}

/** The function `orderedUpdates` of the shortcuts; `column` is a name in the database. */
export type OrderedUpdates = (table: TableName, column: string) => boolean

/** A column with one value for each row. The values are results of `encode`; some may be expressions. */
export interface BoundColumn {
  /** Null for a column of flags, 1 or 0: whether an UPDATE sets another column in this row (`keepsByCase`). */
  readonly column: DialectColumn | null
  readonly values: readonly unknown[]
  /** Whether the values are compared with the column, rather than stored in it. */
  readonly isKey?: boolean
}

/** A table of bound values. */
export interface ValuesTable {
  /** What follows FROM. */
  readonly table: Expression<unknown>
  /** The columns, in their order. */
  readonly refs: readonly Expression<unknown>[]
  /** How UPDATE joins it: `update t set … from v where …`, or `update v straight_join t on … set …`. */
  readonly joinedBy: 'from' | 'join'
}

/** The properties of the database on which inserts of many records in one statement rely. */
export interface MultiRowInserts {
  /**
   * The value that a row gets in a column which it omits but other rows of the statement have: DEFAULT, or NULL if that is the
   * column's default. Undefined if the database has neither; the row then needs another statement.
   */
  readonly omitted: (column: DialectColumn) => Expression<unknown> | undefined
  /**
   * How the service learns the generated keys. From RETURNING, which lists them in any order, or from the driver's insert id: the
   * keys start there and increase by `step`.
   */
  readonly generatedKeys: { readonly by: 'returning' } | InsertId
  /**
   * A table with this number of rows, so that one SELECT returns as many values of a default (`defaultOf`). Without it, records whose
   * keys are such values are inserted one by one.
   */
  readonly series?: (rows: number) => Expression<unknown>
  /** True if INSERT … SELECT from `valuesTable` costs less than INSERT … VALUES. It numbers the records in the same order. */
  readonly selectsValues?: boolean
}

interface InsertId {
  readonly by: 'insert id'
  /** By how much the key of each row exceeds that of the row before. */
  readonly step: Expression<unknown>
}

/** Two columns that contain the same key: `column` is in the table that is searched, `otherColumn` in the row whose key is searched for. */
export interface KeyPair {
  readonly column: DialectColumn
  readonly ref: Expression<unknown>
  readonly otherColumn: DialectColumn
  readonly otherRef: Expression<unknown>
}
