/** Kysely over the driver of each database, with the core's wrapper of it as in a service, or without. */
import { guardedMysql, preparedPg, preparedSqlite } from '@model-api/core/drivers'
import Sqlite from 'better-sqlite3'
import {
  type Dialect,
  Kysely,
  type Logger,
  MysqlDialect,
  PostgresDialect,
  SqliteDialect,
} from 'kysely'
import { createPool } from 'mysql2'
import pg from 'pg'
import { type DatabaseName, locationOf, poolSize } from '../databases.ts'

interface Opening {
  /** Another database than the measured one. */
  readonly location?: string
  /** The most connections of the pool; SQLite has one. */
  readonly connections?: number
  readonly log?: Logger
}

export function openKysely(
  name: DatabaseName,
  wrapped = false,
  { location = locationOf(name), connections = poolSize, log }: Opening = {},
  // biome-ignore lint/suspicious/noExplicitAny: the tables are those of data.ts
): Kysely<any> {
  const dialect = dialectOf(name, wrapped, location, connections)
  return new Kysely(log === undefined ? { dialect } : { dialect, log })
}

function dialectOf(
  name: DatabaseName,
  wrapped: boolean,
  location: string,
  connections: number,
): Dialect {
  switch (name) {
    case 'sqlite': {
      const file = openFile(location)
      return new SqliteDialect({ database: wrapped ? preparedSqlite(file) : file })
    }
    case 'postgres': {
      const pool = new pg.Pool({ connectionString: location, max: connections })
      return new PostgresDialect({ pool: wrapped ? preparedPg(pool) : pool })
    }
    case 'mysql': {
      const pool = createPool({ uri: location, connectionLimit: connections })
      return new MysqlDialect({ pool: wrapped ? guardedMysql(pool) : pool })
    }
  }
}

/** Opens the file in the same way for every measured server. */
export function openFile(location: string): Sqlite.Database {
  const database = new Sqlite(location)
  database.pragma('journal_mode = wal')
  database.pragma('synchronous = normal')
  return database
}
