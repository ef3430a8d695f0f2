/** Soft delete as existing databases store it: NULL for an active record, and a time or the result of a function for a deleted one. */
import {
  type AccessPolicy,
  type AnyModel,
  type ApiConfig,
  belongsTo,
  defineModel,
  hasMany,
  manyToMany,
} from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const gone = { type: 'datetime', nullable: true, column: 'deleted_at' } as const

const Project = defineModel('Project', {
  columns: {
    id,
    name: { type: 'string', maxLength: 20, unique: true },
    gone,
    touched: { type: 'datetime', nullable: true, managed: 'updated' },
  },
  relations: {
    issues: hasMany('Issue', 'project_id'),
    labels: manyToMany('Label', { through: 'project_labels', from: 'project_id', to: 'label_id' }),
  },
  meta: {},
})
const Issue = defineModel('Issue', {
  columns: { id, title: { type: 'string', maxLength: 20 }, project_id: { type: 'integer' }, gone },
  relations: { project: belongsTo('Project', 'project_id') },
  meta: {},
})
const Label = defineModel('Label', {
  columns: { id, name: { type: 'string', maxLength: 20 } },
  relations: {
    projects: manyToMany('Project', {
      through: 'project_labels',
      from: 'label_id',
      to: 'project_id',
    }),
  },
  meta: {},
})
const models: readonly AnyModel[] = [Project, Issue, Label]

const config: ApiConfig = {
  API_ALLOW_BULK: true,
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_CASCADE_DELETE: true,
  API_SOFT_DELETE: true,
  API_SOFT_DELETE_ATTRIBUTE: 'gone',
  API_SOFT_DELETE_VALUES: [null, 'now'],
}

/** The time of the test clock. */
const now = '2026-01-02T03:04:05.678Z'

