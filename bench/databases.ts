/** The addresses of the measured databases, and how to run a script on each. */
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import Sqlite from 'better-sqlite3'
import mysql from 'mysql2/promise'
import pg from 'pg'

export type DatabaseName = 'postgres' | 'mysql' | 'sqlite'

export const databaseNames: readonly DatabaseName[] = ['postgres', 'mysql', 'sqlite']

/** The number of connections of each measured server. */
export const poolSize = 10

const measured = 'model_api_bench'

const servers = {
  postgres: process.env.BENCH_POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres',
  mysql: process.env.BENCH_MYSQL_URL ?? 'mysql://root@127.0.0.1:3306/mysql',
}

/** Returns a URL, or the file of SQLite. `database` names another database on the same server. */
export function locationOf(name: DatabaseName, database = measured): string {
  if (name === 'sqlite') {
    const folder = fileURLToPath(new URL('.data', import.meta.url))
    mkdirSync(folder, { recursive: true })
    return `${folder}/bench.sqlite`
  }
  const url = new URL(servers[name])
  url.pathname = `/${database}`
  return url.href
}

/** Runs statements one after the other, on one connection. */
export interface Script {
  run(statement: string): Promise<void>
  read(statement: string): Promise<readonly Record<string, unknown>[]>
  end(): Promise<void>
}

/** Opens the measured database or another one; creates it if it does not exist. */
export async function openScript(name: DatabaseName, database = measured): Promise<Script> {
  if (name === 'sqlite') {
    const file = new Sqlite(locationOf('sqlite'))
    file.pragma('journal_mode = wal')
    return {
      run: async (statement) => void file.exec(statement),
      read: async (statement) => file.prepare(statement).all() as Record<string, unknown>[],
      end: async () => void file.close(),
    }
  }
  return name === 'postgres' ? openPostgres(database) : openMysql(database)
}

/** Drops a database other than the measured one. */
export async function dropDatabase(name: 'postgres' | 'mysql', database: string): Promise<void> {
  if (name === 'postgres') {
    const admin = new pg.Client(servers.postgres)
    await admin.connect()
    await admin.query(`drop database if exists ${database} with (force)`)
    return admin.end()
  }
  const admin = await mysql.createConnection(servers.mysql)
  await admin.query(`drop database if exists ${database}`)
  return admin.end()
}

async function openPostgres(database: string): Promise<Script> {
  const admin = new pg.Client(servers.postgres)
  await admin.connect()
  const known = await admin.query('select 1 from pg_database where datname = $1', [database])
  if (known.rowCount === 0) {
    await admin.query(`create database ${database} template template0 encoding 'UTF8' locale 'C'`)
  }
  await admin.end()
  const client = new pg.Client(locationOf('postgres', database))
  await client.connect()
  return {
    run: async (statement) => void (await client.query(statement)),
    read: async (statement) => (await client.query(statement)).rows,
    end: () => client.end(),
  }
}

async function openMysql(database: string): Promise<Script> {
  const admin = await mysql.createConnection(servers.mysql)
  await admin.query(`create database if not exists ${database} character set utf8mb4`)
  await admin.end()
  const connection = await mysql.createConnection(locationOf('mysql', database))
  return {
    run: async (statement) => void (await connection.query(statement)),
    read: async (statement) => {
      const [rows] = await connection.query(statement)
      return rows as Record<string, unknown>[]
    },
    end: () => connection.end(),
  }
}
