// preparedSqlite: a better-sqlite3 database that keeps its statements, so that SQLite parses and plans them once.

import type { SqliteDatabase } from 'kysely'
import { lruMap } from '../../lru-map.ts'
import { asksForArrays, withoutMark } from '../shared/array-rows.ts'

/** What is used of a statement of better-sqlite3. */
export interface SqliteStatement {
  /** Whether it has rows. */
  readonly reader: boolean
  /** Turns rows into arrays. */
  raw(arrays: boolean): SqliteStatement
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
  all(...parameters: any[]): unknown[]
  /** The first row; it does not look for others. */
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
  get(...parameters: any[]): unknown
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
  const kept = lruMap<Kept>(options.statements ?? 200)
  return {
    prepare(text) {
      const known = kept.get(text)
      if (known !== undefined) return known
      const statement = keptStatement(() => preparedAnew(database, text), isSingle(text))
      kept.set(text, statement)
      return statement
    },
    close: () => void database.close(),
  }
}

const preparedAnew = (database: SqliteFile, text: string): SqliteStatement =>
  asksForArrays(text) ? database.prepare(withoutMark(text)).raw(true) : database.prepare(text)

/** Whether one of our reads can have one row at most. */
const isSingle = (text: string): boolean =>
  asksForArrays(text) && withoutMark(text).startsWith('select ') && text.endsWith(' limit 1')

type Kept = ReturnType<SqliteDatabase['prepare']>

/** A statement that is used again. What the driver's own tells of itself is asked once: that is a call into native code. */
function keptStatement(prepare: () => SqliteStatement, isSingle: boolean): Kept {
  const statement = prepare()
  const one = (parameters: readonly unknown[]): unknown[] => {
    const row = statement.get(parameters)
    return row === undefined ? [] : [row]
  }
  return {
    reader: statement.reader,
    all: isSingle ? one : (parameters) => statement.all(parameters),
    run: (parameters) => statement.run(parameters),
    // One that is being iterated over cannot be asked anything else: each time it is one of its own.
    iterate: (parameters) => prepare().iterate(parameters),
  }
}