eachDatabase('soft delete by a timestamp', (test, db) => {
  const api = testApi(db, models, config)

  test.before(async () => {
    await createTables(db, models)
    // The rows are inserted with their keys, so the sequences must be advanced.
    if (db.name !== 'postgres') return
    for (const table of ['projects', 'issues', 'labels'])
      await db.execScript(`alter table ${table} alter column id restart with 100`)
  })
  test.before.each(async () => {
    for (const table of ['project_labels', 'issues', 'labels', 'projects']) {
      await db.kysely.deleteFrom(table).execute()
    }
    const before = '2020-01-01T00:00:00.000Z'
    await insertRows(db, Project, [
      { id: 1, name: 'one' },
      { id: 2, name: 'two', gone: before },
      { id: 3, name: 'three' },
    ])
    await insertRows(db, Issue, [
      { id: 1, title: 'a', project_id: 1 },
      { id: 2, title: 'b', project_id: 1, gone: before },
      { id: 3, title: 'c', project_id: 2 },
      { id: 4, title: 'd', project_id: 3 },
    ])
    await insertRows(db, Label, [{ id: 1, name: 'red' }])
    await db.kysely
      .insertInto('project_labels')
      .values([
        { project_id: 1, label_id: 1 },
        { project_id: 2, label_id: 1 },
      ])
      .execute()
  })

  const ids = async (url: string, name = 'id'): Promise<readonly unknown[]> => {
    const { status, value, text } = await get(api, url)
    equal(status, 200, text)
    return value.map((row: Record<string, unknown>) => row[name])
  }

  test('every read leaves deleted records out', async () => {
    equal(await ids('/api/projects'), [1, 3])
    equal((await get(api, '/api/projects')).total, 2)
    equal((await get(api, '/api/projects?limit=1')).total, 2)
    equal((await get(api, '/api/projects/2')).status, 404)
    equal((await get(api, '/api/issues/3/project')).status, 404)
    equal((await get(api, '/api/projects/2/issues')).status, 404)
    equal(await ids('/api/projects/1/issues'), [1])
    equal(await ids('/api/labels/1/projects'), [1])
    equal(await ids('/api/issues?join=project&order_by=id'), [1, 4])
    equal(await ids('/api/issues?join=project&join_type=left&order_by=id'), [1, 3, 4])
    equal(await ids('/api/issues?missing(project)'), [3])
    equal(await ids('/api/projects?exists(issues.title__eq=b)'), [])
    equal(await ids('/api/labels?exists(projects.name__eq=two)'), [])
    const { value: embedded } = await get(api, '/api/projects/1?dump=json')
    equal(
      embedded.issues.map((issue: { id: number }) => issue.id),
      [1],
    )
    const { value: label } = await get(api, '/api/labels/1?dump=json')
    equal(
      label.projects.map((project: { id: number }) => project.id),
      [1],
    )
    const { value: groups } = await get(
      api,
      '/api/issues?groupby=project_id&id__count=n&order_by=project_id',
    )
    equal(groups.map(Object.values), [
      [1, 1],
      [2, 1],
      [3, 1],
    ])
    equal(await ids('/api/projects?gone__isnull=false'), [])
  })

  test('include_deleted returns them, with the timestamp', async () => {
    equal(await ids('/api/projects?include_deleted=true'), [1, 2, 3])
    equal(await ids('/api/projects?include_deleted=true', 'gone'), [
      null,
      '2020-01-01T00:00:00.000Z',
      null,
    ])
    equal((await get(api, '/api/projects/2?include_deleted=true')).value.name, 'two')
    equal(await ids('/api/projects?include_deleted=true&gone__lt=2021-01-01'), [2])
  })

  test('include_deleted takes booleans alone, once', async () => {
    for (const value of ['false', '0', 'no']) {
      equal(await ids(`/api/projects?include_deleted=${value}`), [1, 3])
    }
    for (const value of ['', 'TRUE', '2', 'only', '(true)', 'true&include_deleted=true']) {
      const { status, errors } = await get(api, `/api/projects?include_deleted=${value}`)
      equal([value, status, errors.at?.startsWith('include_deleted')], [value, 400, true])
    }
  })

  test('include_deleted shows no deleted record that a policy hides, through any door', async () => {
    const scope: AccessPolicy = {
      scope: ({ user }) =>
        (user as { admin?: boolean } | null)?.admin === true || { gone: { isnull: true } },
    }
    const guarded = testApi(db, models, {
      ...config,
      API_ACCESS_POLICY: ({ name }) => (name === 'Label' ? {} : scope),
    })
    const ask = async (url: string, user: object | null) => {
      const { status, body } = await guarded.handle({ method: 'GET', url, user })
      const { value, total_count } = body as { value?: unknown; total_count?: number }
      return [status, status === 200 ? value : undefined, total_count]
    }
    for (const url of [
      '/api/projects?fields=id',
      '/api/projects/2?fields=id',
      '/api/projects/2/issues?fields=id',
      '/api/projects?fields=id,issues.id&join=issues',
      '/api/projects?dump=json',
      '/api/issues?exists(project.id__eq=2)&fields=id',
      '/api/issues?join=project&project.id__eq=2&fields=id',
      '/api/labels?dump=json',
      '/api/projects?groupby=name&id__count=1',
    ]) {
      const and = url.includes('?') ? '&' : '?'
      const shown = await ask(`${url}${and}include_deleted=true`, { id: 1, admin: true })
      const hidden = await ask(`${url}${and}include_deleted=true`, { id: 2 })
      equal(hidden, await ask(url, { id: 2 }), url)
      equal(JSON.stringify(shown) === JSON.stringify(hidden), false, `${url}: proves nothing`)
    }
  })

  test('DELETE sets the time of the request, restore sets NULL; a second one is 404 and 409', async () => {
    equal((await send(api, 'DELETE', '/api/projects/1')).status, 200)
    equal(await ids('/api/projects'), [3])
    const { value } = await get(api, '/api/projects/1?include_deleted=true')
    equal([value.gone, value.touched], [now, now])
    equal((await send(api, 'DELETE', '/api/projects/1')).status, 404)
    equal((await send(api, 'PATCH', '/api/projects/1', { body: { name: 'x' } })).status, 404)
    const restored = await send(api, 'POST', '/api/projects/1/restore')
    equal([restored.status, restored.value.gone], [200, null])
    equal((await send(api, 'POST', '/api/projects/1/restore')).status, 409)
    equal(await ids('/api/projects'), [1, 3])
  })

  test('clients do not write the column; what GET gave may be sent back', async () => {
    const { status, errors } = await send(api, 'PATCH', '/api/projects/1', { body: { gone: now } })
    equal([status, errors.reason], [400, { gone: ['This field is set by DELETE and restore.'] }])
    equal(
      (await send(api, 'PATCH', '/api/projects/1', { body: { gone: null, name: 'same' } })).status,
      200,
    )
    equal(
      (await send(api, 'POST', '/api/projects', { body: { name: 'dead', gone: now } })).status,
      400,
    )
    const made = await send(api, 'POST', '/api/projects', { body: { name: 'born', gone: null } })
    equal([made.status, made.value.gone], [201, null])
  })

  test('if clients may write the column, setting it deletes and restores', async () => {
    const writable = defineModel('Project', {
      columns: { ...Project.columns, gone: { ...gone, readOnly: false } },
      meta: {},
    }) as unknown as AnyModel
    const open = testApi(db, [writable, Issue, Label], config)
    equal((await send(open, 'PATCH', '/api/projects/1', { body: { gone: now } })).status, 200)
    equal(await ids('/api/projects'), [3])
  })

  test('unique values stay taken: POST and upsert are 409', async () => {
    const body = { name: 'two' }
    equal((await send(api, 'POST', '/api/projects', { body })).status, 409)
    equal((await send(api, 'POST', '/api/projects?on_conflict=name', { body })).status, 409)
    const upsert = await send(api, 'POST', '/api/projects?on_conflict=name', {
      body: { name: 'one' },
    })
    equal([upsert.status, upsert.value.id], [200, 1])
  })

  test('a 409 names no values that only a deleted record has and the unique index leaves out', async () => {
    const text = { type: 'string', maxLength: 20 } as const
    const columns = { id, name: text, code: { ...text, unique: true }, gone } as const
    const Mark = defineModel('Mark', {
      columns: { ...columns, name: { ...text, unique: true } },
      meta: {},
    })
    await createTables(db, [defineModel('Mark', { columns, meta: {} })])
    await db.execScript(
      db.name === 'mysql'
        ? 'alter table marks add live varchar(20) as (if(deleted_at is null, name, null)), add unique index live_mark (live)'
        : 'create unique index live_mark on marks (name) where deleted_at is null',
    )
    const own = testApi(db, [Mark], config)
    const post = (name: string, code: string) =>
      send(own, 'POST', '/api/marks', { body: { name, code } })
    const { value } = await post('old', 'a')
    await send(own, 'DELETE', `/api/marks/${value.id}`)
    equal((await post('new', 'b')).status, 201)
    const names = async (name: string, code: string) => {
      const { status, errors } = await post(name, code)
      return [status, ...Object.keys(errors.reason).sort()]
    }
    equal(await names('old', 'b'), [409, 'code'])
    equal(await names('old', 'a'), [409, 'code'])
    equal(await names('new', 'b'), [409, 'code', 'name'])
  })

  test('if the unique index leaves deleted records out, their values are free and a restore is 409', async () => {
    const Free = defineModel('Free', {
      table: 'frees',
      columns: { id, name: { type: 'string', maxLength: 20, unique: true }, gone },
      meta: {},
    })
    const own = defineModel('Free', {
      table: 'frees',
      columns: { id, name: { type: 'string', maxLength: 20 }, gone },
      meta: {},
    })
    await createTables(db, [own])
    await db.execScript(
      db.name === 'mysql'
        ? 'alter table frees add live varchar(20) generated always as (if(deleted_at is null, name, null)) virtual, add unique index live_name (live)'
        : 'create unique index live on frees (name) where deleted_at is null',
    )
    const free = testApi(db, [Free], config)
    const body = { name: 'again' }
    const first = await send(free, 'POST', '/api/frees', { body })
    equal((await send(free, 'POST', '/api/frees', { body })).status, 409)
    const url = first.headers.location ?? ''
    equal((await send(free, 'DELETE', url)).status, 200)
    const upsert = await send(free, 'POST', '/api/frees?on_conflict=name', { body })
    equal([upsert.status, upsert.value.id === first.value.id], [201, false])
    const { status, errors } = await send(free, 'POST', `${url}/restore`)
    equal([status, errors.error], [409, 'Conflict'])
    match(JSON.stringify(errors.reason), 'name')
  })

  test('foreign keys and links to deleted records are refused like those to missing ones', async () => {
    const body = { title: 'x', project_id: 2 }
    equal((await send(api, 'POST', '/api/issues', { body })).status, 422)
    const linked = await send(api, 'POST', '/api/issues', {
      body: { title: 'x', project: { id: 2 } },
    })
    equal(linked.status, 422)
  })

  test('bulk and cascade: every record gets the same timestamp; children without soft delete are not deleted', async () => {
    const removed = await send(api, 'DELETE', '/api/projects?id__ge=1&cascade_delete=1')
    equal([removed.status, removed.total], [200, 2])
    equal(await ids('/api/projects'), [])
    equal(await ids('/api/issues'), [3])
    const all = await get(api, '/api/issues?include_deleted=true&order_by=id')
    const moments = all.value.map((issue: { gone: string | null }) => issue.gone)
    equal(moments, [now, '2020-01-01T00:00:00.000Z', null, now])
    // The links remain, for the restore.
    equal((await send(api, 'POST', '/api/projects/1/restore')).status, 200)
    equal(await ids('/api/labels/1/projects'), [1])
  })

  test('a restore restores one record: its dependents stay deleted, and are found by their time', async () => {
    const batching = testApi(db, models, { ...config, API_ALLOW_BATCH: true })
    const post = (url: string, body?: unknown) => send(batching, 'POST', url, { body })
    equal((await send(batching, 'DELETE', '/api/projects/1?cascade_delete=1')).status, 200)
    equal((await post('/api/projects/1/restore')).status, 200)
    equal(await ids('/api/projects/1/issues'), [])
    equal((await post('/api/issues/restore?project_id__eq=1')).status, 405)
    const marked = await ids(`/api/projects/1/issues?include_deleted=true&gone__eq=${now}`)
    equal(marked, [1])
    const operations = marked.map((one) => ({
      id: `issue${one}`,
      method: 'POST',
      url: `/api/issues/${one}/restore`,
    }))
    equal((await post('/api/batch', { operations })).status, 200)
    equal(await ids('/api/projects/1/issues'), [1])
  })

  test('a cascade that reaches more records than API_MAX_BULK, its own record included, is 400', async () => {
    const reached = { ...config, API_ALLOW_BULK: false }
    const url = '/api/projects/1?cascade_delete=1'
    const small = await send(testApi(db, models, { ...reached, API_MAX_BULK: 1 }), 'DELETE', url)
    equal(
      [small.status, small.errors.code, small.errors.at],
      [400, 'too_many_records', 'cascade_delete'],
    )
    equal(
      small.errors.reason,
      'This concerns more than 1 records, with those of issues (API_MAX_BULK or max_bulk of projects).',
    )
    equal(await ids('/api/issues'), [1, 3, 4])
    equal(await ids('/api/projects'), [1, 3])
    const enough = testApi(db, models, { ...reached, API_MAX_BULK: 2 })
    equal((await send(enough, 'DELETE', url)).status, 200)
  })

  test('DELETE is one statement, if the database supports it', async () => {
    const { statements } = await db.capture(() => send(api, 'DELETE', '/api/projects/1'))
    equal(statements.length, db.name === 'mysql' ? 5 : 1)
  })

  test('the after-commit callback gets a delete, and a restore', async () => {
    const told: unknown[] = []
    const telling = testApi(db, models, {
      ...config,
      API_AFTER_COMMIT_CALLBACK: ([change]) => {
        told.push([change?.action, change?.before?.gone, change?.after?.gone])
      },
    })
    await send(telling, 'DELETE', '/api/projects/1')
    await send(telling, 'POST', '/api/projects/1/restore')
    equal(told, [
      ['delete', null, now],
      ['restore', now, null],
    ])
  })
})

