/** Strategies alone and together, token providers, requirements, and routes of the host. */
import { type ApiConfig, type ApiRequest, apiError, defineModel } from '@model-api/core'
import { get, send } from '../support/api.ts'
import { equal, match, ok, rejects, throws } from '../support/assert.ts'
import { everyDatabase } from '../support/databases.ts'
import { suite } from '../support/suite.ts'
import {
  apiKey,
  apiKeys,
  Book,
  basic,
  bearer,
  createPeople,
  jwtKeys,
  login,
  passwords,
  peopleApi,
  post,
  User,
  userKeys,
} from './people.ts'

const [db] = everyDatabase()
if (db === undefined) throw new Error('no database')

suite('strategies', (test) => {
  test.before(() => createPeople(db))

  const own = (customAuth: ApiConfig['API_CUSTOM_AUTH']): ApiConfig => ({
    API_AUTHENTICATE_METHOD: ['custom'],
    ...(customAuth === undefined ? {} : { API_CUSTOM_AUTH: customAuth }),
  })
  const seen = async (config: ApiConfig, headers: Record<string, string> = {}) =>
    get(peopleApi(db, config).api, '/api/books', headers)

  test('custom: true, a user, or a user put on the request is accepted', async () => {
    const withHeader = (request: ApiRequest): boolean => request.headers?.['x-badge'] === '7'
    equal((await seen(own(withHeader), { 'x-badge': '7' })).status, 200)
    const refused = await seen(own(withHeader), { 'x-badge': '8' })
    equal([refused.status, refused.errors.reason], [401, 'Sign in first'])
    equal((await seen(own(() => ({ roles: ['viewer'] })))).status, 200)
    for (const nobody of [false, null, undefined, 0, '']) {
      equal((await seen(own(() => nobody))).status, 401)
    }
  })

  test('custom: true without a user is authenticated, with no roles', async () => {
    const map = { API_ROLE_MAP: { GET_ONE: 'viewer', ALL: true } } as const
    const { api } = peopleApi(db, { ...own(() => true), ...map })
    equal((await get(api, '/api/books')).status, 200)
    equal((await get(api, '/api/books/1')).status, 403)
    const attached = own((request) => {
      request.user = { roles: ['viewer'] }
      return true
    })
    equal((await get(peopleApi(db, { ...attached, ...map }).api, '/api/books/1')).status, 200)
  })

  test('custom: an exception is 401 and is reported, an ApiError becomes the response', async () => {
    const failing = peopleApi(
      db,
      own(() => {
        throw new Error('directory is away')
      }),
    )
    equal((await get(failing.api, '/api/books')).status, 401)
    equal(
      (failing.errors[0] as Error).message,
      'The custom authentication failed: directory is away',
    )
    const teapot = own(() => {
      throw apiError(418, "I'm a teapot", 'no books here')
    })
    const answer = await seen(teapot)
    equal([answer.status, answer.errors.reason], [418, 'no books here'])
  })

  test('custom: nothing is no credential on public endpoints; an exception and an ApiError refuse', async () => {
    const on = async (customAuth: ApiConfig['API_CUSTOM_AUTH']) => {
      const config = { ...own(customAuth), API_AUTH_REQUIREMENTS: { GET_MANY: false } }
      const { api } = peopleApi(db, config)
      return (await get(api, '/api/books')).status
    }
    for (const nobody of [false, null, undefined]) equal(await on(() => nobody), 200)
    const failing = () => {
      throw new Error('no sessions today')
    }
    equal(await on(failing), 401)
    const expired = () => {
      throw apiError(401, 'Unauthorized', 'The session has expired.')
    }
    equal(await on(expired), 401)
  })

  test('api_key: the function gets the key and returns the user or nothing', async () => {
    const keys: string[] = []
    const config: ApiConfig = {
      API_AUTHENTICATE_METHOD: ['api_key'],
      API_KEY_AUTH_AND_RETURN_METHOD: (key) => {
        keys.push(key)
        return key === 'k1' ? { id: 9, name: 'robot', roles: ['viewer'] } : null
      },
      API_ROLE_MAP: { ALL: 'viewer' },
    }
    equal((await seen(config, apiKey('k1'))).status, 200)
    equal((await seen(config, apiKey('k2'))).status, 401)
    equal((await seen(config, { authorization: 'api-key k1' })).status, 200)
    equal(keys, ['k1', 'k2', 'k1'])
    const { api } = peopleApi(db, config)
    equal((await post(api, '/auth/login', undefined, apiKey('k1'))).value, { user_pk: 9 })
    equal((await get(api, '/auth/me', apiKey('k1'))).status, 404)
  })

  test('strategies whose credential is present are tried in order', async () => {
    const tried: string[] = []
    const config: ApiConfig = {
      ...jwtKeys,
      API_AUTHENTICATE_METHOD: ['jwt', 'basic', 'api_key', 'custom'],
      API_KEY_AUTH_AND_RETURN_METHOD: () => {
        tried.push('api_key')
        return null
      },
      API_CUSTOM_AUTH: (request) => {
        tried.push('custom')
        return request.headers?.['x-badge'] === '7'
      },
    }
    const { api } = peopleApi(db, config)
    equal((await get(api, '/api/books', basic('ann', passwords.ann ?? ''))).status, 200)
    equal(tried, [])
    equal((await get(api, '/api/books', { ...apiKey('x'), 'x-badge': '7' })).status, 200)
    equal(tried, ['api_key', 'custom'])
    equal((await get(api, '/api/books', apiKey('x'))).errors.reason, 'Invalid credentials')
    const { access_token } = (await login(api, 'ann')).value
    equal((await get(api, '/api/books', bearer(access_token))).status, 200)
    const challenge = (await get(api, '/api/books')).headers['www-authenticate'] ?? ''
    for (const scheme of ['Bearer', 'Basic', 'Api-Key', 'Custom']) match(challenge, scheme)
  })

  test('the meta of a model may set its own strategies', async () => {
    const Open = defineModel('Book', { columns: Book.columns, meta: { authenticate_method: [] } })
    const People = defineModel('User', {
      columns: User.columns,
      methods: User.methods,
      meta: { authenticate_method: ['basic'] },
    })
    const config = { ...jwtKeys, API_USER_MODEL: People }
    const { api } = peopleApi(db, config, { models: [Open, People] })
    equal((await get(api, '/api/books')).status, 200)
    equal((await get(api, '/api/users')).status, 401)
    equal((await get(api, '/api/users', basic('ann', passwords.ann ?? ''))).status, 200)
    const { access_token } = (await login(api, 'ann')).value
    equal((await get(api, '/api/users', bearer(access_token))).status, 401)
  })

  test('hooks and rules get the user; concurrent requests are never mixed up', async () => {
    const told: string[] = []
    const { api } = peopleApi(db, {
      ...userKeys,
      API_AUTHENTICATE_METHOD: ['basic'],
      API_RETURN_CALLBACK: async (result, { user }) => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 5))
        told.push(user.name)
        return { books: result, reader: user.name }
      },
    })
    const names = ['ann', 'bob', 'ann', 'bob', 'bob', 'ann']
    const answers = await Promise.all(
      names.map((name) => get(api, '/api/books', basic(name, passwords[name] ?? ''))),
    )
    equal(
      answers.map(({ value }) => value.reader),
      names,
    )
    equal(told.length, 6)
  })

  test('an invalid credential is refused on public endpoints, too', async () => {
    const config = { ...jwtKeys, API_AUTH_REQUIREMENTS: { GET: false } }
    const { api } = peopleApi(db, config)
    const open = await get(api, '/api/books')
    equal([open.status, open.headers['cache-control']], [200, undefined])
    equal((await get(api, '/api/books', bearer('x.y.z'))).status, 401)
  })
})

