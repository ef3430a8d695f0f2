/** Measures the work of the database for a request: the rows and statements that the database counts, or CPU time. */
import type { Api } from '@model-api/core'
import { guardedMysql, preparedPg } from '@model-api/core/drivers'
import { Kysely, MysqlDialect, PostgresDialect, sql } from 'kysely'
import type { TestDatabase } from './databases.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tables are the test's
type MakeApi = (kysely: Kysely<any>) => Api

export interface Meter {
  readonly api: Api
  /** The work of the database for a request, in a unit that depends on the database. */
  cost(ask: () => Promise<unknown>): Promise<number>
  /** A smaller difference does not count as growth. */
  readonly floor: number
  close(): Promise<void>
}

/** PostgreSQL: the statements, and the rows that the nodes of their plans return and discard. */
async function postgresMeter(url: string, apiOn: MakeApi): Promise<Meter> {
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  pool.on('error', () => {})
  let rows = 0
  pool.on('connect', (client) => {
    client.on('notice', ({ message = '' }) => {
      const at = message.indexOf('{')
      if (message.startsWith('duration:') && at >= 0)
        rows += 1 + rowsOf(JSON.parse(message.slice(at)).Plan)
    })
    client.query(
      "load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_analyze = on; set auto_explain.log_timing = off; " +
        'set auto_explain.log_format = json; set auto_explain.log_level = notice; set auto_explain.log_nested_statements = on; set jit = off',
    )
  })
  const kysely = new Kysely<Record<string, never>>({
    dialect: new PostgresDialect({ pool: preparedPg(pool as never) }),
  })
  return {
    api: apiOn(kysely),
    floor: 200,
    async cost(ask) {
      rows = 0
      await ask()
      return rows
    },
    close: () => kysely.destroy(),
  }
}

interface PlanNode {
  readonly Plans?: readonly PlanNode[]
  readonly [key: string]: unknown
}

function rowsOf(node: PlanNode): number {
  const counted = [
    'Actual Rows',
    'Rows Removed by Filter',
    'Rows Removed by Join Filter',
    'Rows Removed by Index Recheck',
  ]
  const own =
    counted.reduce((sum, one) => sum + Number(node[one] ?? 0), 0) *
    Number(node['Actual Loops'] ?? 1)
  return (node.Plans ?? []).reduce((sum, below) => sum + rowsOf(below), own)
}

/** MySQL and MariaDB: the statements, and the rows that the server reads from storage, temporary tables included. */
async function mysqlMeter(url: string, apiOn: MakeApi): Promise<Meter> {
  const { createPool } = await import('mysql2')
  const kysely = new Kysely<Record<string, never>>({
    dialect: new MysqlDialect({
      pool: guardedMysql(createPool({ uri: url, connectionLimit: 1 })),
    }),
  })
  const handled = async (): Promise<number> => {
    const { rows } = await sql<{
      Value: unknown
    }>`show session status where Variable_name like 'Handler_read%' or Variable_name = 'Questions'`.execute(
      kysely,
    )
    return rows.reduce((sum, { Value }) => sum + Number(Value), 0)
  }
  return {
    api: apiOn(kysely),
    floor: 400,
    async cost(ask) {
      const before = await handled()
      await ask()
      return (await handled()) - before
    },
    close: () => kysely.destroy(),
  }
}

const cpuMilliseconds = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** SQLite: milliseconds of CPU, because it has no counters that could be read. */
const sqliteMeter = (db: TestDatabase, apiOn: MakeApi): Meter => ({
  api: apiOn(db.kysely),
  floor: 10,
  async cost(ask) {
    const before = cpuMilliseconds()
    await ask()
    return cpuMilliseconds() - before
  },
  close: async () => {},
})

/** Measures the requests of an API, which `apiOn` creates on the connection of the meter. */
export async function meterOf(db: TestDatabase, apiOn: MakeApi): Promise<Meter> {
  if (db.name === 'postgres') return postgresMeter(db.url ?? '', apiOn)
  return db.name === 'mysql' ? mysqlMeter(db.url ?? '', apiOn) : sqliteMeter(db, apiOn)
}
