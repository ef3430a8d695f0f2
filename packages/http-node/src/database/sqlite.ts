// Opens a SQLite file with better-sqlite3.

import { existsSync, statSync } from 'node:fs'
import { preparedSqlite } from '@model-api/core/prepared'
import { Kysely, SqliteDialect } from 'kysely'
import { loadDriver } from './load-driver.ts'
import type { Limits } from './open-database.ts'

// biome-ignore lint/suspicious/noExplicitAny: any database of the user's
export async function openSqlite(file: string, limits: Limits): Promise<Kysely<any>> {
  if (!existsSync(file)) throw new Error(`There is no file "${file}".`)
  if (!statSync(file).isFile()) throw new Error(`"${file}" is not a file.`)
  const { default: Database } = await loadDriver(
    'better-sqlite3',
    'a SQLite file',
    () => import('better-sqlite3'),
  )
  const database = new Database(file, {
    fileMustExist: true,
    readonly: limits.readOnly,
    // How long a locked database is waited for.
    timeout: limits.connectionTimeout,
  })
  if (!limits.readOnly) database.pragma('foreign_keys = on')
  const served = limits.prepared ? preparedSqlite(database) : database
  return new Kysely({ dialect: new SqliteDialect({ database: served }) })
}
