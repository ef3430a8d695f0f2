/** API_USER_ACTIVE: an inactive user is refused by every strategy, like an unknown one; so is a token of another login name. */
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import type { ApiConfig } from '@model-api/core'
import { get } from '../support/api.ts'
import { equal, match, throws } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import {
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
  User,
} from './people.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const issuer = 'https://id.example.com'
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token of the issuer for the user with this login name. */
function tokenOf(email: string): string {
  const iat = Math.floor(Date.parse('2026-01-02T03:04:05Z') / 1000)
  const claims = { iss: issuer, aud: 'shop', sub: email, iat, exp: iat + 600, email }
  const text = `${part({ alg: 'RS256', kid: 'one', typ: 'at+jwt' })}.${part(claims)}`
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
}

const config: ApiConfig = {
  ...jwtKeys,
  API_AUTHENTICATE_METHOD: ['jwt', 'basic', 'api_key'],
  API_CREDENTIAL_CHECK_METHOD: 'plain',
  API_CREDENTIAL_HASH_FIELD: 'key_hash',
  API_KEYS: true,
  API_USER_ACTIVE: { active: true },
  API_JWT_ISSUERS: [
    {
      issuer,
      audience: 'shop',
      jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256' }] },
      user: ({ email }) => email as never,
    },
  ],
}

