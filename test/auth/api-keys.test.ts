/** API keys that the service keeps (API_KEYS): made, listed and deleted by their users, limited by scopes, and refused once their user is gone. */
import { createHash } from 'node:crypto'
import { type ApiConfig, defineModel } from '@model-api/core'
import { type Answer, get, send } from '../support/api.ts'
import { equal, match, ok, rejects } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { insertRows } from '../support/tables.ts'
import {
  apiKey,
  Book,
  basic,
  createPeople,
  passwords,
  peopleApi,
  post,
  User,
  userKeys,
} from './people.ts'

const keysOf: ApiConfig = {
  ...userKeys,
  API_AUTHENTICATE_METHOD: ['basic', 'api_key'],
  API_KEYS: true,
  API_LOGIN_RATE_LIMIT: '10000 per minute',
}

const as = (name: string) => basic(name, passwords[name] ?? '')
const ann = as('ann')
const bob = as('bob')

eachDatabase('API keys', (test, db) => {
  test.before(() => createPeople(db))
  test.after.each(async () => {
    await start().api.apiKeys.deleteAll(1)
    await start().api.apiKeys.deleteAll(2)
    await db.kysely.updateTable('users').set({ roles: '["admin"]' }).where('id', '=', 1).execute()
  })

  const start = (config: ApiConfig = {}, options = {}) =>
    peopleApi(db, { ...keysOf, ...config }, options)
  const make = (
    api: ReturnType<typeof start>['api'],
    body: object,
    headers: Record<string, string> = ann,
  ): Promise<Answer> => post(api, '/auth/keys', body, headers)
  const remove = (api: ReturnType<typeof start>['api'], id: string, headers = ann) =>
    send(api, 'DELETE', `/auth/keys/${id}`, { headers })
  const rows = async () =>
    (await db.kysely.selectFrom('api_keys').selectAll().execute()) as Record<string, unknown>[]

  test('a key is shown once; its hash is stored; it authenticates its user', async () => {
    const { api } = start()
    const made = await make(api, { name: 'Waage 3 ⚖', expires_at: '2026-02-01' })
    equal(made.status, 201)
    equal(made.headers['cache-control'], 'no-store')
    const { id, key, ...rest } = made.value
    match(key, /^mak_[0-9a-f]{16}_[0-9a-f]{64}$/)
    equal(rest, {
      prefix: `mak_${id}`,
      name: 'Waage 3 ⚖',
      scopes: null,
      created_at: '2026-01-02T03:04:05.678Z',
      expires_at: '2026-02-01T00:00:00.000Z',
      last_used_at: null,
    })
    const listed = await get(api, '/auth/keys', ann)
    equal([listed.status, listed.value, listed.total], [200, [{ id, ...rest }], 1])
    const [stored, ...others] = await rows()
    equal(
      [stored?.digest, stored?.user_pk, stored?.user_lookup],
      [createHash('sha256').update(key).digest('hex'), '1', 'ann'],
    )
    equal(others, [])
    ok(!JSON.stringify(stored).includes(key.slice(-64)))
    equal((await get(api, '/api/books', apiKey(key))).status, 200)
    equal((await get(api, '/auth/me', apiKey(key))).value.name, 'ann')
    equal((await post(api, '/auth/login', undefined, apiKey(key))).value, {
      user_pk: 1,
      name: 'ann',
    })
  })

  test('a user sees and deletes the own keys alone', async () => {
    const { api } = start()
    const first = (await make(api, { name: 'first' })).value
    const second = (await make(api, { name: 'second' }, bob)).value
    const namesOf = async (headers: Record<string, string>) =>
      (await get(api, '/auth/keys', headers)).value.map(({ name }: { name: string }) => name)
    equal([await namesOf(ann), await namesOf(bob)], [['first'], ['second']])
    const missing = await remove(api, '0123456789abcdef', bob)
    const foreign = await remove(api, first.id, bob)
    equal([foreign.status, foreign.errors], [404, missing.errors])
    equal((await get(api, '/api/books', apiKey(first.key))).status, 200)
    const deleted = await remove(api, first.id)
    equal([deleted.status, deleted.value, deleted.total], [200, null, 0])
    equal((await get(api, '/api/books', apiKey(first.key))).status, 401)
    equal((await remove(api, first.id)).status, 404)
    equal((await get(api, '/api/books', apiKey(second.key))).status, 200)
  })

  test('a wrong secret, an unknown id and other forms are refused alike', async () => {
    const { api } = start()
    const { id, key } = (await make(api, { name: 'one' })).value
    const wrong = [
      `mak_${id}_${'0'.repeat(64)}`,
      `mak_0123456789abcdef_${key.slice(-64)}`,
      `${key} `,
      key.slice(0, -1),
      key.toUpperCase(),
      `mak_${id}`,
      '',
    ]
    for (const text of wrong) {
      const { status, errors, headers } = await get(api, '/api/books', apiKey(text))
      equal([status, errors.reason], [401, 'Invalid credentials'])
      equal(headers['www-authenticate']?.includes('Api-Key'), true)
    }
  })

  test('an unknown id costs what a wrong secret does', async () => {
    const { api } = start()
    const { id } = (await make(api, { name: 'one' })).value
    const cost = async (text: string) => {
      const { statements } = await db.capture(() => get(api, '/api/books', apiKey(text)))
      return statements.length
    }
    const secret = '0'.repeat(64)
    equal(await cost(`mak_${id}_${secret}`), await cost(`mak_0123456789abcdef_${secret}`))
  })

  test('keys of one user with other scopes, sent in turn, are answered by their own rights', async () => {
    const Shelf = defineModel('Book', {
      columns: { ...Book.columns, title: { type: 'string', maxLength: 80, read: 'admin' } },
      meta: {
        access_policy: () => ({
          scope: ({ user }) => ({ id: { eq: user.roles.length } }),
        }),
      },
    })
    const { api } = start({}, { models: [User, Shelf] })
    const all = (await make(api, { name: 'all' })).value.key
    const none = (await make(api, { name: 'none', scopes: [] })).value.key
    const seen = async (url: string, key: string) => {
      const { status, value } = await get(api, url, apiKey(key))
      return [status, value]
    }
    for (let i = 0; i < 3; i++) {
      equal(await seen('/api/books', none), [200, []])
      equal(await seen('/api/books', all), [200, [{ id: 1, title: 'Emma' }]])
      equal((await seen('/api/books?title__eq=Emma', none))[0], 400)
      equal((await seen('/api/books?title__eq=Emma', all))[0], 200)
    }
  })

  test('a key expires', async () => {
    const { api, clock } = start()
    const { key } = (await make(api, { name: 'one', expires_at: '2026-01-02T03:05:05Z' })).value
    equal((await get(api, '/api/books', apiKey(key))).status, 200)
    clock.tick(60_000)
    equal((await get(api, '/api/books', apiKey(key))).status, 401)
    equal((await get(api, '/auth/keys', ann)).value.length, 1)
  })

  test('the last use is written once a minute', async () => {
    const { api, clock } = start()
    const { key } = (await make(api, { name: 'one' })).value
    const use = async () => {
      const { statements } = await db.capture(() => get(api, '/api/books', apiKey(key)))
      return statements.filter(({ sql }) => sql.startsWith('update')).length
    }
    const lastUse = async () => (await get(api, '/auth/keys', ann)).value[0].last_used_at
    equal([await use(), await lastUse()], [1, '2026-01-02T03:04:05.678Z'])
    clock.tick(59_000)
    equal([await use(), await use()], [0, 0])
    clock.tick(1000)
    equal([await use(), await lastUse()], [1, '2026-01-02T03:05:05.678Z'])
    // Another process reads it.
    const other = start()
    other.clock.tick(61_000)
    const { statements } = await db.capture(() => get(other.api, '/api/books', apiKey(key)))
    equal(
      statements.filter(({ sql }) => sql.startsWith('update')),
      [],
    )
  })

  test('scopes leave the user no other roles, as the user has them now', async () => {
    await db.kysely
      .updateTable('users')
      .set({ roles: '["admin","editor"]' })
      .where('id', '=', 1)
      .execute()
    const seen: unknown[] = []
    const { api } = start({
      API_ROLE_MAP: { GET_MANY: 'editor', GET_ONE: 'admin', PATCH: 'admin' },
      API_ACCESS_POLICY: {
        can_update: (_book, _changes, { user }) => {
          seen.push(user.roles)
          return true
        },
      },
    })
    const { key, scopes } = (await make(api, { name: 'editor', scopes: ['editor'] })).value
    equal(scopes, ['editor'])
    equal((await get(api, '/api/books', apiKey(key))).status, 200)
    equal((await get(api, '/api/books/1', apiKey(key))).status, 403)
    equal((await get(api, '/api/books/1', ann)).status, 200)
    const all = (await make(api, { name: 'all' })).value.key
    equal((await get(api, '/api/books/1', apiKey(all))).status, 200)
    const none = (await make(api, { name: 'none', scopes: [] })).value.key
    equal((await get(api, '/api/books', apiKey(none))).status, 403)
    const both = (await make(api, { name: 'both', scopes: ['admin', 'editor', 'admin'] })).value
    equal(both.scopes, ['admin', 'editor'])
    await db.kysely.updateTable('users').set({ roles: '["admin"]' }).where('id', '=', 1).execute()
    equal((await get(api, '/api/books', apiKey(key))).status, 403)
    const change = { headers: apiKey(both.key), body: { title: 'Emma' } }
    equal((await send(api, 'PATCH', '/api/books/1', change)).status, 200)
    equal(seen, [['admin']])
  })

  test('scopes limit what a method of the user model gives, and a user that the host passes on', async () => {
    const Titled = defineModel('User', {
      columns: User.columns,
      methods: { ...User.methods, roles: () => ['admin', 'editor'] },
      meta: {},
    })
    const map = { API_USER_MODEL: Titled, API_ROLE_MAP: { GET_MANY: 'editor', GET_ONE: 'admin' } }
    const { api } = start(map as ApiConfig, { models: [Titled, Book] })
    const { key } = (await make(api, { name: 'editor', scopes: ['editor'] })).value
    equal((await get(api, '/api/books', apiKey(key))).status, 200)
    equal((await get(api, '/api/books/1', apiKey(key))).status, 403)
    const request = { method: 'GET', url: '/own', headers: apiKey(key) }
    const user = await api.authenticate(request)
    equal((await api.handle({ method: 'GET', url: '/api/books/1', user: { ...user } })).status, 403)
    const client = api.as(user) as unknown as {
      books: { get(id: number): Promise<{ status: number }> }
    }
    equal((await client.books.get(1)).status, 403)
    const { allowed, roles } = await api.explainAccess(user, { method: 'GET', url: '/api/books/1' })
    equal([allowed, roles], [false, ['editor']])
    await rejects(api.authenticate(request, { roles: 'admin' }))
  })

  test('a key makes no key that can do more, or lives longer, than itself', async () => {
    await db.kysely
      .updateTable('users')
      .set({ roles: '["admin","editor"]' })
      .where('id', '=', 1)
      .execute()
    const { api } = start()
    const limits = { scopes: ['editor'], expires_at: '2026-02-01T00:00:00.000Z' }
    const { key, id } = (await make(api, { name: 'limited', ...limits })).value
    const refused = await make(api, { name: 'more', scopes: ['editor', 'admin'] }, apiKey(key))
    equal(refused.status, 400)
    equal(
      refused.errors.problems.map(({ path, code, message }: never) => [path, code, message]),
      [['scopes[1]', 'not_listed', 'Expected one of editor.']],
    )
    for (const more of [{}, { scopes: null, expires_at: null }, { expires_at: '2030-01-01' }]) {
      const { scopes, expires_at } = (await make(api, { name: 'same', ...more }, apiKey(key))).value
      equal({ scopes, expires_at }, limits)
    }
    const less = (
      await make(api, { name: 'less', scopes: [], expires_at: '2026-01-03' }, apiKey(key))
    ).value
    equal([less.scopes, less.expires_at], [[], '2026-01-03T00:00:00.000Z'])
    const unlimited = (await make(api, { name: 'unlimited' })).value
    const wider = (await make(api, { name: 'wider', scopes: ['admin'] })).value
    const listed = (await get(api, '/auth/keys', apiKey(key))).value
    equal(listed.map((one: { name: string }) => one.name).sort(), [
      'less',
      'limited',
      'same',
      'same',
      'same',
    ])
    for (const other of [unlimited, wider]) {
      equal((await remove(api, other.id, apiKey(key))).status, 404)
    }
    equal((await remove(api, less.id, apiKey(key))).status, 200)
    equal((await remove(api, id, apiKey(key))).status, 200)
    equal((await make(api, { name: 'late' }, apiKey(key))).status, 401)
  })

  test('the body is checked: unknown members, names, scopes and times', async () => {
    const { api } = start()
    const codes = async (body: unknown) => {
      const { status, errors } = await make(api, body as object)
      return [status, ...(errors.problems ?? []).map(({ path, code }: never) => `${path} ${code}`)]
    }
    equal(await codes({}), [400, 'name required'])
    equal(await codes({ name: ' ' }), [400, 'name too_short'])
    equal(await codes({ name: 'x'.repeat(81) }), [400, 'name too_long'])
    equal(await codes({ name: 7, scope: ['admin'] }), [
      400,
      'scope unknown_field',
      'name wrong_type',
    ])
    equal(await codes({ name: 'x', scopes: 'admin' }), [400, 'scopes wrong_type'])
    equal(await codes({ name: 'x', scopes: ['viewer', 'toString'] }), [
      400,
      'scopes[0] not_listed',
      'scopes[1] not_listed',
    ])
    equal(await codes({ name: 'x', expires_at: 'soon' }), [400, 'expires_at wrong_type'])
    equal(await codes({ name: 'x', expires_at: 1893456000 }), [400, 'expires_at wrong_type'])
    equal(await codes({ name: 'x', expires_at: '2026-01-02' }), [400, 'expires_at refused'])
    equal(await codes([]), [400])
    equal((await make(api, { name: 'x'.repeat(80) })).status, 201)
    equal((await make(api, { name: '🦊'.repeat(80) })).status, 201)
  })

  test('a request without a credential or with parameters is refused, and so are other methods', async () => {
    const { api } = start()
    for (const [method, url] of [
      ['GET', '/auth/keys'],
      ['POST', '/auth/keys'],
      ['DELETE', '/auth/keys/1'],
    ] as const) {
      equal((await send(api, method, url)).status, 401)
      equal((await send(api, method, `${url}?limit=1`, { headers: ann })).status, 400)
      const headers = { ...ann, 'idempotency-key': 'k' }
      equal((await send(api, method, url, { headers })).errors.code, 'idempotency_key_not_here')
    }
    const wrong = await send(api, 'GET', '/auth/keys/1', { headers: ann })
    equal([wrong.status, wrong.headers.allow], [405, 'DELETE, OPTIONS'])
    equal((await send(api, 'DELETE', '/auth/keys', { headers: ann })).status, 405)
    equal((await send(api, 'DELETE', '/auth/keys/', { headers: ann })).status, 404)
    equal((await send(api, 'DELETE', '/auth/keys/a/b', { headers: ann })).status, 404)
    const encoded = { method: 'DELETE', url: '/auth/keys/a%2Fb', headers: ann }
    equal((await api.handle(encoded)).status, 404)
    equal((await send(api, 'OPTIONS', '/auth/keys')).headers.allow, 'GET, HEAD, POST, OPTIONS')
  })

  test('a user has at most 100 keys', async () => {
    const { api } = start()
    for (let i = 0; i < 100; i++) await make(api, { name: `key ${i}` })
    const refused = await make(api, { name: 'one more' })
    equal([refused.status, refused.errors.code], [409, 'too_many_api_keys'])
    equal((await get(api, '/auth/keys', ann)).value.length, 100)
    equal((await make(api, { name: 'of another' }, bob)).status, 201)
  })

  test('keys that are made at once are at most 100, too', async () => {
    const { api } = start()
    const user = { id: 1, name: 'ann' }
    for (let i = 0; i < 95; i++) await api.apiKeys.create(user, { name: `key ${i}` })
    const made = await Promise.allSettled(
      Array.from({ length: 20 }, () => api.apiKeys.create(user, { name: 'at once' })),
    )
    const count = (await api.apiKeys.list(user)).length
    ok(count <= 100 && made.filter(({ status }) => status === 'fulfilled').length === count - 95)
  })

  test('the functions take scopes as a list of names alone: a text would find parts of names', async () => {
    const { api } = start()
    for (const scopes of ['administrator', [1], {}] as never[]) {
      await rejects(
        () => api.apiKeys.create({ id: 1, name: 'ann' }, { name: 'one', scopes }),
        'expected scopes as a list of role names',
      )
    }
    equal(await api.apiKeys.list(1), [])
  })

  test('the keys of a user who is deleted, or whose key another user gets, stop at once', async () => {
    const { api } = start()
    const fay = {
      id: 9,
      name: 'fay',
      password_hash: 'x',
      key_hash: null,
      roles: ['admin'],
      active: true,
    }
    await insertRows(db, User, [fay])
    const { key } = await api.apiKeys.create(fay, { name: 'one' })
    equal((await get(api, '/api/books', apiKey(key))).status, 200)
    await db.kysely.deleteFrom('users').where('id', '=', 9).execute()
    equal((await get(api, '/api/books', apiKey(key))).status, 401)
    await insertRows(db, User, [{ ...fay, name: 'gil' }])
    equal((await get(api, '/api/books', apiKey(key))).status, 401)
    await db.kysely.deleteFrom('users').where('id', '=', 9).execute()
  })

  test('the functions of the API make, list and delete keys of any user', async () => {
    const { api } = start()
    const bobs = { id: 2, name: 'bob' }
    const made = await api.apiKeys.create(bobs, {
      name: 'door',
      scopes: ['viewer', 'other'],
      expires_at: new Date('2026-03-01'),
    })
    const { key, ...shown } = made
    equal(await api.apiKeys.list(2), [shown])
    equal([shown.scopes, shown.expires_at], [['viewer', 'other'], '2026-03-01T00:00:00.000Z'])
    equal((await get(api, '/api/books', apiKey(key))).status, 200)
    await api.apiKeys.create(bobs, { name: 'second' })
    equal(await api.apiKeys.delete(made.id), true)
    equal(await api.apiKeys.delete(made.id), false)
    equal((await get(api, '/api/books', apiKey(key))).status, 401)
    equal([await api.apiKeys.deleteAll(bobs), await api.apiKeys.deleteAll('2')], [1, 0])
    await rejects(
      api.apiKeys.create(2, { name: 'x' }),
      /expected a record of the user, with its "name"/,
    )
    await rejects(api.apiKeys.create({}, { name: 'x' }), /expected a user or its key/)
    await rejects(api.apiKeys.create(bobs, { name: '' }), /a name of 1 to 80/)
    await rejects(api.apiKeys.create(bobs, { name: 'x', expires_at: 'soon' }), /not a date/)
    const without = peopleApi(db, { ...userKeys, API_AUTHENTICATE_METHOD: ['basic'] }).api
    await rejects(without.apiKeys.list(2), /API_KEYS is not enabled/)
    equal((await get(without, '/auth/keys', ann)).status, 404)
  })

  test('keys of the host are looked up as before', async () => {
    const { api } = start({ API_CREDENTIAL_HASH_FIELD: 'key_hash' })
    equal((await get(api, '/auth/me', apiKey('key-of-bob-2'))).value.name, 'bob')
    const { key } = (await make(api, { name: 'one' })).value
    equal((await get(api, '/auth/me', apiKey(key))).value.name, 'ann')
  })

  test('making keys counts against the limit of logins, and every request against that of the API', async () => {
    const { api } = start({ API_LOGIN_RATE_LIMIT: '2 per minute' })
    const statuses = []
    for (let i = 0; i < 3; i++) statuses.push((await make(api, { name: 'x' })).status)
    equal(statuses, [201, 201, 429])
    const limited = start({ API_RATE_LIMIT: '1 per minute' }).api
    equal((await get(limited, '/auth/keys', ann)).status, 200)
    equal((await get(limited, '/auth/keys', ann)).status, 429)
    const guesses = start({ API_LOGIN_RATE_LIMIT: '2 per minute' }).api
    const guess = () =>
      get(guesses, '/api/books', apiKey(`mak_${'0'.repeat(16)}_${'1'.repeat(64)}`))
    equal([(await guess()).status, (await guess()).status, (await guess()).status], [401, 401, 429])
  })

  test('a user of the custom strategy has keys; true is nobody', async () => {
    const config = (user: unknown): ApiConfig => ({
      API_AUTHENTICATE_METHOD: ['custom', 'api_key'],
      API_CUSTOM_AUTH: (request) => (request.headers?.authorization === undefined ? user : false),
    })
    const own = start(config({ id: '1' })).api
    const { key } = (await make(own, { name: 'one' }, {})).value
    equal((await get(own, '/auth/me', apiKey(key))).value.name, 'ann')
    for (const nobody of [true, { id: 77 }, { roles: ['admin'] }]) {
      equal((await make(start(config(nobody)).api, { name: 'one' }, {})).status, 401)
    }
  })

  test('keys work in a transaction that the host opens for each request', async () => {
    const { api } = start()
    const { key } = (await make(api, { name: 'one' })).value
    await db.kysely.transaction().execute(async (trx) => {
      const within = start({ API_SESSION_GETTER: () => trx }).api
      equal((await get(within, '/auth/me', apiKey(key))).value.name, 'ann')
      equal((await make(within, { name: 'two' }, apiKey(key))).status, 201)
    })
    equal((await get(api, '/auth/keys', ann)).value.length, 2)
  })
})
