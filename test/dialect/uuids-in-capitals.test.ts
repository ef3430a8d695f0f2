/** On MySQL and MariaDB, a uuid that another program had stored in capitals had a URL that was 404, and its record could not be changed in a list. */
import { belongsTo, defineModel, hasMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const Item = defineModel('Item', {
  columns: {
    code: { type: 'uuid', primaryKey: true },
    note: { type: 'string', maxLength: 40 },
  },
  relations: { parts: hasMany('Part', 'item_code') },
  meta: {},
})
const Part = defineModel('Part', {
  columns: { id: { type: 'integer', primaryKey: true }, item_code: { type: 'uuid' } },
  relations: { item: belongsTo('Item', 'item_code') },
  meta: {},
})
const capitals = '0000ABCD-0000-4000-8000-00000000000F'
const code = capitals.toLowerCase()

eachDatabase('uuids that are stored in capitals', (test, db) => {
  const api = testApi(db, [Item, Part], {
    API_ALLOW_BULK: true,
    API_ALLOW_JOIN: true,
    API_ALLOW_GROUPBY: true,
    API_ALLOW_AGGREGATION: true,
  })
  test.before(async () => {
    const uuid = { sqlite: 'text', postgres: 'uuid', mysql: 'char(36)' }[db.name]
    await db.execScript(`create table items (code ${uuid} primary key, note varchar(40));
      create table parts (id integer primary key, item_code ${uuid} references items (code));
      insert into items values ('${capitals}', 'as before'); insert into parts values (1, '${capitals}')`)
    await api.ready
  })

  test('responses have them in lower case, and their URLs find them', async () => {
    const { value } = await send(api, 'GET', '/api/items')
    equal(value[0].code, code)
    equal((await send(api, 'GET', `/api/items/${code}`)).status, 200)
    equal((await send(api, 'GET', `/api/items?code__eq=${capitals}`)).value.length, 1)
    const groups = await send(api, 'GET', '/api/items?fields=code&groupby=code')
    equal(groups.value[0].code, code)
    const extremes = await send(api, 'GET', '/api/items?groupby=note&code__min=1&code__max=1')
    equal(extremes.value, [{ note: 'as before', code_min: code, code_max: code }])
  })

  test('relations find them', async () => {
    equal((await send(api, 'GET', '/api/parts/1?dump=json')).value.item.code, code)
    equal((await send(api, 'GET', `/api/items/${code}?dump=json`)).value.parts.length, 1)
    equal((await send(api, 'GET', '/api/parts?exists(item)')).value.length, 1)
  })

  test('they are changed one by one, in lists and by upserts', async () => {
    const change = (note: string) => ({ code, note })
    const sent = [
      await send(api, 'PATCH', `/api/items/${code}`, { body: { note: 'one' } }),
      await send(api, 'PATCH', '/api/items', { body: [change('listed')] }),
      await send(api, 'POST', '/api/items?on_conflict=code', { body: [change('upserted')] }),
    ]
    equal(
      sent.map(({ status }) => status),
      [200, 200, 200],
    )
    const rows = await db.kysely.selectFrom('items').select('note').execute()
    equal(rows, [{ note: 'upserted' }])
  })
})
