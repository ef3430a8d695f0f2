/** What a write leaves in memory until the next full garbage collection does not grow with the number of its records. */
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createApi, defineModel } from '@model-api/core'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: (options?: { type: 'minor' }) => void = runInNewContext('gc')

const requests = 20

// `pg` and `mysql2` keep the rows of a statement themselves.
eachDatabase(
  'memory: lists',
  (test, db) => {
    test.before(() =>
      db.execScript('create table notes (id integer primary key, title varchar(200) not null)'),
    )

    test('a POST of many records leaves no more than one of few', async () => {
      const Note = defineModel('Note', {
        columns: {
          id: { type: 'integer', primaryKey: true, generated: true },
          title: { type: 'string', maxLength: 200 },
        },
        meta: {},
      })
      const config = { API_ALLOW_BULK: true } as const
      const api = createApi({ db: db.kysely, models: [Note], config })
      await api.ready
      const headers = { 'content-type': 'application/json' }
      /** Returns the bytes that a request leaves. */
      const leftBy = async (records: number): Promise<number> => {
        const body = JSON.stringify(
          Array.from({ length: records }, (_, i) => ({ title: `note ${i} `.repeat(10) })),
        )
        const post = async (): Promise<void> => {
          const { status } = await api.answer({ method: 'POST', url: '/api/notes', headers, body })
          equal(status, 201)
          // What waits in the event loop is not garbage yet. Two collections: objects that survive the first may be garbage by then.
          await setImmediate()
          collectGarbage({ type: 'minor' })
          collectGarbage({ type: 'minor' })
        }
        for (let i = 0; i < requests; i++) await post()
        collectGarbage()
        const before = process.memoryUsage().heapUsed
        for (let i = 0; i < requests; i++) await post()
        return (process.memoryUsage().heapUsed - before) / requests
      }
      const [few, many] = [await leftBy(2), await leftBy(500)]
      // The text of the body alone is 60,000 bytes.
      ok(many - few < 60_000, `few records leave ${few} bytes, many ${many}`)
    })
  },
  { only: 'sqlite' },
)
