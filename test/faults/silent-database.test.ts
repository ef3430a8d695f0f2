/** A database that gives no answer: requests end at the deadline, connections are closed, and the pool is whole again. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type AnyModel, createApi } from '@model-api/core'
import { equal, match, ok, rejects } from '../support/assert.ts'
import { everyDatabase, type TestDatabase } from '../support/databases.ts'
import {
  type AnyKysely,
  ask,
  connectionsOf,
  eventually,
  loggingApi,
  openPool,
  type PoolKind,
  pools,
  slowThing,
  Thing,
  thingsScript,
  uncaughtErrors,
} from '../support/faults.ts'
import type { ServerName } from '../support/servers.ts'
import { type SilentProxy, silentProxy } from '../support/silent-proxy.ts'
import { notRun, suite } from '../support/suite.ts'

const config = { API_STATEMENT_TIMEOUT: 200 }
/** The deadline of a statement is a second more; a loaded machine is given its time. */
const longest = 10_000
const headers = { 'content-type': 'application/json' }

for (const server of everyDatabase()) {
  const { name } = server
  if (name === 'sqlite') continue
  if (server.missing !== undefined) notRun(`a silent database (${name})`, server.missing)
  else for (const kind of pools) for (const size of [1, 10]) define(name, server, kind, size)
}

function define(name: ServerName, server: TestDatabase, kind: PoolKind, size: number): void {
  suite(`a silent database, ${kind} of ${size} [${name}]`, (test) => {
    let proxy: SilentProxy
    let db: AnyKysely
    const opened: AnyKysely[] = []
    const open = async (): Promise<AnyKysely> => {
      const one = await openPool(kind, name, proxy.through(server.url ?? ''), size)
      opened.push(one)
      return one
    }
    test.before(async () => {
      await server.execScript(`drop table if exists things; ${thingsScript}`)
      const { port } = new URL(server.url ?? '')
      proxy = await silentProxy(Number(port || { postgres: 5432, mysql: 3306 }[name]))
      db = await open()
    })
    test.after(async () => {
      await proxy.close()
      for (const one of opened) await one.destroy()
    })

    /** As many requests at once as the pool has places, and one more. */
    const askAll = async (api: ReturnType<typeof createApi>): Promise<number[]> => {
      const asked = Array.from({ length: size + 1 }, () =>
        api.handle({ method: 'GET', url: '/api/things/1' }),
      )
      return [...new Set((await Promise.all(asked)).map(({ status }) => status))]
    }
    /** Connections that were just being made when the network fell silent end at the time limit of the pool. */
    const isServed = (api: ReturnType<typeof createApi>): Promise<boolean> =>
      eventually(async () => (await askAll(api)).join() === '200')
    const names = async (): Promise<unknown[]> => {
      const rows = await ask(name, server.url ?? '', 'select name from things order by id')
      return rows.map((row) => row.name)
    }
    const timed = async <T>(work: Promise<T>): Promise<T> => {
      const started = performance.now()
      const result = await work
      ok(performance.now() - started < longest)
      return result
    }

    test('reads are 503 with Retry-After, and served once it answers', async () => {
      const uncaught = uncaughtErrors()
      const { api, errors } = loggingApi(db, [Thing], { config })
      await api.ready
      equal(await askAll(api), [200])
      proxy.silence()
      const request = { method: 'GET', url: '/api/things' }
      const { status, headers: sent } = await timed(api.handle(request))
      equal([status, sent['retry-after']], [503, '1'])
      equal(await timed(askAll(api)), [503])
      proxy.resume()
      ok(await isServed(api))
      ok(await eventually(async () => (await connectionsOf(name, server.url ?? '')).length <= size))
      ok(errors.length > 0)
      uncaught.stop()
      equal(uncaught.errors, [])
    })

    test('connections that are lost for good are replaced', async () => {
      const { api } = loggingApi(db, [Thing], { config })
      await api.ready
      proxy.silence()
      equal(await timed(askAll(api)), [503])
      proxy.replace()
      ok(await isServed(api))
    })

    test('a transaction is rolled back, and its connection replaced', async () => {
      const { api } = loggingApi(db, [changing(() => proxy.silence())], { config })
      await api.ready
      const body = { name: 'changed' }
      const request = { method: 'PATCH', url: '/api/things/1', headers, body }
      equal((await timed(api.handle(request))).status, 503)
      proxy.resume()
      await sleep(100)
      equal(await names(), ['one', 'two'])
      ok(await isServed(api))
    })

    test('a COMMIT without an answer is 503, and its connection replaced', async () => {
      const { api } = loggingApi(db, [changing(() => proxy.silenceAt('commit'))], { config })
      await api.ready
      const body = { name: 'kept or not' }
      const request = { method: 'PATCH', url: '/api/things/2', headers, body }
      equal((await timed(api.handle(request))).status, 503)
      proxy.replace()
      ok(await isServed(api))
    })

    test('a statement that the server lets run on ends at the deadline', async () => {
      const { api } = loggingApi(db, [Thing, slowThing(name)], { config })
      await api.ready
      equal((await timed(api.handle({ method: 'GET', url: '/api/slow-things/1' }))).status, 503)
      ok(await isServed(api))
      // Nobody tells the server about an unwrapped pool of pg.
      if (name === 'postgres' && kind === 'a pool of the host') return
      const isOver = async (): Promise<boolean> =>
        (await connectionsOf(name, server.url ?? '')).every(
          ({ statement }) => statement?.includes('sleep') !== true,
        )
      ok(await eventually(isOver))
    })

    test('what is looked up at first ends, too, and is tried again', async () => {
      const fresh = await open()
      const { api } = loggingApi(fresh, [Thing], { config })
      proxy.silence()
      const ready = api.ready
      equal(await timed(askAll(api)), [503])
      match((await rejects(ready)).message, /gave no answer|timeout|did not|ETIMEDOUT|time/i)
      proxy.replace()
      ok(await isServed(api))
      await api.ready
    })
  })
}

/** Things whose changes take a transaction, in which `during` happens. */
const changing = (during: () => void): AnyModel => ({
  ...Thing,
  meta: {
    ...Thing.meta,
    update_callback: (thing) => {
      during()
      return thing
    },
  },
})

suite('a start that fails', (test) => {
  for (const server of everyDatabase()) {
    const { name } = server
    if (name === 'sqlite' || server.missing !== undefined) continue
    test(`for another reason than a database that is away says so at once [${name}]`, async () => {
      await server.execScript('select 1')
      const url = new URL(server.url ?? '')
      url.pathname = '/no_such_database'
      const db = await openPool('a wrapped pool', name, url.href, 1)
      const errors: unknown[] = []
      const api = createApi({ db, models: [Thing], onError: (error) => void errors.push(error) })
      match((await rejects(api.ready)).message, /no_such_database/)
      match(String(errors[0]), /no_such_database/)
      const { status, body } = await api.handle({ method: 'GET', url: '/api/things' })
      equal([status, (body as { errors?: { code?: string } }).errors?.code], [503, 'not_ready'])
    })
  }
})
