/** What callbacks and policies see of fields that a body leaves out, and how a policy allows single records alone. */
import { type ApiConfig, defineModel, type HookArgs, type HookRecord } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const columns = {
  id: { type: 'integer', primaryKey: true, generated: true },
  name: { type: 'string', maxLength: 20, unique: true },
  note: { type: 'string', maxLength: 20, nullable: true },
  size: { type: 'integer', default: 1 },
  secret: { type: 'string', maxLength: 20, hidden: true, default: 'first' },
  rank: { type: 'integer', default: 5, readOnly: true },
} as const

eachDatabase('fields that are left out', (test, db) => {
  test.before(() => createTables(db, [defineModel('Item', { columns })]))
  test.before.each(async () => {
    await db.kysely.deleteFrom('items').execute()
  })

  test('a nullable one is absent in can_create and add, and null if it is sent', async () => {
    const seen: unknown[] = []
    const note = (hook: string, data: HookRecord) =>
      void seen.push([hook, Object.hasOwn(data, 'note'), data.note, data.size])
    const can_create = (data: HookRecord): boolean => {
      note('can_create', data)
      return true
    }
    const add_callback = (data: HookRecord): HookRecord => {
      note('add', data)
      return data
    }
    const meta = { access_policy: { can_create }, add_callback, allow_bulk: true }
    const api = testApi(db, [defineModel('Item', { columns, meta })])
    const post = (body: unknown) => send(api, 'POST', '/api/items', { body })
    equal((await post({ name: 'a' })).value.note, null)
    await post({ name: 'b', note: null })
    await post([{ name: 'c' }])
    const absent = [false, undefined, 1]
    const isNull = [true, null, 1]
    equal(
      seen,
      [absent, isNull, absent].flatMap((data) => [
        ['can_create', ...data],
        ['add', ...data],
      ]),
    )
  })

  test('can_create with many refuses lists, and upserts of lists, alone', async () => {
    const access_policy = {
      can_create: (_: HookRecord, { action, many, user }: HookArgs): boolean =>
        !(many && action === 'POST') || user?.roles?.includes('importer') === true,
    }
    const meta = { access_policy, allow_bulk: true }
    const config: ApiConfig = { API_AUTHENTICATE_METHOD: [] }
    const api = testApi(db, [defineModel('Item', { columns, meta })], config)
    const status = async (url: string, body: unknown, roles: readonly string[] = []) =>
      (await send(api, 'POST', url, { body, user: { id: 1, roles } })).status
    equal(await status('/api/items', { name: 'a' }), 201)
    equal(await status('/api/items', [{ name: 'b' }]), 403)
    equal(await status('/api/items?on_conflict=name', [{ name: 'b' }]), 403)
    equal(await status('/api/items?on_conflict=name', { name: 'b' }), 201)
    equal(await status('/api/items', [{ name: 'c' }], ['importer']), 201)
  })

  test('PUT sets them to their default, except those that clients cannot write', async () => {
    const meta = { allowed_methods: ['GET', 'POST', 'PUT'] } as const
    const api = testApi(db, [defineModel('Item', { columns, meta })])
    const { value } = await send(api, 'POST', '/api/items', { body: { name: 'a', size: 7 } })
    await db.kysely
      .updateTable('items')
      .set({ rank: 9, secret: 'second' })
      .where('id', '=', value.id)
      .execute()
    const put = await send(api, 'PUT', `/api/items/${value.id}`, { body: { name: 'b' } })
    equal(put.value, { id: value.id, name: 'b', note: null, size: 1, rank: 9 })
    const stored = await db.kysely.selectFrom('items').select('secret').execute()
    equal(stored, [{ secret: 'second' }])
  })

  test('an upsert leaves them as they are in a stored record', async () => {
    const api = testApi(db, [defineModel('Item', { columns, meta: {} })])
    const upsert = async (body: object) => {
      const { value } = await send(api, 'POST', '/api/items?on_conflict=name', { body })
      return [value.note, value.size]
    }
    equal(await upsert({ name: 'a' }), [null, 1])
    equal(await upsert({ name: 'a', note: 'x', size: 7 }), ['x', 7])
    equal(await upsert({ name: 'a' }), ['x', 7])
  })
})
