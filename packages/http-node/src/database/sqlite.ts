// openSqlite: opens a SQLite file with better-sqlite3, for `openDatabase`.

import { existsSync, statSync } from 'node:fs'
import { preparedSqlite } from '@model-api/core/drivers'
import { Kysely, SqliteDialect } from 'kysely'
import { loadDriver } from './load-driver.ts'
import type { Locations } from './locations.ts'
import type { Limits } from './open-database.ts'
import { type OpenFile, watchedFile } from './watched-file.ts'

// biome-ignore lint/suspicious/noExplicitAny: any database of the user's
export async function openSqlite([file]: Locations, limits: Limits): Promise<Kysely<any>> {
  if (!existsSync(file)) throw new Error(`There is no file "${file}".`)
  if (!statSync(file).isFile()) throw new Error(`"${file}" is not a file.`)
  const { default: Database } = await loadDriver(
    'better-sqlite3',
    'a SQLite file',
    () => import('better-sqlite3'),
  )
  const open = (): OpenFile => {
    const database = new Database(file, {
      fileMustExist: true,
      readonly: limits.readOnly,
      // SQLite's busy timeout would block the event loop; the API retries instead.
      timeout: 0,
    })
    if (!limits.readOnly) database.pragma('foreign_keys = on')
    return {
      served: preparedSqlite(database),
      isInTransaction: () => database.inTransaction,
    }
  }
  const database = watchedFile(file, { open, onWarning: limits.onWarning })
  return new Kysely({ dialect: new SqliteDialect({ database }) })
}
