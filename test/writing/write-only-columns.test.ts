/** Columns that clients send but never read: `writeOnly: true`, stored as `transform` makes them. */
import {
  type ApiConfig,
  apiError,
  belongsTo,
  defineModel,
  type HookArgs,
  hashPassword,
  hasMany,
  passwordCheck,
} from '@model-api/core'
import { frozenClock, get, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const

/** The calls of `seal`: the field, the value, and what the arguments say. */
const sealed: string[] = []

/** A short transformation whose result tells the value; async, as a hash function is. */
const seal = async (value: string, { action, model, before }: HookArgs): Promise<string> => {
  if (value === 'forbidden') throw apiError(403, 'Not this value')
  if (value === 'leaked') throw apiError(400, 'Bad Request', { secret: ['It was leaked.'] })
  if (value === 'broken') throw new Error(`cannot seal ${value}`)
  if (value === 'absent') return undefined as never
  if (value === 'wrong') return 7 as never
  sealed.push(`${action} ${model.name} ${value} ${before === null}`)
  return `sealed:${value}`
}

/** Refuses "1234", and in a whole record the user's own name. */
const notGuessed = (value: string, row: { username: string }): boolean | string =>
  value !== '1234' && (value !== row.username || 'Not your name.')

const Team = defineModel('Team', {
  columns: {
    id,
    name: { type: 'string', maxLength: 20, unique: true },
    code: {
      type: 'string',
      minLength: 3,
      maxLength: 9,
      writeOnly: true,
      transform: seal,
      validator: (value) => value !== '1234',
    },
  },
  relations: { members: hasMany('Member', 'team_id') },
  meta: {},
})

const Member = defineModel('Member', {
  columns: {
    id,
    username: { type: 'string', maxLength: 20, unique: true },
    secret: {
      type: 'string',
      column: 'secret_hash',
      minLength: 4,
      maxLength: 10,
      writeOnly: true,
      transform: seal,
      validator: notGuessed,
    },
    pin: { type: 'integer', nullable: true, minimum: 10, maximum: 99, writeOnly: true },
    color: { type: 'enum', enum: ['red', 'blue'], nullable: true, writeOnly: true },
    token: {
      type: 'string',
      maxLength: 30,
      nullable: true,
      writeOnly: true,
      write: 'admin',
      transform: seal,
    },
    origin: { type: 'string', maxLength: 30, nullable: true, writeOnly: true, immutable: true },
    note: { type: 'string', maxLength: 30, default: '-' },
    changed: { type: 'datetime', managed: 'updated' },
    team_id: { type: 'integer', nullable: true },
  },
  relations: { team: belongsTo('Team', 'team_id') },
  meta: {},
})

const models = [Team, Member] as const
const readOnly = 'This field is read-only.'

eachDatabase('write-only columns', (test, db) => {
  const clock = frozenClock()
  const heard: unknown[] = []
  const config: ApiConfig = {
    API_ALLOW_BULK: true,
    API_ALLOW_NESTED_WRITES: true,
    API_ADD_RELATIONS: false,
    API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
  }
  const api = testApi(db, models, config, { clock })
  const admin = { id: 9, roles: ['admin'] }
  const stored = {
    id: 1,
    username: 'ann',
    secret: 'sealed:first',
    pin: 11,
    color: 'red',
    token: 'sealed:token',
    origin: 'web',
    note: 'first',
    changed: '2025-01-01T00:00:00.000Z',
    team_id: 1,
  }
  test.before(async () => {
    await createTables(db, models)
    if (db.name === 'postgres')
      await db.execScript(
        'alter table teams alter column id restart with 100; alter table members alter column id restart with 100',
      )
  })
  test.before.each(async () => {
    await db.kysely.deleteFrom('members').execute()
    await db.kysely.deleteFrom('teams').execute()
    await insertRows(db, Team, [
      { id: 1, name: 'Blue', code: 'sealed:abc' },
      { id: 2, name: 'Red', code: 'sealed:abc' },
    ])
    await insertRows(db, Member, [stored])
    sealed.splice(0)
    heard.splice(0)
    clock.tick(1000)
  })

  const write = async (method: string, url: string, body: unknown, user?: unknown, own = api) => {
    const answer = await send(own, method, `/api/${url}`, { body, user })
    ok(!answer.text.includes('sealed:'), answer.text)
    return [answer.status, answer.value ?? answer.errors?.reason]
  }
  const statusOf = async (...given: Parameters<typeof write>) => (await write(...given))[0]
  const rowOf = async (username: string) => {
    const rows = await db.kysely
      .selectFrom('members')
      .selectAll()
      .where('username', '=', username)
      .execute()
    const [{ secret_hash, pin, color, token, origin, note } = {} as never] = rows
    return { secret_hash, pin, color, token, origin, note }
  }
  const secretOf = async (username: string) => (await rowOf(username)).secret_hash
  const codeOf = async (name: string) => {
    const rows = await db.kysely
      .selectFrom('teams')
      .select('code')
      .where('name', '=', name)
      .execute()
    return rows[0]?.code
  }
  const changedOf = async (key: number) => (await get(api, `/api/members/${key}`)).value.changed

  test('are stored by POST as the function makes them, and no response contains them', async () => {
    const body = { username: 'bob', secret: 'hunter', pin: 42, color: 'blue' }
    const { status, value, headers } = await send(api, 'POST', '/api/members', { body })
    equal(status, 201)
    equal(Object.keys(value), ['id', 'username', 'note', 'changed', 'team_id'])
    equal(await rowOf('bob'), {
      secret_hash: 'sealed:hunter',
      pin: 42,
      color: 'blue',
      token: null,
      origin: null,
      note: '-',
    })
    equal(sealed, ['POST Member hunter true'])
    equal((await get(api, headers.location ?? '')).value, value)
  })

  test('are required in a new record unless they are nullable', async () => {
    equal(await write('POST', 'members', { username: 'bob' }), [
      400,
      { secret: ['This field is required.'] },
    ])
    equal(await write('POST', 'members', { username: 'bob', secret: null }), [
      400,
      { secret: ['This field cannot be null.'] },
    ])
    equal(sealed, [])
  })

  if (db.name === 'sqlite')
    test('are refused in another type, also if the database has stored the same', async () => {
      await db.kysely.updateTable('members').set({ pin: 'eleven' }).execute()
      const [first, second] = [
        await write('PATCH', 'members/1', { pin: 'eleven' }),
        await write('PATCH', 'members/1', { pin: 'twelve' }),
      ]
      equal([first[0], first], [400, second])
    })

  test('are changed by PATCH, and kept if they are not sent', async () => {
    equal(await statusOf('PATCH', 'members/1', { secret: 'second' }), 200)
    equal(await rowOf('ann'), { ...(await rowOf('ann')), secret_hash: 'sealed:second', pin: 11 })
    equal(await statusOf('PATCH', 'members/1', { note: 'other' }), 200)
    equal(await secretOf('ann'), 'sealed:second')
    equal(sealed, ['PATCH Member second true'])
  })

  test('are kept by PUT unless they are sent', async () => {
    equal(await statusOf('PUT', 'members/1', { username: 'ann' }), 200)
    equal(await rowOf('ann'), {
      secret_hash: 'sealed:first',
      pin: 11,
      color: 'red',
      token: 'sealed:token',
      origin: 'web',
      note: '-',
    })
    equal(await statusOf('PUT', 'members/1', { username: 'ann', secret: 'third', pin: null }), 200)
    equal((await rowOf('ann')).secret_hash, 'sealed:third')
    equal((await rowOf('ann')).pin, null)
  })

  test('are set to null without a call of the function', async () => {
    equal(await statusOf('PATCH', 'members/1', { token: null, pin: null }, admin), 200)
    const { token, pin } = await rowOf('ann')
    equal([token, pin, sealed], [null, null, []])
  })

  test('are checked as they were sent, and no message quotes them', async () => {
    const refused = async (fields: object) => {
      const [status, reason] = await write('POST', 'members', {
        username: 'bob',
        secret: 'good',
        ...fields,
      })
      return status === 400 ? reason : status
    }
    equal(await refused({ secret: 'abc' }), { secret: ['Expected at least 4 characters, got 3.'] })
    equal(await refused({ secret: 'abcdefghijk' }), {
      secret: ['Expected at most 10 characters, got 11.'],
    })
    equal(await refused({ secret: '1234' }), { secret: ['This value is not valid.'] })
    equal(await refused({ secret: 3141 }), { secret: ['Expected a string.'] })
    equal(await refused({ pin: 3141 }), { pin: ['Expected at most 99.'] })
    equal(await refused({ pin: 3 }), { pin: ['Expected at least 10.'] })
    const texts = [
      await refused({ pin: '3141' }),
      await refused({ pin: 31.41 }),
      await refused({ color: '3141' }),
    ].map((reason) => JSON.stringify(reason))
    for (const text of texts) ok(text.includes('Expected') && !/3141|31\.41/.test(text), text)
    equal(sealed, [])
  })

  test('are transformed only if the whole body is right', async () => {
    equal(await statusOf('POST', 'members', { username: 7, secret: 'good' }), 400)
    const list = [{ username: 'bob', secret: 'good' }, { username: 'eve' }]
    equal(await statusOf('POST', 'members', list), 400)
    equal(await statusOf('PATCH', 'members/1', { secret: 'good', note: 7 }), 400)
    equal(await statusOf('PATCH', 'members?id__eq=1', { secret: 'good', note: 7 }), 400)
    equal(await statusOf('PATCH', 'members', [{ id: 1, secret: 'good', note: 7 }]), 400)
    const upserted = { username: 'ann', secret: 'good', note: 7 }
    equal(await statusOf('POST', 'members?on_conflict=username', upserted), 400)
    equal(sealed, [])
  })

  test('are transformed only in nested records that the caller may create', async () => {
    const meta = { role_map: { POST: 'admin' } } as const
    const AdminsTeam = defineModel('Team', {
      columns: Team.columns,
      relations: { members: hasMany('Member', 'team_id') },
      meta,
    })
    const AdminsMember = defineModel('Member', {
      columns: Member.columns,
      relations: { team: belongsTo('Team', 'team_id') },
      meta,
    })
    const own = testApi(db, [AdminsTeam, Member], config)
    const team = { name: 'Green', code: 'abcd' }
    const list = [{ username: 'ann', team }]
    for (const [method, url, body] of [
      ['PATCH', 'members/1', { team }],
      ['PATCH', 'members/1?team.on_conflict=name', { team }],
      ['POST', 'members?on_conflict=username', list],
      ['POST', 'members?on_conflict=username&team.on_conflict=name', list],
    ] as const) {
      equal([url, await statusOf(method, url, body, undefined, own), sealed], [url, 403, []])
    }
    equal(await codeOf('Green'), undefined)
    equal(await statusOf('PATCH', 'members/1', { team }, admin, own), 200)
    equal(await codeOf('Green'), 'sealed:abcd')
    sealed.splice(0)
    const parents = testApi(db, [Team, AdminsMember], config)
    const members = [{ username: 'eve', secret: 'eves' }]
    const body = { name: 'Grey', code: 'efgh', members }
    equal(await statusOf('POST', 'teams', body, undefined, parents), 403)
    equal(sealed, ['POST Team efgh true'])
    equal(await statusOf('POST', 'teams', body, admin, parents), 201)
    equal(await secretOf('eve'), 'sealed:eves')
  })

  test('are not transformed if a header is malformed', async () => {
    const headers = { 'if-match': 'without-quotes' }
    const { status } = await send(api, 'PATCH', '/api/members/1', {
      headers,
      body: { secret: 'good' },
    })
    equal([status, sealed], [400, []])
  })

  test('are not transformed any more after the client has disconnected', async () => {
    const client = new AbortController()
    const first = (value: string): string => {
      sealed.push(value)
      client.abort()
      return value
    }
    const Left = defineModel('Member', {
      columns: { ...Member.columns, secret: { ...Member.columns.secret, transform: first } },
      meta: {},
    })
    const body = ['bob', 'eve', 'zoe'].map((username) => ({ username, secret: `${username}s` }))
    const request = { method: 'POST', url: '/api/members', body, signal: client.signal }
    equal([(await testApi(db, [Left], config).handle(request)).status, sealed], [499, ['bobs']])
    equal(await secretOf('bob'), undefined)
  })

  test('have validators that compare the value that was sent with the stored record', async () => {
    const own = { secret: ['Not your name.'] }
    await insertRows(db, Member, [{ ...stored, id: 2, username: 'anna' }])
    equal(await write('PATCH', 'members/2', { secret: 'anna' }), [400, own])
    equal(await write('PATCH', 'members/2', { secret: 'anna', id: 3 }), [
      400,
      { id: ['This field is generated.'], ...own },
    ])
    equal(await secretOf('anna'), 'sealed:first')
    equal(await statusOf('PATCH', 'members/2', { secret: 'other' }), 200)
    equal(await secretOf('anna'), 'sealed:other')
    const both = { username: 'other2', secret: 'other2' }
    equal(await write('POST', 'members?on_conflict=username', both), [400, own])
  })

  test('give the error that the function throws as an ApiError, and 500 otherwise', async () => {
    const errors: unknown[] = []
    const failing = testApi(db, models, config, {
      onError: (error) => {
        errors.push(error)
      },
    })
    const status = (secret: string) =>
      statusOf('POST', 'members', { username: 'bob', secret }, undefined, failing)
    equal(await status('forbidden'), 403)
    equal(errors, [])
    equal(await status('broken'), 500)
    equal(await status('absent'), 500)
    equal(await status('wrong'), 500)
    equal(
      errors.map((error) => (error as Error).message),
      [
        'The transform of Member.secret failed: cannot seal broken',
        'The transform of Member.secret returned undefined; it must return a value.',
        'The transform of Member.secret must return a string.',
      ],
    )
    equal(await secretOf('bob'), undefined)
  })

  test('have the path of their record in the messages that the function throws', async () => {
    const leaked = { username: 'eve', secret: 'leaked' }
    const why = ['It was leaked.']
    equal(await write('POST', 'members', leaked), [400, { secret: why }])
    equal(await write('POST', 'members', [{ username: 'bob', secret: 'good' }, leaked]), [
      400,
      { '[1].secret': why },
    ])
    equal(await write('POST', 'teams', { name: 'Grey', code: 'efgh', members: [leaked] }), [
      400,
      { 'members[0].secret': why },
    ])
  })

  test('end with the time limit of host functions', async () => {
    const Slow = defineModel('Member', {
      columns: {
        ...Member.columns,
        secret: { ...Member.columns.secret, transform: () => new Promise<string>(() => {}) },
      },
      meta: {},
    })
    const slow = testApi(db, [Slow], { API_HOOK_TIMEOUT: 20 }, { onError: () => {} })
    const body = { username: 'bob', secret: 'hunter' }
    equal(await statusOf('POST', 'members', body, undefined, slow), 500)
  })

  test('are unknown names in queries', async () => {
    for (const query of [
      'secret__eq=x',
      'secret__isnull=true',
      'pin__gt=1',
      'or[secret__eq=x,id__eq=1]',
      'fields=secret',
      'order_by=secret',
      'groupby=secret',
      'pin__sum=n',
      'search=first',
    ]) {
      const { status, text } = await get(
        testApi(db, models, { ...config, API_ALLOW_GROUPBY: true, API_ALLOW_AGGREGATION: true }),
        `/api/members?${query}`,
      )
      equal([query, status], [query, 400])
      ok(!/mean "?(?:secret|pin)/.test(text), text)
    }
    equal(await statusOf('POST', 'members?on_conflict=secret', { secret: 'good' }), 400)
  })

  test('are suggested for misspelt fields of a body, not of a query', async () => {
    equal(await write('PATCH', 'members/1', { secrt: 'x' }), [
      400,
      { secrt: ['Unknown field "secrt". Did you mean "secret"?'] },
    ])
    const { text } = await get(api, '/api/members?secrt__eq=x')
    ok(!text.includes('"secret'), text)
  })

  test('are written in lists', async () => {
    const list = [
      { username: 'bob', secret: 'bobs' },
      { username: 'eve', secret: 'eves' },
    ]
    equal(await statusOf('POST', 'members', list), 201)
    equal([await secretOf('bob'), await secretOf('eve')], ['sealed:bobs', 'sealed:eves'])
    equal(sealed, ['POST Member bobs true', 'POST Member eves true'])
    const [bob, eve] = (await get(api, '/api/members?order_by=id&id__gt=1')).value
    sealed.splice(0)
    const changed = [
      { id: bob.id, secret: 'bob2' },
      { id: eve.id, secret: 'eve2', note: 'x' },
    ]
    equal(await statusOf('PATCH', 'members', changed), 200)
    equal([await secretOf('bob'), await secretOf('eve')], ['sealed:bob2', 'sealed:eve2'])
    equal(sealed.length, 2)
    sealed.splice(0)
    equal(await statusOf('PATCH', 'members?id__gt=1', { secret: 'same' }), 200)
    equal([await secretOf('bob'), await secretOf('eve')], ['sealed:same', 'sealed:same'])
    equal(sealed, ['PATCH Member same true'])
  })

  test('are written by upserts, each value transformed once', async () => {
    const url = 'members?on_conflict=username'
    equal(await statusOf('POST', url, { username: 'ann', secret: 'next' }), 200)
    equal(await statusOf('POST', url, { username: 'bob', secret: 'bobs' }), 201)
    equal([await secretOf('ann'), await secretOf('bob')], ['sealed:next', 'sealed:bobs'])
    equal(sealed, ['POST Member next true', 'POST Member bobs true'])
    sealed.splice(0)
    const list = [
      { username: 'ann', secret: 'ann2' },
      { username: 'eve', secret: 'eves' },
    ]
    equal(await statusOf('POST', url, list), 201)
    equal([await secretOf('ann'), await secretOf('eve')], ['sealed:ann2', 'sealed:eves'])
    equal(sealed.length, 2)
    // A stored record needs no required field.
    equal(await statusOf('POST', url, { username: 'ann', note: 'kept' }), 200)
    equal(await secretOf('ann'), 'sealed:ann2')
    equal(await statusOf('POST', url, { username: 'zoe', note: 'new' }), 400)
  })

  test('are written in nested objects', async () => {
    const team = { name: 'Green', code: 'abcd' }
    const body = { username: 'bob', secret: 'bobs', team }
    equal(await statusOf('POST', 'members', body), 201)
    equal([await codeOf('Green'), await secretOf('bob')], ['sealed:abcd', 'sealed:bobs'])
    const members = [{ username: 'eve', secret: 'eves' }]
    equal(await statusOf('POST', 'teams', { name: 'Grey', code: 'efgh', members }), 201)
    equal([await codeOf('Grey'), await secretOf('eve')], ['sealed:efgh', 'sealed:eves'])
    equal(await statusOf('PATCH', 'members/1', { team: { name: 'Gold', code: 'ijkl' } }), 200)
    equal(await codeOf('Gold'), 'sealed:ijkl')
    equal(
      await write('POST', 'members', { ...body, username: 'x', team: { name: 'X', code: 'a' } }),
      [400, { 'team.code': ['Expected at least 3 characters, got 1.'] }],
    )
    equal(
      sealed.map((call) => call.split(' ')[2]),
      ['bobs', 'abcd', 'efgh', 'eves', 'ijkl'],
    )
  })

  test('are refused in an object that links to a stored record, whatever it contains', async () => {
    for (const code of ['abc', 'sealed:abc'.slice(0, 9), 'other'])
      equal(await write('PATCH', 'members/1', { team: { id: 2, code } }), [
        400,
        { 'team.code': ['This field cannot be changed here.'] },
      ])
  })

  test('are written in objects that name records by a unique key', async () => {
    const url = 'members/1?team.on_conflict=name'
    const named = async (team: object) => {
      const answer = await write('PATCH', url, { team })
      return answer[0] === 200 ? 200 : answer[1]
    }
    equal(await named({ name: 'Green', code: 'abcd' }), 200)
    equal(await codeOf('Green'), 'sealed:abcd')
    equal(await named({ name: 'Red' }), 200)
    const fixed = { 'team.code': ['This field cannot be changed here.'] }
    for (const code of ['abc', 'abcd', 'other']) equal(await named({ name: 'Red', code }), fixed)
    equal(await named({ name: 'Grey' }), { 'team.code': ['This field is required.'] })
    sealed.splice(0)
    equal(await named({ name: 'Grey', code: '1234' }), {
      'team.code': ['This value is not valid.'],
    })
    equal(sealed, [])
    const upserts = 'members?on_conflict=username&team.on_conflict=name'
    const body = { username: 'bob', secret: 'bobs', team: { name: 'Gold', code: 'ijkl' } }
    equal(await statusOf('POST', upserts, body), 201)
    equal(
      sealed.map((call) => call.split(' ')[2]),
      ['bobs', 'ijkl'],
    )
    equal([await codeOf('Gold'), await secretOf('bob')], ['sealed:ijkl', 'sealed:bobs'])
  })

  test('are read-only for callers without the right to write them', async () => {
    const body = { username: 'bob', secret: 'bobs', token: 'token' }
    equal(await write('POST', 'members', body), [400, { token: [readOnly] }])
    for (const token of ['token', 'sealed:token'])
      equal(await write('PATCH', 'members/1', { token }), [400, { token: [readOnly] }])
    equal(sealed, [])
    equal(await statusOf('POST', 'members', body, admin), 201)
    equal((await rowOf('bob')).token, 'sealed:token')
    equal(await statusOf('PATCH', 'members/1', { token: 'new' }, admin), 200)
    equal((await rowOf('ann')).token, 'sealed:new')
  })

  test('that are immutable are refused in a change, whatever it contains', async () => {
    const why = { origin: ['This field is set only in a new record.'] }
    for (const origin of ['web', 'app']) {
      equal(await write('PATCH', 'members/1', { origin }), [400, why])
      equal(await write('PUT', 'members/1', { username: 'ann', origin }), [400, why])
    }
    equal(await statusOf('POST', 'members', { username: 'b', secret: 'good', origin: 'app' }), 201)
    equal((await rowOf('b')).origin, 'app')
  })

  test('count as changed whenever they are sent, so that no response tells whether a guess is stored', async () => {
    const url = 'members?on_conflict=username'
    const before = await changedOf(1)
    equal(await statusOf('POST', url, { username: 'ann', note: 'first' }), 200)
    equal(await changedOf(1), before)
    for (const guess of [{ pin: 11 }, { pin: 12 }, { color: 'red' }, { secret: 'first' }]) {
      await insertOver(stored)
      clock.tick(1000)
      const [status, value] = await write('POST', url, { username: 'ann', ...guess })
      equal(status, 200)
      ok(value.changed !== before, JSON.stringify([guess, value]))
      await insertOver(stored)
      clock.tick(1000)
      const second = { username: 'ann', ...guess }
      const [, both] = await write('POST', url, [second, { username: 'new', secret: 'good' }])
      ok(both[0].changed !== before, JSON.stringify([guess, both]))
      await db.kysely.deleteFrom('members').where('username', '=', 'new').execute()
    }
  })

  test('are listed by api.exposure as written alone', () => {
    const lines = (roles: string[]) =>
      (api.exposure(roles).split(`\n${roles[0]}\n`)[1] ?? '')
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => /^(?:secret|token|origin) /.test(line))
    const writes = 'write on POST, write on PATCH'
    equal(lines(['admin']), [
      `secret (string): ${writes}`,
      `token (string): ${writes}`,
      'origin (string): write on POST',
    ])
    equal(lines(['guest']), [`secret (string): ${writes}`, 'origin (string): write on POST'])
  })

  test('are not in the table of idempotency keys, nor is a digest of a body alone', async () => {
    const body = JSON.stringify({ username: 'bob', secret: 'hunter' })
    for (const key of ['01a0-first-key-0001', '01a0-second-key-002']) {
      const headers = { 'content-type': 'application/json', 'idempotency-key': key }
      const ask = () => api.handle({ method: 'POST', url: '/api/members', headers, body })
      equal((await ask()).status, 201)
      equal([(await ask()).status, sealed], [201, ['POST Member hunter true']])
      sealed.splice(0)
      await db.kysely.deleteFrom('members').where('username', '=', 'bob').execute()
    }
    const rows = await db.kysely.selectFrom('idempotency_keys').selectAll().execute()
    const text = JSON.stringify(rows)
    ok(rows.length === 2 && !/hunter|01a0/.test(text), text)
    const prints = new Set(rows.map(({ fingerprint }) => fingerprint))
    equal(prints.size, 2)
  })

  test('are changes for the commit callbacks whenever they are sent', async () => {
    const { changed: _, ...columns } = Member.columns
    const Untimed = defineModel('Member', { columns, meta: {} })
    const seen: unknown[] = []
    const untimed = testApi(db, [Untimed], {
      API_ALLOW_BULK: true,
      API_AFTER_COMMIT_CALLBACK: (given) => {
        seen.push(given.map(({ action, key }) => [action, ...key]))
      },
    })
    const url = 'members?on_conflict=username'
    for (const [method, path, body] of [
      ['POST', url, { username: 'ann', pin: 11 }],
      ['POST', url, [{ username: 'ann', pin: 11 }]],
      ['PATCH', 'members/1', { pin: 11 }],
      ['PATCH', 'members', [{ id: 1, pin: 11 }]],
    ] as const) {
      seen.splice(0)
      equal(await statusOf(method, path, body, undefined, untimed), 200)
      equal([method, path, seen], [method, path, [[['update', 1]]]])
    }
    // Of other columns, an upsert only writes what differs.
    seen.splice(0)
    equal(await statusOf('POST', url, { username: 'ann', note: 'first' }, undefined, untimed), 200)
    equal(seen, [])
  })
  const insertOver = async (row: Record<string, unknown>) => {
    await db.kysely.deleteFrom('members').execute()
    await insertRows(db, Member, [row])
  }

  test('are seen by policies, callbacks and receivers of changes only as they are stored', async () => {
    const hear = (data: unknown) => {
      heard.push(JSON.stringify(data))
      return true
    }
    const Watched = defineModel('Member', {
      columns: Member.columns,
      meta: {
        access_policy: {
          can_create: (data: unknown) => hear(data),
          can_update: (_: unknown, data: unknown) => hear(data),
        },
        add_callback: (data: object) => {
          hear(data)
          return data
        },
        update_callback: (data: object) => {
          hear(data)
          return data
        },
      } as never,
    })
    const watched = testApi(db, [Watched], {
      ...config,
      API_AFTER_COMMIT_CALLBACK: (given) => {
        hear(given)
      },
    } as ApiConfig)
    const url = 'members?on_conflict=username'
    for (const [method, path, body] of [
      ['POST', 'members', { username: 'bob', secret: 'plain1' }],
      ['PATCH', 'members/1', { secret: 'plain2' }],
      ['PUT', 'members/1', { username: 'ann', secret: 'plain3' }],
      ['POST', url, { username: 'ann', secret: 'plain4' }],
      ['PATCH', 'members', [{ id: 1, secret: 'plain5' }]],
    ] as const) {
      heard.splice(0)
      ok(Number(await statusOf(method, path, body, undefined, watched)) < 300)
      ok(heard.length >= 3, `${method} ${heard.length}`)
      ok(
        heard.every((text) => !/[^:]plain/.test(String(text))),
        heard.join('\n'),
      )
      ok(heard.some((text) => String(text).includes('sealed:plain')))
    }
  })

  test('are passwords of users, who log in with what they sent', async () => {
    const User = defineModel('User', {
      table: 'members',
      columns: {
        id,
        username: { type: 'string' },
        password: {
          type: 'string',
          column: 'secret_hash',
          minLength: 8,
          maxLength: 100,
          writeOnly: true,
          transform: hashPassword,
        },
        note: { type: 'string', default: '-' },
        changed: { type: 'datetime', managed: 'updated' },
      },
      methods: { check_password: passwordCheck('password') },
      meta: {
        access_policy: {
          can_update: (user: { id: number }, _: unknown, args: HookArgs) =>
            user.id === args.user.id,
        },
      },
    })
    const users = testApi(db, [User], {
      API_AUTHENTICATE_METHOD: ['basic'],
      API_USER_MODEL: User,
      API_USER_LOOKUP_FIELD: 'username',
      API_CREDENTIAL_CHECK_METHOD: 'check_password',
      API_AUTH_REQUIREMENTS: { POST: false },
    })
    const ask = async (method: string, url: string, body: object, password?: string) => {
      const authorization = `Basic ${Buffer.from(`carl:${password}`).toString('base64')}`
      const headers = password === undefined ? {} : { authorization }
      const answer = await send(users, method, `/api/users${url}`, { body, headers })
      ok(!/horse|pony|\$2b\$/.test(answer.text), answer.text)
      return answer
    }
    const { status, headers } = await ask('POST', '', {
      username: 'carl',
      password: 'correct horse',
    })
    equal(status, 201)
    ok(/^\$2b\$10\$.{53}$/.test(String(await secretOf('carl'))))
    const own = (headers.location ?? '').replace('/api/users', '')
    equal((await ask('PATCH', own, { note: 'x' }, 'correct horse')).status, 200)
    equal((await ask('PATCH', own, { password: 'black pony' }, 'correct horse')).status, 200)
    equal((await ask('PATCH', own, { note: 'y' }, 'correct horse')).status, 401)
    equal((await ask('PATCH', own, { note: 'y' }, 'black pony')).status, 200)
    equal((await ask('PATCH', '/1', { password: 'black pony' }, 'black pony')).status, 403)
    // 80 bytes, which only the function refuses.
    const long = await ask('POST', '', { username: 'dora', password: 'ä'.repeat(40) })
    equal([long.status, long.errors.code], [400, 'password_too_long'])
  })
})
