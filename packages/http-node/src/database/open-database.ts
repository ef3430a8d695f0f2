// openDatabase: opens a Kysely instance by URL or file name, with time limits and a bounded pool.

import type { Kysely } from 'kysely'
import { readTarget } from './locations.ts'
import { openMysql } from './mysql.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'

export interface OpenOptions {
  /** Milliseconds after which the server cancels a statement. Default 5 000. SQLite has no such limit. */
  readonly statementTimeout?: number
  /** Milliseconds to wait for a connection. Default 5 000. SQLite has one connection, and the API itself waits for locks. */
  readonly connectionTimeout?: number
  /** Maximum number of connections. Default 10. SQLite has one. */
  readonly connections?: number
  /** Open read-only connections. Default false. */
  readonly readOnly?: boolean
  /**
   * On PostgreSQL, prepare repeated statements on the server, under names. Default true; set false for a pooler in transaction mode.
   * There, `statementTimeout` and `readOnly` do not hold, and change what other clients of the pooler get, because they set up a session.
   */
  readonly prepared?: boolean
  /** Called when a SQLite file was removed or replaced. Default: `console.warn`. */
  readonly onWarning?: (message: string) => void
  /**
   * On a Galera cluster, each read waits until its node has applied everything committed before the read began
   * (`wsrep_sync_wait`), so that a write on one node is visible on another. Default false; MariaDB only.
   */
  readonly causalReads?: boolean
}

export interface OpenDatabase {
  // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
  readonly db: Kysely<any>
  /** The target without password: `postgres://ann@localhost/library`. */
  readonly name: string
  /** Closes all connections; a second call returns the same promise. */
  close(): Promise<void>
}

/** The options with all defaults. */
export type Limits = Required<OpenOptions>

/**
 * Opens a database by URL or file name. The driver (`better-sqlite3`, `pg` or `mysql2`) is imported on demand.
 *
 * A URL may name several hosts, `postgres://ann@first,second:5433/library`: connections go to the host that accepts writes,
 * and to the next one when it fails. Connections are opened with the first statement; a file is opened immediately.
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
    throw new Error(`causalReads is for nodes of a Galera cluster, which ${name} is not.`)
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
