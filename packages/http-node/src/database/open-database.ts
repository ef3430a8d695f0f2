// openDatabase: a URL or a file → a Kysely instance with the limits a service needs.

import type { Kysely } from 'kysely'
import { openMysql } from './mysql.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'
import { readTarget } from './target.ts'

export interface OpenOptions {
  /** Milliseconds until the server stops a statement. Default 5 000. SQLite has no such limit. */
  readonly statementTimeout?: number
  /** Milliseconds to wait for a connection. Default 5 000. SQLite has one, and locks are waited for by the API. */
  readonly connectionTimeout?: number
  /** Most connections at once. Default 10. SQLite has one. */
  readonly connections?: number
  /** Refuse every write, as the database itself does it. Default false. */
  readonly readOnly?: boolean
  /**
   * Keep statements prepared, on PostgreSQL, MariaDB and SQLite. Default true; false for a pooler that gives each
   * transaction another connection.
   */
  readonly prepared?: boolean
  /** Told when a SQLite file was removed or replaced. Default: `console.warn`. */
  readonly onWarning?: (message: string) => void
  /**
   * On a node of a Galera cluster, have each read wait until the node has applied what the cluster had committed when
   * the read began (`wsrep_sync_wait`), so that what was written at one node is read at another. Default false; MariaDB only.
   */
  readonly causalReads?: boolean
}

export interface OpenDatabase {
  // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
  readonly db: Kysely<any>
  /** What was opened, without a password: `postgres://ann@localhost/library`. */
  readonly name: string
  /** Ends every connection; a second call waits for the first. */
  close(): Promise<void>
}

/** What the drivers' openers are told. */
export type Limits = Required<OpenOptions>

/**
 * Opens a database by URL or file name. The driver (`better-sqlite3`, `pg` or `mysql2`) is loaded when it is needed.
 *
 * A URL may name several hosts, `postgres://ann@first,second:5433/library`: connections are opened to the one that takes writes,
 * and to the next one when that fails. It connects with the first statement, except that a file is opened at once.
 *
 * ```ts
 * const { db, close } = await openDatabase('postgres://ann@localhost/library')
 * const { models } = await introspect(db)
 * ```
 */
export async function openDatabase(
  target: string,
  options: OpenOptions = {},
): Promise<OpenDatabase> {
  const limits: Limits = {
    statementTimeout: options.statementTimeout ?? 5_000,
    connectionTimeout: options.connectionTimeout ?? 5_000,
    connections: options.connections ?? 10,
    readOnly: options.readOnly ?? false,
    prepared: options.prepared ?? true,
    onWarning: options.onWarning ?? ((message) => console.warn(message)),
    causalReads: options.causalReads ?? false,
  }
  const { kind, locations, name } = readTarget(target)
  if (limits.causalReads && kind !== 'mysql') {
    throw new Error(`causalReads is for nodes of a Galera cluster, and ${name} is none.`)
  }
  const open = { sqlite: openSqlite, postgres: openPostgres, mysql: openMysql }[kind]
  const db = await open(locations, limits)
  let closed: Promise<void> | undefined
  return {
    db,
    name,
    close: () => {
      closed ??= db.destroy()
      return closed
    },
  }
}
