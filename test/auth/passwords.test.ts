/** Hashes of passwords and keys: what is stored, what is refused, and that hashing does not block other requests. */
import { performance } from 'node:perf_hooks'
import {
  belongsTo,
  createApi,
  defineModel,
  type HookArgs,
  hashApiKey,
  hashPassword,
  manyToMany,
  passwordCheck,
} from '@model-api/core'
import { createQueue } from '../../packages/core/src/auth/passwords/queue.ts'
import { get } from '../support/api.ts'
import { equal, match, ok, rejects } from '../support/assert.ts'
import { countWork } from '../support/bcrypt-work.ts'
import { everyDatabase } from '../support/databases.ts'
import { eachDatabase, suite } from '../support/suite.ts'
import { createTables, insertLinks, insertRows } from '../support/tables.ts'
import {
  Book,
  basic,
  bearer,
  createPeople,
  jwtKeys,
  login,
  passwords,
  peopleApi,
} from './people.ts'

suite('a queue for expensive work', (test) => {
  test('refuses work if all workers are busy and the queue is full', async () => {
    const queue = createQueue(1, 2)
    let finish = (): void => {}
    const first = queue(
      () =>
        new Promise<void>((resolve) => {
          finish = resolve
        }),
    )
    const waiting = [queue(async () => 'second'), queue(async () => 'third')]
    const refused = queue(async () => 'fourth').catch(({ status }) => status)
    finish()
    equal(await refused, 503)
    await first
    equal(await Promise.all(waiting), ['second', 'third'])
    equal(await queue(async () => 'later'), 'later')
  })
})

