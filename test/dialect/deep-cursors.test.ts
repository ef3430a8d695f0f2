/** A page by cursor read the index of its order from the beginning, if that index is on a column other than the key. */
import { type Api, createApi, defineModel } from '@model-api/core'
import { type Kysely, sql } from 'kysely'
import { equal, ok } from '../support/assert.ts'
import { type Meter, meterOf } from '../support/row-meter.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Entry = defineModel('Entry', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    number: { type: 'integer' },
  },
  meta: {},
})

const entries = 4_000

// biome-ignore lint/suspicious/noExplicitAny: the tables are the test's
const apiOn = (kysely: Kysely<any>): Api =>
  createApi({ db: kysely, models: [Entry], onWarning: () => {} })

eachDatabase('cursors in the middle of a table', (test, db) => {
  let meter: Meter

  test.before(async () => {
    await createTables(db, [Entry])
    const rows = Array.from({ length: entries }, (_, i) => ({ id: i + 1, number: entries - i }))
    await insertRows(db, Entry, rows)
    await sql`create index entries_number on entries (number)`.execute(db.kysely)
    if (db.name === 'mysql') await sql`analyze table entries`.execute(db.kysely)
    else await sql`analyze entries`.execute(db.kysely)
    meter = await meterOf(db, apiOn)
  })
  test.after(() => meter.close())

  const pageOf = async (url: string) => {
    const { status, text } = await meter.api.answer({ method: 'GET', url, headers: {} })
    ok(status === 200, `${url}: ${status} ${text}`)
    return JSON.parse(text ?? '')
  }

  test('the page costs as much as the first one', async () => {
    const list = '/api/entries?paging=cursor&order_by=number&count=none&limit=20'
    const near = await pageOf(`${list}&number__gt=${entries / 2 - 20}`)
    const cursor = new URL(near.next_url, 'http://localhost').searchParams.get('after')
    const deep = `${list}&after=${cursor}`
    const { value } = await pageOf(deep)
    equal(value[0].number, entries / 2 + 1)
    await pageOf(list)
    const first = await meter.cost(() => pageOf(list))
    const middle = await meter.cost(() => pageOf(deep))
    ok(middle <= first + meter.floor, `${middle} rows in the middle, ${first} at the beginning`)
  })
})
