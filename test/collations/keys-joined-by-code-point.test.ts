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

  // MariaDB caches results of subqueries by outer values, which it compares under the collation of their column.
  test('are told apart in subqueries that each row repeats', async () => {
    const api = testApi(db, [Shelf, Item], { API_ALLOW_AGGREGATION: true })
    const rows = async (query: string) =>
      (await get(api, `/api/items?${query}&order_by=id`)).value.map(
        (row: { id: number; n?: number }) => [row.id, row.n],
      )
    const counts = [
      [1, 1],
      [2, 0],
    ]
    equal(await rows('fields=id,count(shelf.items)|n'), counts)
    equal(await rows('fields=id,count(shelf.items[id__ge=0])|n'), counts)
    equal(await rows('fields=id,count(shelf.items)|n&n__ge=0'), counts)
    equal(await rows('fields=id&exists(shelf.items)'), [[1, undefined]])
    equal(await rows('fields=id&missing(shelf.items)'), [[2, undefined]])
    equal(await rows('fields=id&missing(shelf)'), [[2, undefined]])
    equal(await rows('fields=id&missing(shelf.items.id__ge=0)'), [[2, undefined]])
    equal(await rows('fields=id&or[exists(shelf),id__eq=0]'), [[1, undefined]])
    equal(await rows('fields=id&not[exists(shelf.code__ne=zz)]'), [[2, undefined]])
  })
})