suite('passwords', (test) => {
  const check = passwordCheck('hash')

  test('are stored as bcrypt and compared with it', async () => {
    const hash = await hashPassword('correct horse', 4)
    match(hash, /^\$2b\$04\$.{53}$/)
    equal(await check({ hash }, 'correct horse'), true)
    equal(await check({ hash }, 'correct horsE'), false)
    equal(await check({ hash }, ''), false)
    match(await hashPassword('x'), /^\$2b\$10\$/)
  })

  test('have the default cost as the transform of a column, whatever the arguments of hooks contain', async () => {
    const args = { action: 'POST', request: {}, model: {}, cost: 4 } as unknown as HookArgs
    match(await hashPassword('x', args), /^\$2b\$10\$/)
  })

  test('have 72 bytes at most', async () => {
    const hash = await hashPassword('é'.repeat(36), 4)
    equal(await check({ hash }, 'é'.repeat(36)), true)
    equal(await check({ hash }, `${'é'.repeat(36)}x`), false)
    await rejects(hashPassword('x'.repeat(73)), { status: 400 })
  })

  test('are strings: another value is a 400, as a body may lack the password', async () => {
    for (const value of [undefined, null, 7, {}]) {
      await rejects(hashPassword(value as unknown as string), {
        status: 400,
        body: {
          error: 'Validation failed',
          reason: { password: ['Expected a string.'] },
          code: 'validation_failed',
          problems: [
            {
              path: 'password',
              code: 'wrong_type',
              params: { type: 'string' },
              message: 'Expected a string.',
            },
          ],
        },
      })
    }
  })

  test('never match without a valid hash', async () => {
    for (const hash of [undefined, null, '', 'plain', 7, {}]) {
      equal(await check({ hash }, 'plain'), false)
    }
  })

  test('without a valid hash are computed like others, so that the time does not reveal a user without a password', async () => {
    const hash = await hashPassword('x', 4)
    // More than can wait, so that every further computation is refused.
    const others = Array.from({ length: 110 }, () => check({ hash }, 'x').catch(() => false))
    await rejects(check({ hash: null }, 'x'), { status: 503 })
    await Promise.all(others)
  })

  test('API keys are hashed with SHA-256, and pass the check once they were found by their hash', async () => {
    equal(
      await hashApiKey('abc'),
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
    equal(await check({ hash: null }, 'key', 'api_key'), true)
  })

  test('are hashed without blocking the event loop', async () => {
    const hash = await hashPassword('correct horse')
    const before = performance.eventLoopUtilization()
    const all = Array.from({ length: 8 }, (_, i) =>
      check({ hash }, i === 3 ? 'x' : 'correct horse'),
    )
    equal((await Promise.all(all)).indexOf(false), 3)
    const { utilization } = performance.eventLoopUtilization(before)
    ok(utilization < 0.5, `the event loop was busy for ${utilization} of the time`)
  })

  test('with a hash whose cost bcrypt cannot read, or that would take minutes to days, match nothing after the usual work', async () => {
    const own = passwordCheck('hash')
    await own({ hash: await hashPassword('x', 5) }, 'x')
    for (const cost of ['00', '03', '17', '31', '99']) {
      const { result, work } = await countWork(() =>
        own({ hash: `$2b$${cost}$${'x'.repeat(53)}` }, 'x'),
      )
      equal([cost, result, work], [cost, false, 2 ** 5])
    }
  })

  test('take the work of the dearest hash of any user, whichever user is checked, right or wrong', async () => {
    const own = passwordCheck('hash')
    const hashes = [null, 'plain', await hashPassword('x', 4), await hashPassword('x', 6)]
    own.raiseCost(7)
    for (const hash of [...hashes, await hashPassword('x', 7)]) {
      for (const given of ['x', 'y']) {
        const { result, work } = await countWork(() => own({ hash }, given))
        equal([result, work], [given === 'x' && String(hash).startsWith('$2b$'), 2 ** 7])
      }
    }
    equal(
      (await countWork(async () => own({ hash: await hashPassword('x', 8) }, 'x'))).work,
      2 ** 8,
    )
    equal((await countWork(() => own({ hash: hashes[2] }, 'x'))).work, 2 ** 8)
  })

  test('are hashed with a cost from 4 to 16', async () => {
    for (const cost of [3, 17, 31, 4.5, Number.NaN]) {
      match(
        (await rejects(hashPassword('x', cost))).message,
        `hashPassword: expected a cost from 4 to 16, got ${cost}.`,
      )
    }
  })

  test('are not hashed with anything but a number or the arguments of hooks as second argument', async () => {
    for (const given of [{ cost: 12 }, {}, [], null, '12', 12n, true, () => 12]) {
      const error = await rejects(hashPassword('x', given as never))
      ok(error instanceof TypeError)
      match(
        error.message,
        'hashPassword: expected as second argument a cost (a number) or the arguments of a hook',
      )
    }
    match(await hashPassword('x', undefined), /^\$2b\$10\$/)
  })

  test('are checked while other requests are served', async () => {
    const [db] = everyDatabase()
    if (db === undefined) throw new Error('no database')
    await createPeople(db)
    const hash = await hashPassword(passwords.ann ?? '', 11)
    await db.kysely.updateTable('users').set({ password_hash: hash }).execute()
    const { api } = peopleApi(db, { ...jwtKeys, API_AUTH_REQUIREMENTS: { GET: false } })
    await get(api, '/api/books')
    let signedIn = 0
    let answered = 0
    const logins = Promise.all(
      Array.from({ length: 6 }, async () => {
        await login(api, 'ann')
        signedIn += 1
      }),
    )
    while (signedIn < 6) {
      await get(api, '/api/books')
      answered += 1
      await new Promise((resolve) => setImmediate(resolve))
    }
    await logins
    ok(answered > 12, `${answered} requests were answered during six sign-ins`)
    await db.close()
  })
})

const id = { type: 'integer', primaryKey: true, generated: true } as const

const Role = defineModel('Role', {
  columns: { id, name: { type: 'string', maxLength: 20 } },
  meta: { block_methods: ['GET', 'POST', 'PATCH', 'DELETE'] },
})

const Team = defineModel('Team', { columns: { id, name: { type: 'string', maxLength: 20 } } })

const Member = defineModel('Member', {
  columns: {
    id,
    login: { type: 'string', maxLength: 40 },
    hash: { type: 'string', maxLength: 80 },
    gone: { type: 'boolean' },
    team_id: { type: 'integer', nullable: true },
  },
  relations: {
    roles: manyToMany('Role', { through: 'member_roles', from: 'member_id', to: 'role_id' }),
    team: belongsTo('Team', 'team_id'),
  },
  methods: { check: passwordCheck('hash') },
  meta: { soft_delete: true, soft_delete_attribute: 'gone' },
})

/** A composite key; one of its columns is a text with special characters. */
const Guest = defineModel('Guest', {
  columns: {
    house: { type: 'string', maxLength: 20, primaryKey: true },
    no: { type: 'integer', primaryKey: true },
    login: { type: 'string', maxLength: 40 },
    hash: { type: 'string', maxLength: 80 },
  },
  methods: { check: passwordCheck('hash') },
  meta: {},
})

eachDatabase('other forms of user models', (test, db) => {
  test.before(async () => {
    await createTables(db, [Role, Team, Member, Guest, Book])
    const hash = await hashPassword('secret', 4)
    await insertRows(db, Role, [
      { id: 1, name: 'admin' },
      { id: 2, name: 'viewer' },
    ])
    await insertRows(db, Member, [
      { id: 1, login: 'ann', hash, gone: false, team_id: null },
      { id: 2, login: 'bob', hash, gone: false, team_id: null },
      { id: 3, login: 'eve', hash, gone: true, team_id: null },
    ])
    await insertLinks(db, 'member_roles', [
      { member_id: 1, role_id: 1 },
      { member_id: 1, role_id: 2 },
      { member_id: 2, role_id: 2 },
    ])
    await insertRows(db, Guest, [{ house: 'A, "B"/ü', no: 7, login: 'kim', hash }])
    await insertRows(db, Book, [{ id: 1, title: 'Emma' }])
  })

  const config = { API_USER_LOOKUP_FIELD: 'login', API_CREDENTIAL_CHECK_METHOD: 'check' } as const
  const members = () =>
    createApi({
      db: db.kysely,
      models: [Role, Team, Member, Book],
      config: {
        ...config,
        API_USER_MODEL: Member,
        API_AUTHENTICATE_METHOD: ['basic'],
        API_ROLE_MAP: { GET_MANY: 'viewer', ALL: 'admin' },
      },
    })

  test('roles may be a relation to records with a name', async () => {
    const api = members()
    const statusOf = async (url: string, name: string): Promise<number> =>
      (await get(api, url, basic(name, 'secret'))).status
    equal(await statusOf('/api/books', 'bob'), 200)
    equal(await statusOf('/api/books/1', 'bob'), 403)
    equal(await statusOf('/api/books/1', 'ann'), 200)
  })

  test('a user who is soft-deleted cannot sign in', async () => {
    equal((await get(members(), '/api/books', basic('eve', 'secret'))).status, 401)
  })

  test('a composite key identifies its user everywhere', async () => {
    const api = createApi({
      db: db.kysely,
      models: [Guest, Book],
      config: {
        ...config,
        API_USER_MODEL: Guest,
        API_AUTHENTICATE_METHOD: ['jwt'],
        ACCESS_SECRET_KEY: jwtKeys.ACCESS_SECRET_KEY,
        REFRESH_SECRET_KEY: jwtKeys.REFRESH_SECRET_KEY,
      },
      env: {},
    })
    const { value } = await login(api, 'kim', 'secret')
    equal(value.user_pk, 'A%2C%20%22B%22%2F%C3%BC,7')
    const me = await get(api, '/auth/me', bearer(value.access_token))
    equal(me.value, { house: 'A, "B"/ü', no: 7, login: 'kim' })
    equal(await api.refreshTokens.revokeAll({ house: 'A, "B"/ü', no: 7 }), 1)
    await login(api, 'kim', 'secret')
    equal(await api.refreshTokens.revokeAll(value.user_pk), 1)
    for (const key of ['A', 'A,7,8', 'A,x']) {
      match((await rejects(api.refreshTokens.revokeAll(key))).message, 'expected a user or its key')
    }
  })
})
