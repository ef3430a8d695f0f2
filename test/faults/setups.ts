/** The set-ups of the service: the database that faults break, and the pool that the service uses. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { Kysely, MysqlDialect, PostgresDialect, SqliteDialect, sql } from 'kysely'
import mysql from 'mysql2'
import pg from 'pg'
import type { DatabaseName } from '../support/databases.ts'
import type { AnyKysely } from '../support/faults.ts'
import { mysqlConnections } from '../support/mysql-connections.ts'
import {
  type PrivateServer,
  type ServerName,
  startGalera,
  startReplicated,
  startServer,
} from '../support/servers.ts'
import { type SilentProxy, silentProxy } from '../support/silent-proxy.ts'
import { createTables } from '../support/tables.ts'
import type { Stored } from './ledger.ts'
import { mountSmallDisk, type SmallDisk, startedOn } from './small-disk.ts'
import { counters, labels, models } from './world.ts'

export const setupNames = [
  'sqlite',
  'postgres',
  'mysql',
  'postgres with a replica',
  'mysql with a replica',
  'galera',
] as const

export type SetupName = (typeof setupNames)[number]

export interface Setup {
  readonly title: SetupName
  readonly name: DatabaseName
  /** The server that is written to; in a cluster the first one. Null for a file. */
  readonly server: PrivateServer | null
  /** Between the service and the server; null for a file. */
  readonly proxy: SilentProxy | null
  /** The disk with its data; null if a separate disk is impossible or not requested. */
  readonly disk: SmallDisk | null
  /** Another server of the set-up, and the proxy in front of it: a replica, or a node of a cluster. */
  readonly other?: {
    readonly server: PrivateServer
    readonly proxy: SilentProxy
    /** A connection past the proxy. */
    admin(): AnyKysely
  }
  /** The targets that services open: one, or one for each node of a cluster. */
  readonly targets: readonly string[]
  /** The replicas that each service reads from. */
  readonly replicas: readonly string[]
  /** Whether reads wait for everything that the cluster has committed. */
  readonly causal: boolean
  /** A connection past the proxy, for causing faults. */
  // biome-ignore lint/suspicious/noExplicitAny: any database
  admin(): Kysely<any>
  /** Connections of the service to the server. */
  connections(): Promise<number>
  stored(): Promise<Stored>
  remove(): Promise<void>
}

const tables = [
  ...['order_lines', 'orders', 'entries', 'counters', 'labels', 'twins'],
  'idempotency_keys',
] as const

/** Drops and creates the tables. */
export async function prepare({ admin, name, other }: Setup): Promise<void> {
  const db = admin()
  try {
    for (const table of tables) {
      await sql`drop table if exists ${sql.id(table)}${sql.raw(name === 'postgres' ? ' cascade' : '')}`.execute(
        db,
      )
    }
    await createTables({ kysely: db, name } as Parameters<typeof createTables>[0], models)
    for (let id = 1; id <= counters; id++) {
      await db.insertInto('counters').values({ id, value: 0 }).execute()
    }
    for (let id = 1; id <= labels; id++) {
      await db.insertInto('labels').values({ id, token: '', touched: 0 }).execute()
    }
    for (let id = 1; id <= 2 * labels; id++) {
      await db.insertInto('twins').values({ id, token: '', touched: 0 }).execute()
    }
    if (name === 'postgres') {
      await sql`grant all on schema public to app`.execute(db)
      await sql`grant all on all tables in schema public to app`.execute(db)
      await sql`grant all on all sequences in schema public to app`.execute(db)
    }
  } finally {
    await db.destroy()
  }
  // The other servers receive the tables a moment later.
  if (other !== undefined) await sleep(1_000)
}

const databaseName = 'faults'

// biome-ignore lint/suspicious/noExplicitAny: any database
export const adminOf = (url: string): Kysely<any> =>
  new Kysely({
    dialect: url.startsWith('postgres:')
      ? new PostgresDialect({ pool: quietPool(url) })
      : url.startsWith('mysql:')
        ? new MysqlDialect({ pool: mysql.createPool({ uri: url, connectionLimit: 4 }) })
        : new SqliteDialect({ database: new Database(url, { timeout: 10_000 }) }),
  })

/** Opens a pool that ignores errors, because its connections end when the server does. */
function quietPool(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 4, connectionTimeoutMillis: 10_000 })
  pool.on('error', () => {})
  pool.on('connect', (client) => void client.on('error', () => {}))
  return pool
}

