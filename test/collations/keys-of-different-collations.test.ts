/**
 * MySQL and MariaDB refuse to compare columns with different collations, which tables created before and after an upgrade may
 * have: joins were 400.
 */
import { belongsTo, defineModel, hasMany } from '@model-api/core'
import { get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { insertRows } from '../support/tables.ts'

const Shelf = defineModel('Shelf', {
  columns: { code: { type: 'string', primaryKey: true, maxLength: 10 } },
  relations: { items: hasMany('Item', 'shelf_code') },
  meta: {},
})
const Item = defineModel('Item', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    shelf_code: { type: 'string', maxLength: 10, nullable: true },
  },
  relations: { shelf: belongsTo('Shelf', 'shelf_code') },
  meta: {},
})

/** The collations of the two columns, if the database has any. */
const pairs = [
  ['utf8mb4_general_ci', 'utf8mb4_unicode_ci'],
  ['utf8mb4_general_ci', 'utf8mb4_bin'],
] as const

for (const [one, other] of pairs) {
  eachDatabase(`keys of different collations, ${one} and ${other}`, (test, db) => {
    const collate = (name: string): string => (db.name === 'mysql' ? `collate ${name}` : '')
    test.before(async () => {
      await db.execScript(`create table shelves (code varchar(10) ${collate(one)} primary key);
        create table items (id integer primary key, shelf_code varchar(10) ${collate(other)})`)
      await insertRows(db, Shelf, [{ code: 'a' }])
      await insertRows(db, Item, [
        { id: 1, shelf_code: 'a' },
        { id: 2, shelf_code: 'A' },
      ])
    })

    test('match in joins, filters, embeds and routes', async () => {
      const api = testApi(db, [Shelf, Item], { API_ALLOW_JOIN: true })
      const ids = async (url: string) => {
        const { status, text, value } = await get(api, url)
        equal(status, 200, text)
        return value.map(({ id }: { id: number }) => id)
      }
      equal(await ids('/api/items?join=shelf'), [1])
      equal(await ids('/api/items?exists(shelf)'), [1])
      equal(await ids('/api/shelves/a/items'), [1])
      const { value } = await get(api, '/api/shelves?dump=json')
      equal(
        value[0].items.map(({ id }: { id: number }) => id),
        [1],
      )
    })

    test('that are NULL belong to no record, and hide none', async () => {
      await insertRows(db, Item, [{ id: 3, shelf_code: null }])
      await insertRows(db, Shelf, [{ code: 'b' }])
      const api = testApi(db, [Shelf, Item], { API_ALLOW_JOIN: true })
      const found = async (url: string) => (await get(api, url)).value
      equal(await found('/api/items?missing(shelf)&fields=id'), [{ id: 2 }, { id: 3 }])
      equal(await found('/api/items?not[exists(shelf)]&fields=id'), [{ id: 2 }, { id: 3 }])
      equal(await found('/api/shelves?missing(items)&fields=code'), [{ code: 'b' }])
    })
  })
}
