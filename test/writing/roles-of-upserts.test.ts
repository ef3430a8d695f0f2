/** The keys `UPSERT` and `RESTORE` of a role map: who may send a POST with `on_conflict`, and who may restore. */
import { type ApiConfig, createApi, defineModel, type Meta } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, ok, throws } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

type RoleMap = NonNullable<Meta['role_map']>

const itemWith = (role_map: RoleMap) =>
  defineModel('Item', {
    columns: {
      id: { type: 'integer', primaryKey: true, generated: true },
      code: { type: 'string', maxLength: 20, unique: true },
      gone: { type: 'boolean', default: false },
    },
    meta: { role_map },
  })

const config: ApiConfig = {
  API_ALLOW_BULK: true,
  API_ALLOW_BATCH: true,
  API_SOFT_DELETE: true,
  API_SOFT_DELETE_ATTRIBUTE: 'gone',
}

eachDatabase('roles of upserts and restores', (test, db) => {
  test.before(() => createTables(db, [itemWith({})]))
  test.before.each(async () => {
    await db.kysely.deleteFrom('items').execute()
    await insertRows(db, itemWith({}), [
      { id: 1, code: 'a', gone: false },
      { id: 2, code: 'b', gone: true },
    ])
    if (db.name === 'postgres')
      await db.execScript('alter table items alter column id restart with 100')
  })
  /** Returns the status of a request under a role map, by a caller with these roles. */
  const status = async (
    role_map: RoleMap,
    roles: readonly string[],
    [method, url, body]: readonly [method: string, url: string, body?: unknown],
  ): Promise<number> => {
    const user = { id: 1, roles }
    return (await send(testApi(db, [itemWith(role_map)], config), method, url, { body, user }))
      .status
  }
  const changing = ['POST', '/api/items?on_conflict=code', { code: 'a' }] as const
  const creating = ['POST', '/api/items?on_conflict=code', [{ code: 'c' }]] as const
  const restoring = ['POST', '/api/items/2/restore'] as const

  test('UPSERT is needed besides POST and PATCH', async () => {
    const map = { POST: 'writer', PATCH: 'editor', UPSERT: 'importer' }
    for (const roles of [
      ['writer', 'editor'],
      ['importer', 'editor'],
      ['importer', 'writer'],
    ]) {
      equal(await status(map, roles, changing), 403, roles.join())
    }
    equal(await status(map, ['writer', 'editor'], creating), 403)
    equal(await status(map, ['writer'], ['POST', '/api/items', { code: 'd' }]), 201)
    equal(await status(map, ['writer', 'editor', 'importer'], changing), 200)
    equal(await status(map, ['writer', 'editor', 'importer'], creating), 201)
  })

  test('explainAccess allows what is not 403', async () => {
    const maps: readonly RoleMap[] = [
      { POST: 'a', PATCH: 'b', UPSERT: 'c' },
      { POST: 'a', PATCH: 'b' },
      { PATCH: 'b', UPSERT: 'c' },
      { ALL: 'a', UPSERT: 'c' },
    ]
    for (const map of maps) {
      for (const roles of [[], ['a'], ['a', 'b'], ['a', 'c'], ['b', 'c'], ['a', 'b', 'c']]) {
        const api = testApi(db, [itemWith(map)], config)
        const [method, url] = changing
        const explained = await api.explainAccess({ id: 1, roles }, { method, url })
        const served = await status(map, roles, changing)
        equal(explained.status, served, JSON.stringify([map, roles]))
      }
    }
  })

  test('UPSERT is refused before the body is read, and also in a batch', async () => {
    const map = { UPSERT: 'importer' }
    equal(await status(map, [], ['POST', '/api/items?on_conflict=code', { cod: 'a' }]), 403)
    const [method, url, body] = changing
    const operations = [{ id: 'a', method, url, body }]
    equal(await status(map, [], ['POST', '/api/batch', { operations }]), 403)
    equal(await status(map, ['importer'], ['POST', '/api/batch', { operations }]), 200)
  })

  test('without UPSERT, the rule of POST decides', async () => {
    equal(await status({ POST: 'writer' }, ['writer'], changing), 200)
    equal(await status({ ALL: 'writer' }, ['writer'], changing), 200)
    equal(await status({ ALL: 'writer' }, [], changing), 403)
  })

  test('RESTORE decides about restores, else PATCH', async () => {
    equal(await status({ RESTORE: 'admin', PATCH: 'editor' }, ['editor'], restoring), 403)
    equal(await status({ RESTORE: 'admin', PATCH: 'editor' }, ['admin'], restoring), 200)
    equal(await status({ RESTORE: 'admin' }, [], ['PATCH', '/api/items/1', { code: 'x' }]), 200)
    await db.kysely.deleteFrom('items').execute()
    await insertRows(db, itemWith({}), [{ id: 2, code: 'b', gone: true }])
    equal(await status({ PATCH: 'editor' }, [], restoring), 403)
    equal(await status({ PATCH: 'editor' }, ['editor'], restoring), 200)
  })

  test('the OpenAPI document says what on_conflict needs', async () => {
    const api = testApi(db, [itemWith({ POST: 'writer', UPSERT: ['importer', 'admin'] })], config)
    const { text } = await send(api, 'GET', '/docs/apispec.json')
    const { description } = JSON.parse(text).paths['/api/items'].post
    ok(description.includes('`on_conflict` also needs all of importer, admin.'), description)
  })

  test('a requirement of authentication cannot name UPSERT', () => {
    const auth_requirements = { UPSERT: true } as never
    const models = [
      defineModel('Item', { columns: itemWith({}).columns, meta: { auth_requirements } }),
    ]
    throws(() => createApi({ db: db.kysely, models }), 'UPSERT')
  })
})
