/** A stored text such as `1e999999999` was written out digit by digit: a gigabyte, which ended the process. */
import { defineModel } from '@model-api/core'
import { testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const Item = defineModel('Item', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    cost: { type: 'decimal', precision: 30, scale: 2, storage: 'text', nullable: true },
    weight: { type: 'decimal', storage: 'text', nullable: true },
    total: { type: 'bigint', nullable: true },
  },
  meta: {},
})

const stored: readonly (readonly [text: string, read: string | null])[] = [
  ['1e999999999', null],
  ['-1e999999999', null],
  ['1e-999999999', null],
  ['1e99999999999999999999', null],
  ['1.5e3', '1500'],
]

eachDatabase('a number that is stored as a string with an exponent', (test, db) => {
  test.before(async () => {
    await db.execScript(
      'create table items (id integer primary key, cost varchar(40), weight varchar(40), total varchar(40))',
    )
    const rows = stored.map(([text], id) => ({ id, cost: text, weight: text, total: text }))
    await db.kysely.insertInto('items').values(rows).execute()
  })
  const api = testApi(db, [Item])

  for (const [id, [text, read]] of stored.entries()) {
    test(`${text} is ${read ?? 'no number'}`, async () => {
      // Without the check against the OpenAPI document, which describes only values of the type.
      const { body } = await api.handle({ method: 'GET', url: `/api/items/${id}`, headers: {} })
      const value = body?.value as unknown as Record<string, unknown>
      // SQLite may store texts in numeric columns; the service returns them unchanged.
      const other = db.name === 'sqlite' ? text : null
      const cost = read === null ? other : `${read}.00`
      equal([value.cost, value.weight, value.total], [cost, read ?? other, read ?? other])
    })
  }
})