/** A model whose soft-delete column has this declaration and these values, on a separate table. */
const marked = (name: string, column: object, values: unknown): AnyModel =>
  defineModel(name, {
    columns: { id, mark: column as never, note: { type: 'string', nullable: true } },
    meta: {
      soft_delete: true,
      soft_delete_attribute: 'mark',
      soft_delete_values: values as never,
    },
  }) as unknown as AnyModel

eachDatabase('the values of soft delete', (test, db) => {
  let given: unknown
  const told: unknown[] = []
  const Dated = marked('Dated', { type: 'date', nullable: true }, [null, 'now'])
  const Endless = marked('Endless', { type: 'datetime' }, ['9999-12-31T00:00:00Z', 'now'])
  const Named = marked('Named', { type: 'string', maxLength: 20, nullable: true }, [
    null,
    async (args: { user: { name: string }; before: object; db: { isTransaction: boolean } }) => {
      told.push([args.user.name, (args.before as { note: string }).note, args.db.isTransaction])
      return given
    },
  ])
  const Spelt = marked('Spelt', { type: 'string', maxLength: 20 }, ['here', 'now'])
  const all = [Dated, Endless, Named, Spelt]
  const api = testApi(db, all, { API_ALLOW_BULK: true })
  test.before(() => createTables(db, all))

  const stored = async (path: string) =>
    (await get(api, `/api/${path}?include_deleted=true&order_by=id`)).value.map(
      ({ mark }: { mark: unknown }) => mark,
    )
  const visible = async (path: string) => (await get(api, `/api/${path}`)).total

  const cases: readonly (readonly [path: string, active: unknown, deleted: unknown])[] = [
    ['dateds', null, '2026-01-02'],
    ['endlesses', '9999-12-31T00:00:00.000Z', now],
    ['spelts', 'here', 'now'],
  ]
  for (const [path, active, deleted] of cases) {
    test(`${path}: ${active} and ${deleted}`, async () => {
      const { headers } = await send(api, 'POST', `/api/${path}`, { body: { note: 'n' } })
      equal([await visible(path), await stored(path)], [1, [active]])
      equal((await send(api, 'DELETE', headers.location ?? '')).status, 200)
      equal([await visible(path), await stored(path)], [0, [deleted]])
      const { value } = await send(api, 'POST', `${headers.location}/restore`)
      equal([value.mark, await visible(path)], [active, 1])
    })
  }

  test('a function is given the record, the user and the transaction, for each record', async () => {
    const bodies = [{ note: 'first' }, { note: 'second' }]
    await send(api, 'POST', '/api/nameds', { body: bodies })
    given = 'by Ann'
    const user = { id: 1, name: 'Ann' }
    equal((await send(api, 'DELETE', '/api/nameds?note__ne=x', { user })).status, 200)
    equal(told.splice(0), [
      ['Ann', 'first', true],
      ['Ann', 'second', true],
    ])
    equal([await visible('nameds'), await stored('nameds')], [0, ['by Ann', 'by Ann']])
  })

  test('a deleted value equal to the active one, or of another type, is 500 and stores nothing', async () => {
    const reported: unknown[] = []
    const own = testApi(db, [Named], {}, { onError: (error) => void reported.push(error) })
    const { headers } = await send(own, 'POST', '/api/nameds', { body: { note: 'stays' } })
    for (const [value, reason] of [
      [null, 'The soft-delete value of Named is that of an active record.'],
      [7, 'The soft-delete value of Named is not a string.'],
    ] as const) {
      given = value
      const user = { id: 1, name: 'Ann' }
      const { status } = await send(own, 'DELETE', headers.location ?? '', { user })
      equal([status, (reported.pop() as Error).message], [500, reason])
      equal((await get(own, headers.location ?? '')).status, 200)
    }
  })
})

eachDatabase('soft delete of values that SQLite stores in other forms', (test, db) => {
  const Page = defineModel('Page', {
    columns: {
      id: { type: 'integer', primaryKey: true },
      gone: { type: 'boolean', nullable: true },
    },
    meta: { soft_delete: true, soft_delete_attribute: 'gone' },
  })
  test.before(async () => {
    if (db.name !== 'sqlite') return
    await db.execScript('create table pages (id integer primary key, gone text)')
    await db.execScript(
      "insert into pages values (1, 'false'), (2, 'true'), (3, null), (4, 1), (5, 0), (6, 'TRUE')",
    )
  })
  test('a boolean stored as text is recognised', async () => {
    if (db.name !== 'sqlite') return
    const api = testApi(db, [Page])
    const { value } = await get(api, '/api/pages?order_by=id')
    equal(
      value.map(({ id: key }: { id: number }) => key),
      [1, 3, 5],
    )
    equal((await send(api, 'DELETE', '/api/pages/6')).status, 404)
    equal((await send(api, 'POST', '/api/pages/6/restore')).status, 200)
    equal((await send(api, 'POST', '/api/pages/1/restore')).status, 409)
  })
})
