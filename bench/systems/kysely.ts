/** Kysely over the pool that a service would have, with statements prepared where there is a wrapper for it. */
import { preparedMysql, preparedPg, preparedSqlite } from '@model-api/core/prepared'
import Sqlite from 'better-sqlite3'
import { Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely'
import { createPool } from 'mysql2'
import pg from 'pg'
import { type DatabaseName, locationOf, poolSize } from '../databases.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tables are those of data.ts
export function openKysely(name: DatabaseName, prepared = false): Kysely<any> {
  const location = locationOf(name)
  switch (name) {
    case 'sqlite': {
      const file = openFile(location)
      const database = prepared ? preparedSqlite(file) : file
      return new Kysely({ dialect: new SqliteDialect({ database }) })
    }
    case 'postgres': {
      const pool = new pg.Pool({ connectionString: location, max: poolSize })
      return new Kysely({
        dialect: new PostgresDialect({ pool: preparedPg(pool, { named: prepared }) }),
      })
    }
    case 'mysql': {
      const pool = createPool({ uri: location, connectionLimit: poolSize })
      return new Kysely({ dialect: new MysqlDialect({ pool: preparedMysql(pool, { prepared }) }) })
    }
  }
}

/** The file as every measured server opens it. */
export function openFile(location: string): Sqlite.Database {
  const database = new Sqlite(location)
  database.pragma('journal_mode = wal')
  database.pragma('synchronous = normal')
  return database
}
