// preparedSqlite: a better-sqlite3 database that keeps its statements, so that SQLite parses and plans them once.

import type { SqliteDatabase } from 'kysely'
import { asksForArrays, withoutMark } from './array-rows.ts'
import { recent } from './recent.ts'

/** What is used of a statement of better-sqlite3. */
export interface SqliteStatement {
  readonly reader: boolean
  /** Whether somebody is iterating over its rows. */
  readonly busy: boolean
  /** Turns rows into arrays. */
  raw(arrays: boolean): SqliteStatement
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
  all(...parameters: any[]): unknown[]
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
  run(...parameters: any[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
  iterate(...parameters: any[]): IterableIterator<unknown>
}

/** What is used of a database of better-sqlite3. */
export interface SqliteFile {
  prepare(text: string): SqliteStatement
  close(): unknown
}

export interface SqliteOptions {
  /** Most statements that are kept. Default 200. */
  readonly statements?: number
}

/**
 * Wraps a database for Kysely's SqliteDialect. SQLite itself prepares a kept statement again when a table has changed.
 *
 * ```ts
 * const database = new Sqlite('library.sqlite')
 * const db = new Kysely({ dialect: new SqliteDialect({ database: preparedSqlite(database) }) })
 * ```
 */
export function preparedSqlite(database: SqliteFile, options: SqliteOptions = {}): SqliteDatabase {
  const kept = recent<SqliteStatement>(options.statements ?? 200)
  return {
    prepare(text) {
      const known = kept.get(text)
      // One that is being iterated over cannot be asked anything else.
      if (known !== undefined && !known.busy) return known
      const statement = asksForArrays(text)
        ? database.prepare(withoutMark(text)).raw(true)
        : database.prepare(text)
      if (known === undefined) kept.set(text, statement)
      return statement
    },
    close: () => void database.close(),
  }
}
