/** A client that disconnects: its statement is cancelled, its connection returns to the pool at once, and no error is reported. */
import http, { type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { modelApi as expressApi } from '@model-api/adapter-express'
import { modelApi as koaApi } from '@model-api/adapter-koa'
import type { AnyModel, Api } from '@model-api/core'
import { listener } from '@model-api/http-node'
import express from 'express'
import Koa from 'koa'
import { sql } from 'kysely'
import { equal, match, ok, rejects } from '../support/assert.ts'
import {
  type AnyKysely,
  ask,
  connectionsOf,
  eachServer,
  eventually,
  loggingApi,
  openPool,
  type PoolKind,
  pools,
  type Server,
  serverBeside,
  slowThing,
  Thing,
  thingsScript,
  uncaughtErrors,
} from '../support/faults.ts'
import { runsAtOnce, runsOn, suiteOn } from '../support/suite.ts'

runsOn('one server of each engine')
runsAtOnce(4)

const headers = { 'content-type': 'application/json' }
const config = { API_STATEMENT_TIMEOUT: 60_000 }

const servers: Readonly<Record<string, (api: Api) => RequestListener>> = {
  'node:http': (api) => listener(api),
  express: (api) => express().use(expressApi(api)) as RequestListener,
  koa: (api) => new Koa().use(koaApi(api)).callback() as RequestListener,
}

eachServer('clients that disconnect', (server) => {
  for (const kind of pools) define(server, kind)
})

function define(one: Server, kind: PoolKind): void {
  const server = serverBeside(one)
  const { name, url: database } = server
  suiteOn(server, `a client that disconnects, ${kind}`, (test) => {
    let db: AnyKysely
    let api: Api
    let errors: unknown[]
    const uncaught = uncaughtErrors()
    test.before(async () => {
      await server.execScript(thingsScript)
      db = await openPool(kind, name, database, 1, { statementTimeout: 60_000 })
      const logging = loggingApi(db, [Thing, watchedThing, slowThing(name)], { config })
      api = logging.api
      errors = logging.errors
      await api.ready
    })
    test.after(async () => {
      uncaught.stop()
      await db.destroy()
    })

    const slowPath = '/api/slow-things/1'
    const isServed = async (): Promise<void> => {
      const { status } = await api.handle({ method: 'GET', url: '/api/things/2' })
      equal([status, errors, uncaught.errors], [200, [], []])
    }
    const isRunning = async (part: string): Promise<boolean> =>
      (await connectionsOf(name, database)).some(({ statement }) => statement?.includes(part))

    for (const [adapter, serve] of Object.entries(servers)) {
      test(`cancels its read, with ${adapter}`, async () => {
        const one = await listening(serve(api))
        const leaving = new AbortController()
        const answer = fetch(`${one.base}${slowPath}`, { signal: leaving.signal })
        const outcome = answer.then(
          () => 'answered',
          () => 'gone',
        )
        ok(await eventually(() => isRunning('sleep')))
        await sleep(300)
        leaving.abort()
        equal(await outcome, 'gone')
        // With a pool of one, this request waits until the other statement has ended or is cancelled.
        await isServed()
        await one.close()
      })
    }

    test('cancels its read, with api.fetch, which responds with 499', async () => {
      const leaving = new AbortController()
      const request = new Request(`http://localhost${slowPath}`, { signal: leaving.signal })
      const answer = api.fetch(request)
      await sleep(300)
      leaving.abort()
      equal((await answer).status, 499)
      await isServed()
    })

    /** Whether the server is told to cancel. For an unwrapped pool of pg it is not: a running statement completes. */
    const isTold = name === 'mysql' || kind !== 'a pool of the host'
    if (isTold) {
      test('the database server receives a request to cancel the statement', async () => {
        const leaving = new AbortController()
        const { signal } = leaving
        const answer = api.handle({ method: 'GET', url: slowPath, signal })
        ok(await eventually(() => isRunning('sleep')))
        leaving.abort()
        equal((await answer).status, 499)
        ok(await eventually(async () => !(await isRunning('sleep'))))
        await isServed()
      })
    }

    test('stops waiting for a connection', async () => {
      const leaving = new AbortController()
      const { signal } = leaving
      const waiting = db.connection().execute(async () => {
        const answer = api.handle({ method: 'GET', url: '/api/things', signal })
        leaving.abort()
        return (await answer).status
      })
      equal(await waiting, 499)
      await isServed()
    })

    for (const [write, path] of [
      ['one statement', '/api/things/1'],
      ['a transaction', '/api/watched-things/1'],
    ] as const) {
      test(`its write is rolled back if it waits for a lock: ${write}`, async () => {
        const blocking = await openPool('a wrapped pool', name, database, 1)
        await blocking.transaction().execute(async (holder) => {
          await sql`update things set name = 'held' where id = 1`.execute(holder)
          const leaving = new AbortController()
          const { signal } = leaving
          const body = { name: 'gone' }
          const answer = api.handle({ method: 'PATCH', url: path, headers, body, signal })
          await sleep(300)
          leaving.abort()
          equal((await answer).status, 499)
          await isServed()
          if (isTold) ok(await eventually(async () => !(await isRunning('update'))))
        })
        await blocking.destroy()
        await sleep(100)
        const [row] = await ask(name, database, 'select name from things where id = 1')
        equal(row?.name, isTold || write === 'a transaction' ? 'held' : 'gone')
        await isServed()
      })
    }

    /** Runs `during` while another transaction holds the rows that `hold` has locked; then rolls that transaction back. */
    const whileHeld = async (hold: string, during: () => Promise<void>): Promise<void> => {
      const blocking = await openPool('a wrapped pool', name, database, 1)
      const held = blocking.transaction().execute(async (holder) => {
        await sql.raw(hold).execute(holder)
        await during()
        throw new Error('over')
      })
      match((await rejects(held)).message, /^over$/)
      await blocking.destroy()
    }
    const keyed = (id: number, signal?: AbortSignal) => {
      const key = `a-key-of-16-or-more-${id}`
      const all = { ...headers, 'idempotency-key': key }
      const body = { id, name: 'keyed' }
      return api.handle({
        method: 'POST',
        url: '/api/things',
        headers: all,
        body,
        ...(signal === undefined ? {} : { signal }),
      })
    }
    /** The number of idempotency keys that are claimed and have no response yet. */
    const claims = async (): Promise<number> => {
      const text = 'select count(*) as n from idempotency_keys where answer is null'
      const [row] = await ask(name, database, text)
      return Number(row?.n)
    }
    const leavesKeyed = async (id: number): Promise<void> => {
      const leaving = new AbortController()
      const answer = keyed(id, leaving.signal)
      await sleep(300)
      leaving.abort()
      equal((await answer).status, 499)
    }

    test('its Idempotency-Key is released if its write waits for a lock', async () => {
      await whileHeld("insert into things values (11, 'held')", () => leavesKeyed(11))
      equal((await keyed(11)).status, 201)
      await isServed()
    })

    // With an unwrapped pool of pg, the claim completes.
    if (isTold) {
      test('its Idempotency-Key is released if the claim waits for a lock', async () => {
        equal((await keyed(12)).status, 201)
        const over = 'update idempotency_keys set expires_at = 0'
        await server.execScript(`delete from things where id = 12; ${over}`)
        await whileHeld(over.replace('0', '1'), () => leavesKeyed(12))
        equal((await keyed(12)).status, 201)
        await isServed()
      })
    }

    test('its Idempotency-Key is released even if the release waits for a lock', async () => {
      await whileHeld("insert into things values (14, 'held')", async () => {
        const leaving = new AbortController()
        const answer = keyed(14, leaving.signal)
        ok(await eventually(async () => (await claims()) === 1))
        await whileHeld('select * from idempotency_keys for update', async () => {
          leaving.abort()
          await sleep(600)
        })
        equal((await answer).status, 499)
      })
      ok(await eventually(async () => (await claims()) === 0))
      equal((await keyed(14)).status, 201)
      await isServed()
    })

    test('stops waiting for the connection that would claim its Idempotency-Key', async () => {
      await db.connection().execute(() => leavesKeyed(13))
      equal((await keyed(13)).status, 201)
      await isServed()
    })

    test('a client that stays connected gets its response', async () => {
      const { signal } = new AbortController()
      const { status } = await api.handle({ method: 'GET', url: '/api/things/1', signal })
      equal(status, 200)
      await isServed()
    })
  })
}

/** The same model, but its changes take a transaction. */
const watchedThing: AnyModel = {
  ...Thing,
  name: 'WatchedThing',
  meta: { ...Thing.meta, update_callback: (thing) => thing },
}

async function listening(
  listener: RequestListener,
): Promise<{ base: string; close: () => Promise<void> }> {
  const one = http.createServer(listener)
  await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve))
  const { port } = one.address() as AddressInfo
  return {
    base: `http://127.0.0.1:${port}`,
    close: async () => {
      one.closeAllConnections()
      await new Promise((resolve) => one.close(resolve))
    },
  }
}
