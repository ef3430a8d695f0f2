/** A connection whose set-up fails or does not respond is closed, and its place in the pool is free again. */
import { preparedPg } from '@model-api/core/drivers'
import { openDatabase } from '@model-api/http-node'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { equal, ok, rejects } from '../support/assert.ts'
import { everyDatabase } from '../support/databases.ts'
import type { AnyKysely } from '../support/faults.ts'
import { silentProxy } from '../support/silent-proxy.ts'
import { notRun, runsOn, suiteOn } from '../support/suite.ts'

runsOn('one server of each engine')

for (const server of everyDatabase()) {
  const { name, label } = server
  if (name === 'sqlite') continue
  if (server.missing !== undefined) {
    notRun(`the setup of a connection (${label})`, server.missing)
    continue
  }
  const one = async (db: AnyKysely): Promise<number> => {
    const { rows } = await sql<{ one: number }>`select 1 as one`.execute(db)
    return Number(rows[0]?.one)
  }

  suiteOn(server, `the setup of a connection`, (test) => {
    test.before(() => server.execScript('select 1'))

    test('that the server refuses fails each time, with the error of the server', async () => {
      const { db, close } = await openDatabase(server.url ?? '', {
        connections: 1,
        statementTimeout: Number.NaN,
        connectionTimeout: 60_000,
      })
      for (let times = 0; times < 3; times++) {
        await rejects(one(db), (error) =>
          ok(/NaN|variable|column/.test(error.message), error.message),
        )
      }
      await close()
    })

    test('that gets no response times out, and the next connection works', async () => {
      const url = new URL(server.url ?? '')
      const proxy = await silentProxy(Number(url.port || (name === 'postgres' ? 5432 : 3306)))
      const { db, close } = await openDatabase(proxy.through(url.href), {
        connections: 1,
        connectionTimeout: 1_000,
      })
      proxy.silence()
      for (let times = 0; times < 2; times++) await rejects(one(db))
      proxy.replace()
      equal(await one(db), 1)
      await close()
      await proxy.close()
    })

    if (name === 'postgres') {
      test('that fails in a wrapped pool frees its place in the pool', async () => {
        const pool = new pg.Pool({ connectionString: server.url ?? '', max: 1 })
        let isRight = false
        const setUp = (client: { query(text: string): Promise<unknown> }) =>
          client.query(isRight ? 'set role none' : 'set role nobody_of_this_name')
        const db: AnyKysely = new Kysely({
          dialect: new PostgresDialect({ pool: preparedPg(pool, { setUp }) }),
        })
        for (let times = 0; times < 3; times++) await rejects(one(db), /does not exist/)
        isRight = true
        equal([await one(db), pool.totalCount], [1, 1])
        await db.destroy()
      })
    }
  })
}
