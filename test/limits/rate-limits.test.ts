/** Rate limits of the API, of models and methods, and of logins: which requests they count, and their responses. */
import { type ApiConfig, defineModel, type RateLimitStore } from '@model-api/core'
import {
  apiKey,
  apiKeys,
  Book,
  basic,
  bearer,
  counted,
  createPeople,
  jwtKeys,
  login,
  passwords,
  peopleApi,
  User,
  userKeys,
} from '../auth/people.ts'
import { equal, match, throws } from '../support/assert.ts'
import { everyDatabase } from '../support/databases.ts'
import { suite } from '../support/suite.ts'

const [db] = everyDatabase()
if (db === undefined) throw new Error('no database')

interface Asked {
  readonly method?: string
  readonly url?: string
  readonly ip?: string
  readonly headers?: Record<string, string>
  readonly body?: unknown
}

suite('rate limits', (test) => {
  test.before(() => createPeople(db))
  test.after(() => db.close())

  const start = (config: ApiConfig, meta?: object) => {
    const Limited = defineModel('Book', { columns: Book.columns, meta: meta ?? {} })
    const people = peopleApi(db, config, { models: [Limited, User] })
    const ask = async (asked: Asked = {}) =>
      people.api.handle({ method: 'GET', url: '/api/books', ip: '192.0.2.1', ...asked })
    const statuses = async (...asked: Asked[]): Promise<number[]> => {
      const all: number[] = []
      for (const each of asked) all.push((await ask(each)).status)
      return all
    }
    return { ...people, ask, statuses }
  }

  test('an API says where it keeps its counts', () => {
    const store: RateLimitStore = { hit: async () => ({ count: 1, resetsAt: 0 }) }
    const kept = (config: ApiConfig, meta?: object) => start(config, meta).api.rateLimits
    equal(kept({}), 'none')
    equal(kept({ API_RATE_LIMIT_STORE: store }), 'none')
    equal(kept({ API_RATE_LIMIT: '5 per minute' }), 'process')
    equal(kept({}, { post_rate_limit: '5 per minute' }), 'process')
    equal(kept(jwtKeys), 'process')
    equal(kept({ ...jwtKeys, API_RATE_LIMIT_STORE: store }), 'store')
  })

  test('every limit is reported, and those in which a request was counted', async () => {
    const { ask } = start({ API_RATE_LIMIT: '1 per 5 seconds; 100 per 15 minutes' })
    const policy = '"1 per 5 seconds";q=1;w=5, "100 per 15 minutes";q=100;w=900'
    const first = await ask()
    equal(
      [first.headers['ratelimit-policy'], first.headers.ratelimit],
      [policy, '"1 per 5 seconds";r=0;t=5, "100 per 15 minutes";r=99;t=900'],
    )
    const refused = await ask()
    equal(
      [refused.status, refused.headers['ratelimit-policy'], refused.headers.ratelimit],
      [429, policy, '"1 per 5 seconds";r=0;t=5'],
    )
  })

  test('429 says when to retry; every response says what remains', async () => {
    const { ask, clock } = start({ API_RATE_LIMIT: '2 per minute' })
    const first = await ask()
    equal([first.status, first.headers.ratelimit], [200, '"2 per minute";r=1;t=60'])
    equal(first.headers['ratelimit-policy'], '"2 per minute";q=2;w=60')
    clock.tick(20_000)
    equal((await ask()).headers.ratelimit, '"2 per minute";r=0;t=40')
    const refused = await ask()
    equal(refused.status, 429)
    equal(refused.headers['retry-after'], '40')
    equal(refused.headers.ratelimit, '"2 per minute";r=0;t=40')
    equal(refused.headers['ratelimit-policy'], '"2 per minute";q=2;w=60')
    const { errors } = refused.body as { errors: { error: string; reason: string } }
    equal(errors.error, 'Too Many Requests')
    match(errors.reason, '2 per minute')
    clock.tick(40_000)
    equal((await ask()).status, 200)
  })

  test('every endpoint is counted separately, with any spelling of its path', async () => {
    const { statuses } = start({ API_RATE_LIMIT: '2 per minute' })
    const spellings = ['/api/books', '/api/book?limit=1', '/api/%62ooks', '/api/books/1']
    equal(await statuses(...spellings.map((url) => ({ url }))), [200, 200, 429, 429])
    equal(await statuses({ method: 'HEAD' }), [429])
    equal(await statuses({ url: '/api/users' }), [200])
    equal(await statuses({ method: 'DELETE', url: '/api/books/99' }), [404])
    equal(await statuses({ method: 'OPTIONS' }, { url: '/api/nothing' }), [204, 404])
  })

  test('the limit of a method overrides that of the model, which overrides that of the API', async () => {
    const { statuses } = start(
      { API_RATE_LIMIT: '1 per minute' },
      { rate_limit: '2 per minute', delete_rate_limit: '3 per minute' },
    )
    const reads = Array.from({ length: 3 }, () => ({}))
    equal(await statuses(...reads), [200, 200, 429])
    const deletes = Array.from({ length: 4 }, () => ({ method: 'DELETE', url: '/api/books/99' }))
    equal(await statuses(...deletes), [404, 404, 404, 429])
    const users = [{ url: '/api/users' }, { url: '/api/users' }]
    equal(await statuses(...users), [200, 429])
  })

  test('several windows apply together', async () => {
    const { statuses, clock } = start({ API_RATE_LIMIT: '2/second; 3 per 10 minutes' })
    equal(await statuses({}, {}, {}), [200, 200, 429])
    clock.tick(1000)
    equal(await statuses({}, {}), [200, 429])
    clock.tick(600_000)
    equal(await statuses({}), [200])
  })

  test('addresses are counted separately; an IPv6 network counts as one', async () => {
    const { statuses } = start({ API_RATE_LIMIT: '1 per minute' })
    const of = (ip: string) => ({ ip })
    equal(await statuses(of('192.0.2.1'), of('192.0.2.2'), of('192.0.2.1')), [200, 200, 429])
    equal(await statuses(of('::ffff:192.0.2.2')), [429])
    equal(await statuses(of('2001:db8:1:2::1'), of('2001:db8:1:2:ffff::9')), [200, 429])
    equal(await statuses(of('2001:db8:1:3::1')), [200])
  })

  test('X-Forwarded-For is used from trusted proxies only', async () => {
    const from = (text: string, ip = '10.0.0.1') => ({ ip, headers: { 'x-forwarded-for': text } })
    const none = start({ API_RATE_LIMIT: '1 per minute' })
    equal(await none.statuses(from('198.51.100.1'), from('198.51.100.2')), [200, 429])
    const hops = start({ API_RATE_LIMIT: '1 per minute', API_TRUSTED_PROXIES: 1 })
    equal(
      await hops.statuses(
        from('198.51.100.1'),
        from('1.1.1.1, 198.51.100.1'),
        from('2.2.2.2,198.51.100.2'),
      ),
      [200, 429, 200],
    )
    const ranges = start({
      API_RATE_LIMIT: '1 per minute',
      API_TRUSTED_PROXIES: ['10.0.0.0/8', 'fd00::/8'],
    })
    equal(
      await ranges.statuses(
        from('198.51.100.1, 10.9.9.9'),
        from('6.6.6.6, 198.51.100.1, fd00::5'),
        from('198.51.100.1', '203.0.113.9'),
        from('198.51.100.7', '203.0.113.9'),
      ),
      [200, 429, 200, 429],
    )
  })

  test('users are counted separately, from any address', async () => {
    const config = { ...jwtKeys, API_AUTHENTICATE_METHOD: ['jwt', 'basic', 'api_key'] } as const
    const { statuses, api } = start({
      ...config,
      API_CREDENTIAL_HASH_FIELD: 'key_hash',
      API_RATE_LIMIT: '2 per minute',
    })
    const token = (await login(api, 'ann')).value.access_token
    const ann = { headers: bearer(token) }
    equal(await statuses({ ...ann, ip: '192.0.2.1' }, { ...ann, ip: '192.0.2.2' }), [200, 200])
    equal(await statuses({ ...ann, ip: '192.0.2.3' }), [429])
    const again = { headers: basic('ann', passwords.ann ?? ''), ip: '192.0.2.4' }
    equal(await statuses(again), [429])
    const bob = { headers: basic('bob', passwords.bob ?? '') }
    equal(await statuses(bob, bob, bob), [200, 200, 429])
    const key = { headers: apiKey(apiKeys.bob ?? '') }
    equal(await statuses(key, key, key), [200, 200, 429])
  })

  const org = (id: number, roles: readonly string[] = []) => ({ id, organisation_id: 3, roles })
  /** Users of the host, without API_USER_MODEL, by the name in the header. */
  const hostUsers: Readonly<Record<string, unknown>> = {
    ann: org(1),
    'ann as admin': org(1, ['admin']),
    'ann by a token': { organisation_id: 3, id: 1, iat: 1, exp: 2, nbf: 1, jti: 'a' },
    bob: org(2),
    'only roles': { roles: ['viewer'] },
    nobody: true,
  }
  const byHeader = ({ headers }: { headers?: Record<string, unknown> | undefined }) =>
    hostUsers[String(headers?.['x-user'])] as { id: number } | undefined
  const customUsers = { API_AUTHENTICATE_METHOD: ['custom'], API_CUSTOM_AUTH: byHeader } as const
  const as = (name: string, ip = '192.0.2.1') => ({ ip, headers: { 'x-user': name } })

  test('users of a custom strategy without a user model are counted separately, from any address', async () => {
    const { statuses } = start({ ...customUsers, API_RATE_LIMIT: '2 per minute' })
    const many = Array.from({ length: 5 }, () => as('ann'))
    equal(await statuses(...many), [200, 200, 429, 429, 429])
    equal(await statuses(as('bob'), as('bob'), as('bob')), [200, 200, 429])
    equal(await statuses(as('nobody'), as('nobody')), [200, 200])
    equal(await statuses(as('ann', '192.0.2.2'), as('ann as admin', '192.0.2.3')), [429, 429])
    equal(await statuses(as('ann by a token')), [429])
  })

  test('callers whom nothing identifies, and wrong credentials, are counted by address', async () => {
    const { statuses } = start({ ...customUsers, API_RATE_LIMIT: '2 per minute' })
    equal(await statuses(as('nobody'), as('only roles'), as('nobody')), [200, 200, 429])
    const elsewhere = '192.0.2.9'
    equal(await statuses(as('nobody', elsewhere), as('wrong', elsewhere)), [200, 401])
    equal(await statuses(as('wrong', elsewhere)), [429])
  })

  test('wrong credentials of a custom strategy use up the requests of their address, not those of users behind it', async () => {
    const { statuses } = start({ ...customUsers, API_RATE_LIMIT: '3 per minute' })
    const wrong = Array.from({ length: 4 }, () => as('wrong'))
    equal(await statuses(...wrong), [401, 401, 401, 429])
    equal(await statuses(as('ann'), as('bob'), as('ann'), as('ann')), [200, 200, 200, 200])
    equal(await statuses(as('ann'), as('bob'), as('nobody'), as('wrong')), [429, 200, 429, 429])
  })

  test('anonymous requests and other wrong credentials do not use up those of users with passwords or keys', async () => {
    const { statuses } = start({
      ...userKeys,
      API_CREDENTIAL_HASH_FIELD: 'key_hash',
      API_AUTHENTICATE_METHOD: ['basic', 'api_key'],
      API_AUTH_REQUIREMENTS: { GET: false },
      API_RATE_LIMIT: '2 per minute',
    })
    equal(await statuses({}, {}, {}), [200, 200, 429])
    const ann = { headers: basic('ann', passwords.ann ?? '') }
    const key = { headers: apiKey(apiKeys.bob ?? '') }
    equal(await statuses(ann, key, {}), [200, 200, 429])
    const sessions = start({
      ...userKeys,
      API_AUTHENTICATE_METHOD: ['custom', 'basic'],
      API_CUSTOM_AUTH: byHeader as never,
      API_RATE_LIMIT: '2 per minute',
    })
    equal(await sessions.statuses(as('wrong'), as('wrong'), as('wrong')), [401, 401, 429])
    equal(await sessions.statuses(ann, as('ann'), as('wrong')), [200, 200, 429])
  })

  test('wrong passwords refuse further ones from their address before the hash, and no other credentials', async () => {
    const { statuses } = start({
      ...userKeys,
      API_AUTHENTICATE_METHOD: ['custom', 'basic'],
      API_CUSTOM_AUTH: byHeader as never,
      API_RATE_LIMIT: '2 per minute',
      API_LOGIN_RATE_LIMIT: '1000 per minute',
    })
    const before = counted.checks
    const guesses = ['ann', 'bob', 'cat', 'dan'].map((name) => ({ headers: basic(name, 'wrong') }))
    equal(await statuses(...guesses), [401, 401, 429, 429])
    equal(await statuses({ headers: basic('ann', passwords.ann ?? '') }), [429])
    equal(counted.checks - before, 2)
    equal(await statuses(as('ann'), as('bob')), [200, 200])
  })

  test('users whom the host has authenticated itself are counted separately, from any address', async () => {
    const { statuses } = start({
      API_SETUP_CALLBACK: (request) => {
        request.user = byHeader(request as never)
      },
      API_RATE_LIMIT: '1 per minute',
    })
    equal(await statuses(as('ann'), as('ann', '192.0.2.2')), [200, 429])
    equal(await statuses(as('bob'), as('nobody'), as('nobody')), [200, 200, 429])
  })

  test('the keys of users, names and addresses never meet, and tell nothing of the user', async () => {
    const keys = new Set<string>()
    const store: RateLimitStore = {
      hit: async (key) => {
        keys.add(key)
        return { count: 1, resetsAt: Date.now() + 60_000 }
      },
      peek: async () => ({ count: 0, resetsAt: Date.now() + 60_000 }),
    }
    const limit = { API_RATE_LIMIT: '9 per minute', API_RATE_LIMIT_STORE: store }
    const anonymous = start(limit)
    const host = start({ ...customUsers, ...limit })
    const ofModel = start({
      ...userKeys,
      ...limit,
      API_AUTHENTICATE_METHOD: ['custom', 'basic'],
      API_CUSTOM_AUTH: byHeader as never,
    })
    equal(await anonymous.statuses({}), [200])
    equal(await host.statuses(as('ann'), as('bob')), [200, 200])
    equal(
      await ofModel.statuses(as('ann'), { headers: basic('ann', passwords.ann ?? '') }),
      [200, 200],
    )
    equal(keys.size, 5)
    const kinds = [...keys].map((key) => key.replace(/^.*?\|/, '').replace(/\|\d+$/, ''))
    const forms = kinds.map((kind) => kind.replace(/[0-9a-f]{32}/, 'HASH'))
    equal(forms, [
      'ip:192.0.2.1',
      'user:identity HASH',
      'user:identity HASH',
      'user:identity HASH',
      'user:HASH',
    ])
  })

  test('the limit is checked before the password hash', async () => {
    const { statuses } = start({
      ...userKeys,
      API_AUTHENTICATE_METHOD: ['basic'],
      API_RATE_LIMIT: '2 per minute',
      API_LOGIN_RATE_LIMIT: '1000 per minute',
    })
    const before = counted.checks
    const wrong = { headers: basic('ann', 'wrong') }
    equal(await statuses(wrong, wrong, wrong, wrong), [401, 401, 429, 429])
    equal(counted.checks - before, 2)
    const right = { headers: basic('ann', passwords.ann ?? ''), ip: '192.0.2.9' }
    equal(await statuses(right, right, right), [200, 200, 429])
    equal(counted.checks - before, 4)
  })

  test('failed attempts of others with a name do not use up the requests of its owner', async () => {
    const { statuses } = start({
      ...userKeys,
      API_AUTHENTICATE_METHOD: ['basic'],
      API_RATE_LIMIT: '2 per minute',
      API_LOGIN_RATE_LIMIT: '1000 per minute',
    })
    const wrong = { headers: basic('ann', 'wrong'), ip: '203.0.113.6' }
    equal(await statuses(wrong, wrong, wrong), [401, 401, 429])
    equal(await statuses({ headers: basic('ann', passwords.ann ?? '') }), [200])
  })

  test('login is limited per address and per account', async () => {
    const { statuses } = start({ ...jwtKeys, API_LOGIN_RATE_LIMIT: '3 per minute' })
    const attempt = (username: string, ip: string, password = 'wrong') => ({
      method: 'POST',
      url: '/auth/login',
      ip,
      body: { username, password },
    })
    const before = counted.checks
    const names = ['a', 'b', 'c', 'd'].map((name) => attempt(name, '203.0.113.1'))
    equal(await statuses(...names), [401, 401, 401, 429])
    const places = ['2', '3', '4', '5'].map((n) => attempt('ann', `203.0.113.${n}`))
    equal(await statuses(...places), [401, 401, 401, 429])
    equal(await statuses(attempt('ann', '203.0.113.6', passwords.ann)), [429])
    equal(counted.checks - before, 6)
    equal(await statuses(attempt('bob', '203.0.113.7', passwords.bob)), [200])
  })

  test('ten attempts per minute is the default', async () => {
    const { API_LOGIN_RATE_LIMIT: _, ...config } = jwtKeys
    const { api } = start(config)
    for (let i = 0; i < 10; i++) equal((await login(api, 'ann', 'wrong')).status, 401)
    const refused = await login(api, 'ann')
    equal([refused.status, refused.headers['retry-after']], [429, '60'])
    equal(refused.headers['cache-control'], 'no-store')
  })

  test('refresh is limited', async () => {
    const { api, statuses } = start({ ...jwtKeys, API_LOGIN_RATE_LIMIT: '2 per minute' })
    const { refresh_token } = (await login(api, 'ann')).value
    const attempt = { method: 'POST', url: '/auth/refresh', body: { refresh_token } }
    equal(await statuses(attempt, attempt, attempt), [200, 403, 429])
  })

  test('wrong passwords in Basic count like those of login; right ones do not', async () => {
    const { statuses } = start({
      ...userKeys,
      API_AUTHENTICATE_METHOD: ['basic'],
      API_LOGIN_RATE_LIMIT: '3 per minute',
    })
    const right = { headers: basic('ann', passwords.ann ?? '') }
    equal(await statuses(right, right, right, right, right), [200, 200, 200, 200, 200])
    const wrong = { headers: basic('ann', 'wrong'), ip: '203.0.113.6' }
    const before = counted.checks
    equal(await statuses(wrong, wrong, wrong, wrong), [401, 401, 401, 429])
    equal(counted.checks - before, 3)
  })

  test('wrong API keys count, too', async () => {
    const { statuses } = start({
      ...userKeys,
      API_CREDENTIAL_HASH_FIELD: 'key_hash',
      API_AUTHENTICATE_METHOD: ['api_key'],
      API_LOGIN_RATE_LIMIT: '3 per minute',
    })
    const right = { headers: apiKey(apiKeys.ann ?? '') }
    equal(await statuses(right, right, right, right), [200, 200, 200, 200])
    const guesses = ['a', 'b', 'c', 'd'].map((key) => ({
      headers: apiKey(key),
      ip: '203.0.113.7',
    }))
    equal(await statuses(...guesses), [401, 401, 401, 429])
  })

  test('concurrent guesses cannot exceed the limit', async () => {
    const { ask } = start({
      ...userKeys,
      API_AUTHENTICATE_METHOD: ['basic'],
      API_LOGIN_RATE_LIMIT: '5 per minute',
    })
    const before = counted.checks
    const wrong = { headers: basic('bob', 'wrong'), ip: '203.0.113.8' }
    await Promise.all(Array.from({ length: 60 }, () => ask(wrong)))
    // Four checks may be running when the fifth failure is counted.
    equal(counted.checks - before <= 9, true)
  })

  test('a clock that is set back a day does not block requests', async () => {
    let now = Date.parse('2026-01-02T03:04:05Z')
    let elapsed = 1_000
    const clock = { now: () => now, elapsed: () => elapsed }
    const { api } = peopleApi(db, { API_RATE_LIMIT: '1 per minute' }, { clock })
    const ask = () => api.handle({ method: 'GET', url: '/api/books', ip: '192.0.2.1' })
    equal((await ask()).status, 200)
    now -= 86_400_000
    elapsed += 10_000
    const refused = await ask()
    equal([refused.status, refused.headers['retry-after']], [429, '50'])
    elapsed += 50_000
    equal((await ask()).status, 200)
  })

  test('a store that still uses the earlier time does not block requests', async () => {
    let now = Date.parse('2026-01-02T03:04:05Z')
    const clock = { now: () => now, elapsed: () => 0 }
    const resetsAt = now + 60_000
    const store: RateLimitStore = { hit: async () => ({ count: 2, resetsAt }) }
    const config = { API_RATE_LIMIT: '1 per minute', API_RATE_LIMIT_STORE: store }
    const { api } = peopleApi(db, config, { clock })
    now -= 86_400_000
    const refused = await api.handle({ method: 'GET', url: '/api/books', ip: '192.0.2.1' })
    equal([refused.status, refused.headers['retry-after']], [429, '60'])
  })

  test('an invalid limit fails at the start', () => {
    const texts = ['5', '5 per', 'five per minute', '0 per minute', '5 per fortnight', '5/min', '']
    for (const text of [
      ...texts,
      '5 per minute,',
      '-5 per minute',
      '1.5 per minute',
      '5 per 0 minutes',
    ]) {
      const { message } = throws(() => peopleApi(db, { API_RATE_LIMIT: text }))
      match(message, 'config.API_RATE_LIMIT')
      match(message, '5 per minute')
    }
    for (const text of ['5 per minute', '5/minute', '5 per 15 minutes', '1/second;10 per hour']) {
      peopleApi(db, { API_RATE_LIMIT: text })
    }
    throws(() => peopleApi(db, { API_TRUSTED_PROXIES: ['10.0.0.0/33'] }), 'API_TRUSTED_PROXIES')
    throws(() => peopleApi(db, { API_RATE_LIMIT_STORE: {} as never }), 'API_RATE_LIMIT_STORE')
  })
})
