/**
 * Lists set savepoints only if they are written a second time after the database has refused a record, or if a callback would
 * otherwise be called twice.
 */
import { defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const modelWith = (meta: object) =>
  defineModel('Tag', {
    columns: {
      id: { type: 'integer', primaryKey: true, generated: true },
      name: { type: 'string', maxLength: 20, unique: true },
      weight: { type: 'integer', nullable: true },
    },
    meta,
  } as never)

const Tag = modelWith({})
const config = { API_ALLOW_BULK: true } as const

eachDatabase('savepoints of lists', (test, db) => {
  test.before.each(async () => {
    await db.execScript('drop table if exists tags')
    await createTables(db, [Tag])
  })
  const write = async (method: string, url: string, body: unknown, model = Tag) => {
    const api = testApi(db, [model], config, { onError: () => {} })
    await api.ready
    const { result, statements } = await db.capture(() => send(api, method, url, { body } as never))
    const texts = statements.map((statement) => JSON.stringify(statement).toLowerCase())
    return {
      status: result.status,
      fields: Object.keys(result.errors?.reason ?? {}),
      savepoints: texts.some((text) => text.includes('savepoint')),
    }
  }
  const names = (...list: string[]) => list.map((name) => ({ name }))

  test('a list that succeeds sets none', async () => {
    const created = await write('POST', '/api/tags', names('a', 'b', 'c'))
    equal([created.status, created.savepoints], [201, false])
    const merged = await write('POST', '/api/tags?on_conflict=name', [
      { name: 'a', weight: 1 },
      { name: 'b', weight: 2 },
      { name: 'd', weight: 3 },
      { name: 'e', weight: 4 },
    ])
    equal([merged.status, merged.savepoints], [201, false])
    const rows = await db.kysely.selectFrom('tags').select('id').orderBy('id').execute()
    const changes = rows.map(({ id }, weight) => ({ id, weight }))
    const changed = await write('PATCH', '/api/tags', changes)
    equal([changed.status, changed.savepoints], [200, false])
  })

  test('a list that the database refuses is repeated with savepoints, and the record is named', async () => {
    await write('POST', '/api/tags', names('a', 'b'))
    const created = await write('POST', '/api/tags', names('c', 'd', 'e', 'b', 'f'))
    equal([created.status, created.fields, created.savepoints], [409, ['[3].name'], true])
    const rows = await db.kysely.selectFrom('tags').select('id').orderBy('id').execute()
    equal(rows.length, 2)
    const [first] = rows
    await write('POST', '/api/tags', names('c', 'd'))
    const [, , third] = await db.kysely.selectFrom('tags').select('id').orderBy('id').execute()
    const changed = await write('PATCH', '/api/tags', [
      { id: first?.id, name: 'x' },
      { id: third?.id, name: 'b' },
    ])
    equal([changed.status, changed.fields, changed.savepoints], [409, ['[1].name'], true])
    const named = await db.kysely.selectFrom('tags').select('name').orderBy('id').execute()
    equal(
      named.map(({ name }) => name),
      ['a', 'b', 'c', 'd'],
    )
  })

  test('a list with a callback sets savepoints at once, so that no callback runs twice', async () => {
    const seen: unknown[] = []
    const model = modelWith({
      add_callback: (tag: { readonly name: string }) => {
        seen.push(tag.name)
        return tag
      },
    })
    const { status, fields, savepoints } = await write(
      'POST',
      '/api/tags',
      names('a', 'b', 'a'),
      model,
    )
    equal([status, fields, savepoints], [409, ['[2].name'], true])
    equal(seen, ['a', 'b', 'a'])
  })
})
