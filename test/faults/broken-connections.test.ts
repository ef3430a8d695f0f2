/** A connection that breaks, at any moment and in any way, fails only its own request; afterwards the pool is complete again. */
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { equal, ok } from '../support/assert.ts'
import { databaseBeside, everyDatabase, runScript } from '../support/databases.ts'
import {
  type AnyKysely,
  connectionsOf,
  loggingApi,
  openPool,
  pools,
  Thing,
  thingsScript,
  uncaughtErrors,
} from '../support/faults.ts'
import type { ServerName } from '../support/servers.ts'
import { notRun, runsAtOnce, runsOn, suiteOn } from '../support/suite.ts'

runsOn('one server of each engine')
runsAtOnce(4)

const size = 3

const ownId: Readonly<Record<ServerName, string>> = {
  postgres: 'pg_backend_pid()',
  mysql: 'connection_id()',
}
const kill: Readonly<Record<ServerName, (id: unknown) => string>> = {
  postgres: (id) => `select pg_terminate_backend(${id})`,
  mysql: (id) => `kill ${id}`,
}
const nap: Readonly<Record<ServerName, string>> = { postgres: 'pg_sleep(3)', mysql: 'sleep(3)' }

for (const one of everyDatabase()) {
  const { name, label } = one
  if (name === 'sqlite') continue
  if (one.missing !== undefined) {
    notRun(`broken connections (${label})`, one.missing)
    continue
  }
  for (const kind of pools) {
    const server = databaseBeside(one)
    suiteOn(one, `broken connections, ${kind}`, (test) => {
      let db: AnyKysely
      const id = async (on: AnyKysely): Promise<unknown> => {
        const { rows } = await sql<{ id: unknown }>`select ${sql.raw(ownId[name])} as id`.execute(
          on,
        )
        return rows[0]?.id
      }
      const end = (one: unknown): Promise<void> =>
        runScript(name, server.url ?? '', kill[name](one))
      /** Whether the pool is complete: all of its connections serve at once. */
      const isWhole = async (): Promise<boolean> => {
        const ids = await Promise.all(
          Array.from({ length: size }, () =>
            db.connection().execute(async (on) => {
              const one = await id(on)
              await sleep(50)
              return one
            }),
          ),
        )
        return new Set(ids).size === size
      }
      /** Waits until the pool is complete: it learns of an ended connection when the server has closed it, which takes longer under load. */
      const becomesWhole = async (): Promise<boolean> => {
        for (let times = 0; times < 100; times++) {
          if (await isWhole().catch(() => false)) return true
          await sleep(50)
        }
        return isWhole()
      }
      test.before(async () => {
        await server.execScript(thingsScript)
        db = await openPool(kind, name, server.url ?? '', size)
      })

      test('only an unwrapped pool of pg causes a warning, which contains the lines to add', async () => {
        const { api, warnings } = loggingApi(db, [Thing])
        await api.ready
        const about = warnings.filter((warning) => warning.includes('ends the process'))
        equal(about.length, name === 'postgres' && kind === 'a pool of the host' ? 1 : 0)
        const lines = [
          "pool.on('error', () => {})",
          "pool.on('connect', (client) => client.on('error', () => {}))",
        ]
        for (const line of lines) ok(about.every((warning) => warning.includes(line)))
      })

      test('one that breaks during a statement fails it, and is replaced', async () => {
        const uncaught = uncaughtErrors()
        const thrown = await db
          .connection()
          .execute(async (on) => {
            const one = await id(on)
            setTimeout(() => void end(one), 100)
            await sql`select ${sql.raw(nap[name])}`.execute(on)
          })
          .catch((error: unknown) => error)
        ok(thrown instanceof Error)
        // A wrapped pool of pg closes the connection at once. Otherwise the pool learns of it when the connection has ended.
        const atOnce = name === 'postgres' && kind !== 'a pool of the host'
        ok(await (atOnce ? isWhole() : becomesWhole()))
        uncaught.stop()
        equal(uncaught.errors, [])
      })

      test('one that breaks between two statements of a transaction fails it, and is replaced', async () => {
        const uncaught = uncaughtErrors()
        const thrown = await db
          .transaction()
          .execute(async (on) => {
            await end(await id(on))
            for (let times = 0; times < 50; times++) {
              await sleep(100)
              await id(on)
            }
          })
          .catch((error: unknown) => error)
        ok(thrown instanceof Error)
        ok(await becomesWhole())
        uncaught.stop()
        equal(uncaught.errors, [])
      })

      test('one that breaks while it is idle in the pool is replaced', async () => {
        const uncaught = uncaughtErrors()
        const one = await id(db)
        await end(one)
        await sleep(200)
        uncaught.stop()
        equal(uncaught.errors, [])
        ok(await becomesWhole())
      })

      test('running requests get a response, and later requests succeed', async () => {
        const uncaught = uncaughtErrors()
        const { api, errors } = loggingApi(db, [Thing])
        await api.ready
        const statuses = new Set<number>()
        let over = false
        const ask = async (): Promise<void> => {
          while (!over) {
            statuses.add((await api.handle({ method: 'GET', url: '/api/things' })).status)
            const body = { name: 'changed' }
            const url = '/api/things/1'
            const headers = { 'content-type': 'application/json' }
            statuses.add((await api.handle({ method: 'PATCH', url, headers, body })).status)
          }
        }
        const asking = Array.from({ length: 6 }, ask)
        for (let times = 0; times < 5; times++) {
          await sleep(100)
          await endAll()
        }
        over = true
        await Promise.all(asking)
        uncaught.stop()
        equal(uncaught.errors, [])
        const broken = [...statuses].filter((status) => ![200, 503].includes(status))
        equal([broken, broken.length === 0 ? [] : errors], [[], []])
        equal((await api.handle({ method: 'GET', url: '/api/things/1' })).status, 200)
        ok(await becomesWhole())
      })

      /** Ends every connection to the database of this test. */
      const endAll = async (): Promise<void> => {
        for (const { id } of await connectionsOf(name, server.url ?? '')) {
          // It may have ended in the meantime.
          await end(id).catch(() => {})
        }
      }
    })
  }
}
