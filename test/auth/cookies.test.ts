/** Tokens in cookies: which cookies login, refresh and logout set, and which requests a cookie authenticates. */
import { type Api, type ApiConfig, createApi } from '@model-api/core'
import type { Answer } from '../support/api.ts'
import { get, send } from '../support/api.ts'
import { equal, match, throws } from '../support/assert.ts'
import { openDatabases } from '../support/databases.ts'
import { eachDatabase, suite } from '../support/suite.ts'
import {
  Book,
  bearer,
  createPeople,
  jwtKeys,
  login,
  peopleApi,
  post,
  refresh,
  User,
} from './people.ts'

const both = {
  ...jwtKeys,
  API_AUTH_TOKEN_PROVIDERS: ['header', 'cookie'],
  API_AUTH_REFRESH_COOKIE: true,
} as const satisfies ApiConfig

/** The value of a cookie that a response sets. */
const cookieIn = ({ cookies }: Answer, name: string): string => {
  const found = cookies.find((one) => one.startsWith(`${name}=`)) ?? ''
  return found.slice(name.length + 1).split(';')[0] ?? ''
}

const refreshName = '__Secure-refresh_token'

/** The headers of a browser on a page of the API's own origin. */
const samePage = { host: 'api.example.com', 'sec-fetch-site': 'same-origin' }

const refreshWith = (
  api: Api,
  token: string,
  headers: Record<string, string> = samePage,
  body?: unknown,
): Promise<Answer> =>
  post(api, '/auth/refresh', body, { cookie: `a=b; ${refreshName}=${token}`, ...headers })

