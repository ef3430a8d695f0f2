/**
 * A client could choose the value of a read-only column by naming it in on_conflict; and the look-up did not use the default of
 * a column.
 */
import { type AnyModel, type ColumnRight, defineModel, type HookArgs } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const orgOf = ({ user }: HookArgs): number => Number(user?.org ?? 0)

/** The service sets the organisation of the user in each record. */
const stamped = (name: string, more: { readOnly: true } | { write: ColumnRight }) =>
  defineModel(name, {
    columns: {
      id,
      org: { type: 'integer', default: orgOf, ...more },
      name: { type: 'string', maxLength: 20 },
      note: { type: 'string', maxLength: 20, nullable: true },
      gone: { type: 'boolean' },
    },
    unique: [['org', 'name']],
    meta: {
      access_policy: { scope: { org: { eq: orgOf } } },
      soft_delete: true,
      soft_delete_attribute: 'gone',
    },
  })

const Tag = stamped('Tag', { readOnly: true })
const Label = stamped('Label', { write: () => false })
/** One record for each organisation. */
const Profile = defineModel('Profile', {
  columns: {
    id,
    org: { type: 'integer', unique: true, readOnly: true, default: orgOf },
    motto: { type: 'string', maxLength: 20 },
  },
  meta: {},
})
/** The service sets the day; only the database knows the value of the counter. */
const Visit = defineModel('Visit', {
  columns: {
    id,
    day: { type: 'date', managed: 'created' },
    place: { type: 'string', maxLength: 20 },
    number: { type: 'integer', nullable: true, readOnly: true, hasDefault: true },
    gone: { type: 'boolean' },
  },
  unique: [
    ['day', 'place'],
    ['place', 'number'],
    ['place', 'gone'],
  ],
  meta: { soft_delete: true, soft_delete_attribute: 'gone' },
})
const models: readonly AnyModel[] = [Tag, Label, Profile, Visit]

