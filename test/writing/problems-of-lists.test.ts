/** Fields that are compared with the stored records: a list reports those of all its records, and calls no more hooks for that. */
import {
  type AnyModel,
  type ApiConfig,
  belongsTo,
  defineModel,
  type HookArgs,
  hasMany,
  type Meta,
  manyToMany,
} from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true } as const

const issueWith = (meta: Meta) =>
  defineModel('Issue', {
    columns: {
      id: { ...id, generated: false },
      slug: { type: 'string', maxLength: 20, unique: true },
      code: { type: 'string', maxLength: 20, unique: true, nullable: true },
      title: { type: 'string', maxLength: 20 },
      state: { type: 'string', maxLength: 20, default: 'open', write: () => false },
      votes: { type: 'integer', default: 0, readOnly: true },
      created: { type: 'string', maxLength: 20, default: 'web', immutable: true },
      project_id: { type: 'integer', nullable: true },
    },
    relations: {
      project: belongsTo('Project', 'project_id'),
      labels: manyToMany('Label', { through: 'issue_labels', from: 'issue_id', to: 'label_id' }),
    },
    meta,
  })
const Issue = issueWith({})
const Project = defineModel('Project', {
  columns: { id: { ...id, generated: true }, name: { type: 'string', maxLength: 20 } },
  relations: { issues: hasMany('Issue', 'project_id') },
  meta: {},
})
const Label = defineModel('Label', {
  columns: { id, name: { type: 'string', maxLength: 20 } },
  relations: {},
  meta: {},
})
const modelsWith = (meta: Meta): readonly AnyModel[] => [issueWith(meta), Project, Label]
const models = modelsWith({})

const readOnly = ['This field is read-only.']
const setOnce = ['This field is set only in a new record.']
const required = ['This field is required.']
const notTheUrl = ['This is not the URL of the relation; send records instead.']

const config: ApiConfig = {
  API_ALLOW_BULK: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ADD_RELATIONS: false,
}

