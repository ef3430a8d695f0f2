/** The Redis store: atomic, shared by processes, with clients of every common kind. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { redisRateLimitStore } from '@model-api/core/redis'
import { equal, ok, throws } from '../support/assert.ts'
import { sourceArguments } from '../support/node-arguments.ts'
import { notRun, suite } from '../support/suite.ts'
import { redisClient } from './redis-client.ts'

const client = await redisClient()
const prefix = `model-api-test:${process.pid}:`

if (client === undefined) notRun('rate limits in Redis', 'no Redis on 127.0.0.1:6379')
else {
  suite('rate limits in Redis', (test) => {
    test.after(async () => {
      const keys = (await client.call('KEYS', `${prefix}*`)) as string[]
      if (keys.length > 0) await client.call('DEL', ...keys)
      client.close()
    })

    const kinds = {
      'call, as ioredis': { call: client.call, sendCommand: () => Promise.reject('not this one') },
      'sendCommand, as node-redis': { sendCommand: (command: string[]) => client.call(...command) },
      eval: {
        eval: (script: string, keys: number, ...rest: string[]) =>
          client.call('EVAL', script, String(keys), ...rest),
      },
    }
    for (const [kind, own] of Object.entries(kinds)) {
      test(`counts with a client that has ${kind}`, async () => {
        const store = redisRateLimitStore(own, { prefix: `${prefix}${kind}:` })
        equal((await store.peek?.('k', 60_000, 1000))?.count, 0)
        const first = await store.hit('k', 60_000, 1000)
        equal(first.count, 1)
        ok(first.resetsAt > 60_000 && first.resetsAt <= 61_000)
        equal((await store.hit('k', 60_000, 1000)).count, 2)
        equal((await store.hit('other', 60_000, 1000)).count, 1)
        equal((await store.peek?.('k', 60_000, 1000))?.count, 2)
      })
    }

    test('a window ends', async () => {
      const store = redisRateLimitStore(client, { prefix })
      await store.hit('short', 40, 0)
      await store.hit('short', 40, 0)
      await new Promise((resolve) => setTimeout(resolve, 80))
      equal((await store.hit('short', 40, 0)).count, 1)
    })

    test('a value that is no client is refused', () => {
      throws(() => redisRateLimitStore({} as never), 'call(), sendCommand() or eval()')
    })

    test('two processes share one limit', async () => {
      const path = fileURLToPath(new URL('./redis-worker.ts', import.meta.url))
      const start = () => fork(path, [`${prefix}shared:`], { execArgv: [...sourceArguments] })
      const workers = [start(), start()]
      const ask = (worker: ReturnType<typeof start>): Promise<number[]> =>
        new Promise((resolve, reject) => {
          worker.once('message', (statuses) => resolve(statuses as number[]))
          worker.once('exit', () => reject(new Error('the worker ended')))
          worker.send(25)
        })
      const statuses = (await Promise.all(workers.map(ask))).flat()
      equal(statuses.filter((status) => status === 200).length, 30)
      equal(statuses.filter((status) => status === 429).length, 20)
      for (const worker of workers) worker.disconnect()
    })
  })
}