suite('token providers', (test) => {
  const tokenOf = async (config: ApiConfig) => {
    const { api } = peopleApi(db, config)
    const answer = await login(api, 'ann')
    return { api, token: answer.value.access_token as string, cookies: answer.cookies }
  }

  test('the header is the default; cookies and queries are not read', async () => {
    const { api, token, cookies } = await tokenOf(jwtKeys)
    equal(cookies, [])
    equal((await get(api, '/api/books', { cookie: `access_token=${token}` })).status, 401)
    equal((await get(api, `/api/books?access_token=${token}`)).status, 401)
  })

  test('the cookie is set by login, read by its name, and deleted by logout', async () => {
    const config = {
      ...jwtKeys,
      API_AUTH_TOKEN_PROVIDERS: ['cookie', 'header'],
      API_AUTH_COOKIE_NAME: 'library',
    }
    const { api, token, cookies } = await tokenOf(config)
    equal(cookies, [`library=${token}; Path=/; Max-Age=21600; HttpOnly; Secure; SameSite=Lax`])
    equal((await get(api, '/api/books', { cookie: `a=b; library=${token}` })).status, 200)
    equal((await get(api, '/api/books', { cookie: `xlibrary=${token}` })).status, 401)
    equal((await get(api, '/api/books', bearer(token))).status, 200)
    match((await post(api, '/auth/logout')).cookies[0] ?? '', 'library=; Path=/; Max-Age=0')
  })

  test('unsafe requests authenticated by a cookie must come from the same origin', async () => {
    const { api, token } = await tokenOf({ ...jwtKeys, API_AUTH_TOKEN_PROVIDERS: ['cookie'] })
    const cookie = { cookie: `access_token=${token}`, host: 'library.example' }
    const attempt = async (headers: Record<string, string>): Promise<number> =>
      (await send(api, 'DELETE', '/api/books/999', { headers: { ...cookie, ...headers } })).status
    equal(await attempt({}), 403)
    equal(await attempt({ 'sec-fetch-site': 'cross-site' }), 403)
    equal(await attempt({ 'sec-fetch-site': 'same-site' }), 403)
    equal(await attempt({ 'sec-fetch-site': 'none', origin: 'https://library.example' }), 403)
    equal(await attempt({ origin: 'https://evil.example' }), 403)
    equal(await attempt({ origin: 'null' }), 403)
    equal(await attempt({ origin: 'https://library.example.evil.example' }), 403)
    equal(await attempt({ 'sec-fetch-site': 'same-origin' }), 404)
    equal(await attempt({ origin: 'https://library.example' }), 404)
    equal((await get(api, '/api/books', { ...cookie, 'sec-fetch-site': 'cross-site' })).status, 200)
  })

  test("behind a proxy that changes Host, the origin of API_BASE_URL is the API's own", async () => {
    const { api, token } = await tokenOf({
      ...jwtKeys,
      API_AUTH_TOKEN_PROVIDERS: ['cookie'],
      API_BASE_URL: 'https://library.example',
    })
    const cookie = { cookie: `access_token=${token}`, host: 'internal:3000' }
    const attempt = async (origin: string): Promise<number> =>
      (await send(api, 'DELETE', '/api/books/999', { headers: { ...cookie, origin } })).status
    equal(await attempt('https://library.example'), 404)
    equal(await attempt('http://internal:3000'), 403)
  })

  test('a QUERY is a safe request, also as POST; the override header exempts nothing else', async () => {
    const { api, token } = await tokenOf({ ...jwtKeys, API_AUTH_TOKEN_PROVIDERS: ['cookie'] })
    const headers = {
      cookie: `access_token=${token}`,
      host: 'library.example',
      'sec-fetch-site': 'cross-site',
      'content-type': 'application/x-www-form-urlencoded',
    }
    const override = { ...headers, 'x-http-method-override': 'QUERY' }
    equal((await send(api, 'QUERY', '/api/books', { headers, body: '' })).status, 200)
    equal((await send(api, 'POST', '/api/books', { headers: override, body: '' })).status, 200)
    equal((await send(api, 'POST', '/api/books', { headers, body: '' })).status, 403)
    // A guard of the host protects a route that may write.
    const host = { method: 'POST', url: '/orders', headers: override }
    const refused = await api.authenticate(host).then(
      () => undefined,
      (error: { status?: number }) => error.status,
    )
    equal(refused, 403)
  })

  test('a function and "module#export" are called in their order', async () => {
    const byBadge = (request: ApiRequest) => request.headers?.['x-token'] as string | undefined
    const module = new URL('./provider.ts', import.meta.url).href
    for (const provider of [byBadge, `${module}#fromBadge`]) {
      const { api, token } = await tokenOf({
        ...jwtKeys,
        API_AUTH_TOKEN_PROVIDERS: ['header', provider],
      })
      await api.ready
      equal((await get(api, '/api/books', { 'x-token': token })).status, 200)
      // Browsers do not send such a token by themselves, so a write need not prove its origin.
      const headers = { 'x-token': token }
      equal((await send(api, 'DELETE', '/api/books/999', { headers })).status, 404)
      equal((await get(api, '/api/books', bearer(token))).status, 200)
      equal((await get(api, '/api/books', { 'x-token': `${token}x` })).status, 401)
      equal((await get(api, '/api/books')).errors.reason, 'Authorization header missing')
    }
  })

  test('a module that does not exist, or exports something else, rejects ready', async () => {
    const module = new URL('./provider.ts', import.meta.url).href
    for (const [path, problem] of [
      ['./nowhere.js#x', 'could not be loaded'],
      [`${module}#nothing`, 'exports no function "nothing"'],
    ] as const) {
      const { api } = peopleApi(db, { ...jwtKeys, API_AUTH_TOKEN_PROVIDERS: [path] })
      match((await rejects(api.ready)).message, problem)
      equal((await get(api, '/api/books')).status, 503)
    }
  })
})

