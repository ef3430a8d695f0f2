/** NO_BACKSLASH_ESCAPES, set for the whole server while it serves: pools of `openDatabase` take it back, others are refused with the next new connection. */
import { type ApiConfig, createApi, defineModel } from '@model-api/core'
import { guardedMysql } from '@model-api/core/drivers'
import { openDatabase } from '@model-api/http-node'
import { Kysely, MysqlDialect, type MysqlPool } from 'kysely'
import mysql from 'mysql2'
import { get } from '../support/api.ts'
import { equal, match, rejects } from '../support/assert.ts'
import { type AnyKysely, ask } from '../support/faults.ts'
import { type PrivateServer, startServer } from '../support/servers.ts'
import { notRun, runsOn, suite } from '../support/suite.ts'

runsOn('servers that it starts itself')

const Name = defineModel('Name', {
  table: 'names',
  columns: { id: { type: 'integer', primaryKey: true }, name: { type: 'string' } },
  meta: {},
})

const attack = `/api/names?count=none&name__eq=${encodeURIComponent(
  "\\') union select 9, secret from vault -- ",
)}`

const server = await startServer('mysql')
if ('lacks' in server) notRun('a global sql_mode', server.lacks)
else globalMode(server)

function globalMode({ url, remove }: PrivateServer): void {
  const setMode = (mode: string) => ask('mysql', url, `set global sql_mode = '${mode}'`)
  const errors: string[] = []
  const apiOf = (db: AnyKysely, config: ApiConfig = {}) =>
    createApi({
      db,
      models: [Name],
      // The check of the schema would open a second connection.
      config: { API_SCHEMA_CHECK: 'off', ...config },
      onWarning: () => {},
      onError: (error) => errors.push(String((error as Error).cause)),
    })

  suite('a global sql_mode', (test) => {
    test.before(async () => {
      await ask('mysql', url, 'create table names (id int primary key, name varchar(80) not null)')
      await ask('mysql', url, 'create table vault (secret varchar(80) not null)')
      await ask('mysql', url, "insert into names values (1, 'Ann')")
      await ask('mysql', url, "insert into vault values ('of the vault')")
    })
    test.after(() => remove())

    test('is mended in pools of openDatabase, also for non-strict modes', async () => {
      for (const mode of ['NO_BACKSLASH_ESCAPES', 'ORACLE,EMPTY_STRING_IS_NULL', '']) {
        await setMode(mode)
        for (const prepared of [true, false]) {
          const { db, close } = await openDatabase(url, { prepared })
          const api = apiOf(db)
          await api.ready
          const { status, text } = await get(api, attack)
          equal([mode, status, text.includes('of the vault')], [mode, 200, false])
          await close()
        }
      }
    })

    for (const kind of ['a pool of mysql2', 'a wrapped pool']) {
      test(`is noticed with the next new connection of ${kind}`, async () => {
        await setMode('STRICT_TRANS_TABLES')
        const pool = mysql.createPool({ uri: url, connectionLimit: 2 })
        const db: AnyKysely = new Kysely({
          dialect: new MysqlDialect({
            pool: kind === 'a wrapped pool' ? guardedMysql(pool) : (pool as MysqlPool),
          }),
        })
        const api = apiOf(db)
        await api.ready
        await setMode('STRICT_TRANS_TABLES,NO_BACKSLASH_ESCAPES')
        await db.connection().execute(async () => {
          const { status, text } = await get(api, attack)
          equal([status, text.includes('of the vault')], [503, false])
          match(errors.at(-1) ?? '', /NO_BACKSLASH_ESCAPES.*pool\.on\('connection', /)
        })
        await db.destroy()
      })
    }

    for (const kind of ['a pool of mysql2', 'a wrapped pool']) {
      for (const how of ['db', 'a session', 'a transaction'] as const) {
        test(`is noticed at each use of ${kind} that takes back what its set-up sets: ${how}`, async () => {
          await setMode('STRICT_TRANS_TABLES,NO_BACKSLASH_ESCAPES')
          const open = (resetOnRelease: boolean): AnyKysely => {
            const pool = mysql.createPool({ uri: url, connectionLimit: 1, resetOnRelease })
            pool.on('connection', (connection) =>
              connection.query("set session sql_mode = 'STRICT_TRANS_TABLES'"),
            )
            const wrapped = kind === 'a wrapped pool' ? guardedMysql(pool) : (pool as MysqlPool)
            return new Kysely({ dialect: new MysqlDialect({ pool: wrapped }) })
          }
          const resetting = open(true)
          const own = how === 'db' ? resetting : open(false)
          let session = resetting
          const api = apiOf(own, how === 'db' ? {} : { API_SESSION_GETTER: () => session })
          await api.ready.catch(() => {})
          const answers: unknown[] = []
          for (let use = 0; use < 4; use++) {
            const ask = async (): Promise<void> => {
              const { status, text } = await get(api, attack)
              answers.push([status, text.includes('of the vault')])
            }
            if (how !== 'a transaction') await ask()
            else {
              await resetting.transaction().execute(async (transaction) => {
                session = transaction as AnyKysely
                await ask()
              })
            }
          }
          equal(answers.slice(1), [
            [503, false],
            [503, false],
            [503, false],
          ])
          match(errors.at(-1) ?? '', /NO_BACKSLASH_ESCAPES.*resetOnRelease/)
          if (how !== 'db') await own.destroy()
          await resetting.destroy()
        })
      }
    }

    test('is noticed at start', async () => {
      await setMode('STRICT_TRANS_TABLES,NO_BACKSLASH_ESCAPES')
      const pool = mysql.createPool({ uri: url }) as MysqlPool
      const db: AnyKysely = new Kysely({ dialect: new MysqlDialect({ pool }) })
      await rejects(apiOf(db).ready, /NO_BACKSLASH_ESCAPES/)
      await db.destroy()
    })
  })
}
