/** The error table of the specification for authentication, cell by cell, and the additions of the contract. */
import { apiError, defineModel, hashPassword, passwordCheck } from '@model-api/core'
import { get, testApi } from '../support/api.ts'
import { equal, match, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { insertRows } from '../support/tables.ts'
import {
  accessSecret,
  apiKey,
  basic,
  bearer,
  counted,
  createPeople,
  jwtKeys,
  login,
  passwords,
  peopleApi,
  post,
  refresh,
} from './people.ts'
import { forge, now } from './tokens.ts'

const everything = {
  ...jwtKeys,
  API_AUTHENTICATE_METHOD: ['jwt', 'basic', 'api_key'],
  API_CREDENTIAL_HASH_FIELD: 'key_hash',
} as const

eachDatabase('errors of authentication', (test, db) => {
  test.before(() => createPeople(db))

  test('401 Authorization header missing', async () => {
    const { api } = peopleApi(db, everything)
    for (const url of ['/api/books', '/api/books/1', '/api/users', '/auth/me']) {
      const answer = await get(api, url)
      equal(answer.status, 401, url)
      equal(answer.errors.error, 'Unauthorized')
      equal(answer.errors.reason, 'Authorization header missing')
      equal(answer.value, null)
      equal(
        answer.headers['www-authenticate'],
        'Bearer, Basic realm="api", charset="UTF-8", Api-Key realm="api"',
      )
    }
  })

  test('401 for invalid credentials, in the same bytes whatever is wrong with them', async () => {
    const { api } = peopleApi(db, everything)
    const wrong: Record<string, Record<string, string>> = {
      'unknown scheme': { authorization: 'Digest username="ann"' },
      'no token': { authorization: 'Bearer' },
      'no form of a token': bearer('abc'),
      'two blanks': { authorization: `Bearer  ${await forge({})}` },
      'unknown user': bearer(await forge({ payload: { sub: '99' } })),
      'user key of another form': bearer(await forge({ payload: { sub: 'x' } })),
      'no base64': { authorization: 'Basic %%%' },
      'no colon': { authorization: `Basic ${btoa('ann')}` },
      'empty password': basic('ann', ''),
      'empty name': basic('', 'x'),
      'not UTF-8': { authorization: `Basic ${btoa('\xff\xfe:x')}` },
      NUL: basic('ann\0', 'x'),
      'wrong password': basic('ann', 'wrong'),
      'nobody of this name': basic('nobody', 'wrong'),
      'nobody of this case': basic('ANN', passwords.ann ?? ''),
      'nobody of this length': basic('ann ', passwords.ann ?? ''),
      'a very long name': basic('a'.repeat(2000), 'x'),
      'unknown key': apiKey('unknown'),
      'empty key': { authorization: 'Api-Key ' },
      'a user who may not sign in': basic('eve', passwords.eve ?? ''),
    }
    const expected = await get(api, '/api/books', apiKey('unknown'))
    equal(expected.errors, {
      error: 'Unauthorized',
      reason: 'Invalid credentials',
      code: 'invalid_credentials',
    })
    for (const [what, headers] of Object.entries(wrong)) {
      const answer = await get(api, '/api/books', headers)
      equal(answer.status, 401, what)
      equal(answer.text, expected.text, what)
      ok(answer.headers['www-authenticate'], what)
    }
  })

  test('401 of a hook has the challenges of the strategies', async () => {
    const refuse = () => {
      throw apiError(401, 'Unauthorized', 'The session has expired.')
    }
    const { api } = peopleApi(db, { ...everything, API_SETUP_CALLBACK: refuse })
    const answer = await get(api, '/api/books', basic('ann', passwords.ann ?? ''))
    equal(answer.status, 401)
    match(answer.headers['www-authenticate'] ?? '', /Bearer.*Basic.*Api-Key/)
  })

  test('401 Token has expired', async () => {
    const { api, clock } = peopleApi(db)
    const { access_token } = (await login(api, 'ann')).value
    clock.tick(360 * 60_000 + 4000)
    equal((await get(api, '/api/books', bearer(access_token))).status, 200)
    clock.tick(1000)
    const answer = await get(api, '/api/books', bearer(access_token))
    equal(answer.status, 401)
    equal(answer.errors, {
      error: 'Unauthorized',
      reason: 'Token has expired',
      code: 'token_expired',
    })
    match(answer.headers['www-authenticate'] ?? '', 'invalid_token')
  })

  test('401 Invalid token at refresh: malformed, bad signature, wrong kind, wrong iss or aud', async () => {
    const { api } = peopleApi(db, {
      ...jwtKeys,
      API_JWT_ISSUER: 'library',
      API_JWT_AUDIENCE: 'readers',
    })
    const { access_token, refresh_token } = (await login(api, 'ann')).value
    const good = { iss: 'library', aud: 'readers', sub: '1', exp: now + 600, iat: now }
    const secret = jwtKeys.REFRESH_SECRET_KEY
    const typ = 'rt+jwt'
    const wrong: Record<string, string> = {
      malformed: 'abc',
      'three dots': 'a.b.c',
      empty: '"',
      access: access_token,
      signature: `${refresh_token.slice(0, -8)}AAAAAAAA`,
      'access secret': await forge({ secret: accessSecret, typ, payload: good }),
      'no issuer': await forge({ secret, typ, payload: { ...good, iss: undefined } }),
      'wrong issuer': await forge({ secret, typ, payload: { ...good, iss: 'libraryx' } }),
      'no audience': await forge({ secret, typ, payload: { ...good, aud: undefined } }),
      'wrong audience': await forge({ secret, typ, payload: { ...good, aud: 'reader' } }),
      padding: `${refresh_token}=`,
    }
    for (const [what, token] of Object.entries(wrong)) {
      const answer = await refresh(api, token)
      equal([answer.status, answer.errors.reason], [401, 'Invalid token'], what)
      equal(answer.headers['cache-control'], 'no-store')
    }
    equal((await refresh(api, refresh_token)).status, 200)
  })

  test('403 Invalid or expired refresh token: unknown, used, revoked, or expired in the store', async () => {
    const { api, clock } = peopleApi(db)
    const refused = {
      error: 'Forbidden',
      reason: 'Invalid or expired refresh token',
      code: 'invalid_refresh_token',
    }
    const unknown = await forge({
      secret: jwtKeys.REFRESH_SECRET_KEY,
      typ: 'rt+jwt',
      payload: { sub: '1', exp: now + 600, iat: now },
    })
    equal((await refresh(api, unknown)).errors, refused)
    const used = (await login(api, 'ann')).value.refresh_token
    equal((await refresh(api, used)).status, 200)
    equal((await refresh(api, used)).errors, refused)
    const revoked = (await login(api, 'ann')).value.refresh_token
    equal(await api.refreshTokens.revoke(revoked), true)
    const answer = await refresh(api, revoked)
    equal([answer.status, answer.errors, answer.value], [403, refused, null])
    const old = (await login(api, 'ann')).value.refresh_token
    clock.tick(2880 * 60_000)
    equal((await refresh(api, old)).errors, refused)
  })

  test('a wrong password at login is 401 in the same bytes for known and unknown users', async () => {
    const { api } = peopleApi(db)
    const known = await login(api, 'ann', 'wrong')
    equal([known.status, known.errors.reason], [401, 'Invalid credentials'])
    for (const name of ['nobody', 'ANN', 'ann ', 'a'.repeat(2000), 'eve']) {
      const answer = await login(api, name, 'wrong')
      equal([answer.status, answer.text], [401, known.text], name.slice(0, 9))
      equal(answer.headers, known.headers)
    }
  })

  test('unknown users cost as many password checks as known ones', async () => {
    const { api } = peopleApi(db, { ...jwtKeys, API_AUTHENTICATE_METHOD: ['jwt', 'basic'] })
    const costOf = async (attempt: () => Promise<unknown>): Promise<number> => {
      const before = counted.checks
      await attempt()
      return counted.checks - before
    }
    equal(await costOf(() => login(api, 'ann', 'wrong')), 1)
    equal(await costOf(() => login(api, 'nobody', 'wrong')), 1)
    equal(await costOf(() => login(api, 'ANN', 'wrong')), 1)
    equal(await costOf(() => get(api, '/api/books', basic('ann', 'wrong'))), 1)
    equal(await costOf(() => get(api, '/api/books', basic('nobody', 'wrong'))), 1)
  })

  test('a password of more than 72 bytes never matches', async () => {
    const { api } = peopleApi(db)
    equal((await login(api, 'ann', 'x'.repeat(73))).status, 401)
    equal((await login(api, 'ann', 'x'.repeat(5000))).status, 401)
  })

  test('a credential check that throws refuses the login, and is reported', async () => {
    const { api, errors } = peopleApi(db, {
      ...jwtKeys,
      API_CREDENTIAL_CHECK_METHOD: 'broken',
      API_AUTHENTICATE_METHOD: ['jwt', 'basic'],
    })
    equal((await login(api, 'ann')).errors.reason, 'Invalid credentials')
    equal((await get(api, '/api/books', basic('ann', 'x'))).status, 401)
    equal(
      errors.map((error) => (error as Error).message),
      Array(2).fill('The method broken of User failed: no check today'),
    )
  })

  test('a credential check that returns anything but true refuses the login', async () => {
    const { api } = peopleApi(db, {
      ...jwtKeys,
      API_CREDENTIAL_CHECK_METHOD: 'vague',
      API_AUTHENTICATE_METHOD: ['jwt', 'basic'],
    })
    equal((await login(api, 'ann')).status, 401)
    equal((await get(api, '/api/books', basic('ann', 'x'))).status, 401)
  })

  test('login without a header is 401 if no strategy with a body is enabled', async () => {
    const { api } = peopleApi(db, { ...everything, API_AUTHENTICATE_METHOD: ['basic', 'api_key'] })
    const answer = await post(api, '/auth/login', { username: 'ann', password: passwords.ann })
    equal([answer.status, answer.errors.reason], [401, 'Authorization header missing'])
  })
})

/** The collation of the login column may ignore case; login names are compared exactly nevertheless. */
eachDatabase('a login name under the collation of the database', (test, db) => {
  const Member = defineModel('Member', {
    columns: {
      id: { type: 'integer', primaryKey: true },
      name: { type: 'string', maxLength: 80, collation: 'database' },
      password_hash: { type: 'string', maxLength: 80 },
    },
    methods: { check: passwordCheck('password_hash') },
    meta: {},
  })
  test.before(async () => {
    const collation = db.name === 'sqlite' ? ' collate nocase' : ''
    await db.execScript(
      `create table members (id integer primary key, name varchar(80)${collation}, password_hash varchar(80))`,
    )
    await insertRows(db, Member, [
      { id: 1, name: 'ann', password_hash: await hashPassword('correct horse', 4) },
    ])
  })

  test('is compared exactly', async () => {
    const api = testApi(db, [Member], {
      API_USER_MODEL: Member,
      API_USER_LOOKUP_FIELD: 'name',
      API_CREDENTIAL_CHECK_METHOD: 'check',
      API_AUTHENTICATE_METHOD: ['basic'],
    })
    const statusFor = async (name: string) =>
      (await get(api, '/api/members', basic(name, 'correct horse'))).status
    equal(await statusFor('ann'), 200)
    equal(await statusFor('ANN'), 401)
  })
})
