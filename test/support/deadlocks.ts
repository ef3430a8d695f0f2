/** Causes deadlocks in which the server always ends the transaction of the code under test. */
import { Kysely, PostgresDialect, sql } from 'kysely'
import type { TestDatabase } from './databases.ts'

export interface Opponent {
  /** The connections whose transactions the server ends: those for the code under test. */
  // biome-ignore lint/suspicious/noExplicitAny: any tables
  readonly victims: Kysely<any>
  /**
   * Begins a transaction that locks the record of `held` and then waits for the record of `wanted`, which the caller has locked.
   * When the caller asks for the record of `held`, the server ends the caller's transaction. Then this transaction is rolled back,
   * and `over` settles.
   */
  meet(held: string, wanted: string): Promise<{ readonly over: Promise<void> }>
  close(): Promise<void>
}

/** `held` and `wanted` are UPDATE statements of one record each. Only for PostgreSQL, MySQL and MariaDB. */
export async function deadlockOpponent(db: TestDatabase): Promise<Opponent> {
  return db.name === 'postgres' ? postgresOpponent(db) : mysqlOpponent(db)
}

/**
 * PostgreSQL: a transaction checks for a deadlock when it has waited for a lock longer than its deadlock_timeout. The server ends
 * the transaction that finds the deadlock.
 */
async function postgresOpponent(db: TestDatabase): Promise<Opponent> {
  const { default: pg } = await import('pg')
  const connection = (timeout: string) => ({
    connectionString: db.url,
    options: `-c deadlock_timeout=${timeout}`,
  })
  const pool = new pg.Pool({ ...connection('10ms'), max: 2 })
  pool.on('error', () => {})
  const victims = new Kysely({ dialect: new PostgresDialect({ pool }) })
  const client = new pg.Client(connection('60s'))
  await client.connect()
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const waits = async (): Promise<boolean> => {
    const found = await sql`select 1 from pg_stat_activity
      where pid = ${rows[0].pid} and wait_event_type = 'Lock'`.execute(db.kysely)
    return found.rows.length > 0
  }
  return {
    victims,
    async meet(held, wanted) {
      await client.query('begin')
      await client.query(held)
      const over = client.query(wanted).finally(() => client.query('rollback'))
      // The caller checks for a deadlock only once, so the deadlock must exist by then.
      for (let i = 0; i < 1000 && !(await waits()); i++) await sleep(5)
      return { over: over.then(() => {}) }
    },
    async close() {
      await client.end()
      await victims.destroy()
    },
  }
}

/** InnoDB checks for a deadlock at every wait, and ends the transaction that has changed fewer rows. */
async function mysqlOpponent(db: TestDatabase): Promise<Opponent> {
  const { createConnection } = await import('mysql2/promise')
  const connection = await createConnection({ uri: db.url ?? '' })
  await connection.query('create table weight (number int primary key)')
  const numbers = Array.from({ length: 200 }, (_, i) => `(${i})`)
  return {
    victims: db.kysely,
    async meet(held, wanted) {
      await connection.query('begin')
      await connection.query(`insert into weight values ${numbers.join(', ')}`)
      await connection.query(held)
      const over = connection.query(wanted).finally(() => connection.query('rollback'))
      return { over: over.then(() => {}) }
    },
    async close() {
      await connection.query('drop table weight')
      await connection.end()
    },
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
