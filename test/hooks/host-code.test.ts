/**
 * Functions of the host that throw, reject or never settle: the response is 500 with the request id, nothing is stored, and the
 * log names the function.
 */
import {
  type AnyModel,
  type Api,
  type ApiConfig,
  type ApiRequest,
  apiError,
  type Column,
  defineModel,
} from '@model-api/core'
import { createClient } from '@model-api/core/client'
import {
  apiKey,
  apiKeys,
  basic,
  bearer,
  createPeople,
  jwtKeys,
  login,
  passwords,
  peopleApi,
  User,
  userKeys,
} from '../auth/people.ts'
import { get, send, testApi } from '../support/api.ts'
import { equal, match, ok, throws } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const columns = {
  id: { type: 'integer', primaryKey: true, generated: true },
  title: { type: 'string', maxLength: 40 },
  shelf: { type: 'string', maxLength: 40, nullable: true },
} as const satisfies Record<string, Column>

const Note = defineModel('Note', { columns, meta: {} })

const never = () => new Promise<never>(() => {})
const rejecting = () => Promise.reject(new Error('of the host'))
const throwing = () => {
  throw new Error('of the host')
}
const ways = { never, rejecting } as const

type Way = typeof never | typeof rejecting | typeof throwing

interface Case {
  /** The name of the function in the log. */
  readonly name: string
  readonly request?: string
  readonly body?: unknown
  readonly model?: (way: Way) => AnyModel
  readonly config?: (way: Way) => ApiConfig
}

const withColumn = (name: keyof typeof columns, option: object): AnyModel =>
  defineModel('Note', {
    columns: { ...columns, [name]: { ...columns[name], ...option } },
    meta: {},
  }) as unknown as AnyModel

const withPolicy = (hook: string, way: Way): AnyModel =>
  defineModel('Note', {
    columns,
    meta: { access_policy: { scope_query: (query) => query, [hook]: way } },
  }) as unknown as AnyModel

const post = { request: 'POST /api/notes', body: { title: 'new' } } as const
const patch = { request: 'PATCH /api/notes/1', body: { title: 'other' } } as const
const put = { request: 'PUT /api/notes/1', body: { title: 'other' } } as const
const remove = { request: 'DELETE /api/notes/1' } as const
const read = { request: 'GET /api/notes/1' } as const

const cases: readonly Case[] = [
  { name: 'setup callback', ...post, config: (way) => ({ API_SETUP_CALLBACK: way }) },
  { name: 'filter callback of Note', ...read, config: (way) => ({ API_FILTER_CALLBACK: way }) },
  { name: 'dump callback of Note', ...read, config: (way) => ({ API_DUMP_CALLBACK: way }) },
  { name: 'return callback of Note', ...read, config: (way) => ({ API_RETURN_CALLBACK: way }) },
  { name: 'final callback', ...read, config: (way) => ({ API_FINAL_CALLBACK: way }) },
  { name: 'add callback of Note', ...post, config: (way) => ({ API_ADD_CALLBACK: way }) },
  { name: 'update callback of Note', ...patch, config: (way) => ({ API_UPDATE_CALLBACK: way }) },
  { name: 'remove callback of Note', ...remove, config: (way) => ({ API_REMOVE_CALLBACK: way }) },
  { name: 'session getter', ...read, config: (way) => ({ API_SESSION_GETTER: way }) },
  {
    name: 'validator of Note.title',
    ...post,
    model: (way) => withColumn('title', { validator: way }),
  },
  {
    name: 'validator of Note.title',
    ...patch,
    // This validator takes the stored record.
    model: (way) => withColumn('title', { validator: (_value: string, _row: object) => way() }),
  },
  {
    name: 'validator of Note.shelf',
    request: 'POST /api/notes',
    body: { title: 'new', shelf: 'b' },
    model: (way) =>
      withColumn('shelf', {
        validator: { '~standard': { version: 1, vendor: 'test', validate: way } },
      }),
  },
  { name: 'default of Note.shelf', ...post, model: (way) => withColumn('shelf', { default: way }) },
  {
    name: 'default of Note.shelf',
    ...put,
    model: (way) => withColumn('shelf', { default: way }),
    config: () => ({ API_ALLOWED_METHODS: ['GET', 'PUT'] }),
  },
  {
    // The response to a list is read through the policy after the write.
    name: 'scope_query of the policy of Note',
    request: 'POST /api/notes?dump=json',
    body: [{ title: 'new' }, { title: 'newer' }],
    config: () => ({ API_ALLOW_BULK: true }),
    model: (way) => withPolicy('scope_query', way),
  },
  ...(
    [
      ['scope_query', read],
      // These policies are called after the write, for the record of the response.
      ['scope_query', post],
      ['can_read', post],
      ['can_read', read],
      ['can_create', post],
      ['can_update', patch],
      ['can_delete', remove],
    ] as const
  ).map(([hook, asked]) => ({
    name: `${hook} of the policy of Note`,
    ...asked,
    model: (way: Way) => withPolicy(hook, way),
  })),
]

