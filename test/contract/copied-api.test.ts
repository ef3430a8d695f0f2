/** Copying the API object reads `ready` without awaiting it: an unavailable database must not end the process. */
import { createApi, defineModel } from '@model-api/core'
import { Kysely, SqliteDialect } from 'kysely'
import { equal, rejects } from '../support/assert.ts'
import { suite } from '../support/suite.ts'

suite('a copy of an API whose database cannot be reached', (test) => {
  test('no rejection is left unhandled, and an awaited `ready` still rejects', async () => {
    const unhandled: unknown[] = []
    const note = (error: unknown): void => void unhandled.push(error)
    process.on('unhandledRejection', note)
    try {
      const database = (): Promise<never> => Promise.reject(new Error('no such file'))
      const api = createApi({
        db: new Kysely({ dialect: new SqliteDialect({ database }) }),
        dialect: 'sqlite',
        models: [defineModel('Book', { columns: { id: { type: 'integer', primaryKey: true } } })],
      })
      const copy = { ...api }
      await rejects(copy.ready)
      // Node reports unhandled rejections after the microtasks of a turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve))
      const { ready: _, ...rest } = api
      await new Promise((resolve) => setTimeout(resolve, 20))
      equal([unhandled, typeof rest.handle], [[], 'function'])
    } finally {
      process.off('unhandledRejection', note)
    }
  })
})
