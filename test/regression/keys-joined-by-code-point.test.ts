/** Text keys that differ only in case are different keys, even if the database's own collation treats them as equal. */
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
    shelf_code: { type: 'string', maxLength: 10 },
  },
  relations: { shelf: belongsTo('Shelf', 'shelf_code') },
  meta: {},
})

eachDatabase('text keys', (test, db) => {
  test.before(async () => {
    await db.execScript('create table shelves (code varchar(10) primary key)')
    await db.execScript('create table items (id integer primary key, shelf_code varchar(10))')
    await insertRows(db, Shelf, [{ code: 'a' }])
    await insertRows(db, Item, [
      { id: 1, shelf_code: 'a' },
      { id: 2, shelf_code: 'A' },
    ])
  })

  test('are compared by code point in joins, filters, embeds and routes', async () => {
    const api = testApi(db, [Shelf, Item], { API_ALLOW_JOIN: true })
    const ids = async (url: string) =>
      (await get(api, url)).value.map(({ id }: { id: number }) => id)
    equal(await ids('/api/items?join=shelf'), [1])
    equal(await ids('/api/items?exists(shelf)'), [1])
    equal(await ids('/api/shelves/a/items'), [1])
    const { value } = await get(api, '/api/shelves?dump=json')
    equal(
      value[0].items.map(({ id }: { id: number }) => id),
      [1],
    )
  })
})