suite('requirements', (test) => {
  test.after(() => db.close())

  const statusOf = async (
    requirements: ApiConfig['API_AUTH_REQUIREMENTS'],
    method: string,
    url: string,
  ): Promise<number> => {
    const config = { ...jwtKeys, ...(requirements && { API_AUTH_REQUIREMENTS: requirements }) }
    return (await send(peopleApi(db, config).api, method, url, { body: {} })).status
  }

  const list = ['GET', '/api/books'] as const
  const one = ['GET', '/api/books/1'] as const
  const cases: readonly (readonly [
    ApiConfig['API_AUTH_REQUIREMENTS'],
    readonly [string, string],
    'open' | 'closed',
  ])[] = [
    [undefined, list, 'closed'],
    [{}, list, 'closed'],
    [{ GET: false }, list, 'open'],
    [{ GET: false }, one, 'open'],
    [{ GET: false }, ['HEAD', '/api/books'], 'open'],
    [{ GET: false }, ['POST', '/api/books'], 'closed'],
    [{ GET_MANY: false }, list, 'open'],
    [{ GET_MANY: false }, one, 'closed'],
    [{ GET_ONE: false }, list, 'closed'],
    [{ GET_ONE: false }, one, 'open'],
    [{ GET: false, GET_ONE: true }, one, 'closed'],
    [{ GET: true, GET_ONE: false }, one, 'open'],
    [{ ALL: false }, list, 'open'],
    [{ ALL: false }, ['DELETE', '/api/books/99'], 'open'],
    [{ '*': false }, ['PATCH', '/api/books/99'], 'open'],
    [{ '*': false, ALL: true }, list, 'closed'],
    [{ '*': true, ALL: false }, list, 'open'],
    [{ ALL: false, POST: true }, ['POST', '/api/books'], 'closed'],
    [{ ALL: true, POST: false }, ['POST', '/api/books'], 'open'],
    [{ PATCH: false }, ['PATCH', '/api/books/99'], 'open'],
    [{ DELETE: false }, ['PATCH', '/api/books/99'], 'closed'],
    [{ GET: 'off' }, list, 'open'],
    [{ GET: 'no' }, list, 'open'],
    [{ GET: '0' }, list, 'open'],
    [{ GET: 'false' }, list, 'open'],
    [{ GET: 'on', ALL: 'off' }, list, 'closed'],
    [{ GET: 'yes', ALL: 'off' }, list, 'closed'],
    [{ GET: '1', ALL: 'off' }, list, 'closed'],
    [{ RELATION_GET: false }, list, 'closed'],
  ]
  for (const [requirements, [method, url], expected] of cases) {
    test(`${JSON.stringify(requirements)}: ${method} ${url} is ${expected}`, async () => {
      const status = await statusOf(requirements, method, url)
      equal(status === 401 ? 'closed' : 'open', expected, String(status))
    })
  }

  test('those of a model replace those of the API', async () => {
    const Own = defineModel('Book', {
      columns: Book.columns,
      meta: { auth_requirements: { GET_MANY: false } },
    })
    const config = { ...jwtKeys, API_AUTH_REQUIREMENTS: { GET_ONE: false } }
    const { api } = peopleApi(db, config, { models: [Own, User] })
    equal((await get(api, '/api/books')).status, 200)
    equal((await get(api, '/api/books/1')).status, 401)
    equal((await get(api, '/api/users/1')).status, 200)
  })

  test('misspelt keys and values, and requirements without a strategy, fail at the start', () => {
    const problem = (config: ApiConfig): string => throws(() => peopleApi(db, config)).message
    const required = (value: object): ApiConfig => ({ ...jwtKeys, API_AUTH_REQUIREMENTS: value })
    match(problem(required({ GET_MANNY: true })), 'Did you mean "GET_MANY"')
    match(problem(required({ GET: 'maybe' })), 'expected true or false')
    match(
      problem({ API_AUTH_REQUIREMENTS: { POST: true } }),
      'no strategy is enabled: set API_AUTHENTICATE_METHOD',
    )
  })
})

