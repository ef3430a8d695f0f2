/** Support for tests of faults: connections to a database, their models, and the errors that would have ended the process. */
import { type AnyModel, createApi, defineModel } from '@model-api/core'
import { guardedMysql, preparedPg } from '@model-api/core/drivers'
import { type OpenOptions, openDatabase } from '@model-api/http-node'
import { Kysely, MysqlDialect, PostgresDialect, sql } from 'kysely'
import { createPool } from 'mysql2'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { databaseBeside, everyDatabase, type TestDatabase } from './databases.ts'
import { listConnections, readConnection } from './mysql-connections.ts'
import { closeAtEnd } from './registry.ts'
import type { ServerName } from './servers.ts'
import { notRun } from './suite.ts'
import { loadFactor } from './time-limit.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests bring their own tables
export type AnyKysely = Kysely<any>

/** A database on a server that clients connect to. */
export interface Server extends TestDatabase {
  readonly name: ServerName
  readonly url: string
}

/** Declares the same suites for each server. For a missing server, the closing table says that `title` did not run. */
export function eachServer(title: string, define: (server: Server) => void): void {
  for (const server of everyDatabase()) {
    const { name, label, url = '', missing } = server
    if (name === 'sqlite') continue
    if (missing === undefined) define(Object.assign(server, { name, url }))
    else notRun(`${title} (${label})`, missing)
  }
}

/** Another database on the same server, for suites that run side by side. */
export function serverBeside(server: Server): Server {
  const { url = '' } = server
  const beside = databaseBeside(server)
  return Object.assign(beside, { name: server.name, url: beside.url ?? url })
}

/** How the host application creates its Kysely instance. */
export const pools = ['openDatabase', 'a wrapped pool', 'a pool of the host'] as const
export type PoolKind = (typeof pools)[number]

/** Milliseconds in which a server accepts a connection, however busy it is. */
const patient = 60_000

/** A Kysely instance on a server, closed when the file ends. Only `openDatabase` takes other options than the time limit of connections. */
export async function openPool(
  kind: PoolKind,
  name: ServerName,
  url: string,
  size: number,
  options: OpenOptions = {},
): Promise<AnyKysely> {
  const { connectionTimeout = patient } = options
  const db =
    kind === 'openDatabase'
      ? (await openDatabase(url, { connections: size, ...options, connectionTimeout })).db
      : hostPool(kind, name, url, size, connectionTimeout)
  closeAtEnd(() => destroyed(db))
  return db
}

function hostPool(
  kind: PoolKind,
  name: ServerName,
  url: string,
  size: number,
  connectionTimeout: number,
): AnyKysely {
  const wrapped = kind === 'a wrapped pool'
  if (name === 'mysql') {
    const pool = createPool({ uri: url, connectionLimit: size, connectTimeout: connectionTimeout })
    return new Kysely({ dialect: new MysqlDialect({ pool: wrapped ? guardedMysql(pool) : pool }) })
  }
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    connectionTimeoutMillis: connectionTimeout,
  })
  if (!wrapped) {
    // The two lines that docs/guide/deployment.md recommends.
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
  }
  return new Kysely({ dialect: new PostgresDialect({ pool: wrapped ? preparedPg(pool) : pool }) })
}

/** Ends a pool. Ignores that this may never settle if a connection is lost, and may fail if its proxy is closed. */
export const destroyed = (db: AnyKysely): Promise<void> =>
  Promise.race([
    db.destroy().catch(() => {}),
    new Promise<void>((resolve) => setTimeout(resolve, 500)),
  ])

type Row = Readonly<Record<string, unknown>>

/** Runs a statement on a new connection, and closes it. */
export async function ask(name: ServerName, url: string, text: string): Promise<readonly Row[]> {
  if (name === 'mysql') {
    const connection = await createConnection({ uri: url })
    const [rows] = await connection.query(text)
    await connection.end()
    return rows as Row[]
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(text)
  await client.end()
  return rows
}

/** The connections of a database: for each, its number and its running statement. */
export async function connectionsOf(
  name: ServerName,
  url: string,
): Promise<readonly { id: number; statement: string | null }[]> {
  const database = new URL(url).pathname.slice(1)
  const elsewhere = new URL(url)
  elsewhere.pathname = name === 'postgres' ? '/postgres' : '/mysql'
  if (name === 'mysql') {
    const rows = await ask(name, elsewhere.href, listConnections)
    return rows.map(readConnection).filter((connection) => connection.database === database)
  }
  const rows = await ask(
    name,
    elsewhere.href,
    `select pid as id, case state when 'active' then query end as statement from pg_stat_activity where datname = '${database}'`,
  )
  return rows.map(({ id, statement }) => ({
    id: Number(id),
    statement: statement === null ? null : String(statement),
  }))
}

/** Whether a condition becomes true within some seconds, times the load of the machine, checking it repeatedly. */
export async function eventually(
  isTrue: () => boolean | Promise<boolean>,
  seconds = 10,
): Promise<boolean> {
  const started = performance.now()
  while (performance.now() - started < seconds * 1_000 * loadFactor()) {
    if (await isTrue()) return true
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return false
}

/** Removes the tables of an earlier suite in the same database. */
const dropScript = 'drop table if exists things; drop table if exists idempotency_keys;'

/** A table and its model. */
export const thingsScript = `${dropScript} create table things (id integer primary key, name varchar(40) not null);
  insert into things values (1, 'one'), (2, 'two');`

export const Thing: AnyModel = defineModel('Thing', {
  table: 'things',
  columns: {
    id: { type: 'integer', primaryKey: true },
    name: { type: 'string', maxLength: 40 },
  },
  meta: { allowed_methods: ['GET', 'POST', 'PATCH', 'DELETE'] },
})

/** The same model, with a column whose value takes the server 25 s to compute. */
export const slowThing = (name: ServerName): AnyModel =>
  defineModel('SlowThing', {
    table: 'things',
    columns: { id: { type: 'integer', primaryKey: true } },
    computed: {
      nap: {
        type: 'text',
        expression: () =>
          name === 'postgres'
            ? sql`(select pg_sleep(25)::text)`
            : // MySQL gives no error for an interrupted SLEEP, but for the next row.
              sql`(select sum(sleep(25)) from (select 1 union select 2) as naps)`,
      },
    },
    meta: {},
  }) as AnyModel

/** Collects the errors that would have ended the process. */
export function uncaughtErrors(): { readonly errors: string[]; stop(): void } {
  const errors: string[] = []
  const keep = (error: unknown): void => void errors.push(String(error))
  process.on('uncaughtException', keep).on('unhandledRejection', keep)
  return {
    errors,
    stop: () => void process.off('uncaughtException', keep).off('unhandledRejection', keep),
  }
}

/** An API that reports errors to a list. */
export function loggingApi(
  db: AnyKysely,
  models: readonly AnyModel[],
  options: Partial<Parameters<typeof createApi>[0]> = {},
): { api: ReturnType<typeof createApi>; errors: unknown[]; warnings: string[] } {
  const errors: unknown[] = []
  const warnings: string[] = []
  const api = createApi({
    db,
    models,
    onError: (error) => void errors.push(error),
    onWarning: (message) => void warnings.push(message),
    ...options,
  })
  return { api, errors, warnings }
}
