/** Access tokens of other issuers (API_JWT_ISSUERS): by whose keys they are verified, and which user they name. */
import { constants, createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { type ApiConfig, createApi } from '@model-api/core'
import { get } from '../support/api.ts'
import { equal, ok, throws } from '../support/assert.ts'
import { everyDatabase } from '../support/databases.ts'
import { suite } from '../support/suite.ts'
import {
  accessSecret,
  Book,
  bearer,
  createPeople,
  jwtKeys,
  login,
  peopleApi,
  User,
} from './people.ts'

const [db] = everyDatabase()
if (db === undefined) throw new Error('no database')

type JWTPayload = Readonly<Record<string, unknown>>

interface Pair {
  readonly kid: string
  readonly alg: string
  readonly privateKey: KeyObject
  readonly jwk: Record<string, unknown>
}

function pairOf(alg: string, kid: string): Pair {
  const { privateKey, publicKey } =
    alg === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : alg === 'EdDSA'
        ? generateKeyPairSync('ed25519')
        : generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    kid,
    alg,
    privateKey,
    jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' },
  }
}

const now = Math.floor(Date.parse('2026-01-02T03:04:05Z') / 1000)
const issuer = 'https://id.example.com'
const valid: JWTPayload = {
  iss: issuer,
  aud: 'shop',
  sub: 'u-1',
  iat: now,
  exp: now + 600,
  email: 'ann',
}

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

function signatureOf(alg: string, privateKey: KeyObject, text: string): Buffer {
  const data = Buffer.from(text)
  if (alg === 'EdDSA') return sign(null, data, privateKey)
  if (alg === 'ES256') return sign('sha256', data, { key: privateKey, dsaEncoding: 'ieee-p1363' })
  if (alg !== 'PS256') return sign('sha256', data, privateKey)
  const padding = constants.RSA_PKCS1_PSS_PADDING
  return sign('sha256', data, { key: privateKey, padding, saltLength: 32 })
}

function tokenOf(
  { privateKey, kid, alg }: Pair,
  claims: JWTPayload = valid,
  header: Record<string, unknown> = {},
): string {
  const text = `${part({ alg, kid, typ: 'at+jwt', ...header })}.${part(claims)}`
  return `${text}.${signatureOf(alg, privateKey, text).toString('base64url')}`
}

