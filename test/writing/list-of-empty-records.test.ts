/** A list of records without fields was a syntax error on databases that insert several rows at once. */
import { defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const Visit = defineModel('Visit', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    note: { type: 'string', maxLength: 20, nullable: true },
  },
  meta: { allow_bulk: true },
})

eachDatabase('a list of records without fields', (test, db) => {
  test.before(() => createTables(db, [Visit]))

  test('is stored, also among other records', async () => {
    const api = testApi(db, [Visit])
    for (const body of [
      [{}, {}],
      [{}, { note: 'a' }, {}, {}],
      [{ note: 'b' }, {}],
    ]) {
      const { status, value } = await send(api, 'POST', '/api/visits', { body })
      equal(status, 201)
      const notes = value.map(({ note }: { readonly note: string | null }) => note)
      equal(
        notes,
        body.map((row: { readonly note?: string }) => row.note ?? null),
      )
    }
  })
})
