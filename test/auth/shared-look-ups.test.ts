/** Requests of the same turn of the event loop read their users with one statement; each gets its own user. */
import { setTimeout } from 'node:timers/promises'
import { type ApiConfig, defineModel } from '@model-api/core'
import { sql } from 'kysely'
import { type Answer, send } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'
import { apiKey, apiKeys, Book, bearer, createPeople, jwtKeys, peopleApi, post } from './people.ts'
import { forge } from './tokens.ts'

const userOf = ({ status, value }: Answer): unknown => (status === 200 ? value.user : status)

/** The header with a token for the user with this key. */
const sentBy = async (key: unknown) => bearer(await forge({ payload: { sub: String(key) } }))

eachDatabase('users that concurrent requests look up', (test, db) => {
  test.before(() => createPeople(db))

  const config: ApiConfig = {
    ...jwtKeys,
    API_AUTHENTICATE_METHOD: ['jwt', 'api_key'],
    API_CREDENTIAL_HASH_FIELD: 'key_hash',
    API_RETURN_CALLBACK: (_, { user }) => {
      const { name, roles } = user
      const before = { name, roles: [...(roles ?? [])] }
      user.name = 'changed by a hook'
      roles?.push('changed by a hook')
      return { user: before }
    },
  }
  const ann = { name: 'ann', roles: ['admin'] }
  const bob = { name: 'bob', roles: ['viewer'] }

  const setUp = async (more: ApiConfig = {}) => {
    const people = peopleApi(db, { ...config, ...more } as ApiConfig)
    await people.api.ready
    const ask = (headers: Record<string, string>) =>
      send(people.api, 'GET', '/api/books/1', { headers })
    const askAll = async (all: readonly Record<string, string>[]) => {
      // Verifying a token for the first time takes more than one turn of the event loop.
      await Promise.all(all.map(ask))
      const { statements, result } = await db.capture(() => Promise.all(all.map(ask)))
      const ofUsers = statements.filter(({ sql }) => /users/.test(sql))
      return { seen: result.map(userOf), statements: ofUsers.length }
    }
    return { ...people, askAll }
  }

  test('are read by one statement, and each request has its own copy of its own user', async () => {
    const { askAll } = await setUp()
    const [annSends, bobSends] = [await sentBy(1), await sentBy(2)]
    const { seen, statements } = await askAll([annSends, bobSends, annSends, annSends, bobSends])
    equal(seen, [ann, bob, ann, ann, bob])
    equal(statements, 1)
  })

  test('are not mixed up between requests with API keys', async () => {
    const { askAll } = await setUp()
    const keys = [apiKeys.bob, apiKeys.ann, 'nobody has this one'].map((key) => apiKey(key ?? ''))
    equal((await askAll(keys)).seen, [bob, ann, 401])
  })

  test('are refused separately: a deleted user, or one whose key is no number', async () => {
    const { askAll } = await setUp()
    const sent = await Promise.all([1, 77, 'x'].map(sentBy))
    const { seen } = await askAll(sent)
    equal(seen, [ann, 401, 401])
  })

  test('are read for each request on the connection that the host chose for it', async () => {
    const sent = await Promise.all([1, 2].map(sentBy))
    const chosen = db.kysely.withoutPlugins()
    const { askAll } = await setUp({ API_SESSION_GETTER: () => chosen })
    equal(await askAll(sent), { seen: [ann, bob], statements: 2 })
    await db.kysely.transaction().execute(async (own) => {
      const { api } = peopleApi(db, config, { db: own })
      const ask = (headers: Record<string, string>) => send(api, 'GET', '/api/books/1', { headers })
      await Promise.all(sent.map(ask))
      const { statements: all } = await db.capture(() => Promise.all(sent.map(ask)))
      equal(all.filter(({ sql }) => /users/.test(sql)).length, 2)
    })
  })

  test('fail together if the statement fails', async () => {
    const { askAll, errors } = await setUp()
    const sent = await Promise.all([1, 2].map(sentBy))
    await db.execScript('alter table users rename to away')
    const { seen } = await askAll(sent)
    await db.execScript('alter table away rename to users')
    equal(seen, [401, 401])
    // Each request is sent twice.
    equal(errors.length, 4)
    equal((await askAll(sent)).seen, [ann, bob])
  })
})

eachDatabase(
  'users that concurrent requests look up on the only connection of a pool',
  (test, db) => {
    test.before(() => createPeople(db))

    test('do not block a hook whose transaction holds the connection', async () => {
      const headers = await sentBy(1)
      let begin = (): void => {}
      const begun = new Promise<void>((resolve) => {
        begin = resolve
      })
      const { api } = peopleApi(db, {
        ...jwtKeys,
        API_ADD_CALLBACK: async (book) => {
          begin()
          await api.answer({ method: 'GET', url: '/api/books/1', headers })
          return book
        },
      })
      const read = () => send(api, 'GET', '/api/books/1', { headers })
      await read()
      const outside = begun.then(read)
      const { status } = await post(api, '/api/books', { title: 'Persuasion' }, headers)
      equal([status, (await outside).status], [500, 200])
    })
  },
  { only: 'sqlite' },
)

eachDatabase(
  'users that concurrent requests look up on PostgreSQL',
  (test, db) => {
    const Account = defineModel('Account', {
      table: 'accounts',
      columns: {
        id: { type: 'string', primaryKey: true, maxLength: 36 },
        name: { type: 'string', maxLength: 80 },
      },
      methods: { check: () => true },
      meta: {},
    })
    const [one, other, invalid] = [
      '00000000-0000-0000-0000-000000000001',
      '00000000-0000-0000-0000-000000000002',
      'no uuid',
    ]
    const config: ApiConfig = {
      ...jwtKeys,
      API_USER_MODEL: Account,
      API_CREDENTIAL_CHECK_METHOD: 'check',
    }

    test.before(async () => {
      await createTables(db, [Book])
      await insertRows(db, Book, [{ id: 1, title: 'Emma' }])
      await db.execScript(
        `create table accounts (id uuid primary key, name varchar(80));
         insert into accounts values ('${one}', 'one'), ('${other}', 'other')`,
      )
    })

    const setUp = async () => {
      const { api } = peopleApi(db, config, { models: [Account, Book] })
      await api.ready
      return async (key: string, signal?: AbortSignal): Promise<number> => {
        const lookup = key === one ? 'one' : 'other'
        const headers = bearer(await forge({ payload: { sub: key, lookup } }))
        const request = { method: 'GET', url: '/api/books/1', headers }
        return (await api.answer(signal === undefined ? request : { ...request, signal })).status
      }
    }

    test('are not refused if the database rejects the key of another one', async () => {
      const ask = await setUp()
      const alone = await ask(invalid)
      await Promise.all([one, other].map((key) => ask(key)))
      equal(await Promise.all([one, invalid, other].map((key) => ask(key))), [200, alone, 200])
    })

    test('are found although the client of another request has disconnected', async () => {
      const ask = await setUp()
      await Promise.all([one, other].map((key) => ask(key)))
      const leaving = new AbortController()
      let answers: Promise<readonly number[]> = Promise.resolve([])
      await db.kysely.transaction().execute(async (own) => {
        await sql`lock table accounts in access exclusive mode`.execute(own)
        answers = Promise.all([ask(one, leaving.signal), ask(other)])
        // Whether clients are still connected is checked every 100 ms.
        await setTimeout(50)
        leaving.abort()
        await setTimeout(300)
      })
      equal((await answers)[1], 200)
    })
  },
  { only: 'postgres' },
)