eachDatabase('fields of a list that the stored records refuse', (test, db) => {
  const api = testApi(db, models, config)
  test.before(() => createTables(db, models))
  test.before.each(async () => {
    for (const table of ['issue_labels', 'labels', 'issues', 'projects'])
      await db.kysely.deleteFrom(table).execute()
    await insertRows(db, Label, [{ id: 1, name: 'bug' }])
    await insertRows(db, Project, [{ id: 1, name: 'One' }])
    await insertRows(
      db,
      Issue,
      [1, 2, 3, 4].map((key) => ({
        id: key,
        slug: `s${key}`,
        code: `c${key}`,
        title: 'T',
        state: 'open',
        votes: 0,
        created: 'web',
        project_id: 1,
      })),
    )
  })
  const requestTo =
    (to: typeof api) =>
    async (method: string, url: string, body: unknown): Promise<readonly unknown[]> => {
      const { status, errors } = await send(to, method, url, { body })
      return [status, errors?.reason]
    }
  const request = requestTo(api)
  const patch = (body: unknown) => request('PATCH', '/api/issues', body)
  const upsert = (body: unknown) => request('POST', '/api/issues?on_conflict=slug', body)
  const titles = async (): Promise<readonly string[]> =>
    (await get(api, '/api/issues?order_by=id')).value.map(({ title }: { title: string }) => title)

  test('are reported together by PATCH', async () => {
    equal(
      await patch([
        { id: 1, state: 'closed' },
        { id: 2, state: 'open', title: 'New' },
        { id: 3, state: 'closed', votes: 1, created: 'mail' },
        { id: 4, project: '/api/projects/9' },
      ]),
      [
        400,
        {
          '[0].state': readOnly,
          '[2].state': readOnly,
          '[2].votes': readOnly,
          '[2].created': setOnce,
          '[3].project': notTheUrl,
        },
      ],
    )
    equal(await titles(), ['T', 'T', 'T', 'T'])
  })

  test('are reported together after records without problems', async () => {
    equal(
      await patch([{ id: 1, title: 'A' }, ...[2, 3, 4].map((key) => ({ id: key, votes: key }))]),
      [400, { '[1].votes': readOnly, '[2].votes': readOnly, '[3].votes': readOnly }],
    )
    equal(await titles(), ['T', 'T', 'T', 'T'])
  })

  test('are reported together by an upsert of new records', async () => {
    const body = ['a', 'b'].map((slug, i) => ({ id: 10 + i, slug, title: 'T', state: 'closed' }))
    equal(await request('POST', '/api/issues', body), [
      400,
      { '[0].state': readOnly, '[1].state': readOnly },
    ])
    equal(await upsert(body), [400, { '[0].state': readOnly, '[1].state': readOnly }])
  })

  test('are reported together by an upsert of stored and new records', async () => {
    const changed = (slug: string) => ({ slug, state: 'closed', created: 'mail' })
    const fresh = { id: 10, slug: 'a', votes: 5 }
    const good = { id: 11, slug: 'b', title: 'T' }
    equal(await upsert([changed('s1'), good, fresh, changed('s2')]), [
      400,
      {
        '[0].state': readOnly,
        '[0].created': setOnce,
        '[2].votes': readOnly,
        '[2].title': required,
        '[3].state': readOnly,
        '[3].created': setOnce,
      },
    ])
    equal(await upsert([good, fresh, changed('s2')]), [
      400,
      {
        '[1].votes': readOnly,
        '[1].title': required,
        '[2].state': readOnly,
        '[2].created': setOnce,
      },
    ])
  })

  test('are reported together by an upsert that is written record by record', async () => {
    // Two records with the same key are written one after the other.
    const twice = [
      { slug: 's1', title: 'A' },
      { slug: 's1', title: 'B' },
    ]
    const changed = (slug: string) => ({ slug, state: 'closed' })
    equal(await upsert([...twice, changed('s2'), { id: 10, slug: 'a', votes: 1 }, changed('s3')]), [
      400,
      {
        '[2].state': readOnly,
        '[3].votes': readOnly,
        '[3].title': required,
        '[4].state': readOnly,
      },
    ])
    equal(
      await upsert([
        { id: 10, slug: 'a', votes: 1 },
        ...twice,
        changed('s2'),
        { slug: 'a', state: 'closed' },
      ]),
      [400, { '[0].votes': readOnly, '[0].title': required, '[3].state': readOnly }],
    )
    equal(await titles(), ['T', 'T', 'T', 'T'])
  })

  test('leave out records that a collation may find', async () => {
    const Collated = defineModel('Collated', {
      table: 'issues',
      columns: {
        ...Issue.columns,
        slug: { type: 'string', maxLength: 20, unique: true, collation: 'database' },
      },
      meta: { endpoint: 'collated' },
    })
    const own = testApi(db, [Collated], config)
    const records = ['s1', 'S2', 's3'].map((slug) => ({ slug, votes: 1 }))
    equal(await requestTo(own)('POST', '/api/collated?on_conflict=slug', records), [
      400,
      { '[0].votes': readOnly, '[2].votes': readOnly },
    ])
  })

  test('are reported together in a list with nested records', async () => {
    const project = { name: 'New' }
    const closed = (key: number) => ({ id: key, state: 'closed', project })
    equal(await patch([closed(1), { id: 2, project }, closed(3)]), [
      400,
      { '[0].state': readOnly, '[2].state': readOnly },
    ])
    equal(await patch([{ id: 2, project }, closed(3), { id: 1, project }, closed(4)]), [
      400,
      { '[1].state': readOnly, '[3].state': readOnly },
    ])
  })

  test('are reported together in a list with links, some of which are written before', async () => {
    const own = testApi(db, models, { ...config, API_UPDATE_CALLBACK: (record) => record })
    const labels = [{ id: 1 }]
    const changes = [
      { id: 1, labels },
      { id: 2, labels, votes: 1 },
      { id: 3, labels, votes: 1 },
    ]
    equal(await requestTo(own)('PATCH', '/api/issues', changes), [
      400,
      { '[1].votes': readOnly, '[2].votes': readOnly },
    ])
  })

  test('are reported together by an operation of a batch', async () => {
    const own = testApi(db, models, { ...config, API_ALLOW_BATCH: true })
    const operations = [
      {
        id: 'a',
        method: 'PATCH',
        url: '/api/issues',
        body: [1, 2].map((key) => ({ id: key, votes: 1 })),
      },
    ]
    const { status, errors } = await send(own, 'POST', '/api/batch', { body: { operations } })
    equal([status, errors?.reason], [400, { '[0].votes': readOnly, '[1].votes': readOnly }])
  })

  test('are compared with the records before any callback', async () => {
    const own = testApi(db, models, {
      ...config,
      API_UPDATE_CALLBACK: async (record, _model, { db: inside }: HookArgs) => {
        await inside.updateTable('issues').set({ votes: 7 }).where('id', '=', 3).execute()
        return record
      },
    })
    const changes = [
      { id: 1, title: 'A' },
      { id: 2, votes: 7 },
      { id: 3, votes: 7 },
      { id: 4, votes: 7 },
    ]
    equal(await requestTo(own)('PATCH', '/api/issues', changes), [
      400,
      { '[1].votes': readOnly, '[2].votes': readOnly, '[3].votes': readOnly },
    ])
  })

  test('are compared with what callbacks of earlier records have changed', async () => {
    const own = testApi(db, models, {
      ...config,
      API_UPDATE_CALLBACK: async (record, _model, { db: inside }: HookArgs) => {
        await inside.updateTable('issues').set({ votes: 7 }).where('id', '=', 3).execute()
        return record
      },
    })
    const change = (key: number) => ({ id: key, votes: 7, project: { name: 'New' } })
    const changes = [{ id: 1, title: 'A', project: { name: 'New' } }, ...[2, 3, 4].map(change)]
    equal(await requestTo(own)('PATCH', '/api/issues', changes), [
      400,
      { '[1].votes': readOnly, '[3].votes': readOnly },
    ])
  })

  test('come before what only the database refuses', async () => {
    const closed = (key: number) => ({ id: key, state: 'closed' })
    equal((await patch([closed(9), closed(1)]))[0], 404)
    equal(await patch([closed(1), closed(9), closed(2)]), [
      400,
      { '[0].state': readOnly, '[2].state': readOnly },
    ])
    const taken = { id: 1, slug: 's2' }
    equal((await patch([taken]))[0], 409)
    equal(await patch([taken, { id: 3, votes: 1 }]), [400, { '[1].votes': readOnly }])
  })

  test('are found before any hook is called', async () => {
    const asked: string[] = []
    const access_policy = {
      can_update: ({ id: key }: { readonly id: number }) => {
        asked.push(`can_update ${key}`)
        return key !== 3
      },
    }
    const own = testApi(db, modelsWith({ access_policy }), {
      ...config,
      API_UPDATE_CALLBACK: (record) => {
        asked.push(`update ${record.id}`)
        return record
      },
    })
    const changes = [
      { id: 1, title: 'A' },
      { id: 2, votes: 1 },
      { id: 3, votes: 1 },
      { id: 4, title: 'B' },
    ]
    equal(await requestTo(own)('PATCH', '/api/issues', changes), [
      400,
      { '[1].votes': readOnly, '[2].votes': readOnly },
    ])
    equal(asked, [])
  })

  test('say nothing about records that the caller may not see', async () => {
    const own = testApi(
      db,
      modelsWith({ access_policy: { scope: { id: { in: [1, 2, 9] } } } }),
      config,
    )
    const changes = [1, 3, 7, 2].map((key) => ({ id: key, votes: 1 }))
    equal(await requestTo(own)('PATCH', '/api/issues', changes), [
      400,
      { '[0].votes': readOnly, '[3].votes': readOnly },
    ])
    const records = ['s1', 's3', 's7', 's2'].map((slug) => ({ slug, votes: 1, title: 'T' }))
    // A hidden record is answered as one that does not exist.
    const reason = {
      ...Object.fromEntries([0, 1, 2, 3].map((i) => [`[${i}].votes`, readOnly])),
      '[1].id': required,
      '[2].id': required,
    }
    equal(await requestTo(own)('POST', '/api/issues?on_conflict=slug', records), [400, reason])
  })

  test('tell no one who may only create records which ones are stored', async () => {
    const meta: Meta = { allowed_methods: ['GET', 'POST'] }
    const own = testApi(db, modelsWith(meta), config)
    // The first one has no key, so it is new, and is refused without a look-up.
    const answerFor = (code: string): Promise<readonly unknown[]> =>
      requestTo(own)('POST', '/api/issues?on_conflict=code', [
        { id: 10, title: 'A' },
        { code, created: 'mail' },
        { code, title: 'B' },
      ])
    equal(await answerFor('c1'), await answerFor('c9'))
  })

  test('are all refused to a caller who may not read the records', async () => {
    const Written = defineModel('Issue', {
      columns: Issue.columns,
      meta: { allowed_methods: ['POST', 'PATCH'] },
    })
    const own = testApi(db, [Written], config)
    const changes = [1, 2].map((key) => ({ id: key, votes: 0 }))
    const reason = { '[0].votes': readOnly, '[1].votes': readOnly }
    equal(await requestTo(own)('PATCH', '/api/issues', changes), [400, reason])
  })
})
