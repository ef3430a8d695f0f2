/**
 * What a write leaves in memory until the next full garbage collection is at most what hooks have received and returned, which is kept
 * while the write may be repeated.
 */
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createApi, defineModel } from '@model-api/core'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: (options?: { type: 'minor' }) => void = runInNewContext('gc')

interface Note {
  readonly id: number
  readonly title: string
}

const notes = (count: number): readonly Note[] =>
  Array.from({ length: count }, (_, i) => ({ id: i + 1, title: `note ${i} `.repeat(10) }))

const titlesOf = (list: readonly Note[]) => list.map(({ title }) => ({ title }))

/** The bytes of the inputs and results of one hook for 500 records, each a title of 100 characters and an entry of its own. */
const mostKept = 500 * 500

/** Returns the bytes that a request leaves, on average. */
async function leftBy(send: () => Promise<void>): Promise<number> {
  const requests = 40
  const collected = async (): Promise<void> => {
    await send()
    // What waits in the event loop is not garbage yet. Two collections: objects that survive the first may be garbage by then.
    await setImmediate()
    collectGarbage({ type: 'minor' })
    collectGarbage({ type: 'minor' })
  }
  for (let i = 0; i < requests; i++) await collected()
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let i = 0; i < requests; i++) await collected()
  return (process.memoryUsage().heapUsed - before) / requests
}

// `pg` and `mysql2` keep the rows of a statement themselves.
eachDatabase(
  'memory: lists',
  (test, db) => {
    const headers = { 'content-type': 'application/json' }
    const apiOf = async (check: () => boolean) => {
      const Note = defineModel('Note', {
        columns: {
          id: { type: 'integer', primaryKey: true, generated: true },
          code: { type: 'integer', unique: true, nullable: true },
          title: { type: 'string', maxLength: 200 },
        },
        meta: { access_policy: { can_create: check, can_update: check } },
      })
      const config = { API_ALLOW_BULK: true } as const
      const api = createApi({ db: db.kysely, models: [Note], config })
      await api.ready
      return async (method: string, list: readonly object[], query = ''): Promise<void> => {
        const body = JSON.stringify(list)
        const { status } = await api.answer({ method, url: `/api/notes${query}`, headers, body })
        ok(status < 300)
      }
    }
    test.before(() =>
      db.execScript(
        'create table notes (id integer primary key, code integer unique, title varchar(200) not null)',
      ),
    )

    test('a POST of many records leaves little more than one of few', async () => {
      const send = await apiOf(() => true)
      const [few, many] = [
        await leftBy(() => send('POST', titlesOf(notes(2)))),
        await leftBy(() => send('POST', titlesOf(notes(500)))),
      ]
      ok(many - few < mostKept, `few records leave ${few} bytes, many ${many}`)
    })

    for (const what of ['POST', 'upsert', 'PATCH'] as const) {
      test(`${what}: many records leave little more after collections in the middle of earlier requests`, async () => {
        const list = notes(500)
        let sent = 0
        let checked = 0
        // If most objects of a literal survive such a collection, V8 allocates later ones among its old objects.
        const send = await apiOf(() => {
          checked += 1
          if (checked % list.length === 0) collectGarbage({ type: 'minor' })
          return true
        })
        if (what === 'PATCH') await send('POST', titlesOf(list))
        const left = await leftBy(() => {
          sent += 1
          if (what === 'PATCH') return send('PATCH', list)
          if (what === 'POST') return send('POST', titlesOf(list))
          // Every other record is stored already.
          const own = list.map(({ title }, i) => ({
            code: i % 2 === 0 ? i : i + 1000 * sent,
            title,
          }))
          return send('POST', own, '?on_conflict=code')
        })
        // Keys, lists of one value each, may be among the old objects too.
        ok(left < mostKept + 150_000, `it leaves ${left} bytes`)
        equal(checked % list.length, 0)
      })
    }
  },
  { only: 'sqlite' },
)
