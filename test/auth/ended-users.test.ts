/** A user that is removed or made inactive through the API loses its refresh tokens and API keys in the same transaction. */
import {
  type Api,
  type ApiConfig,
  belongsTo,
  createApi,
  defineModel,
  hasMany,
} from '@model-api/core'
import { frozenClock, get, send } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { databaseBeside } from '../support/databases.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'
import { apiKey, bearer, jwtKeys, login, post, refresh } from './people.ts'

const Org = defineModel('Org', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    title: { type: 'string', maxLength: 80 },
  },
  relations: { members: hasMany('Member', 'org_id', { on_delete: 'cascade' }) },
  meta: { allow_nested_writes: true, allow_bulk: true },
})

const Member = defineModel('Member', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    name: { type: 'string', maxLength: 80, unique: true },
    status: { type: 'string', maxLength: 20 },
    note: { type: 'string', maxLength: 20, nullable: true },
    org_id: { type: 'integer', nullable: true },
    gone: { type: 'boolean', readOnly: false },
  },
  relations: { org: belongsTo('Org', 'org_id') },
  methods: {
    check_password: async (_, password: string) => {
      await during.check()
      return password === 'right'
    },
    is_active: ({ status }) => status === 'active',
  },
  meta: { allow_bulk: true },
})

/** What happens while a password is checked. */
const during = { check: async () => {} }

const config: ApiConfig = {
  ...jwtKeys,
  API_AUTHENTICATE_METHOD: ['jwt', 'api_key'],
  API_AUTH_REQUIREMENTS: { '*': false },
  API_USER_MODEL: Member,
  API_KEYS: true,
  API_USER_ACTIVE: { status: 'active' },
  API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
  API_ALLOW_BATCH: true,
  API_ALLOW_CASCADE_DELETE: true,
  API_SCHEMA_CHECK: 'off',
}

