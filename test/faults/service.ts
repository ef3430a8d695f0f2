/** The service under fault, a process of its own: `service.ts <port> <pool> <database>`; `pool` is ours or the host's. */
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, openDatabase } from '@model-api/http-node'
import Database from 'better-sqlite3'
import { Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely'
import mysql from 'mysql2'
import pg from 'pg'
import { apiOf, statementTimeout } from './world.ts'

const [port = '0', pool = 'ours', database = ''] = process.argv.slice(2)

/** As the documentation tells hosts to open a database of their own. */
function openAsHost(url: string): { db: Kysely<unknown>; close: () => Promise<void> } {
  const db = new Kysely<unknown>({ dialect: hostDialect(url) })
  return { db, close: () => db.destroy() }
}

function hostDialect(url: string) {
  if (url.startsWith('postgres:')) {
    const connections = new pg.Pool({
      connectionString: url,
      max: 10,
      connectionTimeoutMillis: 5_000,
      statement_timeout: statementTimeout,
      keepAlive: true,
    })
    connections.on('error', () => {})
    connections.on('connect', (client) => void client.on('error', () => {}))
    return new PostgresDialect({ pool: connections })
  }
  if (url.startsWith('mysql:')) {
    return new MysqlDialect({
      pool: mysql.createPool({
        uri: url,
        connectionLimit: 10,
        connectTimeout: 5_000,
        timezone: 'Z',
        dateStrings: true,
        supportBigNumbers: true,
        bigNumberStrings: true,
      }),
    })
  }
  const file = new Database(url, { timeout: 50 })
  file.pragma('journal_mode = wal')
  file.pragma('foreign_keys = on')
  return new SqliteDialect({ database: file })
}

/** The first of each kind; a fault makes thousands. */
const seen = new Map<string, number>()
const onError = (error: unknown): void => {
  const text = error instanceof Error ? error.message : String(error)
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : ''
  const line = `${text} ${cause}`.slice(0, 200)
  seen.set(line, (seen.get(line) ?? 0) + 1)
}

const { db, close } =
  pool === 'ours'
    ? await openDatabase(database, { statementTimeout, connections: 10 })
    : openAsHost(database)
const server = createServer(apiOf(db, onError), { drainDelay: 0, sendTimeout: 5_000 })
const url = await server.listen(Number(port))

/** What must not grow. */
export interface Gauges {
  readonly heap: number
  readonly resident: number
  readonly handles: number
  readonly errors: Readonly<Record<string, number>>
}

process.on('message', (message) => {
  if (message !== 'gauges') return
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  const handles = readdirSync('/proc/self/fd').length
  const gauges: Gauges = {
    heap: heapUsed,
    resident: rss,
    handles,
    errors: Object.fromEntries(seen),
  }
  process.send?.(gauges)
})
process.once('SIGTERM', async () => {
  await server.close()
  await close()
  process.exit(0)
})
process.send?.({ url, node: readFileSync('/proc/self/comm', 'utf8') })