const stored = async (db: TestDatabase): Promise<unknown> =>
  db.kysely.selectFrom('notes').select(['id', 'title', 'shelf']).orderBy('id').execute()

eachDatabase('functions of the host', (test, db) => {
  test.before(async () => {
    await createTables(db, [Note])
    await insertRows(db, Note, [{ title: 'first', shelf: 'a' }])
  })

  for (const [way, run] of Object.entries(ways)) {
    for (const { name, request = '', body, model, config } of cases) {
      test(`${way}: ${name}, ${request}`, async () => {
        const reported: unknown[] = []
        const api = testApi(
          db,
          [model?.(run) ?? (Note as unknown as AnyModel)],
          { API_HOOK_TIMEOUT: 60, ...config?.(run) },
          { onError: (error) => void reported.push(error) },
        )
        const before = await stored(db)
        const [method = '', url = ''] = request.split(' ')
        const answer = await send(api, method, url, body === undefined ? {} : { body })
        equal([answer.status, answer.errors.reason], [500, 'Request test'])
        equal(await stored(db), before)
        const message = (reported[0] as Error).message
        const reason =
          way === 'never'
            ? `The ${name} did not settle within 60 ms (API_HOOK_TIMEOUT).`
            : `The ${name} failed: of the host`
        equal(message, reason)
        // The connection has been returned to the pool.
        equal((await get(testApi(db, [Note]), '/api/notes/1')).status, 200)
      })
    }
  }

  test('an error in the error callback, or in final after a failure, is reported, and does not change the response', async () => {
    for (const run of [never, rejecting, throwing]) {
      for (const key of ['API_ERROR_CALLBACK', 'API_FINAL_CALLBACK'] as const) {
        const reported: unknown[] = []
        const options = { onError: (error: unknown) => void reported.push(error) }
        const api = testApi(db, [Note], { API_HOOK_TIMEOUT: 60, [key]: run }, options)
        const { status, errors } = await get(api, '/api/notes/99')
        equal([status, errors.code, reported.length], [404, 'record_not_found', 1])
      }
    }
  })

  test('a promise of any kind that settles in time is used', async () => {
    const later = <T>(value: T): Promise<T> =>
      new Promise((resolve) => setTimeout(() => resolve(value), 5))
    const model = withColumn('shelf', {
      default: () => later('of the default'),
      // biome-ignore lint/suspicious/noThenProperty: a promise of another library
      validator: () => ({ then: (resolve: (answer: boolean) => void) => resolve(true) }),
    })
    const refusing = withColumn('title', { validator: (value: string) => later(value !== 'bad') })
    const created = await send(testApi(db, [model]), 'POST', '/api/notes', { body: { title: 'x' } })
    equal([created.status, created.value.shelf], [201, 'of the default'])
    const given = { body: { title: 'x', shelf: 'b' } }
    equal((await send(testApi(db, [model]), 'POST', '/api/notes', given)).value.shelf, 'b')
    const bad = await send(testApi(db, [refusing]), 'POST', '/api/notes', {
      body: { title: 'bad' },
    })
    equal([bad.status, bad.errors.reason], [400, { title: ['This value is not valid.'] }])
  })

  test('a validator that returns nothing is 500, not 400', async () => {
    const reported: unknown[] = []
    const options = { onError: (error: unknown) => void reported.push(error) }
    const api = testApi(db, [withColumn('title', { validator: () => undefined })], {}, options)
    equal((await send(api, 'POST', '/api/notes', { body: { title: 'x' } })).status, 500)
    match(String(reported[0]), 'validator of Note.title returned undefined')
  })

  test('an apiError is the response, thrown or rejected', async () => {
    const refusal = apiError(409, 'Conflict', 'Not now.')
    for (const validator of [() => Promise.reject(refusal), throwingOf(refusal)]) {
      const api = testApi(db, [withColumn('title', { validator })])
      const { status, errors } = await send(api, 'POST', '/api/notes', { body: { title: 'x' } })
      equal([status, errors.reason], [409, 'Not now.'])
    }
  })

  test('an apiError about a record of a list is sent as it is; a callback names the record by its values', async () => {
    const refuse = (object: { readonly id?: number; readonly title?: string }): object => {
      const { id, title } = object
      if (title === 'taken') throw apiError(409, 'Conflict', id ? { id, title } : { title })
      return object
    }
    const config = {
      API_ALLOW_BULK: true,
      API_ADD_CALLBACK: refuse,
      API_UPDATE_CALLBACK: refuse,
    } as ApiConfig
    const api = testApi(db, [Note], config)
    const write = async (method: string, body: unknown) => {
      const { status, errors } = await send(api, method, '/api/notes', { body })
      return [status, errors]
    }
    const conflict = (reason: object) => [409, { error: 'Conflict', reason }]
    equal(
      await write('POST', [{ title: 'free' }, { title: 'taken' }]),
      conflict({ title: 'taken' }),
    )
    const stored = await send(api, 'POST', '/api/notes', { body: [{ title: 'a' }, { title: 'b' }] })
    const [{ id: first }, { id }] = stored.value
    equal(
      await write('PATCH', [
        { id: first, title: 'free' },
        { id, title: 'taken' },
      ]),
      conflict({ id, title: 'taken' }),
    )
    // The service names the record itself where a validator refuses.
    const taken = withColumn('title', { validator: () => 'Taken.' })
    const validated = testApi(db, [taken], { API_ALLOW_BULK: true })
    const { status, errors } = await send(validated, 'POST', '/api/notes', {
      body: [{ title: 'x' }],
    })
    equal([status, errors.reason], [400, { '[0].title': ['Taken.'] }])
  })

  test('an apiError may have a code, which programs go by', async () => {
    const code = 'shelf_full'
    const seen: unknown[] = []
    const api = testApi(
      db,
      [withColumn('title', { validator: throwingOf(apiError(403, 'Forbidden', 'No.', code)) })],
      { API_ALLOW_BATCH: true },
      { onRefusal: (refusal) => void seen.push(refusal.code) },
    )
    const create = { method: 'POST', url: '/api/notes', body: { title: 'x' } }
    // The OpenAPI document lists the codes of the service alone, so these responses are not compared with it.
    const ask = async (request: ApiRequest) => {
      const { status, body } = await api.handle(request)
      return { status, body: body as unknown as { [name: string]: unknown; errors: object } }
    }
    const { status, body } = await ask(create)
    equal([status, body.errors], [403, { error: 'Forbidden', reason: 'No.', code }])
    equal(seen, [code])
    const asked = { ...create, headers: { accept: 'application/problem+json' } }
    const { type, code: sent } = (await ask(asked)).body
    equal([type, sent], ['about:blank', code])
    const operations = [{ id: 'a', ...create }]
    const failed = await ask({ method: 'POST', url: '/api/batch', body: { operations } })
    equal(failed.body.errors, { error: 'Forbidden', reason: 'No.', code, at: 'operations[0]' })
    const client = createClient<Api>('http://api.test', { fetch: (sent) => api.fetch(sent) })
    const result = await client.notes?.create({ title: 'x' } as never)
    equal(result?.ok === false && result.error.code, code)
  })

  test('an apiError with a code of the service refuses a DELETE of several records, as any other does', async () => {
    const refuses = (code: string) =>
      testApi(db, [Note], {
        API_ALLOW_BULK: true,
        API_ALLOW_CASCADE_DELETE: true,
        API_REMOVE_CALLBACK: throwingOf(apiError(409, 'Conflict', 'On loan.', code)),
      })
    await send(testApi(db, [Note]), 'POST', '/api/notes', { body: { title: 'kept' } })
    for (const code of ['record_not_found', 'referred_to', 'on_loan']) {
      const url = '/api/notes?title__eq=kept&cascade_delete=true'
      const { status, body } = await refuses(code).handle({ method: 'DELETE', url })
      equal(
        [status, (body as { errors?: unknown } | null)?.errors],
        [409, { error: 'Conflict', reason: 'On loan.', code }],
      )
    }
  })

  test('an apiError whose code could not stand in a URL is an error of the hook', async () => {
    for (const code of ['', 'shelf full', 'a#b', 'é', 7 as never, 'x'.repeat(101)]) {
      throws(() => apiError(403, 'Forbidden', 'No.', code), /^apiError: expected a code /)
    }
    const withoutReason = apiError(403, 'Forbidden', undefined, 'Tenant.suspended-2')
    equal(withoutReason.body, { error: 'Forbidden', code: 'Tenant.suspended-2' })
  })

  test('observers that throw or reject neither change a response nor end the process', async () => {
    const seen: string[] = []
    const logged: string[] = []
    const { error: log } = console
    console.error = (error) => void logged.push(String(error))
    const failing = [throwing, rejecting, async () => throwing()]
    for (const fail of failing) {
      const observe = (name: string) => () => {
        seen.push(name)
        return fail()
      }
      const options = {
        onError: observe('onError'),
        onWarning: observe('onWarning'),
        onRefusal: observe('onRefusal'),
      }
      const broken = { API_DUMP_CALLBACK: () => undefined as never }
      equal((await get(testApi(db, [Note], broken, options), '/api/notes/1')).status, 500)
      const closed = { API_SETUP_CALLBACK: throwingOf(apiError(403, 'Forbidden', 'No.')) }
      equal((await get(testApi(db, [Note], closed, options), '/api/notes/1')).status, 403)
      const policy = { access_policy: { can_read: () => true } }
      const warned = defineModel('Note', { columns, meta: policy }) as unknown as AnyModel
      equal((await get(testApi(db, [warned], {}, options), '/api/notes/1')).status, 200)
    }
    // An unhandled rejection would end this process at the next turn of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 20))
    for (const name of ['onError', 'onWarning', 'onRefusal']) ok(seen.includes(name), name)
    // The log shows that onError itself failed.
    ok(logged.includes('Error: onError failed.'))
    console.error = log
  })
})

