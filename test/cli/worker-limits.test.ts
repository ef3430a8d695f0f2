/** Rate limits of several workers: separate counters in memory, shared ones in Redis. */
import { fileURLToPath } from 'node:url'
import { redisClient } from '../limits/redis-client.ts'
import { equal, match, ok } from '../support/assert.ts'
import { everyDatabase } from '../support/databases.ts'
import { notRun, suite } from '../support/suite.ts'
import { baseIn, connection, numberOf } from './processes.ts'
import { peopleTarget, started } from './support.ts'

const module = fileURLToPath(new URL('./served-api.ts', import.meta.url))
const [db] = everyDatabase()
if (db === undefined) throw new Error('no database')
const redis = await redisClient()

/** Sends 60 requests to two workers; returns the output, and the statuses by process. */
async function asked(env: Record<string, string>) {
  const args = ['serve', module, '--workers', '2', '--port', '0']
  const running = started(args, { TARGET: await target, LIMIT: '20 per day', ...env })
  const text = await running.until(/workers: processes .*\n/)
  const seen = new Map<number, number[]>()
  for (let i = 0; i < 60; i++) {
    const one = connection(baseIn(text))
    const { status, body } = await one.ask('GET', '/api/books/1')
    one.close()
    seen.set(body.pid, [...(seen.get(body.pid) ?? []), status])
  }
  running.process.kill('SIGTERM')
  equal(await running.ended, 0)
  return { text: await running.written(), statuses: [...seen.values()] }
}

const target = peopleTarget(db)
const answered = (list: readonly number[]) => list.filter((status) => status === 200).length

suite('rate limits of several workers', (test) => {
  test('are counted per worker in memory, with a warning', async () => {
    const { text, statuses } = await asked({})
    equal(statuses.map(answered), [20, 20])
    equal(numberOf(text, 'Each worker counts rate limits in its own memory: with 2 workers'), 1)
    match(text, 'API_RATE_LIMIT_STORE')
  })
})

if (redis === undefined) notRun('rate limits of several workers', 'no Redis on 127.0.0.1:6379')
else {
  suite('rate limits of several workers', (test) => {
    const prefix = `model-api-test:${process.pid}:`
    test.after(async () => {
      const keys = (await redis.call('KEYS', `${prefix}*`)) as string[]
      if (keys.length > 0) await redis.call('DEL', ...keys)
      redis.close()
    })

    test('are counted together in Redis', async () => {
      const { text, statuses } = await asked({ REDIS: prefix })
      equal(statuses.length, 2)
      ok(statuses.every((list) => list.includes(429)))
      equal(answered(statuses.flat()), 20)
      equal(numberOf(text, 'in its own memory'), 0)
    })
  })
}
