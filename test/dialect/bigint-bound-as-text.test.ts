/** On SQLite, a bigint that was written was bound as a BigInt, which Cloudflare's D1 refuses. */
import { createApi, defineModel } from '@model-api/core'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const Count = defineModel('Count', {
  columns: {
    id: { type: 'bigint', primaryKey: true },
    sold: { type: 'bigint', nullable: true },
  },
  meta: {},
})

eachDatabase('bigints', (test, db) => {
  test('keep every digit, and are never bound as a BigInt', async () => {
    await createTables(db, [Count])
    const api = createApi({ db: db.kysely, models: [Count], onWarning: () => {} })
    const write = (method: string, url: string, body: string) =>
      api.handle({ method, url, headers: { 'content-type': 'application/json' }, body })
    const [id, most] = ['9007199254740993', '9223372036854775807']
    const { result, statements } = await db.capture(async () => [
      await write('POST', '/api/counts', `{"id":"${id}","sold":"-1"}`),
      await write('PATCH', `/api/counts/${id}`, `{"sold":"${most}"}`),
      await api.handle({ method: 'GET', url: `/api/counts?sold__in=(${most},5)`, headers: {} }),
    ])
    equal(
      result.map(({ status }) => status),
      [201, 200, 200],
    )
    equal(result[2]?.body?.value, [{ id, sold: most }])
    const bound = statements.flatMap(({ parameters }) => parameters)
    equal(
      bound.filter((value) => typeof value === 'bigint'),
      [],
    )
  })
})
