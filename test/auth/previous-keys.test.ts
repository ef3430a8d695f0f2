/** ACCESS_PREVIOUS_KEYS and REFRESH_PREVIOUS_KEYS: a new key signs nobody out; and the public keys of an API. */
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import type { ApiConfig } from '@model-api/core'
import { get } from '../support/api.ts'
import { equal, match, ok, throws } from '../support/assert.ts'
import { eachDatabase, runsOn } from '../support/suite.ts'
import {
  accessSecret,
  bearer,
  createPeople,
  jwtKeys,
  login,
  nextKeys,
  peopleApi,
  refresh,
  refreshSecret,
} from './people.ts'
import { withWorkers } from './refresh-workers.ts'
import { forge } from './tokens.ts'

/** The header of a token. */
const headerOf = (token: string): { readonly kid?: string } =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())

/** Whether a public key verifies a token. */
function isSignedBy(token: string, key: object): boolean {
  const [header, payload, signature = ''] = token.split('.')
  const text = Buffer.from(`${header}.${payload}`)
  const published = createPublicKey({ key: { ...key }, format: 'jwk' })
  return verify('sha256', text, published, Buffer.from(signature, 'base64url'))
}

runsOn('one server of each engine')

const pair = () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }) as string,
  }
}
const [older, newer] = [pair(), pair()]

const both = { ACCESS_PREVIOUS_KEYS: [accessSecret], REFRESH_PREVIOUS_KEYS: [refreshSecret] }

eachDatabase('previous keys', (test, db) => {
  test.before(() => createPeople(db))
  test.after.each(async () => {
    await db.kysely.schema.dropTable('refresh_tokens').ifExists().execute()
  })
  const open = (config: ApiConfig) => peopleApi(db, { ...jwtKeys, ...config }).api
  const books = async (api: ReturnType<typeof open>, token: string) =>
    (await get(api, '/api/books', bearer(token))).status

  test('verify the tokens that they have signed; the new key signs', async () => {
    const before = open({})
    const { access_token, refresh_token } = (await login(before, 'ann')).value
    const strict = open(nextKeys)
    equal(
      [await books(strict, access_token), (await refresh(strict, refresh_token)).status],
      [401, 401],
    )
    const after = open({ ...nextKeys, ...both })
    equal(await books(after, access_token), 200)
    const { status, value } = await refresh(after, refresh_token)
    equal([status, await books(after, value.access_token)], [200, 200])
    const [old, made] = [access_token, value.access_token].map((one) => headerOf(one))
    ok(typeof old?.kid === 'string' && typeof made?.kid === 'string' && old.kid !== made.kid)
    // Without the previous key, all that is left are the tokens of the new one.
    equal(
      [await books(strict, value.access_token), await books(before, value.access_token)],
      [200, 401],
    )
    equal((await refresh(strict, value.refresh_token)).status, 200)
  })

  test('are tried for tokens that name no key, or one of another program', async () => {
    const after = open({ ...nextKeys, ...both })
    equal(await books(after, await forge({})), 200)
    equal(await books(after, await forge({ header: { kid: 'other' } })), 200)
    equal(
      await books(after, await forge({ secret: 'a secret that was never a key of this API' })),
      401,
    )
    // The name of a key does not replace its signature.
    const { kid } = headerOf((await login(after, 'ann')).value.access_token)
    equal(await books(after, await forge({ header: { kid } })), 401)
    // Nor does a key of one kind of token sign the other.
    equal(await books(after, await forge({ secret: refreshSecret })), 401)
  })

  test('a refresh token that is presented again after the change keeps its session', async () => {
    const grace = { API_JWT_REFRESH_GRACE: 10 }
    const { refresh_token } = (await login(open(grace), 'ann')).value
    equal((await refresh(open(grace), refresh_token)).status, 200)
    const after = open({ ...nextKeys, ...both, ...grace })
    const again = await refresh(after, refresh_token)
    equal(again.status, 200)
    equal((await refresh(after, again.value.refresh_token)).status, 200)
  })

  test('of RSA are in the public keys, with which others verify the tokens', async () => {
    const rsa = { API_JWT_ALGORITHM: 'RS256', REFRESH_PRIVATE_KEY: older.privateKey }
    const before = open({ ...rsa, ACCESS_PRIVATE_KEY: older.privateKey })
    const after = open({
      ...rsa,
      ACCESS_PRIVATE_KEY: newer.privateKey,
      ACCESS_PREVIOUS_KEYS: [older.publicKey],
    })
    const old = (await login(before, 'ann')).value.access_token
    const made = (await login(after, 'ann')).value.access_token
    equal([await books(after, old), await books(before, made)], [200, 401])
    const set = await after.publicKeys()
    equal(
      set.keys.map((key) => Object.keys(key).sort()),
      Array(2).fill(['alg', 'e', 'kid', 'kty', 'n', 'use']),
    )
    equal(
      set.keys.map(({ kid }) => kid),
      [made, old].map((one) => headerOf(one).kid),
    )
    const text = JSON.stringify(set)
    ok(!/"(?:d|p|q|dp|dq|qi)":/.test(text))
    equal(
      [made, old].map((token) => set.keys.map((key) => isSignedBy(token, key))),
      [
        [true, false],
        [false, true],
      ],
    )
    equal(await open({ ...nextKeys, ...both }).publicKeys(), { keys: [] })
  })

  test('let two processes accept the tokens of each other, while one signs by the new key', async () => {
    await withWorkers(
      db,
      0,
      async (workers) => {
        const ask = async (worker: 0 | 1, order: object) =>
          (await workers[worker]?.ask(order)) ?? []
        for (const [issuing, other] of [
          [0, 1],
          [1, 0],
        ] as const) {
          const [token] = await ask(issuing, { login: 1 })
          const [next] = await ask(other, { refresh: token, times: 1 })
          equal(typeof (await ask(issuing, { refresh: next, times: 1 }))[0], 'string')
          // It was used.
          equal(await ask(other, { refresh: token, times: 1 }), [403])
        }
      },
      ['current', 'next'],
    )
  })

  test('mistakes are found at start, and no message shows a key', () => {
    const cases: readonly (readonly [ApiConfig, RegExp])[] = [
      [{ ACCESS_PREVIOUS_KEYS: ['too short'] }, /ACCESS_PREVIOUS_KEYS\[0\]/],
      [
        { REFRESH_PREVIOUS_KEYS: [refreshSecret, older.publicKey] },
        /REFRESH_PREVIOUS_KEYS\[1\].* PEM/,
      ],
      [
        {
          API_JWT_ALGORITHM: 'RS256',
          ACCESS_PRIVATE_KEY: newer.privateKey,
          REFRESH_PRIVATE_KEY: newer.privateKey,
          ACCESS_PREVIOUS_KEYS: [accessSecret],
        },
        /ACCESS_PREVIOUS_KEYS\[0\].* secret/,
      ],
      [{ ACCESS_PREVIOUS_KEYS: Array(11).fill(accessSecret) }, /at most 10/],
      [{ ACCESS_PREVIOUS_KEYS: accessSecret as never }, /ACCESS_PREVIOUS_KEYS/],
    ]
    for (const [config, words] of cases) {
      let told = ''
      throws(() => {
        try {
          open(config)
        } catch (error) {
          told = (error as Error).message
          throw error
        }
      }, words)
      match(told, words)
      ok(!told.includes(accessSecret) && !told.includes('BEGIN'), told)
    }
  })
})
