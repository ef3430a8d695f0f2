/** API_REQUIRE_IF_MATCH: no write changes or deletes a stored record unless If-Match names its version. */
import {
  type AnyModel,
  type Api,
  belongsTo,
  createApi,
  defineModel,
  hasMany,
  manyToMany,
} from '@model-api/core'
import { type Answer, get, send, testApi } from '../support/api.ts'
import { equal, ok, throws } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const

const models = (meta: object = { require_if_match: true }): readonly AnyModel[] => [
  defineModel('Project', {
    columns: { id, name: { type: 'string', maxLength: 20 } },
    relations: { issues: hasMany('Issue', 'project_id') },
    meta: {},
  }),
  defineModel('Issue', {
    columns: {
      id,
      title: { type: 'string', maxLength: 20, unique: true },
      state: { type: 'string', maxLength: 20, default: 'open' },
      project_id: { type: 'integer', nullable: true },
      parent_id: { type: 'integer', nullable: true },
      deleted: { type: 'boolean' },
    },
    relations: {
      project: belongsTo('Project', 'project_id'),
      parent: belongsTo('Issue', 'parent_id'),
      parts: hasMany('Issue', 'parent_id'),
    },
    meta: {
      soft_delete: true,
      soft_delete_attribute: 'deleted',
      access_policy: { scope: { state: { ne: 'secret' } } },
      ...meta,
    },
  }),
  defineModel('Person', {
    columns: { id, name: { type: 'string', maxLength: 20 } },
    relations: {
      teams: manyToMany('Team', { through: 'memberships', from: 'person_id', to: 'team_id' }),
    },
    meta: {},
  }),
  defineModel('Team', { columns: { id, name: { type: 'string', maxLength: 20 } }, meta: {} }),
  defineModel('Membership', {
    columns: {
      id,
      person_id: { type: 'integer' },
      team_id: { type: 'integer' },
      deleted: { type: 'boolean' },
    },
    meta: { soft_delete: true, soft_delete_attribute: 'deleted', ...meta },
  }),
]

const config = {
  API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
  API_ALLOW_BULK: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_CASCADE_DELETE: true,
  API_ALLOW_BATCH: true,
} as const

/** The status and the code of a refusal. */
const refusal = ({ status, errors }: Answer): unknown[] => [status, errors?.code]
const needed = [428, 'precondition_required']
const neededForEach = [428, 'precondition_required_for_each']

