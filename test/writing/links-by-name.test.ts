/** `labels.on_conflict=name`: nested objects name stored records by a unique key, and create those that are missing. */
import {
  type Api,
  type ApiConfig,
  belongsTo,
  type Change,
  defineModel,
  hasMany,
  type Meta,
  manyToMany,
} from '@model-api/core'
import { type Answer, frozenClock, get, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const name = { type: 'string', maxLength: 20 } as const

type Validator = (value: unknown) => Promise<boolean>

const modelsWith = (
  label: Meta = {},
  issue: Meta = {},
  member: Meta = {},
  color: { readonly validator?: Validator } = {},
) => {
  /** The name is unique within a tenant, which clients do not see. */
  const Label = defineModel('Label', {
    columns: {
      id,
      tenant: { type: 'integer', hidden: true, default: ({ user }) => user?.tenant ?? 1 },
      name,
      color: { type: 'string', maxLength: 10, nullable: true, ...color },
      weight: { type: 'integer', default: 0 },
    },
    unique: [['tenant', 'name']],
    relations: {
      issues: manyToMany('Issue', { through: 'issue_labels', from: 'label_id', to: 'issue_id' }),
    },
    meta: label,
  })
  /** A new member needs both fields. Only the application knows a badge. */
  const Member = defineModel('Member', {
    columns: {
      id,
      login: { ...name, unique: true },
      email: { type: 'string', maxLength: 40 },
      badge: { ...name, unique: true, nullable: true, default: () => null },
    },
    meta: member,
  })
  const Issue = defineModel('Issue', {
    columns: {
      id,
      code: { ...name, unique: true },
      author_id: { type: 'integer', nullable: true },
      reviewer_id: { type: 'integer', nullable: true },
      updated: { type: 'datetime', managed: 'updated' },
    },
    relations: {
      author: belongsTo('Member', 'author_id'),
      reviewer: belongsTo('Member', 'reviewer_id'),
      labels: manyToMany('Label', { through: 'issue_labels', from: 'issue_id', to: 'label_id' }),
      notes: hasMany('Note', 'issue_id'),
    },
    meta: issue,
  })
  const Note = defineModel('Note', {
    columns: { id, issue_id: { type: 'integer' }, text: { ...name, unique: true } },
    meta: {},
  })
  return [Label, Member, Issue, Note] as const
}

const start = '2026-01-02T03:04:05.678Z'
const config: ApiConfig = {
  API_ALLOW_BULK: true,
  API_ALLOW_BATCH: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ADD_RELATIONS: false,
}

eachDatabase('links by name', (test, db) => {
  const clock = frozenClock(start)
  const apiWith = (more: ApiConfig = {}, label: Meta = {}, issue: Meta = {}, member: Meta = {}) =>
    testApi(db, modelsWith(label, issue, member), { ...config, ...more }, { clock })
  const api = apiWith()
  const tables = ['issue_labels', 'notes', 'issues', 'labels', 'members']
  test.before(async () => {
    await createTables(db, modelsWith())
    if (db.name !== 'postgres') return
    for (const table of ['issues', 'labels', 'members', 'notes'])
      await db.execScript(`alter table ${table} alter column id restart with 100`)
  })
  test.before.each(async () => {
    for (const table of tables) await db.kysely.deleteFrom(table).execute()
    const [Label, Member, Issue] = modelsWith()
    await insertRows(db, Label, [
      { id: 1, tenant: 1, name: 'bug', color: 'red', weight: 3 },
      { id: 2, tenant: 1, name: 'slow', color: null, weight: 0 },
      { id: 3, tenant: 2, name: 'theirs', color: null, weight: 0 },
    ])
    await insertRows(db, Member, [{ id: 1, login: 'ann', email: 'ann@x', badge: null }])
    await insertRows(db, Issue, [
      { id: 1, code: 'a', author_id: null, reviewer_id: null, updated: start },
    ])
    clock.tick(1000)
  })
  const namesOf = async (code: string): Promise<readonly string[]> => {
    const { value } = await get(api, `/api/labels?exists(issues.code__eq=${code})&order_by=name`)
    return value.map((label: { name: string }) => label.name)
  }
  const labels = async (): Promise<readonly string[]> => {
    const rows = await db.kysely.selectFrom('labels').select('name').orderBy('name').execute()
    return rows.map((row: { name: string }) => row.name)
  }
  const post = (url: string, body: unknown, more: { user?: unknown } = {}): Promise<Answer> =>
    send(api, 'POST', url, { body, ...more })
  const byName = '/api/issues?labels.on_conflict=name'

  test('POST links the stored record and creates the other one', async () => {
    const { status } = await post(byName, { code: 'b', labels: [{ name: 'bug' }, { name: 'new' }] })
    equal(status, 201)
    equal(await namesOf('b'), ['bug', 'new'])
    equal(await labels(), ['bug', 'new', 'slow', 'theirs'])
  })

  test('without the parameter, the object creates a record, which exists', async () => {
    equal((await post('/api/issues', { code: 'b', labels: [{ name: 'bug' }] })).status, 409)
  })

  test('API_ALLOW_UPSERT does not concern it, because no stored record is changed', async () => {
    const off = apiWith({ API_ALLOW_UPSERT: false })
    const body = { code: 'b', labels: [{ name: 'bug' }, { name: 'new' }] }
    equal((await send(off, 'POST', byName, { body })).status, 201)
    equal(await namesOf('b'), ['bug', 'new'])
    equal((await send(off, 'POST', `${byName}&on_conflict=code`, { body })).status, 400)
    const parametersOf = async (one: Api) =>
      JSON.stringify((await one.openapi()).paths?.['/api/issues']?.post?.parameters)
    equal((await parametersOf(off)).includes('relation_keys'), true)
    equal((await parametersOf(off)).includes('on_conflict'), false)
    equal((await parametersOf(api)).includes('on_conflict'), true)
  })

  test('a list creates each record once, whatever the number of objects that name it', async () => {
    const body = ['b', 'c', 'd'].map((code) => ({
      code,
      labels: [{ name: 'new', weight: 2 }, { name: 'bug' }, { id: 2 }],
    }))
    equal((await post(byName, body)).status, 201)
    equal(await labels(), ['bug', 'new', 'slow', 'theirs'])
    for (const { code } of body) equal(await namesOf(code), ['bug', 'new', 'slow'])
  })

  test('missing records are created in the order of their keys, so that requests do not deadlock', async () => {
    const body = [
      { code: 'b', labels: [{ name: 'o3' }, { name: 'o1' }] },
      { code: 'c', labels: [{ name: 'o2' }] },
    ]
    equal((await post(byName, body)).status, 201)
    const rows = await db.kysely
      .selectFrom('labels')
      .select('name')
      .where('name', 'like', 'o%')
      .orderBy('id')
      .execute()
    equal(rows, [{ name: 'o1' }, { name: 'o2' }, { name: 'o3' }])
  })

  test('other fields of a stored record must equal its values', async () => {
    const labelled = (label: object) => ({ code: 'b', labels: [label] })
    const { status, errors } = await post(byName, [labelled({ name: 'bug', color: 'blue' })])
    equal(
      [status, errors?.reason],
      [400, { '[0].labels[0].color': ['This field cannot be changed here.'] }],
    )
    equal((await post(byName, [labelled({ name: 'bug', color: 'red', weight: 3 })])).status, 201)
    const twice = [
      { code: 'c', labels: [{ name: 'new', color: 'blue' }] },
      { code: 'd', labels: [{ name: 'new', color: 'red' }] },
    ]
    const second = await post(byName, twice)
    equal(
      [second.status, second.errors?.reason],
      [400, { '[1].labels[0].color': ['This field cannot be changed here.'] }],
    )
    equal(await labels(), ['bug', 'slow', 'theirs'])
  })

  test('a part of the primary key must equal the stored one', async () => {
    const Room = defineModel('Room', {
      columns: {
        house: { type: 'integer', primaryKey: true },
        number: { type: 'integer', primaryKey: true },
        title: { ...name, unique: true },
      },
      meta: {},
    })
    const Desk = defineModel('Desk', {
      columns: { id, house: { type: 'integer' }, number: { type: 'integer' } },
      relations: { room: belongsTo('Room', ['house', 'number']) },
      meta: {},
    })
    await createTables(db, [Room, Desk])
    await insertRows(db, Room, [{ house: 1, number: 2, title: 'Office' }])
    const own = testApi(db, [Room, Desk], config)
    const desk = async (room: object) => {
      const { status, errors } = await send(own, 'POST', '/api/desks?room.on_conflict=title', {
        body: { room: { title: 'Office', ...room } },
      })
      return [status, errors?.reason]
    }
    equal(await desk({ house: 1 }), [201, undefined])
    const reason = { 'room.house': ['This field is part of the key, which does not change.'] }
    equal(await desk({ house: 2 }), [400, reason])
  })

  test('to-one relations name records too, and two of them the same', async () => {
    const url = '/api/issues?author.on_conflict=login&reviewer.on_conflict=login'
    const ben = { login: 'ben', email: 'ben@x' }
    const created = await post(url, [
      { code: 'b', author: { login: 'ann' }, reviewer: ben },
      { code: 'c', author: ben },
    ])
    equal(created.status, 201, created.text)
    const [b, c] = created.value
    equal([b.author_id, b.reviewer_id], [1, c.author_id])
    ok(c.author_id !== 1)
  })

  test('fields that a new record requires are required only in those', async () => {
    const url = '/api/issues?author.on_conflict=login'
    const { status, errors } = await post(url, [
      { code: 'b', author: { login: 'ann' } },
      { code: 'c', author: { login: 'ben' } },
      { code: 'd', author: { login: 'cid' } },
    ])
    equal(
      [status, errors?.reason],
      [
        400,
        {
          '[1].author.email': ['This field is required.'],
          '[2].author.email': ['This field is required.'],
        },
      ],
    )
  })

  test('validators check new records only, once each', async () => {
    const checked: unknown[] = []
    const validator = async (value: unknown) => {
      checked.push(value)
      return value !== 'red'
    }
    const own = testApi(db, modelsWith({}, {}, {}, { validator }), config, { clock })
    const labelled = (code: string, ...labels: unknown[]) =>
      send(own, 'POST', `${byName}&on_conflict=code`, { body: { code, labels } })
    equal((await labelled('b', { name: 'bug', color: 'red' })).status, 201)
    equal(checked, [])
    const refused = await labelled('c', { name: 'new', color: 'red' }, { name: 'x', color: 'blue' })
    equal(
      [refused.status, refused.errors?.reason],
      [400, { 'labels[0].color': ['This value is not valid.'] }],
    )
    equal(checked, ['red', 'blue'])
  })

  test('values that do not fit are problems at once, with those of the record', async () => {
    const { status, errors } = await post(byName, {
      cod: 'b',
      labels: [{ name: 7 }, { name: 'bug', weight: null }, { name: 'bug', nmae: 1 }],
    })
    equal(status, 400)
    equal(Object.keys(errors?.reason).sort(), [
      'cod',
      'code',
      'labels[0].name',
      'labels[1].weight',
      'labels[2].nmae',
    ])
  })

  test('an upsert creates and changes records with their links; repeated, it changes nothing', async () => {
    const url = `${byName}&on_conflict=code`
    const body = [
      { code: 'a', labels: [{ name: 'bug' }] },
      { code: 'b', labels: [{ name: 'new' }, { name: 'slow' }] },
    ]
    const first = await post(url, body)
    equal(first.status, 201)
    equal([await namesOf('a'), await namesOf('b')], [['bug'], ['new', 'slow']])
    clock.tick(1000)
    const second = await post(url, body)
    equal([second.status, second.value], [200, first.value])
    const { status } = await post(url, [{ code: 'a', labels: [{ name: 'slow' }] }])
    equal([status, await namesOf('a')], [200, ['slow']])
  })

  test('an upsert finds records by a foreign key that a nested object sets', async () => {
    const Shelf = defineModel('Shelf', {
      columns: { id, title: { ...name, unique: true } },
      meta: { endpoint: 'shelves' },
    })
    const Volume = defineModel('Volume', {
      columns: {
        id,
        shelf_id: { type: 'integer' },
        number: { type: 'integer', default: 1 },
        text: { ...name, nullable: true },
        updated: { type: 'datetime', managed: 'updated' },
      },
      unique: [['shelf_id', 'number']],
      relations: { shelf: belongsTo('Shelf', 'shelf_id') },
      meta: {},
    })
    await createTables(db, [Shelf, Volume])
    const own = testApi(db, [Shelf, Volume], config, { clock })
    const upsert = async (query: string, body: unknown) => {
      const url = `/api/volumes?on_conflict=shelf_id,number${query}`
      const { status, value, errors } = await send(own, 'POST', url, { body })
      return [status, errors?.reason ?? value]
    }
    const named = '&shelf.on_conflict=title'
    const body = [
      { shelf: { title: 'Poems' }, number: 1, text: 'a' },
      { shelf: { title: 'Poems' }, number: 2, text: 'b' },
      { shelf: { title: 'Plays' }, text: 'c' },
    ]
    const [status, value] = await upsert(named, body)
    equal(status, 201, JSON.stringify(value))
    clock.tick(1000)
    equal(await upsert(named, body), [200, value])
    const shelf = { id: value[2].shelf_id }
    for (const many of [false, true]) {
      const text = many ? 'd' : 'e'
      const change = { shelf, number: 1, text }
      const [changed, found] = await upsert('', many ? [change] : change)
      const { id: own, text: stored } = many ? found[0] : found
      equal([changed, own, stored], [200, value[2].id, text])
    }
    equal((await upsert('', { shelf: { id: 999 }, number: 1 }))[0], 422)
  })

  test('records of a list name each other in an upsert, and are taken in a plain POST', async () => {
    const Topic = defineModel('Topic', {
      columns: {
        id,
        code: { ...name, unique: true },
        parent_id: { type: 'integer', nullable: true },
      },
      relations: { parent: belongsTo('Topic', 'parent_id') },
      meta: {},
    })
    await createTables(db, [Topic])
    const own = testApi(db, [Topic], config)
    const body = [{ code: 'leaf', parent: { code: 'root' } }, { code: 'root' }]
    const url = '/api/topics?parent.on_conflict=code'
    const refused = await send(own, 'POST', url, { body })
    equal(
      [refused.status, refused.errors?.reason],
      [409, { '[1].code': ['Another record has this value.'] }],
    )
    for (const expected of [201, 200]) {
      const { status, value } = await send(own, 'POST', `${url}&on_conflict=code`, { body })
      equal([status, value[0].parent_id], [expected, value[1].id])
    }
    equal((await get(own, '/api/topics')).value.length, 2)
  })

  test('PATCH of one record, of a list, and by filters', async () => {
    const patch = async (url: string, body: unknown) =>
      (await send(api, 'PATCH', `${url}labels.on_conflict=name`, { body })).status
    equal(await patch('/api/issues/1?', { labels: [{ name: 'bug' }, { name: 'x' }] }), 200)
    equal(await namesOf('a'), ['bug', 'x'])
    equal(await patch('/api/issues?', [{ id: 1, labels: [{ name: 'y' }] }]), 200)
    equal(await namesOf('a'), ['y'])
    equal(await patch('/api/issues?code__eq=a&', { labels: [{ name: 'z' }] }), 200)
    equal(await namesOf('a'), ['z'])
  })

  test('hidden columns of the key have their default', async () => {
    const user = { id: 7, tenant: 2 }
    const own = { code: 'b', labels: [{ name: 'bug' }, { name: 'theirs' }] }
    equal((await post(byName, own, { user })).status, 201)
    const rows = await db.kysely.selectFrom('labels').select(['tenant', 'name']).execute()
    equal(rows.filter((row: { tenant: number }) => Number(row.tenant) === 2).length, 2)
  })

  test('an upsert reads each object once', async () => {
    let defaults = 0
    const label: Meta = {
      add_callback: (record) => ({ ...record, color: `${record.color}!` }),
    }
    const user = {
      id: 7,
      get tenant() {
        defaults += 1
        return 1
      },
    }
    const { status, errors } = await send(
      apiWith({}, label),
      'POST',
      `${byName}&on_conflict=code`,
      {
        body: [{ code: 'b', labels: [{ name: 'new', color: 'blue' }] }],
        user,
      },
    )
    equal([status, errors?.reason], [201, undefined])
    equal([await namesOf('b'), defaults], [['new'], 1])
  })

  test('an object whose default is null creates a record, under the rules of new ones', async () => {
    const url = '/api/issues?author.on_conflict=badge'
    for (const upsert of ['', '&on_conflict=code']) {
      const { status, errors } = await post(url + upsert, { code: 'b', author: { login: 'ben' } })
      equal([status, errors?.reason], [400, { 'author.email': ['This field is required.'] }])
    }
    const author = { login: 'ben', email: 'ben@x' }
    equal((await post(url, { code: 'b', author })).status, 201)
  })

  test('PATCH by filters that match nothing creates nothing', async () => {
    const url = `${byName}&code__eq=zzz`
    const { status } = await send(api, 'PATCH', url, { body: { labels: [{ name: 'new' }] } })
    equal([status, await labels()], [200, ['bug', 'slow', 'theirs']])
  })

  test('the statements do not grow with the list, with callbacks neither', async () => {
    const issue: Meta = { add_callback: (record) => record }
    for (const own of [api, apiWith({}, {}, issue)]) {
      const count = async (records: number, prefix: string): Promise<number> => {
        const body = Array.from({ length: records }, (_, i) => ({
          code: `${prefix}${i}`,
          labels: [{ name: `${prefix}${i}` }, { name: 'bug' }],
        }))
        const { statements } = await db.capture(() => send(own, 'POST', byName, { body }))
        return statements.length
      }
      // The first request also reads what the database is.
      await count(1, own === api ? 't' : 'u')
      const few = await count(4, own === api ? 'p' : 'q')
      equal(await count(40, own === api ? 'r' : 's'), few)
    }
  })

  test('each new record is a change of its own, at the place of the first object', async () => {
    let seen: readonly Change[] = []
    const own = apiWith({
      API_BEFORE_COMMIT_CALLBACK: (changes) => {
        seen = changes
      },
    })
    const body = [
      { code: 'b', labels: [{ name: 'bug' }, { name: 'new' }] },
      { code: 'c', labels: [{ name: 'new' }] },
    ]
    equal((await send(own, 'POST', byName, { body })).status, 201)
    equal(
      seen.map(({ model, action, path }) => [model.name, action, path]),
      [
        ['Label', 'create', '[0].labels[1]'],
        ['Issue', 'create', '[0]'],
        ['Issue', 'create', '[1]'],
      ],
    )
  })

  test('in a batch', async () => {
    const body = [{ code: 'b', labels: [{ name: 'bug' }, { name: 'new' }] }]
    const operations = [{ id: 'a', method: 'POST', url: byName, body }]
    equal((await post('/api/batch', { operations })).status, 200)
    equal(await namesOf('b'), ['bug', 'new'])
  })

  test('rights: reading before the look-up, POST for new records', async () => {
    const asked = async (label: Meta, names: readonly string[]) => {
      const body = { code: 'b', labels: names.map((one) => ({ name: one })) }
      const { status, errors } = await send(apiWith({}, label), 'POST', byName, {
        body,
        user: { id: 1, roles: [] },
      })
      return [status, ...Object.keys(errors?.reason ?? {})]
    }
    for (const names of [['bug'], ['new']]) {
      equal(await asked({ role_map: { GET: 'admin' } }, names), [403, 'labels[0]'])
    }
    // A new member would lack its email, so an answer after the look-up would tell who exists.
    const own = apiWith({}, {}, {}, { role_map: { GET: 'admin' } })
    for (const login of ['ann', 'ben']) {
      const body = { code: 'b', author: { login } }
      const url = '/api/issues?author.on_conflict=login'
      const { status } = await send(own, 'POST', url, { body, user: { id: 1, roles: [] } })
      equal(status, 403, login)
    }
    equal(await asked({ role_map: { POST: 'admin' } }, ['bug']), [201])
    await db.kysely.deleteFrom('issue_labels').execute()
    await db.kysely.deleteFrom('issues').where('code', '=', 'b').execute()
    equal(await asked({ role_map: { POST: 'admin' } }, ['bug', 'new']), [403, 'labels[1]'])
  })

  test('a record outside of the scope is taken', async () => {
    const scoped: Meta = { access_policy: { scope: { weight: { lt: 3 } } } }
    const { status } = await send(apiWith({}, scoped), 'POST', byName, {
      body: { code: 'b', labels: [{ name: 'bug' }] },
    })
    equal(status, 409)
  })

  test('a new record outside of the scope is linked, as without the parameter', async () => {
    const own = apiWith({}, { access_policy: { scope: { weight: { lt: 3 } } } })
    const body = [
      { code: 'b', labels: [{ name: 'new', weight: 9 }, { name: 'slow' }] },
      { code: 'c', labels: [{ name: 'new' }] },
    ]
    const { status, errors } = await send(own, 'POST', byName, { body })
    equal([status, errors?.reason], [201, undefined])
    equal([await namesOf('b'), await namesOf('c')], [['new', 'slow'], ['new']])
  })

  // SQLite runs one transaction after the other.
  if (db.name !== 'sqlite') {
    test('two requests at once create a record once', async () => {
      let waiting: (() => void)[] = []
      let calls = 0
      // Both transactions have looked the label up before one of them stores it.
      const bothHaveLooked = (): Promise<void> =>
        new Promise((resolve) => {
          waiting.push(resolve)
          if (waiting.length < 2) return
          for (const one of waiting) one()
          waiting = []
        })
      const label: Meta = {
        add_callback: async (record) => {
          calls += 1
          if (calls <= 2) await bothHaveLooked()
          return record
        },
      }
      const own = apiWith({}, label)
      const answers = await Promise.all(
        ['b', 'c'].map((code) =>
          send(own, 'POST', byName, { body: { code, labels: [{ name: 'new' }] } }),
        ),
      )
      for (const { status, text } of answers) equal(status, 201, text)
      equal([await namesOf('b'), await namesOf('c')], [['new'], ['new']])
      equal(await labels(), ['bug', 'new', 'slow', 'theirs'])
      equal(calls, 2)
    })
  }

  test('an object with the primary key, or without the name, is read as without the parameter', async () => {
    equal((await post(byName, { code: 'b', labels: [{ id: 1, name: 'bug' }] })).status, 201)
    const { status, errors } = await post(byName, { code: 'c', labels: [{ color: 'red' }] })
    equal([status, errors?.reason], [400, { 'labels[0].name': ['This field is required.'] }])
  })

  const mistakes: readonly (readonly [
    method: string,
    url: string,
    code: string,
    reason: string,
  ])[] = [
    ['POST', '/api/issues?lables.on_conflict=name', 'unknown_relation', 'Did you mean "labels"?'],
    [
      'POST',
      '/api/issues?labels.on_conflict=color',
      'not_unique_columns',
      'Unique keys: id; name.',
    ],
    ['POST', '/api/issues?notes.on_conflict=text', 'not_here', 'belong to one record each'],
    ['POST', '/api/issues?notes.issue.on_conflict=code', 'not_here', 'nested more deeply'],
    ['POST', `${byName}&labels.on_conflict=name`, 'repeated_parameter', 'only once'],
    ['GET', byName, 'not_here', 'on a read'],
    ['DELETE', '/api/issues/1?labels.on_conflict=name', 'not_here', 'in a removal'],
  ]
  for (const [method, url, code, reason] of mistakes) {
    test(`${method} ${url}: ${code}`, async () => {
      const body = method === 'POST' ? { code: 'b' } : undefined
      const { status, errors } = await send(api, method, url, { body })
      equal([status, errors?.code], [400, code])
      ok(errors?.reason.includes(reason), errors?.reason)
    })
  }

  test('without nested writes, the setting is named', async () => {
    const own = apiWith({ API_ALLOW_NESTED_WRITES: false })
    const { status, errors } = await send(own, 'POST', byName, { body: { code: 'b' } })
    equal([status, errors?.code], [400, 'feature_disabled'])
    ok(errors?.reason.includes('API_ALLOW_NESTED_WRITES'), errors?.reason)
  })
})