suite('tokens of other issuers', (test) => {
  let first: Pair
  let other: Pair
  let server: Server
  let url: string
  const asked: string[] = []
  let answer: { status: number; body: string; hangs?: boolean }
  const publish = (...pairs: Pair[]) => {
    answer = { status: 200, body: JSON.stringify({ keys: pairs.map(({ jwk }) => jwk) }) }
  }

  test.before(async () => {
    await createPeople(db)
    first = pairOf('RS256', 'one')
    other = pairOf('RS256', 'one')
    server = createServer((request, response) => {
      asked.push(request.url ?? '')
      if (answer.hangs === true) return
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const address = server.address()
    if (typeof address !== 'object' || address === null) throw new Error('no address')
    url = `http://127.0.0.1:${address.port}/jwks`
  })
  test.after(() => {
    server.closeAllConnections()
    server.close()
  })

  const configOf = (jwks: unknown, more: object = {}): ApiConfig =>
    ({
      API_AUTHENTICATE_METHOD: ['jwt'],
      API_USER_MODEL: User,
      API_USER_LOOKUP_FIELD: 'name',
      API_JWT_ISSUERS: [
        { issuer, audience: 'shop', jwks, user: (claims: JWTPayload) => claims.email, ...more },
      ],
    }) as ApiConfig
  const keysOf = (...pairs: Pair[]) => ({ keys: pairs.map(({ jwk }) => jwk) })
  const statusOf = async (api: ReturnType<typeof peopleApi>['api'], token: string) =>
    (await get(api, '/auth/me', bearer(token))).status

  test('a token names the user by the login name that the function returns, or is refused', async () => {
    const { api } = peopleApi(db, configOf(keysOf(first)))
    const me = await get(api, '/auth/me', bearer(tokenOf(first)))
    equal([me.status, me.value.name], [200, 'ann'])
    for (const email of ['nobody', '', 7, null, true, ['ann']]) {
      equal(await statusOf(api, tokenOf(first, { ...valid, email })), 401)
    }
    const object = configOf(keysOf(first), {
      user: ({ sub }: JWTPayload) => ({ id: 2, sub, roles: ['viewer'] }),
    })
    const roles = { ...object, API_ROLE_MAP: { ALL: 'viewer' } }
    equal((await get(peopleApi(db, roles).api, '/api/books', bearer(tokenOf(first)))).status, 200)
    const failing = peopleApi(db, configOf(keysOf(first), { user: () => JSON.parse('{') }))
    equal(await statusOf(failing.api, tokenOf(first)), 401)
    equal(failing.errors.length, 1)
  })

  test('no own token is issued or accepted without own keys; with them, both are', async () => {
    const { api } = peopleApi(db, configOf(keysOf(first)))
    equal((await login(api, 'ann')).status, 404)
    const both = peopleApi(db, { ...configOf(keysOf(first)), ...jwtKeys } as ApiConfig).api
    const { access_token } = (await login(both, 'bob')).value
    equal(await statusOf(both, access_token), 200)
    equal(await statusOf(both, tokenOf(first)), 200)
    equal(await statusOf(api, access_token), 401)
  })

  test('every algorithm of the settings, and no other one', async () => {
    for (const alg of ['PS256', 'ES256', 'EdDSA'] as const) {
      const pair = pairOf(alg, alg)
      const api = peopleApi(db, configOf(keysOf(first, pair), { algorithms: [alg] })).api
      equal([alg, await statusOf(api, tokenOf(pair))], [alg, 200])
      equal([alg, await statusOf(api, tokenOf(first))], [alg, 401])
    }
  })

  test('algorithm confusion, none, and keys that the token brings along are refused', async () => {
    const { api } = peopleApi(db, { ...configOf(keysOf(first)), ...jwtKeys } as ApiConfig)
    const signed = (header: Record<string, unknown>, secret: string) => {
      const text = `${part({ typ: 'at+jwt', ...header })}.${part(valid)}`
      return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
    }
    const forged = [
      `${part({ alg: 'none', typ: 'at+jwt' })}.${part(valid)}.`,
      `${part({ alg: 'none', typ: 'at+jwt', kid: 'one' })}.${part(valid)}.AA`,
      signed({ alg: 'HS256', kid: 'one' }, JSON.stringify(first.jwk)),
      signed({ alg: 'HS256', kid: 'one' }, String(first.jwk.n)),
      // The own secret signs no token of another issuer.
      signed({ alg: 'HS256' }, accessSecret),
      tokenOf(other),
      tokenOf(other, valid, { jwk: other.jwk }),
      tokenOf(other, valid, { jku: url }),
      tokenOf(other, valid, { x5u: url }),
      tokenOf(first, valid, { kid: '../../etc/passwd' }),
      tokenOf(first, valid, { kid: '__proto__' }),
      tokenOf(first, valid, { crit: ['own'], own: true }),
    ]
    publish(other)
    asked.length = 0
    for (const [i, token] of forged.entries()) equal([i, await statusOf(api, token)], [i, 401])
    equal(asked, [])
    // A key without a `kid` in the token fits if there is one alone.
    equal(await statusOf(api, tokenOf(first, valid, { kid: undefined })), 200)
  })

  test('claims: audience, issuer, times, subject and type', async () => {
    const { api } = peopleApi(db, configOf(keysOf(first)))
    const refused: [JWTPayload, Record<string, unknown>?][] = [
      [{ ...valid, aud: 'blog' }],
      [{ ...valid, aud: undefined }],
      [{ ...valid, aud: ['blog', 'shops'] }],
      [{ ...valid, iss: `${issuer}/` }],
      [{ ...valid, iss: undefined }],
      [{ ...valid, exp: undefined }],
      [{ ...valid, sub: undefined }],
      [{ ...valid, exp: now - 60 }],
      [{ ...valid, iat: now + 60 }],
      [{ ...valid, nbf: now + 60 }],
      [valid, { typ: 'logout+jwt' }],
      [valid, { typ: 'dpop+jwt' }],
    ]
    for (const [i, [claims, header]] of refused.entries()) {
      equal([i, await statusOf(api, tokenOf(first, claims, header))], [i, 401])
    }
    const accepted: [JWTPayload, Record<string, unknown>?][] = [
      [{ ...valid, aud: ['blog', 'shop'] }],
      [valid, { typ: 'JWT' }],
      [valid, { typ: undefined }],
      [valid, { typ: 'application/at+jwt' }],
    ]
    for (const [i, [claims, header]] of accepted.entries()) {
      equal([i, await statusOf(api, tokenOf(first, claims, header))], [i, 200])
    }
    const own = peopleApi(db, configOf(keysOf(first), { typ: 'shop+jwt' })).api
    equal(await statusOf(own, tokenOf(first, valid, { typ: 'shop+jwt' })), 200)
    equal(await statusOf(own, tokenOf(first)), 401)
  })

  test('an issuer signs for itself alone', async () => {
    const second = pairOf('RS256', 'two')
    const user = (claims: JWTPayload) => claims.email
    const issuers = [
      { issuer, audience: 'shop', jwks: keysOf(first), user },
      { issuer: 'https://second.example.com', audience: 'shop', jwks: keysOf(second), user },
    ]
    const { api } = peopleApi(db, {
      ...configOf(keysOf(first)),
      API_JWT_ISSUERS: issuers,
    } as ApiConfig)
    const ofSecond = { ...valid, iss: 'https://second.example.com' }
    equal(await statusOf(api, tokenOf(second, ofSecond)), 200)
    equal(await statusOf(api, tokenOf(second)), 401)
    equal(await statusOf(api, tokenOf(first, ofSecond)), 401)
  })

  test('keys of a URL are asked once; a key that is new is found, and an old token stays valid', async () => {
    const next = pairOf('RS256', 'next')
    const { api } = peopleApi(db, configOf(url))
    publish(first)
    asked.length = 0
    equal(await statusOf(api, tokenOf(first)), 200)
    for (let i = 0; i < 5; i++) {
      equal(await statusOf(api, tokenOf(first, { ...valid, jti: `${i}` })), 200)
    }
    // Within 30 seconds, an unknown kid does not ask again.
    for (let i = 0; i < 5; i++) equal(await statusOf(api, tokenOf(next)), 401)
    equal(asked.length, 1)
    publish(first, next)
    const fresh = peopleApi(db, configOf(url)).api
    equal(await statusOf(fresh, tokenOf(next)), 200)
    equal(await statusOf(fresh, tokenOf(first)), 200)
  })

  test('a URL that fails, lies or is silent: 503 for its tokens alone, and one question in ten seconds', async () => {
    const failures = [
      { status: 500, body: '{}' },
      { status: 302, body: '' },
      { status: 200, body: '<html>' },
      { status: 200, body: '{"keys":7}' },
      { status: 200, body: JSON.stringify({ keys: [], more: 'x'.repeat(300_000) }) },
    ]
    for (const failure of failures) {
      answer = failure
      const { api, clock } = peopleApi(db, { ...configOf(url), ...jwtKeys } as ApiConfig)
      asked.length = 0
      const refused = await get(api, '/api/books', bearer(tokenOf(first)))
      equal([refused.status, refused.errors.code], [503, 'issuer_unreachable'])
      equal(refused.headers['retry-after'], '10')
      for (let i = 0; i < 5; i++) equal(await statusOf(api, tokenOf(first)), 503)
      equal(asked.length, 1)
      equal(await statusOf(api, (await login(api, 'bob')).value.access_token), 200)
      publish(first)
      clock.tick(10_000)
      equal(await statusOf(api, tokenOf(first)), 200)
    }
    answer = { status: 200, body: '', hangs: true }
    const silent = peopleApi(db, configOf(url)).api
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, i) => tokenOf(first, { ...valid, jti: `${i}` })),
    )
    asked.length = 0
    const statuses = await Promise.all(tokens.map((token) => statusOf(silent, token)))
    equal([new Set(statuses), asked.length], [new Set([503]), 1])
    const nobody = peopleApi(db, configOf('http://127.0.0.1:1/jwks')).api
    equal(await statusOf(nobody, tokenOf(first)), 503)
  })

  test('mistakes in the settings are errors at start', () => {
    const start = (more: object, config: object = {}) =>
      createApi({
        db: db.kysely,
        models: [User, Book],
        config: { ...configOf(keysOf(first), more), ...config } as ApiConfig,
        env: {},
      })
    ok(start({}))
    const cases: [object, RegExp][] = [
      [{ audience: undefined }, /audience: expected the claim "aud"/],
      [{ user: 'email' }, /user: expected a function/],
      [{ issuer: '' }, /issuer: expected/],
      [{ algorithm: ['RS256'] }, /"algorithm" is not a member.*Did you mean "algorithms"/],
      [{ algorithms: ['HS256'] }, /algorithms: expected a list of RS256/],
      [{ algorithms: [] }, /algorithms: expected/],
      [{ jwks: 'http://id.example.com/jwks' }, /jwks: expected an https URL/],
      [{ jwks: 'file:///keys' }, /jwks: expected an https URL/],
      [{ jwks: { keys: [] } }, /jwks: expected a URL, or/],
      [{ jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } }, /jwks: expected a URL, or/],
      [{ jwks: { keys: [{ ...first.jwk, d: 'AAAA' }] } }, /jwks: holds a private key/],
    ]
    for (const [more, message] of cases) throws(() => start(more), message)
    throws(() => start({}, { API_JWT_ISSUER: issuer }), /is named twice, or is API_JWT_ISSUER/)
    throws(
      () => start({}, { API_AUTHENTICATE_METHOD: ['custom'], API_CUSTOM_AUTH: () => true }),
      /API_JWT_ISSUERS: belongs to the strategy "jwt"/,
    )
  })
})