eachDatabase('refresh tokens in cookies', (test, db) => {
  test.before(() => createPeople(db))

  test('login and refresh set both cookies, and bodies have no refresh token', async () => {
    const { api } = peopleApi(db, both)
    const first = await login(api, 'ann')
    const second = await refreshWith(api, cookieIn(first, refreshName))
    for (const { status, value, cookies } of [first, second]) {
      equal([status, value.refresh_token, value.user_pk, cookies.length], [200, null, 1, 2])
      equal(
        cookies[0],
        `access_token=${value.access_token}; Path=/; Max-Age=21600; HttpOnly; Secure; SameSite=Lax`,
      )
      match(
        cookies[1] ?? '',
        /^__Secure-refresh_token=[\w-]+\.[\w-]+\.[\w-]+; Path=\/auth\/refresh; Max-Age=172800; HttpOnly; Secure; SameSite=Strict$/,
      )
    }
    const token = cookieIn(second, refreshName)
    equal(token === cookieIn(first, refreshName), false)
    equal((await get(api, '/auth/me', bearer(second.value.access_token))).value.name, 'ann')
    // The first token is used up.
    equal((await refreshWith(api, cookieIn(first, refreshName))).status, 403)
  })

  test('the refresh cookie needs no access cookie', async () => {
    const { api } = peopleApi(db, { ...jwtKeys, API_AUTH_REFRESH_COOKIE: true })
    const { cookies } = await login(api, 'ann')
    equal(cookies.length, 1)
    match(cookies[0] ?? '', refreshName)
  })

  test('a token in the body is accepted, goes before the cookie, and needs no proof of origin', async () => {
    const { api } = peopleApi(db, both)
    const token = cookieIn(await login(api, 'bob'), refreshName)
    const answer = await refresh(api, token)
    equal([answer.status, answer.value.refresh_token, answer.cookies.length], [200, null, 2])
    const next = { refresh_token: cookieIn(answer, refreshName) }
    equal((await refreshWith(api, 'a.b.c', {}, next)).status, 200)
  })

  test('without a token in the body, the cookie is read: no body, an empty object, null', async () => {
    const { api } = peopleApi(db, both)
    for (const body of [undefined, {}, { refresh_token: null }]) {
      const token = cookieIn(await login(api, 'ann'), refreshName)
      equal((await refreshWith(api, token, samePage, body)).status, 200)
    }
    const token = cookieIn(await login(api, 'ann'), refreshName)
    for (const body of [{ refresh_token: '' }, { refresh_token: 7 }]) {
      const { status, errors } = await refreshWith(api, token, samePage, body)
      equal([status, Object.keys(errors.reason)], [400, ['refresh_token']])
    }
    equal((await post(api, '/auth/refresh')).errors.reason, {
      refresh_token: ['This field is required.'],
    })
    equal(
      (await refreshWith(api, token, { ...samePage, 'content-type': 'text/plain' }, 'x')).status,
      415,
    )
    equal((await refreshWith(api, 'a.b.c')).status, 401)
    equal((await refreshWith(api, token)).status, 200)
  })

  test('logout deletes both cookies by the attributes that set them, and revokes nothing', async () => {
    for (const cookie of [
      true,
      { domain: 'example.com' },
      { name: '__Host-session' },
      { name: '__Secure-session' },
    ] as const) {
      const { api } = peopleApi(db, { ...both, API_AUTH_REFRESH_COOKIE: cookie })
      for (const baseUrl of ['', '/v1']) {
        const sent = (url: string, body?: unknown) =>
          api.handle({ method: 'POST', url, baseUrl, body, headers: samePage })
        const given = await sent('/auth/login', { username: 'ann', password: 'correct horse' })
        const gone = await sent('/auth/logout')
        const shape = (text: string) => text.replace(/=[^;]*;/, ';').replace(/Max-Age=\d+/, '')
        equal(gone.cookies?.map(shape), given.cookies?.map(shape))
        equal(
          gone.cookies?.map((text) => /^[^=]+=; .*Max-Age=0;/.test(text)),
          [true, true],
        )
        const [, text = ''] = given.cookies ?? []
        const [pair = ''] = text.split(';')
        const again = await send(api, 'POST', '/auth/refresh', {
          headers: { ...samePage, cookie: pair },
        })
        equal(again.status, 200)
      }
    }
  })

  test('path and domain follow the name, the mount and the route', async () => {
    const attributes = async (config: ApiConfig, baseUrl = '') => {
      const { api } = peopleApi(db, { ...jwtKeys, ...config } as ApiConfig)
      const { cookies } = await api.handle({ method: 'POST', url: '/auth/logout', baseUrl })
      return cookies?.[0]
    }
    const rest = 'Max-Age=0; HttpOnly; Secure; SameSite=Strict'
    equal(
      await attributes({ API_AUTH_REFRESH_COOKIE: { name: '__Host-r' } }, '/v1'),
      `__Host-r=; Path=/; ${rest}`,
    )
    equal(
      await attributes(
        { API_AUTH_REFRESH_COOKIE: { domain: 'example.com' }, API_AUTH_REFRESH_ROUTE: '/again' },
        '/v1',
      ),
      `__Secure-refresh_token=; Path=/v1/again; ${rest}; Domain=example.com`,
    )
  })

  test('a refresh by cookie has to come from a trusted origin, and a refused one uses up nothing', async () => {
    const { api } = peopleApi(db, { ...both, API_TRUSTED_ORIGINS: ['https://app.example.com'] })
    const token = cookieIn(await login(api, 'ann'), refreshName)
    const host = { host: 'api.example.com' }
    for (const headers of [
      {},
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'same-site', origin: 'https://other.example.com' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'none', origin: 'https://api.example.com' },
      { origin: 'null' },
      { origin: 'https://app.example.com.evil.example' },
      { origin: 'https://app.example.com:444' },
      { origin: 'http://app.example.com' },
      { origin: 'https://evil.example', 'x-http-method-override': 'GET' },
      { origin: 'https://evil.example', 'content-type': 'text/plain' },
    ]) {
      const { status, errors, cookies } = await refreshWith(api, token, {
        ...host,
        ...(headers as Record<string, string>),
      })
      const shown = JSON.stringify(headers)
      equal([shown, status, errors?.code, cookies], [shown, 403, 'cross_site_request', []])
    }
    const next = await refreshWith(api, token, { ...host, origin: 'https://api.example.com' })
    equal(next.status, 200)
    const trusted = { ...host, 'sec-fetch-site': 'same-site', origin: 'https://app.example.com' }
    equal((await refreshWith(api, cookieIn(next, refreshName), trusted)).status, 200)
  })

  test('a trusted origin writes with the access cookie; other subdomains only read', async () => {
    const { api } = peopleApi(db, { ...both, API_TRUSTED_ORIGINS: ['https://app.example.com'] })
    const token = (await login(api, 'ann')).value.access_token as string
    const attempt = async (method: string, origin: string) => {
      const headers = {
        cookie: `access_token=${token}`,
        host: 'api.example.com',
        'sec-fetch-site': 'same-site',
        origin,
      }
      return (await send(api, method, '/api/books/999', { headers })).status
    }
    equal(await attempt('DELETE', 'https://app.example.com'), 404)
    equal(await attempt('DELETE', 'https://blog.example.com'), 403)
    equal(await attempt('GET', 'https://blog.example.com'), 404)
  })

  test('the access cookie does not refresh, and the refresh cookie gives no access', async () => {
    const { api } = peopleApi(db, both)
    const signedIn = await login(api, 'ann')
    const [access, token] = [signedIn.value.access_token, cookieIn(signedIn, refreshName)]
    equal((await refreshWith(api, access)).status, 401)
    equal(
      (await get(api, '/auth/me', { ...samePage, cookie: `access_token=${token}` })).status,
      401,
    )
    equal(
      (await get(api, '/auth/me', { ...samePage, cookie: `${refreshName}=${token}` })).status,
      401,
    )
  })

  test('without the setting, the cookie is neither set nor read', async () => {
    const { api } = peopleApi(db)
    const { value, cookies } = await login(api, 'ann')
    equal(cookies, [])
    equal((await refreshWith(api, value.refresh_token)).status, 400)
  })
})