eachDatabase('a read-only column in on_conflict', (test, db) => {
  const api = testApi(db, models, { API_ALLOW_BULK: true, API_ALLOW_BATCH: true })
  test.before(async () => {
    await createTables(db, models)
    for (const model of [Tag, Label]) {
      await insertRows(db, model, [
        { id: 51, org: 1, name: 'bug', note: null, gone: false },
        { id: 52, org: 2, name: 'bug', note: null, gone: false },
        { id: 53, org: 2, name: 'theirs', note: null, gone: false },
        { id: 54, org: 1, name: 'old', note: null, gone: true },
      ])
    }
  })
  const user = { id: 1, org: 1 }
  const post = (url: string, body: unknown, who: unknown = user) =>
    send(api, 'POST', url, { body, user: who })
  const rows = async (table: string) =>
    await db.kysely.selectFrom(table).select(['org', 'name']).orderBy('id').execute()

  for (const table of ['tags', 'labels']) {
    const url = `/api/${table}?on_conflict=org,name`

    test(`is refused where the client sends it, whichever value and record: ${table}`, async () => {
      const before = await rows(table)
      for (const name of ['planted', 'theirs', 'bug']) {
        for (const org of [1, 2, 'x']) {
          const one = await post(url, { org, name })
          equal([one.status, one.errors.reason], [400, { org: ['This field is read-only.'] }])
        }
        const many = await post(url, [{ name: 'a' }, { name: 'b' }, { org: 2, name }])
        equal([many.status, many.errors.reason], [400, { '[2].org': ['This field is read-only.'] }])
      }
      const operations = [{ method: 'POST', id: 'a', url, body: { org: 2, name: 'planted' } }]
      equal((await post('/api/batch', { operations })).status, 400)
      equal(await rows(table), before)
    })

    test(`finds records by its default, or sets it in a new one: ${table}`, async () => {
      const changed = await post(url, { name: 'bug', note: 'ours' })
      equal([changed.status, changed.value.id, changed.value.note], [200, 51, 'ours'])
      const made = await post(url, { name: 'theirs', note: 'ours' })
      equal([made.status, made.value.org], [201, 1])
      const many = await post(url, [
        { name: 'bug', note: 'again' },
        { name: 'theirs', note: 'again' },
        { name: 'new', note: 'again' },
      ])
      equal(
        [many.status, many.value.map((row: { note: string; org: number }) => [row.note, row.org])],
        [201, Array(3).fill(['again', 1])],
      )
      const twice = await post(url, [{ name: 'one' }, { name: 'one', note: 'twice' }])
      equal([twice.status, twice.value[1].note], [201, 'twice'])
      const operations = [{ method: 'POST', id: 'a', url, body: { name: 'bug', note: 'x' } }]
      equal((await post('/api/batch', { operations })).status, 200)
      const other = await post(url, { name: 'bug', note: 'theirs' }, { id: 2, org: 2 })
      equal([other.status, other.value.id], [200, 52])
    })

    test(`does not bring a deleted record back: ${table}`, async () => {
      equal((await post(url, { name: 'old' })).status, 409)
    })
  }

  test('has its default called once for each record', async () => {
    let calls = 0
    const Counted = {
      ...Tag,
      columns: {
        ...Tag.columns,
        org: { ...Tag.columns.org, default: () => (calls++ < 99 ? 1 : 2) },
      },
    } as AnyModel
    const counted = testApi(db, [Counted], { API_ALLOW_BULK: true })
    const url = '/api/tags?on_conflict=org,name'
    const body = [{ name: 'c1' }, { name: 'c2' }, { name: 'bug' }]
    equal((await send(counted, 'POST', url, { body, user })).status, 201)
    equal(calls, 3)
  })

  test('may be the only column: one record for each organisation', async () => {
    const url = '/api/profiles?on_conflict=org'
    equal((await post(url, { motto: 'first' })).status, 201)
    const again = await post(url, { motto: 'second' })
    equal([again.status, again.value.motto], [200, 'second'])
    equal((await post(url, { org: 2, motto: 'x' })).status, 400)
  })

  test('may be a column that the service sets itself', async () => {
    const url = '/api/visits?on_conflict=day,place'
    const made = await post(url, { place: 'hall' })
    equal(made.status, 201)
    equal((await post(url, { place: 'hall' })).value.id, made.value.id)
    const forged = await post(url, { place: 'hall', day: '2001-01-01' })
    equal(
      [forged.status, forged.errors.reason],
      [400, { day: ['This field is set by the service.'] }],
    )
    const deleted = await post('/api/visits?on_conflict=place,gone', { place: 'yard', gone: true })
    equal(
      [deleted.status, deleted.errors.reason],
      [400, { gone: ['This field is set by DELETE and restore.'] }],
    )
    const active = await post('/api/visits?on_conflict=place,gone', { place: 'hall', gone: false })
    equal([active.status, active.value.id], [200, made.value.id])
  })

  test('is documented where the server accepts it', async () => {
    const offered = async (resource: string): Promise<readonly string[]> => {
      const name = ((await api.openapi()).paths?.[`/api/${resource}`]?.post?.parameters ?? [])
        .map((parameter) => ('$ref' in parameter ? (parameter.$ref.split('/').at(-1) ?? '') : ''))
        .find((one) => one.startsWith('on_conflict'))
      const parameter = (await api.openapi()).components?.parameters?.[name ?? '']
      const schema = parameter !== undefined && 'schema' in parameter ? parameter.schema : undefined
      return (schema as { enum?: readonly string[] }).enum ?? []
    }
    equal(await offered('tags'), ['id', 'org,name'])
    equal(await offered('profiles'), ['id', 'org'])
    equal(await offered('visits'), ['id', 'day,place', 'place,gone'])
    const { status, errors } = await post('/api/visits?on_conflict=place,number', { place: 'x' })
    equal([status, errors.code], [400, 'not_unique_columns'])
    equal(
      errors.reason,
      '"place,number" cannot be named here, because number is read-only and its model declares no default. Unique keys: id; day,place; place,gone.',
    )
    const other = await post('/api/visits?on_conflict=day', { place: 'x' })
    ok(String(other.errors.reason).includes('"day" is not a unique key'), other.errors.reason)
  })
})
