/** Drops the databases that test files left behind because they were killed. */
import mysql from 'mysql2/promise'
import pg from 'pg'
import { databasePrefix } from './databases.ts'
import type { Servers } from './servers.ts'

/** Seconds after which the run that created a database has certainly ended. The run of a younger database may still be running. */
const abandonedAfterSeconds = 3600

export async function dropLeftovers(servers: Servers, run: string): Promise<void> {
  await Promise.all(
    servers.map(async ({ kind, url }) => {
      if (url === undefined) return
      await (kind === 'postgres' ? dropPostgres(url, run) : dropMysql(url, run))
    }),
  )
}

async function dropPostgres(url: string, run: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database')
    for (const { datname } of rows) {
      if (isLeftover(datname, run)) {
        await client.query(`drop database if exists ${datname} with (force)`)
      }
    }
  } finally {
    await client.end()
  }
}

async function dropMysql(url: string, run: string): Promise<void> {
  // A server may take long to accept a connection while other files create their databases.
  const connection = await mysql.createConnection({ uri: url, connectTimeout: 60_000 })
  try {
    const [rows] = await connection.query('show databases')
    for (const { Database } of rows as { Database: string }[]) {
      if (isLeftover(Database, run)) await connection.query(`drop database if exists ${Database}`)
    }
  } finally {
    await connection.end()
  }
}

function isLeftover(database: string, run: string): boolean {
  const match = new RegExp(`^${databasePrefix}((\\d+)_\\d+)_\\d+_\\d+$`).exec(database)
  if (match === null) return false
  const [, owner, seconds] = match
  return owner === run || Number(seconds) < Date.now() / 1000 - abandonedAfterSeconds
}
