/**
 * A rate-limit store that is paused, unavailable or slow: requests are nevertheless served and counted, and the store is used
 * again afterwards.
 */
import type { RateLimitStore } from '@model-api/core'
import { redisRateLimitStore } from '@model-api/core/redis'
import { createPeople, peopleApi } from '../auth/people.ts'
import { equal, match, ok } from '../support/assert.ts'
import { everyDatabase, type TestDatabase } from '../support/databases.ts'
import { redisServer } from '../support/redis-server.ts'
import { notRun, suite } from '../support/suite.ts'
import { reconnectingClient } from './redis-client.ts'

const [db] = everyDatabase()
const [another] = everyDatabase()
if (db === undefined || another === undefined) throw new Error('no database')

const start = (store: RateLimitStore, on: TestDatabase = db) => {
  const people = peopleApi(on, { API_RATE_LIMIT: '3 per minute', API_RATE_LIMIT_STORE: store })
  // Discards warnings of the start, which are about the models.
  people.warnings.splice(0)
  const ask = async (ip = '192.0.2.1') =>
    (await people.api.handle({ method: 'GET', url: '/api/books', ip })).status
  return { ...people, ask }
}

const several = async (ask: () => Promise<number>, times: number): Promise<number[]> => {
  const statuses: number[] = []
  for (let i = 0; i < times; i++) statuses.push(await ask())
  return statuses
}

/** Sends requests until the store is used again. The limiter's back-off uses the fixed clock, which the caller must advance. */
async function untilBack(ask: () => Promise<unknown>, isBack: () => boolean | Promise<boolean>) {
  for (let i = 0; i < 200; i++) {
    await ask()
    if (await isBack()) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error('the store was not used again')
}

suite('a rate-limit store that does not respond', (test) => {
  test.before(() => createPeople(db))
  test.after(() => db.close())

  test('counts in memory after a second; only one request waits for it', async () => {
    let asked = 0
    const silent: RateLimitStore = {
      hit: () => {
        asked += 1
        return new Promise(() => {})
      },
    }
    const { ask, warnings, errors } = start(silent)
    equal(await several(ask, 5), [200, 200, 200, 429, 429])
    equal(asked, 1)
    equal(warnings.length, 1)
    match(warnings[0] ?? '', /API_RATE_LIMIT_STORE.*1000 ms.*memory of this process/)
    equal(errors, [])
  })

  test('concurrent requests wait for it no longer than one does', async () => {
    const { ask, warnings } = start({ hit: () => new Promise(() => {}) })
    const statuses = await Promise.all(Array.from({ length: 6 }, () => ask()))
    equal(statuses.sort(), [200, 200, 200, 429, 429, 429])
    equal(warnings.length, 1)
  })

  test('a late result is not used: the store is retried, and used once it is fast', async () => {
    let delay = 1_300
    const counts = new Map<string, number>()
    const slow: RateLimitStore = {
      hit: async (key, windowMs, now) => {
        await new Promise((resolve) => setTimeout(resolve, delay))
        counts.set(key, (counts.get(key) ?? 0) + 1)
        return { count: counts.get(key) ?? 0, resetsAt: now + windowMs }
      },
    }
    const { ask, clock, warnings } = start(slow)
    equal(await ask(), 200)
    delay = 0
    clock.tick(1_000)
    await untilBack(
      () => ask('192.0.2.2'),
      () => [...counts.values()].some((count) => count > 3),
    )
    equal(warnings.length, 1)
  })

  test('a result that is no count is a failure', async () => {
    const broken = { hit: async () => ({ count: 'many' }) } as unknown as RateLimitStore
    const { ask, warnings } = start(broken)
    equal(await several(ask, 4), [200, 200, 200, 429])
    match(warnings[0] ?? '', 'no count')
  })

  test('an exception is a failure', async () => {
    const { ask, warnings } = start({
      hit: () => {
        throw new Error('not connected')
      },
    })
    equal(await several(ask, 4), [200, 200, 200, 429])
    match(warnings[0] ?? '', 'not connected')
  })
})

const server = await redisServer()

if (server === undefined) notRun('rate limits while Redis is away', 'no redis-server is installed')
else {
  suite('rate limits while Redis is away', (test) => {
    test.before(() => createPeople(another))
    test.after(async () => {
      await server.kill()
      await another.close()
    })

    let nextPrefix = 0
    for (const [kind, queues] of [
      ['commands wait for a connection, as with node-redis', true],
      ['commands are refused without one', false],
    ] as const) {
      const world = async () => {
        const client = reconnectingClient(server.port, queues)
        while ((await client.call('PING').catch(() => undefined)) !== 'PONG') {
          await new Promise((resolve) => setTimeout(resolve, 20))
        }
        nextPrefix += 1
        const prefix = `${nextPrefix}:`
        const store = redisRateLimitStore(client, { prefix })
        const stored = async () =>
          ((await client.call('KEYS', `${prefix}*`).catch(() => [])) as string[]).length
        return { client, stored, ...start(store, another) }
      }

      test(`paused, and going on: ${kind}`, async () => {
        const { client, ask, clock, stored, warnings } = await world()
        equal(await ask('192.0.2.1'), 200)
        equal(await stored(), 1)
        server.pause()
        try {
          equal(await several(ask, 4), [200, 200, 200, 429])
        } finally {
          server.resume()
        }
        equal(warnings.length, 1)
        clock.tick(60_000)
        const before = await stored()
        let n = 0
        const another = () => ask(`198.51.100.${++n}`)
        await untilBack(another, async () => (await stored()) > before + 1)
        equal(warnings.length, 1)
        client.close()
      })

      test(`killed, and started again: ${kind}`, async () => {
        const { client, ask, clock, stored, warnings } = await world()
        equal(await ask(), 200)
        await server.kill()
        try {
          equal(await several(ask, 4), [200, 200, 200, 429])
        } finally {
          await server.start()
        }
        equal(warnings.length, 1)
        let n = 0
        const another = () => {
          clock.tick(10_000)
          return ask(`198.51.100.${++n}`)
        }
        await untilBack(another, async () => (await stored()) > 2)
        ok(warnings.length >= 1)
        client.close()
      })
    }
  })
}
