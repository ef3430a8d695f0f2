/** Access tokens: which are accepted, and every reason for a refusal (RFC 8725). */
import { createSecretKey, generateKeyPairSync } from 'node:crypto'
import type { ApiConfig } from '@model-api/core'
import { get } from '../support/api.ts'
import { equal, match, ok, throws } from '../support/assert.ts'
import { everyDatabase } from '../support/databases.ts'
import { steepness } from '../support/growth.ts'
import { suite } from '../support/suite.ts'
import {
  accessSecret,
  bearer,
  createPeople,
  jwtKeys,
  login,
  peopleApi,
  refresh,
  refreshSecret,
} from './people.ts'
import { type Forgery, forge, now } from './tokens.ts'

const pair = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })

const [accessPair, refreshPair] = [pair(), pair()]

const rsaKeys = {
  ...jwtKeys,
  API_JWT_ALGORITHM: 'RS256',
  ACCESS_PRIVATE_KEY: accessPair.privateKey,
  ACCESS_PUBLIC_KEY: accessPair.publicKey,
  REFRESH_PRIVATE_KEY: refreshPair.privateKey,
  REFRESH_PUBLIC_KEY: refreshPair.publicKey,
} as const satisfies ApiConfig

suite('access tokens', (test) => {
  const [db] = everyDatabase()
  if (db === undefined) throw new Error('no database')
  test.before(() => createPeople(db))
  test.after(() => db.close())

  const statusOf = async (token: string, config: ApiConfig = jwtKeys): Promise<number> =>
    (await get(peopleApi(db, config).api, '/api/books', bearer(token))).status

  test('a valid token is accepted', async () => {
    equal(await statusOf(await forge({})), 200)
    equal(await statusOf(await forge({ payload: { iat: undefined } })), 200)
    equal(await statusOf(await forge({ header: { kid: 'any' } })), 200)
  })

  const refused: Readonly<Record<string, Forgery>> = {
    'no algorithm': { header: { alg: 'none' } },
    'another algorithm with the same key': { header: { alg: 'HS512' } },
    'another secret': { secret: 'x'.repeat(40) },
    'the refresh secret': { secret: refreshSecret },
    'the type of a refresh token': { typ: 'rt+jwt' },
    'no type': { header: { typ: undefined } },
    'the generic type JWT': { typ: 'JWT' },
    'no expiry': { payload: { exp: undefined } },
    'an expiry that is a string': { payload: { exp: String(now + 600) } },
    'an expiry that is an object': { payload: { exp: {} } },
    'an expiry that is null': { payload: { exp: null } },
    'a time of issue that is a string': { payload: { iat: 'now' } },
    'a time of issue that is null': { payload: { iat: null } },
    'a start that is a string': { payload: { nbf: 'now' } },
    'no subject': { payload: { sub: undefined } },
    'an empty subject': { payload: { sub: '' } },
    'a subject that is a number': { payload: { sub: 1 } },
    'a critical header': { header: { crit: ['exp'], exp: 1 } },
    'an oversized payload': { payload: { filler: 'x'.repeat(4000) } },
  }
  for (const [what, forgery] of Object.entries(refused)) {
    test(`a token with ${what} is refused`, async () => {
      const answer = await get(peopleApi(db).api, '/api/books', bearer(await forge(forgery)))
      equal([answer.status, answer.errors.reason], [401, 'Invalid credentials'])
    })
  }

  const early: readonly Forgery[] = [
    { payload: { iat: now + 6 } },
    { payload: { nbf: now + 6 } },
    { payload: { iat: now + 6, nbf: now + 6, exp: now - 6 } },
  ]

  test('a token from the future says so if it is valid in all other respects', async () => {
    const refusalOf = async (forgery: Forgery) => {
      const answer = await get(peopleApi(db).api, '/api/books', bearer(await forge(forgery)))
      return [answer.status, answer.errors.reason]
    }
    for (const forgery of early) {
      equal(await refusalOf(forgery), [401, 'Token is not valid yet'])
      const forged = { ...forgery, secret: 'x'.repeat(40) }
      equal(await refusalOf(forged), [401, 'Invalid credentials'])
      const { payload } = forgery
      equal(await refusalOf({ payload: { ...payload, sub: '' } }), [401, 'Invalid credentials'])
    }
  })

  test('a refresh token from the future says so', async () => {
    const token = await forge({ ...early[0], typ: 'rt+jwt', secret: refreshSecret })
    const answer = await refresh(peopleApi(db).api, token)
    equal([answer.status, answer.errors.reason], [401, 'Token is not valid yet'])
    match(answer.headers['www-authenticate'] ?? '', 'not valid yet')
  })

  test('a token that was accepted is refused once it has expired', async () => {
    const { api, clock } = peopleApi(db)
    const token = await forge({})
    const statusNow = async () => (await get(api, '/api/books', bearer(token))).status
    equal([await statusNow(), await statusNow()], [200, 200])
    clock.tick(600_000 + 4_000)
    equal(await statusNow(), 200)
    clock.tick(1_000)
    equal([await statusNow(), await statusNow()], [401, 401])
  })

  test('a token that was accepted is refused after the clock was set back before its start', async () => {
    const { api, clock } = peopleApi(db)
    const token = await forge({ payload: { nbf: now } })
    const statusNow = async () => (await get(api, '/api/books', bearer(token))).status
    equal(await statusNow(), 200)
    clock.tick(-60_000)
    equal(await statusNow(), 401)
    clock.tick(60_000)
    equal(await statusNow(), 200)
  })

  test('a token that was verified with one secret is not accepted with another', async () => {
    const { api } = peopleApi(db)
    const token = await forge({})
    const request = { method: 'GET', url: '/', headers: bearer(token) }
    const accepts = async (secret?: string) => {
      const options = secret === undefined ? {} : { secret }
      return api.authenticate(request as never, options as never).then(
        () => true,
        () => false,
      )
    }
    equal([await accepts(), await accepts('z'.repeat(40)), await accepts()], [true, false, true])
  })

  test('keys in a token are ignored', async () => {
    const jwk = createSecretKey(Buffer.from('k'.repeat(40))).export({ format: 'jwk' })
    const urls = { jku: 'https://evil.example/keys', x5u: 'https://evil.example/cert' }
    equal(await statusOf(await forge({ secret: 'k'.repeat(40), header: { jwk } })), 401)
    equal(await statusOf(await forge({ header: urls })), 200)
  })

  test('another encoding of the same bytes is not accepted', async () => {
    const token = await forge({})
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const last = alphabet.indexOf(token.at(-1) ?? '')
    for (const spelling of [
      `${token}=`,
      `${token}==`,
      `${token.slice(0, -1)}${alphabet[last + 1]}`,
      token.replace('.', '=.'),
      ` ${token}`,
      `${token} `,
      `${token}\n`,
      `${token}.`,
      `${token}.x`,
      `${token}.x.y`,
    ]) {
      equal(await statusOf(spelling), 401, spelling.slice(-6))
    }
  })

  test('a token of megabytes costs time in proportion to its length', async () => {
    const refused = (length: number) => async () => {
      for (let i = 0; i < 10; i++) equal(await statusOf(`${'a'.repeat(length)}.a.a`), 401)
    }
    equal(await steepness(500_000, refused), undefined)
  })

  test('issuer and audience are written and enforced', async () => {
    const config = { ...jwtKeys, API_JWT_ISSUER: 'library', API_JWT_AUDIENCE: 'readers' }
    const { api } = peopleApi(db, config)
    const { access_token } = (await login(api, 'ann')).value
    const claims = JSON.parse(Buffer.from(access_token.split('.')[1], 'base64url').toString())
    equal([claims.iss, claims.aud, claims.sub], ['library', 'readers', '1'])
    ok(claims.jti && claims.exp - claims.iat === 360 * 60)
    equal((await get(api, '/api/books', bearer(access_token))).status, 200)
    const of = (payload: object) =>
      forge({ payload: { iss: 'library', aud: 'readers', ...payload } })
    equal(await statusOf(await of({}), config), 200)
    equal(await statusOf(await of({ aud: ['readers', 'others'] }), config), 200)
    for (const payload of [
      { iss: undefined },
      { iss: 'librar' },
      { iss: ['library'] },
      { aud: undefined },
      { aud: 'readers ' },
      { aud: [] },
    ]) {
      equal(await statusOf(await of(payload), config), 401, JSON.stringify(payload))
    }
  })

  test('the leeway applies to the expiry, to the time of issue and to the start', async () => {
    for (const payload of [{ exp: now - 4 }, { iat: now + 5 }, { nbf: now + 5 }]) {
      equal(await statusOf(await forge({ payload })), 200)
    }
    for (const payload of [{ exp: now - 5 }, { iat: now + 6 }, { nbf: now + 6 }]) {
      equal(await statusOf(await forge({ payload })), 401)
    }
    const config = { ...jwtKeys, API_JWT_LEEWAY: 30 }
    equal(await statusOf(await forge({ payload: { exp: now - 29 } }), config), 200)
    equal(await statusOf(await forge({ payload: { exp: now - 30 } }), config), 401)
    equal(await statusOf(await forge({ payload: { iat: now + 30 } }), config), 200)
    equal(await statusOf(await forge({ payload: { iat: now + 31 } }), config), 401)
    equal(await statusOf(await forge({ payload: { nbf: now + 30 } }), config), 200)
    equal(await statusOf(await forge({ payload: { nbf: now + 31 } }), config), 401)
    for (const leeway of [-1, 301, 0.5]) {
      throws(() => peopleApi(db, { ...jwtKeys, API_JWT_LEEWAY: leeway }), /API_JWT_LEEWAY/)
    }
  })

  test('lifetimes are settings', async () => {
    const { api, clock } = peopleApi(db, {
      ...jwtKeys,
      API_JWT_EXPIRY_TIME: 1,
      API_JWT_REFRESH_EXPIRY_TIME: 2,
    })
    const { access_token, refresh_token } = (await login(api, 'ann')).value
    clock.tick(65_000)
    equal((await get(api, '/api/books', bearer(access_token))).errors.reason, 'Token has expired')
    clock.tick(61_000)
    equal((await refresh(api, refresh_token)).status, 403)
  })

  test('the secret in the environment takes precedence over that in the configuration', async () => {
    const other = 'environment: 7d2f9a11-93c0-4a57-8f55'
    const { api } = peopleApi(db, jwtKeys, { env: { ACCESS_SECRET_KEY: other } })
    equal((await get(api, '/api/books', bearer(await forge({ secret: other })))).status, 200)
    equal((await get(api, '/api/books', bearer(await forge({})))).status, 401)
    const env = { REFRESH_SECRET_KEY: other.toUpperCase() }
    const { refresh_token } = (await login(peopleApi(db, jwtKeys, { env }).api, 'ann')).value
    equal((await refresh(peopleApi(db).api, refresh_token)).status, 401)
    equal((await refresh(peopleApi(db, jwtKeys, { env }).api, refresh_token)).status, 200)
  })

  test('issued tokens contain the key and the login name of the user, a unique id and both times', async () => {
    const { access_token, refresh_token } = (await login(peopleApi(db).api, 'ann')).value
    const identities = new Set<string>()
    for (const [token, seconds, typ] of [
      [access_token, 360 * 60, 'at+jwt'],
      [refresh_token, 2880 * 60, 'rt+jwt'],
    ]) {
      const [header, claims] = token
        .split('.', 2)
        .map((part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()))
      const { jti, ...others } = claims
      identities.add(jti)
      equal(header, { alg: 'HS256', typ, kid: header.kid })
      match(header.kid, /^[0-9a-f]{32}$/)
      equal(others, { sub: '1', lookup: 'ann', iat: now, exp: now + seconds })
    }
    equal(identities.size, 2)
  })

  test('an explicit secret takes precedence over both', async () => {
    const explicit = 'explicit: 61b0c5d2-4f0e-4a3c-9d18-aa7e'
    const { api } = peopleApi(db)
    const request = {
      method: 'GET',
      url: '/own',
      headers: bearer(await forge({ secret: explicit })),
    }
    equal((await api.authenticate(request, { secret: explicit }))?.name, 'ann')
    const refusal = await api.authenticate(request).catch((error: unknown) => error)
    match(String(refusal), 'Invalid credentials')
    const weak = await api.authenticate(request, { secret: 'x' }).catch((error: unknown) => error)
    match(String(weak), 'at least 32')
  })

  test('HS384 and HS512 sign too; the list of allowed algorithms decides', async () => {
    for (const algorithm of ['HS384', 'HS512']) {
      const { api } = peopleApi(db, { ...jwtKeys, API_JWT_ALGORITHM: algorithm })
      const { access_token } = (await login(api, 'ann')).value
      equal((await get(api, '/api/books', bearer(access_token))).status, 200, algorithm)
      equal((await get(api, '/api/books', bearer(await forge({})))).status, 401, algorithm)
    }
    const both = { ...jwtKeys, API_JWT_ALLOWED_ALGORITHMS: 'HS256, HS512' }
    equal(await statusOf(await forge({ header: { alg: 'HS512' } }), both), 200)
    equal(await statusOf(await forge({ header: { alg: 'HS384' } }), both), 401)
  })

  test('RS256 uses pairs of keys', async () => {
    const { api } = peopleApi(db, rsaKeys)
    const { access_token, refresh_token } = (await login(api, 'ann')).value
    equal((await get(api, '/api/books', bearer(access_token))).status, 200)
    equal((await refresh(api, refresh_token)).status, 200)
    equal(JSON.parse(Buffer.from(access_token.split('.')[0], 'base64url').toString()).alg, 'RS256')
    const forged = await forge({ privateKey: refreshPair.privateKey })
    equal((await get(api, '/api/books', bearer(forged))).status, 401)
  })

  test('a public key is never an HMAC secret', async () => {
    for (const secret of [accessPair.publicKey, accessPair.publicKey.trim()]) {
      for (const config of [
        rsaKeys,
        { ...rsaKeys, API_JWT_ALLOWED_ALGORITHMS: ['RS256', 'HS256'] },
      ]) {
        equal(await statusOf(await forge({ secret }), config), 401)
      }
    }
  })

  test('without a public key the secret verifies if it holds a PEM, else the public half', async () => {
    const bare = { ...rsaKeys, ACCESS_PUBLIC_KEY: undefined, REFRESH_PUBLIC_KEY: undefined }
    const token = await forge({ privateKey: accessPair.privateKey })
    for (const ACCESS_SECRET_KEY of [
      accessSecret,
      accessPair.publicKey,
      accessPair.privateKey,
      undefined,
    ]) {
      const config = JSON.parse(JSON.stringify({ ...bare, ACCESS_SECRET_KEY }))
      const full: ApiConfig = {
        ...config,
        API_USER_MODEL: jwtKeys.API_USER_MODEL,
      }
      equal(await statusOf(token, full), 200)
    }
  })

  test('keys that cannot sign or verify fail at the start, with advice', () => {
    const problemOf = (config: ApiConfig): string =>
      throws(() => peopleApi(db, { ...jwtKeys, ...config })).message
    const small = generateKeyPairSync('rsa', {
      modulusLength: 1024,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    })
    const curve = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    })
    const old = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    })
    const cases: readonly (readonly [ApiConfig, string, string])[] = [
      [{ ACCESS_SECRET_KEY: 'x' }, 'config.ACCESS_SECRET_KEY', 'has 1 bytes; at least 32'],
      [{ ACCESS_SECRET_KEY: 'é'.repeat(15) }, 'ACCESS_SECRET_KEY', 'openssl rand'],
      [{ REFRESH_SECRET_KEY: accessSecret }, 'config.REFRESH_SECRET_KEY', 'is equal to'],
      [
        { ACCESS_SECRET_KEY: 'your-super-secret-jwt-access-key-please-change-me' },
        'config.ACCESS_SECRET_KEY',
        'is a placeholder',
      ],
      [{ ACCESS_SECRET_KEY: 'changeme'.repeat(5) }, 'ACCESS_SECRET_KEY', 'is a placeholder'],
      [{ ACCESS_SECRET_KEY: accessPair.publicKey }, 'ACCESS_SECRET_KEY', 'holds a PEM'],
      [{ API_JWT_ALGORITHM: 'none' }, 'config.API_JWT_ALGORITHM', 'is not one of HS256'],
      [{ API_JWT_ALGORITHM: 'hs256' }, 'API_JWT_ALGORITHM', 'Did you mean "HS256"'],
      [{ API_JWT_ALLOWED_ALGORITHMS: ['HS512'] }, 'API_JWT_ALLOWED_ALGORITHMS', 'lacks HS256'],
      [{ API_JWT_ALGORITHM: 'RS256' }, 'config.ACCESS_PUBLIC_KEY', 'openssl genpkey'],
      [
        { ...rsaKeys, ACCESS_PRIVATE_KEY: small.privateKey },
        'config.ACCESS_PRIVATE_KEY',
        'has 1024 bits',
      ],
      [{ ...rsaKeys, ACCESS_PRIVATE_KEY: curve.privateKey }, 'ACCESS_PRIVATE_KEY', 'RSA key'],
      [{ ...rsaKeys, ACCESS_PRIVATE_KEY: old.privateKey }, 'ACCESS_PRIVATE_KEY', 'PKCS #8'],
      [{ ...rsaKeys, ACCESS_PUBLIC_KEY: old.publicKey }, 'ACCESS_PUBLIC_KEY', 'SPKI'],
      [{ ...rsaKeys, ACCESS_PUBLIC_KEY: 'abc' }, 'ACCESS_PUBLIC_KEY', 'is not a PEM'],
      [
        { ...rsaKeys, ACCESS_PUBLIC_KEY: refreshPair.publicKey },
        'config.ACCESS_PUBLIC_KEY',
        'not the public half',
      ],
      [
        { ...rsaKeys, ACCESS_PRIVATE_KEY: accessPair.publicKey },
        'ACCESS_PRIVATE_KEY',
        'holds a public key',
      ],
      [{ API_JWT_LEEWAY: 301 }, 'config.API_JWT_LEEWAY', 'from 0 to 300'],
    ]
    for (const [config, path, text] of cases) {
      const problem = problemOf(config)
      match(problem, path)
      match(problem, text)
      for (const secret of Object.values(config)) {
        if (typeof secret === 'string' && secret.length > 20) ok(!problem.includes(secret))
      }
    }
  })

  test('a missing related setting fails at the start, naming the setting that needs it', () => {
    const { API_USER_MODEL, API_USER_LOOKUP_FIELD, API_CREDENTIAL_CHECK_METHOD } = jwtKeys
    const users = { API_USER_MODEL, API_USER_LOOKUP_FIELD, API_CREDENTIAL_CHECK_METHOD }
    const problems = (config: ApiConfig): string => throws(() => peopleApi(db, config)).message
    const jwt = problems({ API_AUTHENTICATE_METHOD: ['jwt'] })
    for (const key of [
      'API_USER_MODEL',
      'API_USER_LOOKUP_FIELD',
      'API_CREDENTIAL_CHECK_METHOD',
      'ACCESS_SECRET_KEY',
      'REFRESH_SECRET_KEY',
    ]) {
      match(jwt, `config.${key}`)
    }
    match(problems({ API_AUTHENTICATE_METHOD: ['basic'] }), '"basic"')
    match(problems({ API_AUTHENTICATE_METHOD: ['custom'] }), 'config.API_CUSTOM_AUTH')
    const apiKey = { API_AUTHENTICATE_METHOD: ['api_key'] } as const
    match(problems(apiKey), 'config.API_KEY_AUTH_AND_RETURN_METHOD')
    match(
      problems({ ...apiKey, API_CREDENTIAL_HASH_FIELD: 'key_hash' }),
      'config.API_CREDENTIAL_CHECK_METHOD',
    )
    match(problems({ ...jwtKeys, API_USER_LOOKUP_FIELD: 'nam' }), 'Did you mean "name"')
    match(problems({ ...jwtKeys, API_CREDENTIAL_CHECK_METHOD: 'check' }), 'has no method "check"')
    match(problems({ ...jwtKeys, API_CREDENTIAL_HASH_FIELD: 'nope' }), 'has no column "nope"')
    match(
      problems({ ...users, API_AUTHENTICATE_METHOD: ['token'] as never }),
      'expected one of jwt, basic, api_key, custom',
    )
    match(
      problems({ ...jwtKeys, API_AUTH_ME_ROUTE: '/auth/login' }),
      'config.API_AUTH_ME_ROUTE: "/auth/login" is already the path of the login.',
    )
    match(
      problems({ ...jwtKeys, API_AUTH_ME_ROUTE: '/auth/refresh' }),
      'config.API_AUTH_ME_ROUTE: "/auth/refresh" is already the path of the refresh of tokens (API_AUTH_REFRESH_ROUTE).',
    )
    match(
      problems({ ...jwtKeys, API_AUTH_REFRESH_ROUTE: '/api/books' }),
      'config.API_AUTH_REFRESH_ROUTE: "/api/books" is already the path of Book, whose endpoint is "books".',
    )
    const batch = { API_ALLOW_BATCH: true, API_AUTH_ME_ROUTE: '/api/batch' }
    match(
      problems({ ...jwtKeys, ...batch }),
      'config.API_BATCH_ROUTE: "/api/batch" is already the path of the current user (API_AUTH_ME_ROUTE).',
    )
    match(problems({ ...jwtKeys, API_AUTH_TOKEN_PROVIDERS: ['headers'] }), 'module#export')
  })
})
