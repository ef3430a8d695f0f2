/** guardedMysql: a connection that is destroyed closes its socket, statements are sent one at a time, and all else is as without it. */
import type { Socket } from 'node:net'
import { guardedMysql } from '@model-api/core/drivers'
import { Kysely, MysqlDialect, type MysqlPool, sql } from 'kysely'
import { createPool, type PoolOptions } from 'mysql2'
import { equal, rejects, throws } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { eventually, uncaughtErrors } from '../support/faults.ts'
import { eachDatabase, type Test } from '../support/suite.ts'

eachDatabase('guardedMysql', define, { only: 'mysql' })

/** The part of a `mysql2` connection that the tests use. */
interface Client {
  readonly stream: Socket
  destroy(): void
  release(): void
}

const connected = (pool: MysqlPool): Promise<Client> =>
  new Promise((resolve, reject) => {
    pool.getConnection((error, connection) => {
      if (error) reject(error)
      else resolve(connection as unknown as Client)
    })
  })

function define(test: Test, db: TestDatabase): void {
  const opened: MysqlPool[] = []
  const poolWith = (settings: PoolOptions = {}) =>
    createPool({ uri: db.url ?? '', connectionLimit: 1, ...settings })
  const open = (): MysqlPool => {
    const pool = guardedMysql(poolWith())
    opened.push(pool)
    return pool
  }
  test.before(() => db.execScript('create table things (id integer primary key)'))
  test.after(async () => {
    for (const pool of opened) await new Promise((resolve) => pool.end(resolve))
    await db.close()
  })

  test('a pool that accepts several statements in one text is refused', async () => {
    const url = new URL(db.url ?? '')
    url.searchParams.set('multipleStatements', 'true')
    const settings = [{ multipleStatements: true }, { flags: ['MULTI_STATEMENTS'] }]
    for (const pool of [...settings.map(poolWith), createPool(url.href)]) {
      throws(() => guardedMysql(pool), /multipleStatements/)
      pool.end()
    }
  })

  test('a connection that is destroyed closes its socket at once, and is replaced', async () => {
    const pool = open()
    const one = await connected(pool)
    const { destroy, stream } = one
    one.release()
    const again = await connected(pool)
    equal([again === one, again.destroy === destroy, stream.destroyed], [true, true, false])
    again.destroy()
    equal(stream.destroyed, true)
    const other = await connected(pool)
    equal([other === one, other.stream.destroyed], [false, false])
    other.release()
  })

  test('statements and streams on a connection that broke while it was idle fail, and do not end the process', async () => {
    const uncaught = uncaughtErrors()
    const pool = open()
    const client = await connected(pool)
    client.release()
    const kysely: TestDatabase['kysely'] = new Kysely({ dialect: new MysqlDialect({ pool }) })
    await kysely.connection().execute(async (on) => {
      const { rows } = await sql<{ id: number }>`select connection_id() as id`.execute(on)
      await db.execScript(`kill ${rows[0]?.id}`)
      equal(await eventually(() => client.stream.destroyed), true)
      const streamed = async (): Promise<void> => {
        for await (const _ of on.selectFrom('things').selectAll().stream());
      }
      // With a listener to the errors of the connection, `mysql2` would tell the stream nothing, which then never ended.
      for (let times = 0; times < 3; times++) {
        await rejects(streamed(), /closed state/)
        await rejects(sql`select 1`.execute(on), /closed state/)
      }
    })
    equal((await sql<{ one: number }>`select 1 as one`.execute(kysely)).rows, [{ one: 1 }])
    uncaught.stop()
    equal(uncaught.errors, [])
  })
}
