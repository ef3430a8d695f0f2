/** The service under test, a separate process. Its only argument is a `ServiceOptions` as JSON. */
import { readdirSync, readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { createServer, openDatabase } from '@model-api/http-node'
import Database from 'better-sqlite3'
import { Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely'
import mysql from 'mysql2'
import pg from 'pg'
import { apiOf, statementTimeout } from './world.ts'

export interface ServiceOptions {
  readonly port: number
  /** `ours` or `the host's`. */
  readonly pool: string
  readonly target: string
  readonly replicas: readonly string[]
  /** Whether reads wait for everything that the cluster has committed. */
  readonly causal: boolean
  /** Milliseconds that it continues to serve after it has been asked to end. Default 0. */
  readonly drainDelay?: number
  /** Milliseconds after which an idle connection is closed. Default: that of `createServer`. */
  readonly keepAliveTimeout?: number
}

const options = JSON.parse(process.argv[2] ?? '') as ServiceOptions
const { port, pool, target, replicas, causal, drainDelay = 0, keepAliveTimeout } = options

/** Opens a database as the documentation shows it to hosts. */
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
    const connections = mysql.createPool({
      uri: url,
      connectionLimit: 10,
      connectTimeout: 5_000,
      timezone: 'Z',
      dateStrings: true,
      supportBigNumbers: true,
      bigNumberStrings: true,
    })
    if (causal) {
      connections.on('connection', (connection) => {
        connection.query('set session wsrep_sync_wait = 1')
      })
    }
    return new MysqlDialect({ pool: connections })
  }
  const file = new Database(url)
  file.pragma('journal_mode = wal')
  file.pragma('foreign_keys = on')
  return new SqliteDialect({ database: file })
}

/** The number of errors by message, because a fault causes thousands. */
const seen = new Map<string, number>()
const onError = (error: unknown): void => {
  const text = error instanceof Error ? error.message : String(error)
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : ''
  const line = `${text} ${cause}`.slice(0, 200)
  seen.set(line, (seen.get(line) ?? 0) + 1)
}

const open = (url: string) =>
  pool === 'ours'
    ? openDatabase(url, {
        statementTimeout,
        connections: 10,
        ...(causal ? { causalReads: true } : {}),
      })
    : openAsHost(url)
const { db, close } = await open(target)
const others = await Promise.all(replicas.map(open))
const api = apiOf(
  db,
  others.map((other) => other.db),
  onError,
)
const server = createServer(api, {
  drainDelay,
  sendTimeout: 5_000,
  ...(keepAliveTimeout === undefined ? {} : { keepAliveTimeout }),
})
const url = await server.listen(port)

/** Values that must not grow. */
export interface Gauges {
  readonly heap: number
  readonly resident: number
  readonly handles: number
  /** The number of entries in all maps and sets of the process, because every cache is one of them. */
  readonly kept: number
  readonly errors: Readonly<Record<string, number>>
}

/** Counts the entries of all maps and sets that the garbage collector has not removed. */
async function keptEntries(): Promise<number> {
  const session = new Session()
  session.connect()
  let entries = 0
  for (const kind of ['Map', 'Set']) {
    const { result } = await session.post('Runtime.evaluate', { expression: `${kind}.prototype` })
    const { objects } = await session.post('Runtime.queryObjects', {
      prototypeObjectId: result.objectId ?? '',
    })
    const sum = await session.post('Runtime.callFunctionOn', {
      objectId: objects.objectId ?? '',
      functionDeclaration:
        'function () { let n = 0; for (const one of this) n += one.size; return n }',
      returnByValue: true,
    })
    entries += Number(sum.result.value)
    await session.post('Runtime.releaseObject', { objectId: objects.objectId ?? '' })
  }
  session.disconnect()
  return entries
}

process.on('message', async (message) => {
  if (message !== 'gauges') return
  const kept = await keptEntries()
  globalThis.gc?.()
  const { heapUsed, rss } = process.memoryUsage()
  const handles = readdirSync('/proc/self/fd').length
  const gauges: Gauges = {
    heap: heapUsed,
    resident: rss,
    handles,
    kept,
    errors: Object.fromEntries(seen),
  }
  process.send?.(gauges)
})
process.once('SIGTERM', async () => {
  await server.close()
  await Promise.all([close(), ...others.map((other) => other.close())])
  process.exit(0)
})
process.send?.({ url, node: readFileSync('/proc/self/comm', 'utf8') })
