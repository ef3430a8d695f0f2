/** The busy timeout of SQLite: the API waits for locks itself, so SQLite must not stop the process for them. */
import { createApi } from '@model-api/core'
import { openDatabase } from '@model-api/http-node'
import Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect, sql } from 'kysely'
import { sqliteFile } from '../cli/support.ts'
import { equal } from '../support/assert.ts'
import type { AnyKysely } from '../support/faults.ts'
import { suite } from '../support/suite.ts'

const busyTimeout = async (db: AnyKysely): Promise<unknown> => {
  const { rows } = await sql<{ timeout: number }>`pragma busy_timeout`.execute(db)
  return rows[0]?.timeout
}

suite('the busy timeout of SQLite', (test) => {
  const file = sqliteFile('create table notes (id integer primary key)')

  test('an instance of the host loses it with the first lookup', async () => {
    const db: AnyKysely = new Kysely({ dialect: new SqliteDialect({ database: new Sqlite(file) }) })
    equal(await busyTimeout(db), 5_000)
    await createApi({ db, models: [], env: {} }).ready
    equal(await busyTimeout(db), 0)
    await db.destroy()
  })

  test('openDatabase opens files without it', async () => {
    const { db, close } = await openDatabase(file)
    equal(await busyTimeout(db), 0)
    await close()
  })
})
