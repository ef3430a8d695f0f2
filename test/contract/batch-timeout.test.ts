/** Batch: API_BATCH_TIMEOUT limits the duration of a batch, however many operations it has. */
import { setTimeout } from 'node:timers/promises'
import { defineModel } from '@model-api/core'
import { testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { posting, sendBatch } from '../support/batch.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const Note = defineModel('Note', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    text: { type: 'string', maxLength: 40 },
  },
  meta: {
    add_callback: async (note) => {
      if (note.text === 'slow') await setTimeout(1_300)
      return note
    },
  },
})

const config = { API_ALLOW_BATCH: true, API_STATEMENT_TIMEOUT: 60_000 } as const

eachDatabase('batches: API_BATCH_TIMEOUT', (test, db) => {
  test.before(() => createTables(db, [Note]))
  const api = testApi(db, [Note], { ...config, API_BATCH_TIMEOUT: 1_000 }, { onError: () => {} })
  const texts = async (): Promise<readonly string[]> =>
    (await db.kysely.selectFrom('notes').select('text').orderBy('id').execute()).map(
      ({ text }) => text,
    )
  const slow = posting('/api/notes', { text: 'slow' })
  const fast = posting('/api/notes', { text: 'fast' })

  test('a batch over its time limit is 503 at the next operation or before COMMIT, and nothing is stored', async () => {
    for (const [operations, at] of [
      [[fast, slow, fast], 'operations[2]'],
      [[fast, slow], undefined],
    ] as const) {
      const { status, headers, errors } = await sendBatch(api, operations)
      equal([status, headers['retry-after']], [503, '1'])
      equal([errors.code, errors.at], ['batch_timed_out', at])
      ok(errors.reason.includes('1000 ms (API_BATCH_TIMEOUT)'), errors.reason)
      equal(await texts(), [])
    }
    const key = { 'idempotency-key': 'a-key-of-too-slow-a-batch' }
    equal((await sendBatch(api, [fast, slow], {}, key)).status, 503)
    const long = testApi(db, [Note], { ...config, API_BATCH_TIMEOUT: 30_000 })
    equal((await sendBatch(long, [fast, slow], {}, key)).status, 200)
    equal(await texts(), ['fast', 'slow'])
  })

  // A SQLite transaction holds the only lock of the database, not locks of rows.
  if (db.name === 'sqlite') return

  test('a statement that waits for a lock ends with the batch, not with API_STATEMENT_TIMEOUT', async () => {
    const { id } = await db.kysely.selectFrom('notes').select('id').executeTakeFirstOrThrow()
    const change = { method: 'PATCH', url: `/api/notes/${id}`, body: { text: 'changed' } }
    const before = await texts()
    await db.kysely.transaction().execute(async (holder) => {
      await holder.updateTable('notes').set({ text: 'held' }).where('id', '=', id).execute()
      const sent = sendBatch(api, [fast, change, fast])
      // Without the limit of the batch, the statement would wait for a minute.
      const answer = await Promise.race([sent, setTimeout(15_000, undefined, { ref: false })])
      ok(answer !== undefined, 'the batch still waits for the lock')
      const { status, errors } = answer
      equal([status, errors.code, errors.at], [503, 'batch_timed_out', 'operations[1]'])
    })
    equal(await texts(), ['held', ...before.slice(1)])
  })
})
