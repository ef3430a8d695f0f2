/** Access tokens of a real OpenID provider, oidc-provider, whose keys are found by its discovery document (API_JWT_ISSUERS). */
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Api, createApi } from '@model-api/core'
import { get } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { everyDatabase } from '../support/databases.ts'
import { suite } from '../support/suite.ts'
import { Book, bearer, createPeople, User } from './people.ts'

const [db] = everyDatabase()
if (db === undefined) throw new Error('no database')

/** The parts of the package that the test uses; it has no types of its own. */
interface Provider {
  callback(): RequestListener
  on(event: 'server_error', heard: (context: unknown, error: unknown) => void): void
}
const name: string = 'oidc-provider'
const { Provider } = (await import(name)) as {
  readonly Provider: new (issuer: string, options: object) => Provider
}

const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const
const audience = 'https://shop.example.com'
const secret = randomUUID()

const jwkOf = (alg: (typeof algorithms)[number]) => {
  const pair =
    alg === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : alg === 'EdDSA'
        ? generateKeyPairSync('ed25519')
        : generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { ...pair.privateKey.export({ format: 'jwk' }), alg, use: 'sig', kid: alg }
}

suite('an OpenID provider', (test) => {
  const failures: unknown[] = []
  let issuer = ''
  let api: Api
  let serve: RequestListener = () => {}
  const server = createServer((request, response) => serve(request, response))

  test.before(async () => {
    await createPeople(db)
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const provider = new Provider(issuer, {
      jwks: { keys: algorithms.map(jwkOf) },
      cookies: { keys: [randomUUID()] },
      clients: ['ann', 'stranger'].map((client_id) => ({
        client_id,
        client_secret: secret,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      })),
      features: {
        clientCredentials: { enabled: true },
        devInteractions: { enabled: false },
        resourceIndicators: {
          enabled: true,
          // The resource names the algorithm, or another audience.
          getResourceServerInfo(_context: unknown, resource: string) {
            const [alg = '', other] = resource.split('#').at(0)?.split('/').slice(3) ?? []
            return {
              scope: 'books',
              audience: other ?? audience,
              accessTokenFormat: 'jwt',
              jwt: { sign: { alg } },
            }
          },
        },
      },
    })
    provider.on('server_error', (_context, error) => void failures.push(error))
    serve = provider.callback()
    const found = await fetch(`${issuer}/.well-known/openid-configuration`)
    const { jwks_uri: jwks } = (await found.json()) as { readonly jwks_uri: string }
    api = createApi({
      db: db.kysely,
      models: [User, Book],
      config: {
        API_AUTHENTICATE_METHOD: ['jwt'],
        API_USER_MODEL: User,
        API_USER_LOOKUP_FIELD: 'name',
        API_JWT_ISSUERS: [
          { issuer, audience, jwks, algorithms, user: ({ sub }: { sub?: unknown }) => sub },
        ],
      } as never,
      onWarning: () => {},
    })
  })
  test.after(() => {
    server.closeAllConnections()
    server.close()
  })

  async function tokenOf(resource: string, client = 'ann'): Promise<string> {
    const response = await fetch(`${issuer}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${client}:${secret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'books', resource }),
    })
    const body = (await response.json()) as { readonly access_token?: string }
    equal([response.status, failures.splice(0)], [200, []])
    return body.access_token ?? ''
  }
  const me = async (token: string) => {
    const { status, value } = await get(api, '/auth/me', bearer(token))
    return [status, value?.name]
  }

  test('signs tokens by each algorithm, and the user is found', async () => {
    for (const alg of algorithms) {
      const token = await tokenOf(`${audience}/${alg}`)
      const [header = ''] = token.split('.')
      equal(JSON.parse(Buffer.from(header, 'base64url').toString()).alg, alg)
      equal(await me(token), [200, 'ann'])
    }
  })

  test('has tokens that the API refuses: of nobody, for another audience, and changed ones', async () => {
    const valid = await tokenOf(`${audience}/RS256`)
    ok(valid.length > 100)
    equal((await me(await tokenOf(`${audience}/RS256`, 'stranger')))[0], 401)
    equal((await me(await tokenOf(`${audience}/RS256/other`)))[0], 401)
    const [header, payload = '', signature] = valid.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'bob' })).toString('base64url')
    equal((await me(`${header}.${changed}.${signature}`))[0], 401)
    equal(await me(valid), [200, 'ann'])
  })
})