suite('routes of the host', (test) => {
  const request = (headers: Record<string, string> = {}): ApiRequest => ({
    method: 'GET',
    url: '/own/page',
    headers,
  })

  test('authenticate returns the user, or rejects with an ApiError', async () => {
    const fresh = everyDatabase()[0]
    if (fresh === undefined) throw new Error('no database')
    await createPeople(fresh)
    const { api } = peopleApi(fresh, {
      ...jwtKeys,
      API_AUTHENTICATE_METHOD: ['jwt', 'basic', 'api_key'],
      API_CREDENTIAL_HASH_FIELD: 'key_hash',
    })
    const ann = basic('ann', passwords.ann ?? '')
    const bob = apiKey(apiKeys.bob ?? '')
    const wanted = request(ann)
    equal((await api.authenticate(wanted))?.name, 'ann')
    equal((wanted.user as { name: string }).name, 'ann')
    const statusOf = (promise: Promise<unknown>): Promise<number> =>
      promise.then(
        () => 200,
        (error: { status: number }) => error.status,
      )
    equal(await statusOf(api.authenticate(request())), 401)
    equal(await api.authenticate(request(), { auth: false }), null)
    equal(await statusOf(api.authenticate(request(basic('ann', 'x')), { auth: false })), 401)
    equal(await statusOf(api.authenticate(request(ann), { roles: ['admin'] })), 200)
    equal(await statusOf(api.authenticate(request(bob), { roles: ['admin'] })), 403)
    equal(await statusOf(api.authenticate(request(bob), { roles: ['admin', 'viewer'] })), 403)
    const any = { roles: ['admin', 'viewer'], any_of: true }
    equal(await statusOf(api.authenticate(request(bob), { roles: any })), 200)
    equal(await statusOf(api.authenticate(request(), { roles: any })), 403)
    equal(await statusOf(api.authenticate(request(ann), { strategies: ['jwt'] })), 401)
    await fresh.close()
  })

  test('authenticate without a strategy is an error', async () => {
    const fresh = everyDatabase()[0]
    if (fresh === undefined) throw new Error('no database')
    const { api } = peopleApi(fresh, {})
    match((await rejects(api.authenticate(request()))).message, 'no strategy is enabled')
    ok(!api.owns('/auth/login'))
    await fresh.close()
  })
})
