/** PostgreSQL: a cursor at a value without a JSON form, such as `infinity`, lost rows or never ended. */
import { defineModel } from '@model-api/core'
import { type Answer, get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const Rate = defineModel('Rate', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    valid_to: { type: 'datetime', nullable: true },
    day: { type: 'date', nullable: true },
    price: { type: 'decimal', nullable: true },
    weight: { type: 'float', nullable: true },
  },
  meta: {},
})

eachDatabase('a cursor at a value without a JSON form', (test, db) => {
  if (db.name !== 'postgres') {
    test('exists in PostgreSQL only', () => {})
    return
  }
  test.before(() =>
    db.execScript(`
      create table rates (id int primary key, valid_to timestamptz, day date, price numeric, weight float8);
      insert into rates values (1, 'infinity', 'infinity', 'NaN', 'NaN'), (2, 'infinity', '-infinity', 1.5, 'Infinity'),
        (3, '2024-01-01', '2024-01-01', 'NaN', 1.5), (4, null, null, null, null), (5, '-infinity', 'infinity', 2, '-Infinity'),
        (6, 'infinity', null, 'NaN', 'NaN'), (7, '2023-01-01', '-infinity', null, 'Infinity');`),
  )
  const api = testApi(db, [Rate])

  for (const name of ['valid_to', 'day', 'price', 'weight']) {
    for (const order of [name, `-${name}`, `${name}.nullsfirst`]) {
      test(`in the order of ${order}`, async () => {
        const idsOf = ({ body }: Answer): unknown[] =>
          body.value.map(({ id }: { id: number }) => id)
        const all = idsOf(await get(api, `/api/rates?order_by=${order}`))
        const seen: unknown[] = []
        let url: string | null = `/api/rates?order_by=${order}&limit=1&paging=cursor`
        while (url !== null && seen.length < 9) {
          const page: Answer = await get(api, url)
          seen.push(...idsOf(page))
          url = page.body.next_url
        }
        equal(seen, all)
      })
    }
  }
})
