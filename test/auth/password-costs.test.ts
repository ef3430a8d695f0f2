/** The costs of stored password hashes: no login tells by its work whether a name exists, and cheap hashes are replaced. */
import {
  type ApiConfig,
  createApi,
  defineModel,
  hashPassword,
  passwordCheck,
} from '@model-api/core'
import { get, send } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { countWork } from '../support/bcrypt-work.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'
import { accessSecret, basic, refreshSecret } from './people.ts'

const columns = {
  id: { type: 'integer', primaryKey: true },
  name: { type: 'string', maxLength: 80, unique: true },
  password: {
    type: 'string',
    column: 'password_hash',
    nullable: true,
    maxLength: 72,
    writeOnly: true,
    transform: hashPassword,
  },
  changed: { type: 'datetime', managed: 'updated', nullable: true },
} as const

/** A model of its own for each API, because the check remembers the highest cost. */
const userModel = (options?: { readonly rehash: boolean }) =>
  defineModel('User', {
    columns,
    methods: { check_password: passwordCheck('password', options) },
    meta: {},
  })

eachDatabase('the cost of password hashes', (test, db) => {
  const costs = { cheap: 4, usual: 5, dear: 7 } as const
  const errors: unknown[] = []

  test.before(() => createTables(db, [userModel()]))
  test.before.each(async () => {
    errors.length = 0
    await db.kysely.deleteFrom('users').execute()
    let id = 0
    for (const [name, cost] of Object.entries(costs)) {
      id += 1
      const password = await hashPassword(`${name}'s`, cost)
      await insertRows(db, userModel(), [{ id, name, password, changed: null }])
    }
    await insertRows(db, userModel(), [{ id: 9, name: 'none', password: null, changed: null }])
  })

  const apiOf = (
    User: ReturnType<typeof userModel>,
    config: ApiConfig = {},
    options: Partial<Parameters<typeof createApi>[0]> = {},
  ) =>
    createApi({
      db: db.kysely,
      models: [User],
      config: {
        API_SCHEMA_CHECK: 'off',
        API_USER_MODEL: User,
        API_USER_LOOKUP_FIELD: 'name',
        API_CREDENTIAL_CHECK_METHOD: 'check_password',
        API_AUTHENTICATE_METHOD: ['jwt', 'basic'],
        API_LOGIN_RATE_LIMIT: '10000 per minute',
        API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH'],
        ACCESS_SECRET_KEY: accessSecret,
        REFRESH_SECRET_KEY: refreshSecret,
        API_PASSWORD_COST: 4,
        ...config,
      } as ApiConfig,
      env: {},
      onError: (error) => void errors.push(error),
      onWarning: () => {},
      ...options,
    })
  type Served = ReturnType<typeof apiOf>
  const login = (api: Served, name: string, password = `${name}'s`) =>
    send(api, 'POST', '/auth/login', { body: { username: name, password } })
  const withBasic = (api: Served, name: string, password = `${name}'s`) =>
    get(api, '/api/users', basic(name, password))

  const storedHash = async (name: string): Promise<string> => {
    const row = await db.kysely
      .selectFrom('users')
      .select('password_hash')
      .where('name', '=', name)
      .executeTakeFirst()
    return String(row?.password_hash)
  }

  test('is the same work for every name: known, unknown, without a password, right or wrong', async () => {
    for (const enter of [login, withBasic]) {
      // The first request of an API, whoever is named in it.
      for (const first of ['nobody', 'cheap', 'dear', 'none']) {
        const api = apiOf(userModel())
        const { result, work } = await countWork(() => enter(api, first))
        equal([result.status, work], [first in costs ? 200 : 401, 2 ** 7], first)
        for (const name of ['nobody', 'none', ...Object.keys(costs)]) {
          const right = await countWork(() => enter(api, name))
          equal([right.result.status, right.work], [name in costs ? 200 : 401, 2 ** 7], name)
          const wrong = await countWork(() => enter(api, name, 'wrong'))
          equal([wrong.result.status, wrong.work], [401, 2 ** 7], name)
        }
      }
    }
  })

  test('is at least API_PASSWORD_COST, which new hashes have', async () => {
    const api = apiOf(userModel(), { API_PASSWORD_COST: 8 })
    for (const name of ['nobody', 'cheap', 'dear']) {
      equal((await countWork(() => login(api, name))).work, 2 ** 8, name)
    }
    const body = { id: 20, name: 'new', password: "new's" }
    const { hashing } = await countWork(() =>
      send(api, 'POST', '/api/users', { body, headers: basic('dear', "dear's") }),
    )
    equal([hashing, (await storedHash('new')).slice(0, 7)], [2 ** 8, '$2b$08$'])
    equal((await countWork(() => login(api, 'new'))).work, 2 ** 8)
  })

  test('of a dearer hash that is stored later is learned when it is checked', async () => {
    const api = apiOf(userModel())
    equal((await countWork(() => login(api, 'nobody'))).work, 2 ** 7)
    const password_hash = await hashPassword("dear's", 8)
    await db.kysely.updateTable('users').set({ password_hash }).where('name', '=', 'dear').execute()
    for (const name of ['dear', 'nobody', 'cheap', 'none']) {
      equal((await countWork(() => login(api, name))).work, 2 ** 8, name)
    }
  })

  test('is looked up by one statement of at most 1,000 hashes, once', async () => {
    const api = apiOf(userModel())
    await api.ready
    const first = await db.capture(() => withBasic(api, 'nobody', 'x'))
    const second = await db.capture(() => withBasic(api, 'nobody', 'x'))
    const isLookUp = ({ sql }: { readonly sql: string }) => /limit 1000\b/.test(sql)
    equal(first.statements.filter(isLookUp).length, 1)
    equal(second.statements.filter(isLookUp).length, 0)
    equal(first.statements.length - second.statements.length, 1)
  })

  test('of a stored hash that no processor could compute does not occupy one', async () => {
    const password_hash = `$2b$31$${'x'.repeat(53)}`
    await db.kysely.updateTable('users').set({ password_hash }).where('name', '=', 'dear').execute()
    const api = apiOf(userModel({ rehash: true }))
    for (const name of ['dear', 'nobody']) {
      const { result, work } = await countWork(() => login(api, name))
      equal([result.status, work], [401, 2 ** 5], name)
    }
    equal(await storedHash('dear'), password_hash)
  })

  for (const enter of [login, withBasic]) {
    test(`below API_PASSWORD_COST is raised by a ${enter.name} if the check declares rehash`, async () => {
      const api = apiOf(userModel({ rehash: true }), { API_PASSWORD_COST: 6 })
      const before = await storedHash('cheap')
      equal((await enter(api, 'cheap', 'wrong')).status, 401)
      equal(await storedHash('cheap'), before)
      equal((await enter(api, 'cheap')).status, 200)
      const after = await storedHash('cheap')
      equal(after.slice(0, 7), '$2b$06$')
      equal((await countWork(() => enter(api, 'cheap'))).hashing, 0)
      equal(
        [(await enter(api, 'cheap', 'wrong')).status, (await enter(api, 'cheap')).status],
        [401, 200],
      )
      equal(await storedHash('cheap'), after)
      // A dearer one stays, and so do those of others.
      equal((await enter(api, 'dear')).status, 200)
      equal((await storedHash('dear')).slice(0, 7), '$2b$07$')
      equal((await storedHash('usual')).slice(0, 7), '$2b$05$')
      const row = await db.kysely
        .selectFrom('users')
        .selectAll()
        .where('name', '=', 'cheap')
        .executeTakeFirst()
      equal([row?.changed, errors], [null, []])
    })
  }

  test('stays without rehash', async () => {
    const api = apiOf(userModel(), { API_PASSWORD_COST: 6 })
    const { hashing } = await countWork(() => login(api, 'cheap'))
    equal([hashing, (await storedHash('cheap')).slice(0, 7)], [0, '$2b$04$'])
  })

  test('is raised by one of several logins at once, and all succeed', async () => {
    const api = apiOf(userModel({ rehash: true }), { API_PASSWORD_COST: 6 })
    const answers = await Promise.all(Array.from({ length: 6 }, () => login(api, 'cheap')))
    equal(new Set(answers.map(({ status }) => status)), new Set([200]))
    equal([(await storedHash('cheap')).slice(0, 7), errors], ['$2b$06$', []])
    equal((await login(api, 'cheap')).status, 200)
  })

  test('is not raised if the password was changed meanwhile', async () => {
    const changed = await hashPassword('changed', 4)
    const check = passwordCheck('password', { rehash: true })
    const User = defineModel('User', {
      columns,
      methods: {
        check_password: Object.assign(
          async (...given: Parameters<typeof check>) => {
            const right = await check(...given)
            // Another request changes the password between the check and the replacement.
            await db.kysely
              .updateTable('users')
              .set({ password_hash: changed })
              .where('name', '=', 'cheap')
              .execute()
            return right
          },
          { ...check },
        ),
      },
      meta: {},
    })
    const api = apiOf(User as never, { API_PASSWORD_COST: 6 })
    equal((await login(api, 'cheap')).status, 200)
    equal([await storedHash('cheap'), errors], [changed, []])
  })

  test('that cannot be raised fails no login and is reported', async () => {
    const [refuse, allow] = {
      sqlite: [
        "create trigger no_change before update on users begin select raise(abort, 'read-only'); end",
        'drop trigger no_change',
      ],
      postgres: [
        "create function refused() returns trigger language plpgsql as $$ begin raise exception 'read-only'; end $$; create trigger no_change before update on users for each row execute function refused()",
        'drop trigger no_change on users; drop function refused',
      ],
      mysql: [
        "create trigger no_change before update on users for each row signal sqlstate '45000' set message_text = 'read-only'",
        'drop trigger no_change',
      ],
    }[db.name] as [string, string]
    await db.execScript(refuse)
    try {
      const api = apiOf(userModel({ rehash: true }), { API_PASSWORD_COST: 6 })
      equal(
        [(await login(api, 'cheap')).status, (await withBasic(api, 'cheap')).status],
        [200, 200],
      )
      equal((await storedHash('cheap')).slice(0, 7), '$2b$04$')
      equal(errors.length, 2)
      match(String(errors[0]), 'The replacement of a hash of User.password failed.')
    } finally {
      await db.execScript(allow)
    }
  })

  test('is not looked up in a transaction of the host, which a refused statement could undo, but by the next request outside', async () => {
    const isLookUp = ({ sql }: { readonly sql: string }) => /limit 1000\b/.test(sql)
    let session: typeof db.kysely | undefined
    const api = apiOf(userModel(), {
      API_AUTHENTICATE_METHOD: ['basic'],
      API_SESSION_GETTER: () => session ?? db.kysely,
    })
    await api.ready
    await db.kysely.transaction().execute(async (transaction) => {
      session = transaction
      const { result, statements } = await db.capture(() => withBasic(api, 'cheap'))
      equal([result.status, statements.filter(isLookUp)], [200, []])
    })
    session = undefined
    const { statements } = await db.capture(() => withBasic(api, 'cheap'))
    equal(statements.filter(isLookUp).length, 1)
    equal((await countWork(() => withBasic(api, 'nobody'))).work, 2 ** 7)
  })

  test('is not raised in a transaction of the host, which a refused statement could undo', async () => {
    await db.kysely.transaction().execute(async (transaction) => {
      const api = apiOf(userModel({ rehash: true }), {
        API_PASSWORD_COST: 6,
        API_SESSION_GETTER: () => transaction,
      })
      equal((await withBasic(api, 'cheap')).status, 200)
    })
    equal((await storedHash('cheap')).slice(0, 7), '$2b$04$')
  })
})