suite('the settings of cookies', (test) => {
  const [db] = openDatabases()
  test.after(() => db?.close())

  const problemOf = (config: object): string => {
    const options = { env: {}, models: [User, Book], db: db?.kysely as never }
    return throws(() => createApi({ ...options, config: { ...jwtKeys, ...config } as never }))
      .message
  }

  for (const [cookie, problem] of [
    [{ name: '__Host-r', domain: 'example.com' }, 'name the cookie "__Secure-r"'],
    [{ name: 'refresh' }, 'Did you mean "__Secure-refresh"?'],
    [{ name: '__host-r' }, 'Did you mean "__Secure-r"?'],
    [{ name: '__Secure-' }, 'Did you mean "__Secure-refresh_token"?'],
    [{ name: '__Secure-a;b' }, 'a name of letters'],
    [{ domain: '.example.com' }, 'Did you mean "example.com"?'],
    [{ domain: 'https://example.com/a' }, 'Did you mean "example.com"?'],
    [{ domain: 'com' }, 'domain: expected a domain'],
    [{ domain: 'a.b; Secure' }, 'domain: expected a domain'],
    [{ domains: 'example.com' }, 'Did you mean "domain"?'],
    ['yes', 'expected true, false or an object'],
  ] as const) {
    test(`${JSON.stringify(cookie)} is refused`, () => {
      const message = problemOf({ API_AUTH_REFRESH_COOKIE: cookie })
      match(message, 'config.API_AUTH_REFRESH_COOKIE')
      match(message, problem)
    })
  }

  test('a cookie that no endpoint sets is refused', () => {
    for (const config of [
      { API_AUTHENTICATE_METHOD: ['basic'] },
      { API_AUTO_AUTH_ROUTES: false },
    ]) {
      match(problemOf({ ...config, API_AUTH_REFRESH_COOKIE: true }), 'which is not served')
    }
  })

  test('a trusted origin is exact', () => {
    for (const origin of ['https://*.example.com', 'https://example.com/', 'example.com', 'null']) {
      match(problemOf({ API_TRUSTED_ORIGINS: [origin] }), 'config.API_TRUSTED_ORIGINS: item 0')
    }
    match(
      problemOf({ API_TRUSTED_ORIGINS: 'https://a.example' }),
      'Did you mean ["https://a.example"]?',
    )
  })
})
