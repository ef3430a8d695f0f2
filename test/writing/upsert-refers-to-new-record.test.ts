/** An upsert of a list stored changed records before new ones: a changed record could not refer to a new one before it in the list. */
import { type AnyModel, belongsTo, defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const code = { type: 'string', maxLength: 10 } as const

const Category = defineModel('Category', {
  columns: {
    code: { ...code, primaryKey: true },
    parent_code: { ...code, nullable: true },
  },
  relations: { parent: belongsTo('Category', 'parent_code') },
  meta: { allow_bulk: true },
})

const models: readonly AnyModel[] = [Category]

eachDatabase('an upsert of records that refer to each other', (test, db) => {
  const api = testApi(db, models, { API_ALLOW_BATCH: true })
  const url = '/api/categories?on_conflict=code'
  const upsert = (body: unknown) => send(api, 'POST', url, { body })
  const stored = async (): Promise<unknown> => {
    const rows = await db.kysely.selectFrom('categories').selectAll().orderBy('code').execute()
    return rows.map((row) => `${row.code} ${row.parent_code}`)
  }
  const newAndOld = [{ code: 'b' }, { code: 'a', parent_code: 'b' }]
  test.before(() => createTables(db, models))
  test.before.each(async () => {
    await db.kysely.updateTable('categories').set({ parent_code: null }).execute()
    await db.kysely.deleteFrom('categories').execute()
    await db.kysely.insertInto('categories').values({ code: 'a' }).execute()
  })

  test('accepts a changed record that refers to a new one before it', async () => {
    const { status, errors } = await upsert(newAndOld)
    equal([status, errors], [201, null])
    equal(await stored(), ['a b', 'b null'])
  })

  test('accepts it in a batch, too', async () => {
    const operations = [{ id: 'one', method: 'POST', url, body: newAndOld }]
    const { status, errors } = await send(api, 'POST', '/api/batch', { body: { operations } })
    equal([status, errors], [200, null])
    equal(await stored(), ['a b', 'b null'])
  })

  test('refuses a reference to a missing record, by name', async () => {
    const { status, errors } = await upsert([...newAndOld, { code: 'c', parent_code: 'd' }])
    equal([status, errors.reason], [422, { '[2].parent_code': ['No such record.'] }])
    equal(await stored(), ['a null'])
  })
})
