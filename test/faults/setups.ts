/** What the service runs on: a database that may be broken, and whose pool of connections it uses. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Kysely, MysqlDialect, PostgresDialect, SqliteDialect, sql } from 'kysely'
import mysql from 'mysql2'
import pg from 'pg'
import type { DatabaseName } from '../support/databases.ts'
import { type PrivateServer, startServer } from '../support/servers.ts'
import { type SilentProxy, silentProxy } from '../support/silent-proxy.ts'
import { createTables } from '../support/tables.ts'
import type { Stored } from './ledger.ts'
import { counters, models } from './world.ts'

export interface Setup {
  readonly name: DatabaseName
  /** Null for a file. */
  readonly server: PrivateServer | null
  /** Between the service and the server; null for a file. */
  readonly proxy: SilentProxy | null
  /** What the service opens. */
  readonly target: string
  /** A connection past the proxy, for whoever makes faults. */
  // biome-ignore lint/suspicious/noExplicitAny: any database
  admin(): Kysely<any>
  /** Connections of the service to the server. */
  connections(): Promise<number>
  stored(): Promise<Stored>
  remove(): Promise<void>
}

/** Makes the tables anew. */
export async function prepare({ admin, name }: Setup): Promise<void> {
  const db = admin()
  try {
    for (const table of ['order_lines', 'orders', 'entries', 'counters', 'idempotency_keys']) {
      await sql`drop table if exists ${sql.id(table)}${sql.raw(name === 'postgres' ? ' cascade' : '')}`.execute(
        db,
      )
    }
    await createTables({ kysely: db, name } as Parameters<typeof createTables>[0], models)
    for (let id = 1; id <= counters; id++) {
      await db.insertInto('counters').values({ id, value: 0 }).execute()
    }
    if (name === 'postgres') {
      await sql`grant all on schema public to app`.execute(db)
      await sql`grant all on all tables in schema public to app`.execute(db)
      await sql`grant all on all sequences in schema public to app`.execute(db)
    }
  } finally {
    await db.destroy()
  }
}

const databaseName = 'faults'

// biome-ignore lint/suspicious/noExplicitAny: any database
const adminOf = (url: string): Kysely<any> =>
  new Kysely({
    dialect: url.startsWith('postgres:')
      ? new PostgresDialect({ pool: quietPool(url) })
      : url.startsWith('mysql:')
        ? new MysqlDialect({ pool: mysql.createPool({ uri: url, connectionLimit: 4 }) })
        : new SqliteDialect({ database: new Database(url, { timeout: 10_000 }) }),
  })

/** Its connections are ended with the server's. */
function quietPool(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 4, connectionTimeoutMillis: 10_000 })
  pool.on('error', () => {})
  pool.on('connect', (client) => void client.on('error', () => {}))
  return pool
}

/** Starts what a set-up needs, or says what is missing. */
export async function startSetup(name: DatabaseName): Promise<Setup | { lacks: string }> {
  if (name === 'sqlite') return fileSetup()
  const server = await startServer(name)
  if ('lacks' in server) return server
  const url = withDatabase(server.url, databaseName)
  const root = adminOf(server.url)
  await sql`create database ${sql.id(databaseName)}`.execute(root)
  if (name === 'postgres') await sql`create role app login`.execute(root)
  else await sql`create user app@'%'`.execute(root)
  if (name === 'mysql') await sql`grant all on ${sql.id(databaseName)}.* to app@'%'`.execute(root)
  await root.destroy()
  const service = new URL(url)
  service.username = 'app'
  const proxy = await silentProxy(server.port)
  const admin = () => adminOf(url)
  return {
    name,
    server,
    proxy,
    target: proxy.through(service.href),
    admin,
    connections: () => withAdmin(admin, (db) => connectionsOf(name, db)),
    stored: () => withAdmin(admin, storedIn),
    remove: async () => {
      await proxy.close()
      await server.remove()
    },
  }
}

function fileSetup(): Setup {
  const folder = mkdtempSync(join(tmpdir(), 'model-api-faults-'))
  const target = join(folder, 'faults.sqlite')
  const file = new Database(target)
  file.pragma('journal_mode = wal')
  file.close()
  const admin = () => adminOf(target)
  return {
    name: 'sqlite',
    server: null,
    proxy: null,
    target,
    admin,
    connections: async () => 1,
    stored: () => withAdmin(admin, storedIn),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}

async function withAdmin<T>(
  // biome-ignore lint/suspicious/noExplicitAny: any database
  admin: () => Kysely<any>,
  // biome-ignore lint/suspicious/noExplicitAny: any database
  ask: (db: Kysely<any>) => Promise<T>,
): Promise<T> {
  const db = admin()
  try {
    return await ask(db)
  } finally {
    await db.destroy()
  }
}

// biome-ignore lint/suspicious/noExplicitAny: any database
async function connectionsOf(name: DatabaseName, db: Kysely<any>): Promise<number> {
  const text =
    name === 'postgres'
      ? sql`select count(*) as n from pg_stat_activity where usename = 'app'`
      : sql`select count(*) as n from information_schema.processlist where user = 'app'`
  const { rows } = await text.execute(db)
  return Number((rows[0] as { n: unknown } | undefined)?.n)
}

// biome-ignore lint/suspicious/noExplicitAny: any database
async function storedIn(db: Kysely<any>): Promise<Stored> {
  const entries = await db.selectFrom('entries').select('token').execute()
  const orders = await db
    .selectFrom('orders')
    .leftJoin('order_lines', 'order_lines.order_id', 'orders.id')
    .select(['orders.token', (eb) => eb.fn.count('order_lines.id').as('lines')])
    .groupBy('orders.token')
    .execute()
  const all = await db.selectFrom('counters').select(['id', 'value']).execute()
  return {
    entries: entries.map(({ token }) => token),
    orders: new Map(orders.map(({ token, lines }) => [token, Number(lines)])),
    counters: new Map(all.map(({ id, value }) => [Number(id), Number(value)])),
  }
}