eachDatabase('active users', (test, db) => {
  test.before(() => createPeople(db))
  /** Booleans as SQLite stores them. */
  const stored = (values: Record<string, unknown>) =>
    db.name === 'sqlite' && 'active' in values
      ? { ...values, active: Number(values.active) }
      : values
  const set = (id: number, values: Record<string, unknown>) =>
    db.kysely.updateTable('users').set(stored(values)).where('id', '=', id).execute()
  test.after.each(async () => {
    await set(1, { active: true, name: 'ann' })
    await start().api.apiKeys.deleteAll(1)
  })
  const start = (more: ApiConfig = {}) => peopleApi(db, { ...config, ...more })

  for (const [name, condition] of Object.entries({
    'the value of a field': { active: true },
    'a method': 'is_active',
  })) {
    test(`${name}: every credential of an inactive user is refused, and again accepted afterwards`, async () => {
      const { api } = start({ API_USER_ACTIVE: condition })
      const { access_token, refresh_token } = (await login(api, 'ann')).value
      const spare = (await login(api, 'ann')).value.refresh_token
      const ann = basic('ann', passwords.ann ?? '')
      const { key } = (await post(api, '/auth/keys', { name: 'one' }, ann)).value
      const credentials = {
        access: bearer(access_token),
        issued: bearer(tokenOf('ann')),
        basic: ann,
        key: apiKey(key),
        own: apiKey('key-of-ann-1'),
      }
      const statuses = async () => {
        const found: Record<string, number> = {}
        for (const [kind, headers] of Object.entries(credentials)) {
          found[kind] = (await get(api, '/api/books', headers)).status
        }
        return found
      }
      const all = (status: number) =>
        Object.fromEntries(Object.keys(credentials).map((kind) => [kind, status]))
      equal(await statuses(), all(200))
      await set(1, { active: false })
      equal(await statuses(), all(401))
      equal((await login(api, 'ann')).status, 401)
      equal((await refresh(api, refresh_token)).status, 403)
      await set(1, { active: true })
      equal(await statuses(), all(200))
      equal((await refresh(api, refresh_token)).status, 403)
      equal((await refresh(api, spare)).status, 200)
    })

    test(`${name}: the right password of an inactive user is answered like a wrong one, after as many checks`, async () => {
      const { api } = start({
        API_USER_ACTIVE: condition,
        API_CREDENTIAL_CHECK_METHOD: 'check_password',
      })
      const answerOf = async (name: string, password: string) => {
        const before = counted.checks
        const answers = [
          await login(api, name, password),
          await get(api, '/api/books', basic(name, password)),
        ]
        return {
          checks: counted.checks - before,
          answers: answers.map(({ status, errors, value, headers }) => ({
            status,
            errors,
            value,
            headers: { ...headers, 'x-request-id': '' },
          })),
        }
      }
      const wrong = await answerOf('ann', 'guess')
      equal([wrong.checks, wrong.answers.map(({ status }) => status)], [2, [401, 401]])
      equal(await answerOf('eve', passwords.eve ?? ''), wrong)
      equal(await answerOf('eve', 'guess'), wrong)
      equal(await answerOf('nobody', 'guess'), wrong)
    })
  }

  test('a method is asked for unknown names, too', async () => {
    const asked: unknown[] = []
    const { api } = start({
      API_USER_MODEL: {
        ...User,
        methods: {
          ...User.methods,
          is_active: (user: { id: number | null }) => {
            asked.push(user.id)
            if (user.id === null) throw new Error('no user')
            return user.id === 1
          },
        },
      } as never,
      API_USER_ACTIVE: 'is_active',
    })
    for (const name of ['ann', 'eve', 'nobody']) await login(api, name, 'guess')
    equal(asked, [1, 3, null])
  })

  test('a method that throws refuses the user and is reported; only true accepts', async () => {
    const failing = start({ API_USER_ACTIVE: 'broken' })
    equal((await login(failing.api, 'ann')).status, 401)
    equal(failing.errors.length, 1)
    match(String(failing.errors[0]), 'method broken of User')
    equal((await login(failing.api, 'nobody', 'guess')).status, 401)
    equal(failing.errors.length, 1)
    equal((await login(start({ API_USER_ACTIVE: 'vague' }).api, 'ann')).status, 401)
  })

  test('a token of another login name is refused: databases give keys of deleted users to new ones', async () => {
    const { API_USER_ACTIVE: _, ...allStored } = config
    const { api } = peopleApi(db, allStored)
    const { access_token, refresh_token } = (await login(api, 'ann')).value
    equal((await get(api, '/api/books', bearer(access_token))).status, 200)
    await set(1, { name: 'ann2' })
    equal((await get(api, '/api/books', bearer(access_token))).status, 401)
    equal((await refresh(api, refresh_token)).status, 403)
    await set(1, { name: 'ann' })
    equal((await get(api, '/api/books', bearer(access_token))).status, 200)
    equal((await refresh(api, refresh_token)).status, 403)
  })

  test('a token without a login name is refused', async () => {
    const { api } = start()
    const iat = Math.floor(Date.parse('2026-01-02T03:04:05Z') / 1000)
    const withClaims = (claims: object) => {
      const text = `${part({ alg: 'HS256', typ: 'at+jwt' })}.${part({ sub: '1', iat, exp: iat + 600, ...claims })}`
      const secret = jwtKeys.ACCESS_SECRET_KEY
      return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
    }
    equal((await get(api, '/api/books', bearer(withClaims({ lookup: 'ann' })))).status, 200)
    equal((await get(api, '/api/books', bearer(withClaims({})))).status, 401)
    equal((await get(api, '/api/books', bearer(withClaims({ lookup: 'bob' })))).status, 401)
  })

  test('mistakes are found at start, with what to write', () => {
    const cases: readonly (readonly [unknown, string])[] = [
      [
        'active',
        'is a column of User: expected its value for active users, such as { active: true }',
      ],
      ['is_actve', 'has no method "is_actve". Did you mean "is_active"?'],
      [{ activ: true }, 'has no column "activ". Did you mean "active"?'],
      [{ active: 'yes' }, '"yes" is no value of active, which is of type boolean'],
      [{ active: null }, 'null is no value of active'],
      [{ roles: 'admin' }, 'is no value of roles'],
      [{}, 'expected the values of fields'],
      [true, 'expected the values of fields'],
    ]
    for (const [condition, expected] of cases) {
      throws(() => start({ API_USER_ACTIVE: condition as never }), expected)
    }
    throws(
      () =>
        peopleApi(db, {
          API_AUTHENTICATE_METHOD: ['custom'],
          API_CUSTOM_AUTH: () => true,
          API_USER_ACTIVE: { active: true },
        }),
      'config.API_USER_ACTIVE: needs API_USER_MODEL',
    )
  })
})
