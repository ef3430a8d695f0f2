/** The connections and transactions that a MySQL or MariaDB server lists. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { AnyKysely } from './faults.ts'

export interface MysqlConnection {
  readonly id: number
  readonly user: string
  /** The name of its database. */
  readonly database: string | null
  /** The statement that runs. */
  readonly statement: string | null
}

export interface MysqlTransaction {
  /** The number of its connection. */
  readonly id: number
  readonly waitsForLock: boolean
}

/**
 * Lists the connections. A read of `information_schema.processlist` would fail on MySQL 9.7 with error 3854 while any
 * connection runs a statement with a character of four bytes in UTF-8.
 */
export const listConnections = 'show full processlist'

export async function mysqlConnections(db: AnyKysely): Promise<readonly MysqlConnection[]> {
  const { rows } = await sql<Record<string, unknown>>`${sql.raw(listConnections)}`.execute(db)
  return rows.map(readConnection)
}

/** Reads a row of `listConnections`. */
export function readConnection(row: Readonly<Record<string, unknown>>): MysqlConnection {
  const { Id, User, db: database, Info } = row
  return {
    id: Number(Id),
    user: String(User),
    database: textOrNull(database),
    statement: textOrNull(Info),
  }
}

function textOrNull(value: unknown): string | null {
  return value === null ? null : String(value)
}

/** The transactions of InnoDB in one database. */
export async function mysqlTransactions(
  db: AnyKysely,
  database: string,
): Promise<readonly MysqlTransaction[]> {
  const transactions = await innodbTransactions(db)
  if (transactions.length === 0) return []
  const connections = await mysqlConnections(db)
  const ids = new Set(connections.filter((one) => one.database === database).map(({ id }) => id))
  return transactions.filter(({ id }) => ids.has(id))
}

/** Reads again after error 3854, which MySQL 9.7 answers as above; MySQL and MariaDB share no other list. */
async function innodbTransactions(db: AnyKysely): Promise<readonly MysqlTransaction[]> {
  for (;;) {
    try {
      const { rows } = await sql<{ id: number; state: string }>`
        select trx_mysql_thread_id as id, trx_state as state
        from information_schema.innodb_trx`.execute(db)
      return rows.map(({ id, state }) => ({ id: Number(id), waitsForLock: state === 'LOCK WAIT' }))
    } catch (error) {
      if ((error as { errno?: unknown }).errno !== 3854) throw error
      await sleep(20)
    }
  }
}
