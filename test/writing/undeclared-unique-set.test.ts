/** SQLite: a 409 for a unique set that the model does not declare named no field; the other databases name its columns. */
import { defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const

const Seat = defineModel('Seat', {
  columns: {
    id,
    row: { type: 'integer', column: 'row_no' },
    place: { type: 'integer' },
    code: { type: 'string', maxLength: 10, nullable: true },
    ticket: { type: 'integer', nullable: true },
    secret: { type: 'integer', hidden: true, nullable: true },
  },
  meta: { allow_bulk: true },
})

eachDatabase('a unique key that no model declares', (test, db) => {
  const api = testApi(db, [Seat])
  test.before(async () => {
    await createTables(db, [Seat])
    await db.execScript('create unique index seats_place on seats (row_no, place)')
    await db.execScript('create unique index seats_code on seats (code, secret)')
    await db.execScript('create unique index seats_ticket on seats (ticket)')
    await insertRows(db, Seat, [
      { row: 1, place: 1, code: 'a', secret: 1 },
      { row: 1, place: 2, code: 'b', ticket: 7, secret: 1 },
    ])
  })
  const both = ['Another record has this combination of values.']
  const refused = async (method: string, url: string, body: unknown) => {
    const { status, errors } = await send(api, method, url, { body })
    return [status, errors?.reason]
  }

  test('is reported by its columns', async () => {
    const taken = { row: both, place: both }
    equal(await refused('POST', '/api/seats', { row: 1, place: 2 }), [409, taken])
    equal(await refused('PATCH', '/api/seats/1', { place: 2 }), [409, taken])
    equal(await refused('PATCH', '/api/seats/1', { ticket: 7 }), [
      409,
      { ticket: ['Another record has this value.'] },
    ])
    equal(
      await refused('POST', '/api/seats', [
        { row: 2, place: 1 },
        { row: 1, place: 1 },
      ]),
      [409, { '[1].row': both, '[1].place': both }],
    )
  })

  test('is reported only by the columns that clients can see', async () => {
    equal(await refused('PATCH', '/api/seats/1', { code: 'b' }), [
      409,
      { code: ['Another record has this value.'] },
    ])
  })
})
