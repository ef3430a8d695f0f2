/** A database that does not respond: requests end at the deadline, connections are closed, and the pool is complete again. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AnyModel, createApi } from '@model-api/core'
import { Book, createPeople, jwtKeys, login, User } from '../auth/people.ts'
import { equal, match, ok, rejects } from '../support/assert.ts'
import { faultProxy } from '../support/fault-proxy.ts'
import {
  type AnyKysely,
  ask,
  connectionsOf,
  destroyed,
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
import { type SilentProxy, silentProxy } from '../support/silent-proxy.ts'
import { runsAtOnce, runsOn, suiteOn } from '../support/suite.ts'
import { whenOver } from '../support/time-limit.ts'

runsOn('one server of each engine')
// A server allows a hundred connections, and those that are silent stay open.
runsAtOnce(3)

const config = { API_STATEMENT_TIMEOUT: 200 }
/** A connection that begins while the network is silent is given up after a second. */
const connectionTimeout = 1_000
/** Milliseconds after which a test fails. The deadline of a statement is one second after API_STATEMENT_TIMEOUT. */
const longest = 10_000
const headers = { 'content-type': 'application/json' }

// The servers take turns, so that suites that run at the same time share them.
for (const kind of pools) {
  for (const size of [1, 10]) eachServer('a silent database', (one) => define(one, kind, size))
}

