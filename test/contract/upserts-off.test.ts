/** API_ALLOW_UPSERT: without upserts, `on_conflict` is refused, and neither the document nor the exposure offers it. */
import { type ApiConfig, defineModel, type Meta } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, match, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const tagWith = (meta: Meta) =>
  defineModel('Tag', {
    columns: {
      id: { type: 'integer', primaryKey: true, generated: true },
      name: { type: 'string', maxLength: 20, unique: true },
      notes: { type: 'string', maxLength: 20, nullable: true },
    },
    meta,
  })

eachDatabase('contract: upserts that are off', (test, db) => {
  test.before(() => createTables(db, [tagWith({})]))
  test.before.each(async () => {
    await db.kysely.deleteFrom('tags').execute()
    await insertRows(db, tagWith({}), [{ id: 1001, name: 'a', notes: null }])
  })

  const apiOf = (config: ApiConfig, meta: Meta = {}) =>
    testApi(db, [tagWith(meta)], { API_ALLOW_BULK: true, API_ALLOW_BATCH: true, ...config })
  const url = '/api/tags?on_conflict=name'
  const body = { name: 'a', notes: 'changed' }
  const upsert = (config: ApiConfig, meta: Meta = {}) =>
    send(apiOf(config, meta), 'POST', url, { body })
  const off = { API_ALLOW_UPSERT: false } as const

  test('on_conflict is 400 and names the setting; nothing is written', async () => {
    for (const sent of [body, [body, { name: 'new' }], { nam: 'a' }]) {
      const { status, errors } = await send(apiOf(off), 'POST', url, { body: sent })
      equal([status, errors.code, errors.at], [400, 'feature_disabled', 'on_conflict=name'])
      equal(errors.reason, 'Upserting is not enabled here (API_ALLOW_UPSERT).')
    }
    equal(
      await db.kysely
        .selectFrom('tags')
        .select(['name', 'notes'] as never)
        .execute(),
      [{ name: 'a', notes: null }],
    )
    equal((await send(apiOf(off), 'POST', '/api/tags', { body: { name: 'b' } })).status, 201)
    equal((await send(apiOf(off), 'POST', '/api/tags', { body: [{ name: 'c' }] })).status, 201)
  })

  test('so is an operation of a batch', async () => {
    const operations = [{ id: 'a', method: 'POST', url, body }]
    const { status, errors } = await send(apiOf(off), 'POST', '/api/batch', {
      body: { operations },
    })
    equal([status, errors.code], [400, 'feature_disabled'])
  })

  test('it is on by default; meta decides for its model', async () => {
    equal((await upsert({})).status, 200)
    equal((await upsert({}, { allow_upsert: false })).status, 400)
    equal((await upsert(off, { allow_upsert: true })).status, 200)
    const both = await upsert({}, { allow_upsert: false, role_map: { UPSERT: 'importer' } })
    equal([both.status, both.errors.code], [400, 'feature_disabled'])
  })

  test('the document lists neither the parameter nor its status', async () => {
    const post = async (config: ApiConfig, meta: Meta = {}) => {
      const { paths } = (await apiOf(config, meta).openapi()) as unknown as {
        paths: Record<string, Record<string, { responses: object }>>
      }
      const operation = paths['/api/tags']?.post
      const text = JSON.stringify(operation)
      return [
        text.includes('on_conflict'),
        Object.hasOwn(operation?.responses ?? {}, '200'),
        JSON.stringify(operation?.responses).includes('not_unique_columns'),
      ]
    }
    const role_map = { UPSERT: 'importer' }
    equal((await post({}, { role_map })).slice(0, 2), [true, true])
    equal(await post(off, { role_map }), [false, false, false])
    ok(!JSON.stringify(await apiOf(off).openapi()).includes('on_conflict'))
  })

  test('the exposure and the explanation say so', async () => {
    const api = apiOf(off)
    await api.ready
    ok(!api.exposure([]).includes('on_conflict'))
    match(apiOf({}).exposure([]), 'POST /api/tags?on_conflict=<id|name>')
    const { status, steps } = await api.explainAccess(null, { method: 'POST', url })
    equal(status, 400)
    const refusal = steps.find(({ decision }) => decision === 'refuses')
    equal(refusal?.because, 'on_conflict is not enabled here (API_ALLOW_UPSERT)')
    equal((await api.explainAccess(null, { method: 'POST', url: '/api/tags' })).status, 200)
  })
})
