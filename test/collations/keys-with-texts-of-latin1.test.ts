/** Lists of keys with a text of `latin1` lost the texts that are not ASCII on MariaDB: changes and deletions left their records out. */
import { defineModel } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const Line = defineModel('Line', {
  columns: {
    n: { type: 'integer', primaryKey: true },
    code: { type: 'string', maxLength: 20, primaryKey: true },
    quantity: { type: 'integer' },
  },
  meta: { pagination_size_max: 100 },
})

eachDatabase(
  'keys of several columns with texts of latin1',
  (test, db) => {
    const lines = Array.from({ length: 40 }, (_, i) => ({
      n: i,
      code: i % 2 ? `é${i}` : `e${i}`,
      quantity: 1,
    }))
    test.before(() =>
      db.execScript(
        `create table \`lines\` (n int not null, code varchar(20) character set latin1 not null, quantity int not null,
          primary key (n, code))`,
      ),
    )
    const api = testApi(db, [Line], { API_ALLOW_BULK: true })
    const quantities = async () =>
      (await get(api, '/api/lines?limit=100')).value.map(
        ({ quantity }: { quantity: number }) => quantity,
      )

    test('name all records of a list, of filters and of a deletion', async () => {
      equal((await send(api, 'POST', '/api/lines', { body: lines })).status, 201)
      const body = lines.map((line) => ({ ...line, quantity: 2 }))
      equal((await send(api, 'PATCH', '/api/lines', { body })).status, 200)
      equal(
        await quantities(),
        lines.map(() => 2),
      )
      const all = '/api/lines?n__ge=0'
      equal((await send(api, 'PATCH', all, { body: { quantity: 3 } })).value.length, 40)
      equal(
        await quantities(),
        lines.map(() => 3),
      )
      equal((await send(api, 'DELETE', all)).status, 200)
      equal(await quantities(), [])
    })
  },
  { only: 'mysql' },
)
