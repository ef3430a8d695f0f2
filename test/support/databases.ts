/** Creates empty databases for tests, and drops them when they are closed. */
// Drivers are imported only when a database is opened, so that tests without one do not load them.
import { readFileSync } from 'node:fs'
import { guardedMysql, preparedPg, preparedSqlite } from '@model-api/core/drivers'
import { type Dialect, Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely'
import { covered } from './choose-servers.ts'
import { emptyPostgres } from './emptied-postgres.ts'
import { plainOnly } from './path.ts'
import { closeAtEnd, coverageOfFile } from './registry.ts'
import type { Engine, Server, ServerName, Servers } from './servers.ts'
import { mostSpares, sparesOf } from './spare-databases.ts'
import { recordStatements, type StatementRecorder } from './statements.ts'

export type { Engine } from './servers.ts'

export type DatabaseName = 'sqlite' | ServerName

export interface TestDatabase {
  /** The SQL dialect of the database; `mysql` for MariaDB too. */
  readonly name: DatabaseName
  readonly engine: Engine
  /** Unique to the server, such as `PostgreSQL 18.1`; `SQLite`. */
  readonly label: string
  /** The connection string of this database; undefined for SQLite, which is in memory. */
  readonly url: string | undefined
  /** The first statement creates the database and connects to it. */
  // biome-ignore lint/suspicious/noExplicitAny: tests bring their own tables
  readonly kysely: Kysely<any>
  readonly capture: StatementRecorder['capture']
  /** Why this database is missing; its tests then do not run. */
  readonly missing: string | undefined
  /** Runs a script of several statements. */
  execScript(sqlText: string): Promise<void>
  /** Like `execScript`, for scripts that run many times: in one transaction, on a connection that stays open. */
  execOften(sqlText: string): Promise<void>
  close(): Promise<void>
}

export interface OpenOptions {
  /** The file to copy into SQLite's database. Without it, the database is empty. */
  readonly sqliteFile?: string
}

/** An empty database on every server that is available and that the file runs on. */
export function openDatabases(options: OpenOptions = {}): TestDatabase[] {
  return everyDatabase(options).filter((db) => db.missing === undefined)
}

/** Like `openDatabases`, but also has an entry for each missing server. SQLite comes first. */
export function everyDatabase(options: OpenOptions = {}): TestDatabase[] {
  return [
    sqliteDatabase(options.sqliteFile),
    ...covered(knownServers(), coverageOfFile()).map(serverDatabase),
  ]
}

/** Another empty database on the same server. */
export function databaseBeside({ label }: TestDatabase): TestDatabase {
  const server = knownServers().find((one) => one.label === label)
  return server === undefined ? sqliteDatabase(undefined) : serverDatabase(server)
}

/** The environment for a process that a test starts, so that it opens databases on the same servers as the test file. */
export const ofSameServers = (): NodeJS.ProcessEnv => ({
  ...process.env,
  TEST_SERVERS: JSON.stringify(covered(knownServers(), coverageOfFile())),
})

/** An empty database on the first server of a kind. */
export function databaseOfKind(kind: ServerName): TestDatabase {
  const server = covered(knownServers(), 'one server of each kind').find((one) => one.kind === kind)
  if (server === undefined) throw new Error(`the runner names no server of the kind ${kind}`)
  return serverDatabase(server)
}

/** The servers that the runner has found, which it passes on to its processes. */
function knownServers(): Servers {
  const found = process.env.TEST_SERVERS
  if (found !== undefined) return JSON.parse(found) as Servers
  const unknown = {
    version: '',
    url: undefined,
    note: 'started without the runner, test/run.ts',
  }
  return [
    { kind: 'postgres', engine: 'postgres', label: 'PostgreSQL', ...unknown },
    { kind: 'mysql', engine: 'mariadb', label: 'MySQL or MariaDB', ...unknown },
  ]
}

function sqliteDatabase(file: string | undefined): TestDatabase {
  const open = once(async () => {
    const { default: Sqlite } = await import('better-sqlite3')
    const database = new Sqlite(file === undefined ? ':memory:' : readFileSync(file))
    database.pragma('foreign_keys = on')
    return database
  })
  return testDatabase({
    name: 'sqlite',
    engine: 'sqlite',
    label: 'SQLite',
    url: undefined,
    missing: undefined,
    dialect: new SqliteDialect({
      database: async () => (plainOnly ? open() : preparedSqlite(await open())),
    }),
    execScript: async (text) => void (await open()).exec(text),
    execOften: async (text) => void (await open()).exec(`begin; ${text}; commit`),
    drop: async () => {},
  })
}

function serverDatabase({ kind: name, engine, label, url: server, note }: Server): TestDatabase {
  const database = uniqueName()
  const url = server === undefined ? undefined : withDatabase(server, database)
  const admin = (statement: string): Promise<void> => {
    if (server === undefined) throw new Error(`${label} is not here: ${note}`)
    return runScript(name, server, statement)
  }
  const takeSpare = async (): Promise<boolean> => {
    const spare = sparesOf(label).shift()
    if (spare === undefined) return false
    // A database cannot be renamed while a connection to it is still closing.
    return admin(`alter database ${spare} rename to ${database}`).then(
      () => true,
      () => false,
    )
  }
  let kept: Promise<ScriptConnection> | undefined
  let created = false
  const create = once(async () => {
    if (name !== 'postgres') {
      await admin(`create database ${database} character set utf8mb4`)
    } else if (!(await takeSpare())) {
      await admin(`create database ${database} template template0 encoding 'UTF8'`)
    }
    created = true
  })
  const postgresPool = once(async () => {
    await create()
    const { default: pg } = await import('pg')
    const pool = new pg.Pool({ connectionString: url, max: 4, options: unflushed })
    // A connection may still be closing when its database is dropped; its error has no effect then.
    pool.on('error', () => {})
    return pool
  })
  const mysqlPool = once(async () => {
    await create()
    const { createPool } = await import('mysql2')
    return createPool({ uri: url ?? '', connectionLimit: 4, connectTimeout: busyMachine })
  })
  return testDatabase({
    name,
    engine,
    label,
    url,
    missing: server === undefined ? note : undefined,
    dialect:
      name === 'postgres'
        ? new PostgresDialect({
            pool: async () => (plainOnly ? postgresPool() : preparedPg(await postgresPool())),
          })
        : new MysqlDialect({
            pool: async () => (plainOnly ? mysqlPool() : guardedMysql(await mysqlPool())),
          }),
    execScript: async (text) => {
      await create()
      await runScript(name, url ?? '', text)
    },
    execOften: async (text) => {
      await create()
      kept ??= openForScripts(name, url ?? '')
      await (await kept).query(`begin; ${text}; commit`)
    },
    drop: async () => {
      await (await kept)?.end()
      if (!created) return
      if (name !== 'postgres') return admin(`drop database if exists ${database}`)
      const spare = sparesOf(label)
      if (spare.length < mostSpares && (await emptyPostgres(url ?? ''))) {
        spare.push(database)
      } else {
        await admin(`drop database if exists ${database} with (force)`)
      }
    },
  })
}

function testDatabase(parts: {
  name: DatabaseName
  engine: Engine
  label: string
  url: string | undefined
  missing: string | undefined
  dialect: Dialect
  execScript: (text: string) => Promise<void>
  execOften: (text: string) => Promise<void>
  drop: () => Promise<void>
}): TestDatabase {
  const { dialect, drop, ...facts } = parts
  const recorder = recordStatements()
  const kysely = new Kysely<Record<string, never>>({ dialect, log: recorder.log })
  const close = once(async () => {
    await kysely.destroy()
    await drop()
  })
  closeAtEnd(close)
  return { ...facts, kysely, capture: recorder.capture, close }
}

/** A test database need not survive a crash of the server, so no COMMIT waits for the disk. */
const unflushed = '-c synchronous_commit=off'

/** A connection that can run several statements in one call. */
interface ScriptConnection {
  query(text: string): Promise<unknown>
  end(): Promise<void>
}

/** Milliseconds that a server may take to accept a connection while many files create and drop their databases on it. */
const busyMachine = 60_000

async function openForScripts(name: ServerName, url: string): Promise<ScriptConnection> {
  if (name === 'postgres') {
    const { default: pg } = await import('pg')
    const client = new pg.Client({ connectionString: url, options: unflushed })
    await client.connect()
    return client
  }
  const { createConnection } = await import('mysql2/promise')
  return createConnection({ uri: url, multipleStatements: true, connectTimeout: busyMachine })
}

/** Runs statements on a new connection. */
export async function runScript(name: ServerName, url: string, text: string): Promise<void> {
  const connection = await openForScripts(name, url)
  await connection.query(text).finally(() => connection.end())
}

/** The names of all databases of a run begin with this, so that the runner finds those that a killed file left behind. */
export const databasePrefix = 'model_api_test_'

let counter = 0

function uniqueName(): string {
  counter += 1
  return `${databasePrefix}${process.env.TEST_RUN ?? 'single'}_${process.pid}_${counter}`
}

function withDatabase(server: string, database: string): string {
  const url = new URL(server)
  url.pathname = `/${database}`
  return url.href
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}