/** Starts the servers of a set-up, or says what is missing. */
export async function startSetup(title: SetupName): Promise<Setup | { lacks: string }> {
  switch (title) {
    case 'sqlite':
      return withDisk((disk) => Promise.resolve(fileSetup(disk)))
    case 'postgres':
    case 'mysql':
      return withDisk(async (disk) => {
        const server = await startServer(title)
        return 'lacks' in server ? server : serverSetup(title, title, [server], 'alone', disk)
      })
    case 'postgres with a replica':
    case 'mysql with a replica': {
      const name = title === 'mysql with a replica' ? 'mysql' : 'postgres'
      const servers = await startReplicated(name)
      if ('lacks' in servers) return servers
      return serverSetup(title, name, [servers.primary, servers.replica], 'replica')
    }
    case 'galera': {
      const cluster = await startGalera(3)
      return 'lacks' in cluster ? cluster : serverSetup(title, 'mysql', cluster.nodes, 'cluster')
    }
  }
}

/** Starts a set-up on a separate disk if that is possible. */
async function withDisk(
  start: (disk: SmallDisk | null) => Promise<Setup | { lacks: string }>,
): Promise<Setup | { lacks: string }> {
  const disk = await mountSmallDisk()
  if ('lacks' in disk) return start(null)
  const setup = await startedOn(disk, () => start(disk))
  if ('lacks' in setup) {
    await disk.remove()
    return setup
  }
  const remove = async (): Promise<void> => {
    await setup.remove()
    await disk.remove()
  }
  return { ...setup, remove }
}

async function serverSetup(
  title: SetupName,
  name: ServerName,
  servers: readonly PrivateServer[],
  kind: 'alone' | 'replica' | 'cluster',
  disk: SmallDisk | null = null,
): Promise<Setup> {
  const [server, second] = servers
  if (server === undefined) throw new Error('a set-up has a server')
  const url = withDatabase(server.url, databaseName)
  const root = adminOf(server.url)
  await sql`create database ${sql.id(databaseName)}`.execute(root)
  if (name === 'postgres') await sql`create role app login`.execute(root)
  else await sql`create user app@'%'`.execute(root)
  if (name === 'mysql') await sql`grant all on ${sql.id(databaseName)}.* to app@'%'`.execute(root)
  await root.destroy()
  const proxies: SilentProxy[] = []
  const targets: string[] = []
  for (const one of servers) {
    const service = new URL(withDatabase(one.url, databaseName))
    service.username = 'app'
    const proxy = await silentProxy(one.port)
    proxies.push(proxy)
    targets.push(proxy.through(service.href))
  }
  const [proxy = null, secondProxy] = proxies
  const admin = () => adminOf(url)
  const [first = ''] = targets
  return {
    title,
    name,
    server,
    proxy,
    disk,
    ...(second && secondProxy
      ? {
          other: {
            server: second,
            proxy: secondProxy,
            admin: () => adminOf(withDatabase(second.url, databaseName)),
          },
        }
      : {}),
    targets: kind === 'cluster' ? targets : [first],
    replicas: kind === 'replica' ? targets.slice(1) : [],
    causal: kind === 'cluster',
    admin,
    connections: async () => {
      const counts = servers.map((one) =>
        withAdmin(
          () => adminOf(withDatabase(one.url, databaseName)),
          (db) => connectionsOf(name, db),
        ),
      )
      return Math.max(...(await Promise.all(counts)))
    },
    stored: () => withAdmin(admin, storedIn),
    remove: async () => {
      for (const one of proxies) await one.close()
      for (const one of [...servers].reverse()) await one.remove()
    },
  }
}

function fileSetup(disk: SmallDisk | null): Setup {
  const folder = mkdtempSync(join(tmpdir(), 'model-api-faults-'))
  const target = join(folder, 'faults.sqlite')
  const file = new Database(target)
  file.pragma('journal_mode = wal')
  file.close()
  const admin = () => adminOf(target)
  return {
    title: 'sqlite',
    name: 'sqlite',
    server: null,
    proxy: null,
    disk,
    targets: [target],
    replicas: [],
    causal: false,
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
  if (name === 'mysql') {
    return (await mysqlConnections(db)).filter(({ user }) => user === 'app').length
  }
  const { rows } = await sql<{ n: unknown }>`
    select count(*) as n from pg_stat_activity where usename = 'app'`.execute(db)
  return Number(rows[0]?.n)
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
  const labelled = await db.selectFrom('labels').select(['id', 'token']).execute()
  const twins = await db.selectFrom('twins').select(['id', 'token']).execute()
  const tokenOf = (id: number): string => twins.find((twin) => Number(twin.id) === id)?.token ?? ''
  return {
    entries: entries.map(({ token }) => token),
    orders: new Map(orders.map(({ token, lines }) => [token, Number(lines)])),
    counters: new Map(all.map(({ id, value }) => [Number(id), Number(value)])),
    labels: new Map(labelled.map(({ id, token }) => [Number(id), token])),
    twins: new Map(
      Array.from({ length: labels }, (_, i) => [i + 1, [tokenOf(2 * i + 1), tokenOf(2 * i + 2)]]),
    ),
  }
}