const throwingOf = (error: unknown) => () => {
  throw error
}

eachDatabase('functions of authentication', (test, db) => {
  test.before(() => createPeople(db))

  const kinds: readonly (readonly [
    name: string,
    config: (way: Way) => ApiConfig,
    headers: () => Promise<Record<string, string>>,
    failed: number,
  ])[] = [
    [
      'custom authentication',
      (way) => ({ API_AUTHENTICATE_METHOD: ['custom'], API_CUSTOM_AUTH: way }),
      async () => ({}),
      401,
    ],
    [
      'token provider',
      (way) => ({ ...jwtKeys, API_AUTH_TOKEN_PROVIDERS: [way] }),
      async () => ({}),
      500,
    ],
    [
      'look-up of an API key',
      (way) => ({ API_AUTHENTICATE_METHOD: ['api_key'], API_KEY_AUTH_AND_RETURN_METHOD: way }),
      async () => apiKey(apiKeys.ann ?? ''),
      401,
    ],
    [
      'method check of User',
      (way) => ({
        ...userKeys,
        API_USER_MODEL: withMethods({ check: way }),
        API_CREDENTIAL_CHECK_METHOD: 'check',
        API_AUTHENTICATE_METHOD: ['basic'],
      }),
      async () => basic('ann', passwords.ann ?? ''),
      401,
    ],
    [
      'method roles of User',
      (way) => ({ ...jwtKeys, API_USER_MODEL: withMethods({ ...User.methods, roles: way }) }),
      async () => bearer((await login(peopleApi(db).api, 'ann')).value.access_token),
      500,
    ],
  ]
  for (const [way, run] of Object.entries(ways)) {
    for (const [name, config, headers, failed] of kinds) {
      test(`${way}: ${name}`, async () => {
        const given = { API_HOOK_TIMEOUT: 60, ...config(run) }
        const models = given.API_USER_MODEL === undefined ? {} : { models: [given.API_USER_MODEL] }
        const { api, errors } = peopleApi(db, given, models)
        const { status } = await get(api, '/api/users', await headers())
        equal(status, way === 'never' ? 500 : failed)
        const reason = way === 'never' ? 'did not settle within 60 ms' : 'failed: of the host'
        match((errors[0] as Error).message, `The ${name} ${reason}`)
      })
    }
  }
})

const withMethods = (methods: object): AnyModel =>
  defineModel('User', { ...User, methods } as never) as unknown as AnyModel
