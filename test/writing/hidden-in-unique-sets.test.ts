/**
 * `on_conflict` names a unique set with hidden columns by its visible ones; the hidden ones take part with their defaults. Records of
 * other tenants stay as they are, and no response depends on them.
 */
import { type AnyModel, type Api, defineModel, type HookArgs } from '@model-api/core'
import { createClient } from '@model-api/core/client'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const tenantOf = ({ user }: HookArgs): number => Number(user?.tenant ?? 0)
const hidden = { type: 'integer', hidden: true } as const
const tenant_id = { ...hidden, default: tenantOf } as const
const key = { type: 'string', maxLength: 20 } as const
const access_policy = { scope: { tenant_id: { eq: tenantOf } } }

const Setting = defineModel('Setting', {
  columns: { id, tenant_id, key, text: { ...key, nullable: true } },
  unique: [['tenant_id', 'key']],
  meta: { access_policy },
})
/** Unique by the key alone in the database, although the model says otherwise. */
const Topic = defineModel('Topic', {
  columns: { id, tenant_id, key, text: { ...key, nullable: true } },
  unique: [['tenant_id', 'key']],
  meta: { access_policy },
})
const fields = {
  id,
  tenant_id,
  unknown: hidden,
  lot: { ...hidden, default: 1 },
  key,
  word: key,
  code: { ...key, unique: true },
  note: key,
  title: { ...key, nullable: true },
  gone: { type: 'datetime', nullable: true, hidden: true },
  ruled: { ...key, read: 'auditor', default: 'x' },
} as const
/** Sets that have, and that lack, a name for clients. */
const Named = defineModel('Named', {
  columns: fields,
  unique: [
    ['tenant_id', 'lot', 'note', 'key'],
    ['unknown', 'word'],
    ['tenant_id', 'key'],
    ['lot', 'key'],
    ['tenant_id', 'code'],
    ['tenant_id', 'lot'],
    ['tenant_id', 'note'],
    ['ruled', 'note'],
    ['tenant_id', 'title', 'gone'],
  ],
  meta: { soft_delete: true, soft_delete_attribute: 'gone', soft_delete_values: [null, 'now'] },
})
const models = [Setting, Topic, Named] as const

