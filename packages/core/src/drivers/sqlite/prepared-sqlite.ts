// preparedSqlite: a better-sqlite3 database that caches prepared statements, so that SQLite parses and plans them once.

import type { SqliteDatabase } from 'kysely'
import { asksForArrays, withoutArrayMark } from '../../dialect/shared/values/array-rows.ts'
import { lruMap } from '../../lib/lru-map.ts'

/** The part of a better-sqlite3 statement that this file uses. */
export interface SqliteStatement {
  /** Whether it returns rows. */
  readonly reader: boolean
  /** Whether rows are arrays. */
  raw(arrays: boolean): SqliteStatement
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
  all(...parameters: any[]): unknown[]
  /** Returns the first row, without stepping to the next one. */
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
  get(...parameters: any[]): unknown
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
  run(...parameters: any[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
  iterate(...parameters: any[]): IterableIterator<unknown>
}

/** The part of a better-sqlite3 database that this file uses. */
export interface SqliteFile {
  prepare(text: string): SqliteStatement
  close(): unknown
}

export interface SqliteOptions {
  /** Maximum number of statements in the cache; the least recently used one is dropped first. Default 200. */
  readonly statements?: number
}

/**
 * Wraps a database for Kysely's SqliteDialect. SQLite prepares a cached statement again by itself when a table has changed.
 *
 * ```ts
 * const database = new Sqlite('library.sqlite')
 * const db = new Kysely({ dialect: new SqliteDialect({ database: preparedSqlite(database) }) })
 * ```
 */
export function preparedSqlite(database: SqliteFile, options: SqliteOptions = {}): SqliteDatabase {
  const cached = lruMap<CachedStatement>(options.statements ?? 200)
  return {
    prepare(text) {
      const known = cached.get(text)
      if (known !== undefined) return known
      const statement = reusableStatement(() => prepareStatement(database, text), isSingle(text))
      // SQLite does not prepare EXPLAIN again when a table has changed: executing it then may end the process (SQLite 3.54).
      if (!isExplain.test(text)) cached.set(text, statement)
      return statement
    },
    close: () => void database.close(),
  }
}

const isExplain = /^\s*explain\b/i

const prepareStatement = (database: SqliteFile, text: string): SqliteStatement =>
  asksForArrays(text) ? database.prepare(withoutArrayMark(text)).raw(true) : database.prepare(text)

/** Whether a read of the service returns at most one row. */
const isSingle = (text: string): boolean =>
  asksForArrays(text) && withoutArrayMark(text).startsWith('select ') && text.endsWith(' limit 1')

type CachedStatement = ReturnType<SqliteDatabase['prepare']>

/** Makes a statement for repeated use. Reads `reader` once, because each access is a call into native code. */
function reusableStatement(prepare: () => SqliteStatement, isSingle: boolean): CachedStatement {
  const statement = prepare()
  const allOfSingle = (parameters: readonly unknown[]): unknown[] => {
    const row = statement.get(parameters)
    return row === undefined ? [] : [row]
  }
  return {
    reader: statement.reader,
    all: isSingle ? allOfSingle : (parameters) => statement.all(parameters),
    run: (parameters) => statement.run(parameters),
    // A statement cannot be used for anything else during an iteration, so each iteration gets its own.
    iterate: (parameters) => prepare().iterate(parameters),
  }
}
