/** Which records a list locks: the stored ones that it names, and no others. */
import { type AccessPolicy, defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { read } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const item = defineModel('Item', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    number: { type: 'integer', unique: true },
    title: { type: 'string', maxLength: 20 },
  },
  meta: { allow_bulk: true },
})

eachDatabase('what a list locks', (test, db) => {
  // A transaction locks the whole database.
  const locksRows = db.name !== 'sqlite'
  let inTransaction = async () => {}
  const policy: AccessPolicy = {
    can_update: async () => {
      await inTransaction()
      return true
    },
  }
  const api = testApi(db, [item], { API_ACCESS_POLICY: policy })

  test.before(async () => {
    await createTables(db, [item])
    const numbers = Array.from({ length: 40 }, (_, i) => 10 * (i + 1))
    await insertRows(
      db,
      item,
      numbers.map((number) => ({ number, title: 'first' })),
    )
  })

  const patient =
    db.name === 'postgres' ? "set lock_timeout = '2s'" : 'set innodb_lock_wait_timeout = 2'

  test('an upsert leaves other records and the gaps between them to others', async () => {
    if (!locksRows) return
    let calls = 0
    inTransaction = async () => {
      calls += 1
      if (calls > 1) return
      await db.execScript(
        `${patient}; update items set title = 'elsewhere' where number = 70; insert into items (id, number, title) values (1000, 25, 'elsewhere')`,
      )
    }
    // So many keys that reading all of an index may cost less than looking each of them up.
    const gaps = Array.from({ length: 100 }, (_, i) => 10 * (i + 3) + 5)
    const body = [20, 30, ...gaps].map((number) => ({ number, title: 'list' }))
    const { status } = await send(api, 'POST', '/api/items?on_conflict=number', { body })
    equal([status, calls], [201, 2])
    const items = await read(api, '/api/items?title__ne=first&number__le=70&order_by=number')
    equal(
      items.map(({ number, title }: { number: number; title: string }) => `${number} ${title}`),
      [
        '20 list',
        '25 elsewhere',
        '30 list',
        '35 list',
        '45 list',
        '55 list',
        '65 list',
        '70 elsewhere',
      ],
    )
  })

  test('a list locks its records in the order of their keys, so that two lists do not block each other', async () => {
    if (db.name !== 'mysql') return
    inTransaction = async () => {}
    const body = [13, 10, 9, 12].map((id) => ({ id, title: 'changed' }))
    const { result, statements } = await db.capture(() =>
      send(api, 'PATCH', '/api/items', { body }),
    )
    equal(result.status, 200)
    const locking = statements.find(({ sql }) => sql.endsWith(' for update'))
    equal(locking?.parameters, ['[9,10,12,13]'])
  })
})