eachDatabase('hidden columns in unique sets', (test, db) => {
  const api = testApi(db, models as readonly AnyModel[], {
    API_ALLOW_BULK: true,
    API_ALLOW_BATCH: true,
  })
  const theirs = [
    { id: 51, tenant_id: 2, key: 'color', text: 'theirs' },
    { id: 52, tenant_id: 2, key: 'size', text: 'theirs' },
  ]
  test.before(async () => {
    await createTables(db, models as readonly AnyModel[])
    await db.kysely.schema.createIndex('topics_key').unique().on('topics').column('key').execute()
    for (const model of [Setting, Topic]) await insertRows(db, model, theirs)
  })
  const user = { id: 1, tenant: 1 }
  const post = (url: string, body: unknown, who: unknown = user) =>
    send(api, 'POST', url, { body, user: who })
  const url = '/api/settings?on_conflict=key'
  const stored = async (table: string, tenant: number) =>
    await db.kysely
      .selectFrom(table)
      .select(['id', 'tenant_id', 'key', 'text'])
      .where('tenant_id', '=', tenant)
      .orderBy('id')
      .execute()

  test('the record of the own tenant is created, then changed', async () => {
    const made = await post(url, { key: 'color', text: 'a' })
    equal([made.status, Object.keys(made.value)], [201, ['id', 'key', 'text']])
    const changed = await post(url, { key: 'color', text: 'b' })
    equal([changed.status, changed.value], [200, { ...made.value, text: 'b' }])
    const [row] = await stored('settings', 1)
    equal(row, { id: made.value.id, tenant_id: 1, key: 'color', text: 'b' })
    equal(await stored('settings', 2), theirs)
  })

  test('a list is written together, and each tenant changes its own', async () => {
    const list = ['color', 'size', 'shape'].map((name) => ({ key: name, text: 'c' }))
    equal((await post(url, list)).status, 201)
    equal((await post(url, [...list, ...list])).status, 200)
    equal((await stored('settings', 1)).length, 3)
    equal(await stored('settings', 2), theirs)
    const operations = [{ id: 'a', method: 'POST', url, body: { key: 'size', text: 'd' } }]
    equal((await post('/api/batch', { operations })).value?.[0]?.status_code ?? 200, 200)
    const other = await post(url, { key: 'size', text: 'ours' }, { id: 2, tenant: 2 })
    equal([other.status, other.value], [200, { id: 52, key: 'size', text: 'ours' }])
  })

  test('responses are those of a database without the rows of others', async () => {
    const writes: readonly (readonly [string, unknown])[] = [
      [url, { key: 'size', text: 'e' }],
      [url, { key: 'weight', text: 'e' }],
      [url, [{ key: 'weight' }, { key: 'color' }]],
      [url, { key: 'color', tenant_id: 2 }],
      ['/api/settings?on_conflict=tenant_id,key', { key: 'color' }],
      ['/api/settings', { key: 'weight' }],
    ]
    const outcomes = async (tenant: number): Promise<readonly unknown[]> => {
      const found: unknown[] = []
      for (const [to, body] of writes) {
        const { status, value, errors } = await post(to, body, { id: tenant, tenant })
        const text = JSON.stringify([status, value ?? null, errors ?? null])
        found.push(text.replace(/"id":\d+/g, '"id":0'))
      }
      return found
    }
    // Only tenant 4 has neighbours with the same keys when it writes.
    await db.kysely.deleteFrom('settings').execute()
    const alone = await outcomes(3)
    const beside = await outcomes(4)
    equal(beside, alone)
    equal(
      alone.map((text) => String(text).slice(1, 4)),
      ['201', '201', '201', '400', '400', '409'],
    )
    const unasked = alone.filter((_, i) => !JSON.stringify(writes[i]).includes('tenant_id'))
    equal([unasked.length, unasked.join().includes('tenant_id')], [4, false])
  })

  test('without a scope, too, only the record of the own tenant is found', async () => {
    const unscoped = testApi(db, [{ ...Setting, meta: {} } as AnyModel], { API_ALLOW_BULK: true })
    const before = await stored('settings', 3)
    const one = { tenant: 5, body: { key: 'size', text: 'f' } }
    const list = { tenant: 6, body: [{ key: 'size', text: 'f' }, { key: 'weight' }] }
    for (const { tenant, body } of [one, list]) {
      const who = { id: tenant, tenant }
      for (const status of [201, 200]) {
        equal((await send(unscoped, 'POST', url, { body, user: who })).status, status)
      }
      equal((await stored('settings', tenant)).length, [body].flat().length)
    }
    equal(await stored('settings', 3), before)
  })

  test('a value that the index keeps for another tenant is a 409, and its row stays', async () => {
    const at = '/api/topics?on_conflict=key'
    const refused = await post(at, { key: 'color', text: 'x' })
    equal(refused.status, 409)
    equal(JSON.stringify(refused.errors).includes('tenant_id'), false)
    const many = await post(at, [{ key: 'new' }, { key: 'size', text: 'x' }])
    equal(many.status, 409)
    equal(await stored('topics', 2), theirs)
    equal(await stored('topics', 1), [])
  })

  test('hidden columns are no fields of a body and of on_conflict', async () => {
    const body = await post(url, { key: 'color', tenant_id: 2 })
    equal([body.status, body.errors.reason], [400, { tenant_id: ['Unknown field "tenant_id".'] }])
    const named = await post('/api/settings?on_conflict=tenant_id,key', { key: 'color' })
    equal(
      [named.status, named.errors.reason],
      [400, '"tenant_id,key" is not a unique key of settings. Unique keys: id; key.'],
    )
  })

  test('without the right to PATCH it is 403', async () => {
    const meta = { access_policy, role_map: { PATCH: 'editor', '*': true } } as const
    const ruled = testApi(db, [{ ...Setting, meta } as AnyModel])
    for (const name of ['color', 'none']) {
      const { status } = await send(ruled, 'POST', url, { body: { key: name }, user })
      equal(status, 403)
    }
  })

  test('a set has a name if the hidden values are known, and if its visible columns are its own', async () => {
    for (const [name, why] of [
      ['word', 'a hidden column without a default'],
      ['key', 'two sets with these visible columns'],
      ['title', 'a hidden column that is NULL in new records'],
      ['', 'a set without visible columns'],
    ] as const) {
      const { status, errors } = await post(`/api/nameds?on_conflict=${name}`, { key: 'a' })
      const message = `"${name}" is not a unique key of nameds. Unique keys: id; code; note,key; note.`
      equal([why, status, errors.reason], [why, 400, message])
    }
  })

  test('the OpenAPI document lists the names', async () => {
    const document = await api.openapi()
    const offered = (path: string): readonly string[] => {
      const name = (document.paths?.[path]?.post?.parameters ?? [])
        .map((parameter) => ('$ref' in parameter ? (parameter.$ref.split('/').at(-1) ?? '') : ''))
        .find((one) => one.startsWith('on_conflict'))
      const parameter = document.components?.parameters?.[name ?? '']
      const schema = parameter !== undefined && 'schema' in parameter ? parameter.schema : undefined
      return (schema as { enum?: readonly string[] }).enum ?? []
    }
    equal(offered('/api/settings'), ['id', 'key'])
    equal(offered('/api/nameds'), ['id', 'code', 'note,key', 'note', 'ruled,note'])
    equal(/tenant_id|"lot"/.test(JSON.stringify(document)), false)
  })

  test('the typed client names it', async () => {
    type Given = Api<{ models: [typeof Setting] }>
    const client = createClient<Given>('http://api.test', {
      fetch: testApi(db, [Setting as AnyModel]).fetch,
    })
    const result = await client.settings.create({ key: 'mine' }, { onConflict: ['key'] })
    equal(result.status, 201)
  })
})