eachDatabase('users that end', (test, db) => {
  const ann = { id: 1, name: 'ann', status: 'active', note: null, org_id: 1 }
  const bob = { ...ann, id: 2, name: 'bob' }
  const stored = (row: object) => ({ ...row, gone: false })

  const clear = async () => {
    for (const table of ['refresh_tokens', 'api_keys', 'members', 'orgs']) {
      await db.kysely.schema.dropTable(table).ifExists().execute()
    }
  }
  test.before.each(async () => {
    await clear()
    await createTables(db, [Org, Member])
    await insertRows(db, Org, [{ id: 1, title: 'one' }])
    await insertRows(db, Member, [stored(ann), stored(bob)])
  })
  test.after.each(clear)

  const start = (more: object = {}): Api =>
    createApi({
      db: db.kysely,
      models: [Org, Member],
      config: { ...config, ...more } as ApiConfig,
      env: {},
      clock: frozenClock(),
      onError: () => {},
      onWarning: () => {},
    }) as unknown as Api

  /** Tokens and a key of both users, and which of them are valid. */
  async function signedIn(api: Api) {
    const of = async (name: string) => {
      const { access_token, refresh_token } = (await login(api, name, 'right')).value
      const { key } = (await post(api, '/auth/keys', { name: 'k' }, bearer(access_token))).value
      return { access_token, refresh_token, key }
    }
    const [first, second] = [await of('ann'), await of('bob')]
    const valid = async (user: typeof first) => [
      (await get(api, '/auth/me', bearer(user.access_token))).status,
      (await get(api, '/auth/me', apiKey(user.key))).status,
      (await refresh(api, user.refresh_token)).status,
    ]
    return { ann: () => valid(first), bob: () => valid(second) }
  }
  const rows = async () => ({
    tokens: (
      (await db.kysely.selectFrom('refresh_tokens').selectAll().execute()) as {
        user_pk: string
        revoked: unknown
      }[]
    )
      .filter(({ revoked }) => !revoked)
      .map(({ user_pk }) => user_pk)
      .sort(),
    keys: (
      (await db.kysely.selectFrom('api_keys').select('user_pk').execute()) as { user_pk: string }[]
    )
      .map(({ user_pk }) => user_pk)
      .sort(),
  })
  const again = async () => {
    await db.kysely.deleteFrom('members').where('id', '=', 1).execute()
    await insertRows(db, Member, [stored(ann)])
  }

  const batchOf = (...operations: object[]) => ({
    method: 'POST',
    url: '/api/batch',
    body: { operations },
  })
  const softly = {
    API_SOFT_DELETE: true,
    API_SOFT_DELETE_ATTRIBUTE: 'gone',
    API_USER_ACTIVE: { status: 'active' },
  }
  interface Way {
    readonly method: string
    readonly url: string
    readonly body?: unknown
    readonly config?: object
  }
  const ways: Readonly<Record<string, Way>> = {
    DELETE: { method: 'DELETE', url: '/api/members/1' },
    'DELETE of a list': { method: 'DELETE', url: '/api/members?name__eq=ann' },
    'a soft delete': { method: 'DELETE', url: '/api/members/1', config: softly },
    'PATCH of the mark': {
      method: 'PATCH',
      url: '/api/members/1',
      body: { gone: true },
      config: softly,
    },
    'PATCH that makes it inactive': {
      method: 'PATCH',
      url: '/api/members/1',
      body: { status: 'blocked' },
    },
    'PATCH of a list by filters': {
      method: 'PATCH',
      url: '/api/members?name__eq=ann',
      body: { status: 'blocked' },
    },
    'PATCH of a list of records': {
      method: 'PATCH',
      url: '/api/members',
      body: [
        { id: 1, status: 'blocked' },
        { id: 2, status: 'active' },
      ],
    },
    PUT: {
      method: 'PUT',
      url: '/api/members/1',
      body: { ...ann, status: 'blocked', gone: false },
    },
    'an upsert': {
      method: 'POST',
      url: '/api/members?on_conflict=name',
      body: { ...ann, status: 'blocked', gone: false },
    },
    'a method that says so': {
      method: 'PATCH',
      url: '/api/members/1',
      body: { status: 'blocked' },
      config: { API_USER_ACTIVE: 'is_active' },
    },
    'a nested change': {
      method: 'PATCH',
      url: '/api/orgs/1',
      body: { members: [{ id: 1, status: 'blocked' }] },
    },
    'a nested list without it': {
      method: 'PATCH',
      url: '/api/orgs/1?members.on_missing=remove',
      body: { members: [{ id: 2 }] },
    },
    'a batch': batchOf({ method: 'DELETE', url: '/api/members/1' }),
    'a batch that makes it inactive and active again': batchOf(
      { method: 'PATCH', url: '/api/members/1', body: { status: 'blocked' } },
      { method: 'PATCH', url: '/api/members/1', body: { status: 'active' } },
    ),
    'a batch that makes a user with the same key and name': batchOf(
      { method: 'DELETE', url: '/api/members/1' },
      { method: 'POST', url: '/api/members', body: stored(ann) },
    ),
  }
  for (const [name, { config: more = {}, ...request }] of Object.entries(ways)) {
    test(`${name}: the tokens and keys of this user end, those of others stay`, async () => {
      const api = start(more)
      const users = await signedIn(api)
      const { status, errors } = await send(api, request.method, request.url, request)
      ok(status < 300, JSON.stringify(errors))
      equal(await rows(), { tokens: ['2'], keys: ['2'] })
      await again()
      // The access token of a user that is the same again is no more than that: it expires.
      equal(await users.ann(), [200, 401, 403])
      equal(await users.bob(), [200, 200, 200])
    })
  }

  test('a cascade that removes users ends them', async () => {
    for (const url of ['/api/orgs/1', '/api/orgs/1?cascade_delete=1']) {
      const api = start()
      await signedIn(api)
      equal((await send(api, 'DELETE', url)).status, 200)
      equal(await rows(), { tokens: [], keys: [] })
      await insertRows(db, Org, [{ id: 1, title: 'one' }])
      await insertRows(db, Member, [stored(ann), stored(bob)])
    }
  })

  test('another change ends nothing, and sends no statement more', async () => {
    const api = start()
    const users = await signedIn(api)
    const { statements } = await db.capture(() =>
      send(api, 'PATCH', '/api/members/1', { body: { note: 'x' } }),
    )
    equal(statements.filter(({ sql }) => /refresh_tokens|api_keys/.test(sql)).length, 0)
    equal((await send(api, 'PATCH', '/api/members/1', { body: { status: 'active' } })).status, 200)
    equal((await send(api, 'PATCH', '/api/members/1', { body: { name: 'ann' } })).status, 200)
    equal(await users.ann(), [200, 200, 200])
  })

  test('a write that is rolled back ends nothing', async () => {
    const refusing = start({
      API_BEFORE_COMMIT_CALLBACK: () => {
        throw new Error('no')
      },
    })
    const users = await signedIn(start())
    equal((await send(refusing, 'DELETE', '/api/members/1')).status, 500)
    const dry = { operations: [{ method: 'DELETE', url: '/api/members/1' }], dry_run: true }
    equal((await send(start(), 'POST', '/api/batch', { body: dry })).status, 200)
    const failing = [
      { method: 'DELETE', url: '/api/members/1' },
      { method: 'DELETE', url: '/api/members/9' },
    ]
    equal(
      (await send(start(), 'POST', '/api/batch', { body: { operations: failing } })).status,
      404,
    )
    equal(await users.ann(), [200, 200, 200])
  })

  test('the client in the process ends users, too, in the transaction of the host', async () => {
    const api = start()
    const users = await signedIn(api)
    const undo = new Error('undo')
    await db.kysely
      .transaction()
      .execute(async (trx) => {
        const client = api.as('system', { db: trx }) as never as {
          members: { remove(id: number): Promise<{ status: number }> }
        }
        await client.members.remove(1)
        throw undo
      })
      .catch((error) => equal(error, undo))
    equal(await users.ann(), [200, 200, 200])
    await db.kysely.transaction().execute(async (trx) => {
      const client = api.as('system', { db: trx }) as never as {
        members: { remove(id: number): Promise<{ status: number }> }
      }
      await client.members.remove(1)
    })
    equal((await rows()).keys, ['2'])
  })

  test('a login during which the user is removed is refused, and leaves no valid token', async () => {
    const api = start()
    during.check = async () => {
      during.check = async () => {}
      equal((await send(api, 'DELETE', '/api/members/1')).status, 200)
    }
    const { status, errors } = await login(api, 'ann', 'right')
    equal([status, errors.reason], [401, 'Invalid credentials'])
    equal((await login(api, 'bob', 'right')).status, 200)
    await api.apiKeys.create({ id: 2, name: 'bob' }, { name: 'one' })
    equal(await rows(), { tokens: ['2'], keys: ['2'] })
  })

  test('in another database, which has no such tables, a user is removed as before', async () => {
    const other = databaseBeside(db)
    await createTables(other, [Org, Member])
    await insertRows(other, Org, [{ id: 1, title: 'one' }])
    await insertRows(other, Member, [stored(ann)])
    const api = start({
      API_SESSION_GETTER: ({ headers }: { headers: Record<string, string> }) =>
        headers['x-tenant'] === 'other' ? other.kysely : db.kysely,
    })
    await signedIn(api)
    const headers = { 'x-tenant': 'other' }
    equal((await send(api, 'DELETE', '/api/members/1', { headers })).status, 200)
    equal(await rows(), { tokens: ['1', '2'], keys: ['1', '2'] })
    await other.close()
  })

  test('without the tables, a user is removed as before', async () => {
    for (const id of [1, 2]) {
      equal((await send(start(), 'DELETE', `/api/members/${id}`)).status, 200)
    }
  })
})