eachDatabase('required If-Match', (test, db) => {
  const api = testApi(db, models(), config)
  const [Project, Issue, Person, Team, Membership] = models() as [
    AnyModel,
    AnyModel,
    AnyModel,
    AnyModel,
    AnyModel,
  ]
  const tables = ['memberships', 'issues', 'projects', 'people', 'teams']
  test.before(async () => {
    await createTables(db, models())
    if (db.name !== 'postgres') return
    // The keys of the rows below do not advance the counters of PostgreSQL.
    for (const table of tables) {
      await db.execScript(`select setval(pg_get_serial_sequence('${table}', 'id'), 100)`)
    }
  })
  test.before.each(async () => {
    await db.kysely.updateTable('issues').set({ parent_id: null }).execute()
    for (const table of tables) await db.kysely.deleteFrom(table).execute()
    await insertRows(db, Project, [{ id: 1, name: 'Ship' }])
    const issue = { state: 'open', project_id: 1, parent_id: null, deleted: false }
    await insertRows(db, Issue, [
      { ...issue, id: 1, title: 'One' },
      { ...issue, id: 2, title: 'Two', parent_id: 1 },
      { ...issue, id: 3, title: 'Gone', deleted: true },
      { ...issue, id: 4, title: 'Hidden', state: 'secret' },
    ])
    await insertRows(db, Person, [{ id: 1, name: 'Ann' }])
    await insertRows(db, Team, [
      { id: 1, name: 'Red' },
      { id: 2, name: 'Blue' },
    ])
    await insertRows(db, Membership, [
      { id: 1, person_id: 1, team_id: 1, deleted: false },
      { id: 2, person_id: 1, team_id: 2, deleted: true },
    ])
  })

  const stored = async (): Promise<unknown> =>
    Promise.all(
      tables.map((table) => db.kysely.selectFrom(table).selectAll().orderBy('id').execute()),
    )
  const write = (method: string, url: string, body?: unknown, headers = {}): Promise<Answer> =>
    send(api, method, url, { headers, ...(body === undefined ? {} : { body }) })
  const tagOf = async (url: string): Promise<string> => (await get(api, url)).headers.etag ?? ''

  /** The writes of one record, each with a body that they accept. */
  const ofOne: readonly (readonly [method: string, url: string, body?: unknown])[] = [
    ['PATCH', '/api/issues/1', { title: 'New' }],
    ['PATCH', '/api/issues/1', {}],
    ['PUT', '/api/issues/1', { title: 'New' }],
    ['DELETE', '/api/issues/1'],
    ['DELETE', '/api/memberships/1'],
    ['POST', '/api/issues/3/restore'],
  ]

  test('a write of one record without the header is 428, and nothing changes', async () => {
    const before = await stored()
    for (const [method, url, body] of ofOne) {
      equal(refusal(await write(method, url, body)), needed, `${method} ${url}`)
    }
    const { errors } = await write('PATCH', '/api/issues/1', { title: 'New' })
    equal(
      errors.reason,
      'Read the record and send its ETag in If-Match, which says which version the change is based on; If-Match: * names none (API_REQUIRE_IF_MATCH).',
    )
    equal(await stored(), before)
  })

  test('single: a write of one record needs its ETag, and writes of several do not', async () => {
    const single = testApi(db, models({ require_if_match: 'single' }), config)
    for (const [method, url, body] of ofOne) {
      const answer = await send(single, method, url, body === undefined ? {} : { body })
      equal(refusal(answer), needed, `${method} ${url}`)
    }
    const several: readonly (readonly [method: string, url: string, body?: unknown])[] = [
      ['PATCH', '/api/issues', [{ id: 1, state: 'listed' }]],
      ['PATCH', '/api/issues?id__eq=2', { state: 'filtered' }],
      ['POST', '/api/issues?on_conflict=title', [{ title: 'One', state: 'upserted' }]],
      ['POST', '/api/projects', { name: 'Next', issues: [{ id: 1 }] }],
      ['PATCH', '/api/people/1', { teams: [] }],
      ['DELETE', '/api/issues?id__eq=2'],
    ]
    for (const [method, url, body] of several) {
      const { status, text } = await send(single, method, url, body === undefined ? {} : { body })
      ok(status < 300, `${method} ${url}: ${status} ${text}`)
    }
    equal((await get(single, '/api/issues/1')).value.state, 'upserted')
    const document = (value: unknown) =>
      JSON.stringify(testApi(db, models({ require_if_match: value }), config).openapi())
    const shown = ['"precondition_required"', 'precondition_required_for_each', 'Always refused']
    const isShown = (text: string) => shown.map((one) => text.includes(one))
    equal(isShown(document(true)), [true, true, true])
    equal(isShown(document('single')), [true, false, false])
    throws(
      () => testApi(db, models({ require_if_match: 'one' }), config),
      `require_if_match: expected true, false or 'single', got "one"`,
    )
  })

  test('neither If-Match: * nor If-None-Match names a version', async () => {
    const before = await stored()
    const given = [{ 'if-match': '*' }, { 'if-match': ' * ' }, { 'if-none-match': '"x.y"' }]
    for (const headers of given) {
      for (const [method, url, body] of ofOne) {
        const name = `${method} ${url} ${JSON.stringify(headers)}`
        equal(refusal(await write(method, url, body, headers)), needed, name)
      }
    }
    equal(await stored(), before)
  })

  test('a write with the ETag is made, and with a stale one 412', async () => {
    const tag = await tagOf('/api/issues/1?fields=title')
    const change = { state: 'done' }
    const changed = await write('PATCH', '/api/issues/1', change, { 'if-match': tag })
    equal([changed.status, changed.value.state], [200, 'done'])
    for (const [method, url, body] of ofOne.slice(0, 4)) {
      const stale = await write(method, url, body, { 'if-match': tag })
      equal(refusal(stale), [412, 'precondition_failed'])
    }
    const current = { 'if-match': changed.headers.etag ?? '' }
    const replaced = await write('PUT', '/api/issues/1', { title: 'New' }, current)
    equal([replaced.status, replaced.value.state], [200, 'open'])
    const last = { 'if-match': replaced.headers.etag ?? '' }
    equal((await write('DELETE', '/api/issues/1', undefined, last)).status, 200)
    const deleted = await tagOf('/api/issues/1?include_deleted=true')
    const restored = await write('POST', '/api/issues/1/restore', undefined, {
      'if-match': deleted,
    })
    equal([restored.status, restored.value.title], [200, 'New'])
  })

  test('a record that the caller may not see is 404, as one that does not exist, with and without the header', async () => {
    for (const headers of [{}, { 'if-match': '*' }, { 'if-match': '"x.y"' }]) {
      for (const [method, , body] of ofOne.slice(0, 4)) {
        const [hidden, missing] = await Promise.all(
          ['/api/issues/4', '/api/issues/99'].map((url) => write(method, url, body, headers)),
        )
        equal(refusal(hidden as Answer), [404, 'record_not_found'])
        equal(hidden?.text, missing?.text)
      }
    }
  })

  test('who may not change records is 403, whether they exist or not', async () => {
    const readers = testApi(db, models({ require_if_match: true, role_map: { PATCH: 'admin' } }), {
      ...config,
      API_AUTHENTICATE_METHOD: [],
    })
    for (const url of ['/api/issues/1', '/api/issues/99', '/api/issues?id__eq=1', '/api/issues']) {
      const body = url.endsWith('issues') ? [{ id: 1, title: 'New' }] : { title: 'New' }
      equal((await send(readers, 'PATCH', url, { body })).status, 403, url)
    }
    const upsert = { body: { title: 'One', state: 'done' } }
    equal((await send(readers, 'POST', '/api/issues?on_conflict=title', upsert)).status, 403)
  })

  test('PATCH and DELETE of many records are 428, whatever they would find', async () => {
    const before = await stored()
    const texts = new Set<string>()
    for (const [method, url, body] of [
      ['PATCH', '/api/issues?id__eq=1', { state: 'done' }],
      ['PATCH', '/api/issues?id__eq=4', { state: 'done' }],
      ['PATCH', '/api/issues?id__eq=99', { state: 'done' }],
      ['PATCH', '/api/issues', [{ id: 1, state: 'done' }]],
      ['PATCH', '/api/issues', [{ id: 4, state: 'done' }]],
      ['PATCH', '/api/issues', [{ id: 99, state: 'done' }]],
      ['DELETE', '/api/issues?id__eq=1'],
      ['DELETE', '/api/issues?id__eq=4'],
      ['DELETE', '/api/issues?id__eq=99'],
    ] as const) {
      const answer = await write(method, url, body)
      equal(refusal(answer), neededForEach, `${method} ${url}`)
      texts.add(answer.text)
    }
    equal(texts.size, 1)
    equal(await stored(), before)
  })

  test('an upsert creates new records, and refuses those that exist with 428 at their place', async () => {
    const url = '/api/issues?on_conflict=title'
    const made = await write('POST', url, { title: 'New' })
    equal([made.status, made.value.title], [201, 'New'])
    const both = await write('POST', url, [{ title: 'A' }, { title: 'B' }])
    equal(both.status, 201)
    const before = await stored()
    const one = await write('POST', url, { title: 'One', state: 'done' })
    equal([...refusal(one), typeof one.errors.reason], [...neededForEach, 'string'])
    for (const list of [
      [{ title: 'C' }, { title: 'One', state: 'done' }],
      [{ title: 'C' }, { title: 'One' }],
      // The second object of a record would change what the first one has stored.
      [{ title: 'C' }, { title: 'C', state: 'done' }],
      [{ title: 'C' }, { title: 'One', project: { name: 'Dock' } }],
    ]) {
      const answer = await write('POST', url, list)
      equal([...refusal(answer), Object.keys(answer.errors.reason)], [...neededForEach, ['[1]']])
    }
    // The values of a record that the caller does not see are taken, as without the setting.
    equal(refusal(await write('POST', url, { title: 'Hidden' })), [409, 'unique_violation'])
    equal(await stored(), before)
  })

  test('an operation of a batch needs the header among its own', async () => {
    const before = await stored()
    const batch = (headers?: object) =>
      write('POST', '/api/batch', {
        operations: [
          { id: 'a', method: 'POST', url: '/api/issues', body: { title: 'New' } },
          { id: 'b', method: 'PATCH', url: '/api/issues/1', body: { state: 'done' }, headers },
        ],
      })
    for (const headers of [{}, { 'If-Match': '*' }]) {
      const { status, errors } = await batch(headers)
      equal([status, errors.code, errors.at], [428, 'precondition_required', 'operations[1]'])
    }
    equal(await stored(), before)
    const { status, value } = await batch({ 'If-Match': await tagOf('/api/issues/1') })
    equal([status, value[1].value.state], [200, 'done'])
  })

  test('a nested list creates records, and does not move stored ones', async () => {
    const before = await stored()
    const move = { name: 'Dock', issues: [{ title: 'New' }, { id: 1 }] }
    const answer = await write('POST', '/api/projects', move)
    equal(
      [...refusal(answer), Object.keys(answer.errors.reason)],
      [...neededForEach, ['issues[1]']],
    )
    const [hidden, missing] = await Promise.all(
      [4, 99].map((id) => write('POST', '/api/projects', { name: 'Dock', issues: [{ id }] })),
    )
    equal([hidden?.status, hidden?.text], [422, missing?.text])
    equal(await stored(), before)
    const made = await write('POST', '/api/projects', { name: 'Dock', issues: [{ title: 'New' }] })
    equal(made.status, 201)
    const below = { title: 'Below', parent: { id: 1 }, project: { id: 1 } }
    equal((await write('POST', '/api/issues', below)).status, 201)
  })

  test('a cascade deletes no stored record of the model but that of the path', async () => {
    // Who does not see all issues of the project learns no more than without the setting.
    equal(refusal(await write('DELETE', '/api/projects/1?cascade_delete=1')), [409, 'referred_to'])
    await db.kysely.deleteFrom('issues').where('id', '=', 4).execute()
    const before = await stored()
    for (const url of ['/api/projects/1', '/api/people/1', '/api/teams/1']) {
      equal(refusal(await write('DELETE', `${url}?cascade_delete=1`)), neededForEach, url)
    }
    const tag = { 'if-match': await tagOf('/api/issues/1') }
    const whole = await write('DELETE', '/api/issues/1?cascade_delete=1', undefined, tag)
    equal(refusal(whole), neededForEach)
    equal(await stored(), before)
    const part = { 'if-match': await tagOf('/api/issues/2') }
    const alone = await write('DELETE', '/api/issues/2?cascade_delete=1', undefined, part)
    equal(alone.status, 200)
  })

  test('a record that refers to itself is deleted with its own ETag', async () => {
    await db.kysely.updateTable('issues').set({ parent_id: 2 }).where('id', '=', 2).execute()
    const tag = { 'if-match': await tagOf('/api/issues/2') }
    equal((await write('DELETE', '/api/issues/2?cascade_delete=1', undefined, tag)).status, 200)
  })

  test('a list of links creates records of the junction, and neither removes nor restores stored ones', async () => {
    await insertRows(db, Team, [{ id: 3, name: 'Green' }])
    const before = await stored()
    for (const [teams, path] of [
      [[], 'teams'],
      [[{ id: 1 }, { id: 2 }], 'teams[1]'],
    ] as const) {
      const answer = await write('PATCH', '/api/people/1', { teams })
      equal([...refusal(answer), Object.keys(answer.errors.reason)], [...neededForEach, [path]])
    }
    equal(await stored(), before)
    const added = await write('PATCH', '/api/people/1', { teams: [{ id: 1 }, { id: 3 }] })
    equal(added.status, 200)
  })

  test('other models need no header, and the configuration applies to all models but those that opt out', async () => {
    equal((await write('PATCH', '/api/projects/1', { name: 'Boat' })).status, 200)
    const all = testApi(db, models({ require_if_match: false }), {
      ...config,
      API_REQUIRE_IF_MATCH: true,
    })
    const patch = (url: string, body: unknown) => send(all, 'PATCH', url, { body })
    equal(refusal(await patch('/api/projects/1', { name: 'Ship' })), needed)
    equal((await patch('/api/issues/1', { state: 'done' })).status, 200)
  })

  test('a read-only model has nothing to require it for', () => {
    const Log = defineModel('Log', {
      columns: { id },
      readOnly: true,
      meta: { require_if_match: true },
    })
    const make = (): Api => createApi({ db: db.kysely, models: [Log] })
    throws(make, /models\.Log\.meta\.require_if_match.*nothing to change/s)
  })

  test('the document requires the header, and has the 428 of every write that can have it', () => {
    // biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
    const { paths, components }: any = api.openapi()
    // biome-ignore lint/suspicious/noExplicitAny: a parameter or a reference to one
    const headerOf = ({ parameters }: any, name: string) =>
      parameters
        // biome-ignore lint/suspicious/noExplicitAny: as above
        .map(({ $ref = '' }: any) => components.parameters[$ref.split('/').pop()])
        // biome-ignore lint/suspicious/noExplicitAny: as above
        .find((one: any) => one?.name === name)
    // biome-ignore lint/suspicious/noExplicitAny: an operation
    const codesOf = ({ responses }: any) => {
      const { $ref = '' } = responses[428] ?? {}
      const response = components.responses[$ref.split('/').pop()]
      return Object.keys(response?.content['application/json'].examples ?? {})
    }
    const one = paths['/api/issues/{id}']
    const restore = paths['/api/issues/{id}/restore'].post
    for (const operation of [one.patch, one.put, one.delete, restore]) {
      equal(headerOf(operation, 'If-Match').required, true, operation.operationId)
      ok(codesOf(operation).includes('precondition_required'), operation.operationId)
    }
    equal(codesOf(restore), ['precondition_required'])
    const list = paths['/api/issues']
    for (const operation of [list.post, list.patch, list.delete, paths['/api/projects'].post]) {
      equal(codesOf(operation), ['precondition_required_for_each'], operation.operationId)
    }
    equal(codesOf(paths['/api/batch'].post), [
      'precondition_required',
      'precondition_required_for_each',
    ])
    ok(list.patch.description.includes('Always refused (428)'))
    ok(list.delete.description.includes('Always refused (428)'))
    const other = paths['/api/projects/{id}'].patch
    equal(headerOf(other, 'If-Match').required, undefined)
    ok(one.patch['x-codeSamples'][0].source.includes('If-Match: $ETAG'))
    ok(!other['x-codeSamples'][0].source.includes('If-Match'))
    // biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document
    const shorter: any = api.openapi({ version: '3.2' })
    const named = JSON.stringify(shorter.paths['/api/issues/{id}'].patch.parameters)
    ok(named.includes('If-Match-Required'), named)
    equal(JSON.stringify(shorter.paths['/api/projects/{id}'].patch).includes('If-Match'), false)
  })
})
