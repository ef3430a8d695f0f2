// preparedSqlite: a better-sqlite3 database that keeps its statements, so that SQLite parses and plans them once.

import type { SqliteDatabase } from 'kysely'
import { asksForArrays, withoutMark } from './array-rows.ts'
import { recent } from './recent.ts'

/** What is used of a statement of better-sqlite3. */
export interface SqliteStatement {
  /** Whether it has rows. */
  readonly reader: boolean
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
  const kept = recent<Kept>(options.statements ?? 200)
  return {
    prepare(text) {
      const known = kept.get(text)
      if (known !== undefined) return known
      const statement = keptStatement(() => preparedAnew(database, text))
      kept.set(text, statement)
      return statement
    },
    close: () => void database.close(),
  }
}

const preparedAnew = (database: SqliteFile, text: string): SqliteStatement =>
  asksForArrays(text) ? database.prepare(withoutMark(text)).raw(true) : database.prepare(text)

type Kept = ReturnType<SqliteDatabase['prepare']>

/** A statement that is used again. What the driver's own tells of itself is asked once: that is a call into native code. */
function keptStatement(prepare: () => SqliteStatement): Kept {
  const statement = prepare()
  return {
    reader: statement.reader,
    all: (parameters) => statement.all(parameters),
    run: (parameters) => statement.run(parameters),
    // One that is being iterated over cannot be asked anything else: each time it is one of its own.
    iterate: (parameters) => prepare().iterate(parameters),
  }
}
