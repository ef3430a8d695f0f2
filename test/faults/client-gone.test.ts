/** A client that goes away: its statement is called off, the pool is free at once, and nobody is told of an error. */
import http, { type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { modelApi as expressApi } from '@model-api/adapter-express'
import { modelApi as koaApi } from '@model-api/adapter-koa'
import type { Api } from '@model-api/core'
import { listener } from '@model-api/http-node'
import express from 'express'
import Koa from 'koa'
import { sql } from 'kysely'
import { equal, ok } from '../support/assert.ts'
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
import { notRun, suite } from '../support/suite.ts'

const config = { API_STATEMENT_TIMEOUT: 60_000 }

const servers: Readonly<Record<string, (api: Api) => RequestListener>> = {
  'node:http': (api) => listener(api),
  express: (api) => express().use(expressApi(api)) as RequestListener,
  koa: (api) => new Koa().use(koaApi(api)).callback() as RequestListener,
}

for (const server of everyDatabase()) {
  const { name } = server
  if (name === 'sqlite') continue
  if (server.missing !== undefined) notRun(`clients that go away (${name})`, server.missing)
  else for (const kind of pools) define(name, server, kind)
}

function define(name: ServerName, server: TestDatabase, kind: PoolKind): void {
  suite(`a client that goes away, ${kind} [${name}]`, (test) => {
    const database = server.url ?? ''
    let db: AnyKysely
    let api: Api
    let errors: unknown[]
    const uncaught = uncaughtErrors()
    test.before(async () => {
      await server.execScript(`drop table if exists things; ${thingsScript}`)
      db = await openPool(kind, name, database, 1, { statementTimeout: 60_000 })
      const logging = loggingApi(db, [Thing, slowThing(name)], { config })
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
      test(`calls off its read, by ${adapter}`, async () => {
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
        // A pool of one: this waits for the statement, or takes its place.
        await isServed()
        await one.close()
      })
    }

    test('calls off its read, by api.fetch, which answers 499', async () => {
      const leaving = new AbortController()
      const request = new Request(`http://localhost${slowPath}`, { signal: leaving.signal })
      const answer = api.fetch(request)
      await sleep(300)
      leaving.abort()
      equal((await answer).status, 499)
      await isServed()
    })

    /** Nobody tells the server about an unwrapped pool of pg: what has begun there is completed. */
    const isTold = name === 'mysql' || kind !== 'a pool of the host'
    if (isTold) {
      test('the server is told to end the statement', async () => {
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

    test('waits for a connection no longer', async () => {
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

    test('its write is rolled back, where it waits for a lock', async () => {
      const blocking = await openPool('a wrapped pool', name, database, 1)
      const headers = { 'content-type': 'application/json' }
      await blocking.transaction().execute(async (holder) => {
        await sql`update things set name = 'held' where id = 1`.execute(holder)
        const leaving = new AbortController()
        const { signal } = leaving
        const body = { name: 'gone' }
        const answer = api.handle({ method: 'PATCH', url: '/api/things/1', headers, body, signal })
        await sleep(300)
        leaving.abort()
        equal((await answer).status, 499)
        await isServed()
        if (isTold) ok(await eventually(async () => !(await isRunning('update'))))
      })
      await blocking.destroy()
      await sleep(100)
      const [row] = await ask(name, database, 'select name from things where id = 1')
      equal(row?.name, isTold ? 'held' : 'gone')
      await isServed()
    })

    test('one that came and stayed is answered', async () => {
      const { signal } = new AbortController()
      const { status } = await api.handle({ method: 'GET', url: '/api/things/1', signal })
      equal(status, 200)
      await isServed()
    })
  })
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
