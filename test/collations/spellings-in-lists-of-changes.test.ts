/**
 * PATCH of a list did not find a record whose key was spelt differently, although the collation treats the keys as equal and
 * PATCH of one record finds it.
 */
import { defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const Country = defineModel('Country', {
  columns: {
    code: { type: 'string', maxLength: 20, primaryKey: true, collation: 'database' },
    title: { type: 'string', maxLength: 20 },
  },
  meta: { allow_bulk: true },
})

eachDatabase('a list of changes with keys in another spelling', (test, db) => {
  const api = testApi(db, [Country])
  const key = {
    sqlite: 'varchar(20) collate nocase',
    postgres: 'varchar(20)',
    mysql: 'varchar(20) collate utf8mb4_general_ci',
  }[db.name]
  const isEqual = db.name !== 'postgres'
  const patch = async (body: unknown): Promise<unknown[]> => {
    const { status, errors, value } = await send(api, 'PATCH', '/api/countries', { body })
    return [status, errors?.reason ?? value]
  }
  test.before(() =>
    db.execScript(`
      create table countries (code ${key} primary key, title varchar(20));
      insert into countries values ('GB', 'Britain'), ('CZ', 'Czechia')`),
  )

  test('finds a record by another spelling of its key', async () => {
    const body = [
      { code: 'CZ', title: 'a' },
      { code: 'gb', title: 'b' },
    ]
    equal(
      await patch(body),
      isEqual
        ? [200, [body[0], { code: 'GB', title: 'b' }]]
        : [404, { '[1]': ['No such record.'] }],
    )
  })

  test('does not change a record twice', async () => {
    const body = [
      { code: 'GB', title: 'c' },
      { code: 'gb', title: 'd' },
    ]
    equal(
      await patch(body),
      isEqual
        ? [400, { '[1]': ['The list changes this record twice.'] }]
        : [404, { '[1]': ['No such record.'] }],
    )
  })
})