function define(one: Server, kind: PoolKind, size: number): void {
  const server = serverBeside(one)
  const { name, url } = server
  suiteOn(server, `a silent database, ${kind} of ${size}`, (test) => {
    let proxy: SilentProxy
    let db: AnyKysely
    const opened: AnyKysely[] = []
    const open = async (): Promise<AnyKysely> => {
      const one = await openPool(kind, name, proxy.through(url), size, { connectionTimeout })
      opened.push(one)
      return one
    }
    test.before(async () => {
      await server.execScript(thingsScript)
      const { port } = new URL(url)
      proxy = await silentProxy(Number(port || { postgres: 5432, mysql: 3306 }[name]))
      db = await open()
    })
    test.after(async () => {
      await proxy.close()
      for (const one of opened) await destroyed(one)
    })

    /** Sends as many requests at once as the pool has connections, and one more. */
    const askAll = async (api: ReturnType<typeof createApi>): Promise<number[]> => {
      const asked = Array.from({ length: size + 1 }, () =>
        api.handle({ method: 'GET', url: '/api/things/1' }),
      )
      return [...new Set((await Promise.all(asked)).map(({ status }) => status))]
    }
    /** A connection that was being opened when the network went silent ends at the time limit of the pool. */
    const isServed = (api: ReturnType<typeof createApi>): Promise<boolean> =>
      eventually(async () => (await askAll(api)).join() === '200')
    /** On a busy machine the start may take longer than its deadline; it is then tried again. */
    const hasStarted = (api: ReturnType<typeof createApi>): Promise<boolean> =>
      eventually(() =>
        api.ready.then(
          () => true,
          () => false,
        ),
      )
    const names = async (): Promise<unknown[]> => {
      const rows = await ask(name, url, 'select name from things order by id')
      return rows.map((row) => row.name)
    }
    const timed = <T>(work: Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        const stopWatch = whenOver(longest, (limit) => reject(new Error(`took over ${limit} ms`)))
        work.then(resolve, reject).finally(stopWatch)
      })

    test('reads are 503 with Retry-After, and are served once the database responds', async () => {
      const uncaught = uncaughtErrors()
      const { api, errors } = loggingApi(db, [Thing], { config })
      ok(await isServed(api))
      proxy.silence()
      const request = { method: 'GET', url: '/api/things' }
      const { status, headers: sent } = await timed(api.handle(request))
      equal([status, sent['retry-after']], [503, '1'])
      equal(await timed(askAll(api)), [503])
      proxy.resume()
      ok(await isServed(api))
      ok(await eventually(async () => (await connectionsOf(name, url)).length <= size))
      ok(errors.length > 0)
      uncaught.stop()
      equal(uncaught.errors, [])
    })

    test('lost connections are replaced', async () => {
      const { api } = loggingApi(db, [Thing], { config })
      ok(await hasStarted(api))
      proxy.silence()
      equal(await timed(askAll(api)), [503])
      proxy.replace()
      ok(await isServed(api))
    })

    test('a transaction is rolled back, and its connection is replaced', async () => {
      const { api } = loggingApi(db, [changing(() => proxy.silence())], { config })
      ok(await hasStarted(api))
      const body = { name: 'changed' }
      const request = { method: 'PATCH', url: '/api/things/1', headers, body }
      equal((await timed(api.handle(request))).status, 503)
      proxy.resume()
      await sleep(100)
      equal(await names(), ['one', 'two'])
      ok(await isServed(api))
    })

    test('a COMMIT without a response is 503, and its connection is replaced', async () => {
      const { api } = loggingApi(db, [changing(() => proxy.silenceAt('commit'))], { config })
      ok(await hasStarted(api))
      const body = { name: 'kept or not' }
      const request = { method: 'PATCH', url: '/api/things/2', headers, body }
      equal((await timed(api.handle(request))).status, 503)
      proxy.replace()
      ok(await isServed(api))
    })

    test('claiming an Idempotency-Key has the same deadline, and the key is free afterwards', async () => {
      const { api } = loggingApi(db, [Thing], { config })
      ok(await hasStarted(api))
      const post = () => {
        const key = { 'idempotency-key': 'a-key-of-16-or-more' }
        const body = { id: 3, name: 'keyed' }
        const all = { ...headers, ...key }
        return api.handle({ method: 'POST', url: '/api/things', headers: all, body })
      }
      const whileTaken = (left: number): Promise<number> =>
        left === 0
          ? timed(post()).then(({ status }) => status)
          : db.connection().execute(() => whileTaken(left - 1))
      // On a busy machine, taking all connections may exceed the pool's limit for one; it is then tried again.
      let status = 0
      const answered = (code: number): boolean => {
        status = code
        return true
      }
      ok(await eventually(() => whileTaken(size).then(answered, () => false)))
      equal(status, 503)
      // On a busy machine the deadline may pass once more.
      ok(await eventually(async () => (await post()).status === 201))
      await server.execScript('delete from things where id = 3')
    })

    test('a statement without a time limit on the server ends at the deadline', async () => {
      const { api } = loggingApi(db, [Thing, slowThing(name)], { config })
      ok(await hasStarted(api))
      equal((await timed(api.handle({ method: 'GET', url: '/api/slow-things/1' }))).status, 503)
      ok(await isServed(api))
      // For an unwrapped pool of pg, the server is not told to cancel.
      if (name === 'postgres' && kind === 'a pool of the host') return
      const isOver = async (): Promise<boolean> =>
        (await connectionsOf(name, url)).every(
          ({ statement }) => statement?.includes('sleep') !== true,
        )
      ok(await eventually(isOver))
    })

    // The other databases explain a refusal in the transaction of the write, whose connection bounds all statements.
    if (name === 'postgres') {
      test('the look-up of the constraint that refused a write ends at the deadline', async () => {
        // The schema check reads the same catalogue, possibly after the first request.
        const unchecked = { ...config, API_SCHEMA_CHECK: 'off' } as const
        const { api } = loggingApi(db, [Thing], { config: unchecked })
        ok(await isServed(api))
        proxy.silenceAt('pg_constraint')
        const request = { method: 'POST', url: '/api/things', headers, body: { id: 1, name: 'x' } }
        // 503 if the pool has no connection left for it.
        const { status } = await timed(api.handle(request))
        ok(status === 409 || status === 503)
        proxy.replace()
        ok(await isServed(api))
        // The server has a limit for all pools of this file.
        proxy.forget()
      })
    }

    // mysql2 closes only its own end of a connection, and an unwrapped pool does not give access to the connection.
    if (name === 'postgres' || kind !== 'a pool of the host') {
      test('the sockets of connections that were closed are closed', async () => {
        const sockets = new Set<Socket>()
        const keep = (message: unknown): void => {
          const { socket } = message as { readonly socket: Socket }
          socket.once('connect', () => {
            if (socket.remotePort === proxy.port) sockets.add(socket)
          })
        }
        subscribe('net.client.socket', keep)
        const { api } = loggingApi(await open(), [Thing], { config })
        ok(await hasStarted(api))
        ok(await isServed(api))
        proxy.silence()
        equal(await timed(askAll(api)), [503])
        unsubscribe('net.client.socket', keep)
        equal(sockets.size >= size, true)
        ok(await eventually(() => [...sockets].every(({ destroyed }) => destroyed)))
        proxy.replace()
      })
    }

    test('look-ups at start-up time out, too, and are retried', async () => {
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

/** A model whose changes take a transaction, during which `during` runs. */
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

eachServer('a table of refresh tokens', (server) => {
  const { name, url } = server
  suiteOn(server, `a table of refresh tokens that cannot be created`, (test) => {
    test('costs one deadline, not one for each attempt', async () => {
      await server.execScript('drop table if exists refresh_tokens')
      await createPeople(server)
      const proxy = await faultProxy(name, url, ({ text }) =>
        text.startsWith('create table') ? 'swallow' : 'forward',
      )
      const db = await openPool('a wrapped pool', name, proxy.url, 2)
      const { api } = loggingApi(db, [User, Book], {
        config: { ...jwtKeys, ...config },
        env: {},
      })
      await api.ready
      const created = () =>
        proxy.commands.filter(
          ({ kind, text }) => kind !== 'prepare' && text.startsWith('create table'),
        )
      // On a busy machine an earlier statement may also pass its deadline.
      const isRefusedThere = async (): Promise<boolean> => {
        equal((await login(api, 'ann')).status, 503)
        return created().length > 0
      }
      ok(await eventually(isRefusedThere))
      equal(created().length, 1)
      await proxy.close()
    })
  })
})

eachServer('a failed start', (server) => {
  const { name, url } = server
  suiteOn(server, `a failed start`, (test) => {
    test('that is not caused by an unavailable database reports its error at once', async () => {
      await server.execScript('select 1')
      const elsewhere = new URL(url)
      elsewhere.pathname = '/no_such_database'
      const db = await openPool('a wrapped pool', name, elsewhere.href, 1)
      const errors: unknown[] = []
      const api = createApi({ db, models: [Thing], onError: (error) => void errors.push(error) })
      match((await rejects(api.ready)).message, /no_such_database/)
      match(String(errors[0]), /no_such_database/)
      const { status, body } = await api.handle({ method: 'GET', url: '/api/things' })
      equal([status, (body as { errors?: { code?: string } }).errors?.code], [503, 'not_ready'])
    })
  })
})
