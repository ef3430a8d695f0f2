/** Batch: rights, the callbacks that run, and what a dry run leaves behind. */
import {
  type AnyModel,
  type ApiConfig,
  type ApiRequest,
  apiError,
  type Change,
  defineModel,
} from '@model-api/core'
import { bearer, createPeople, jwtKeys, login, peopleApi } from '../auth/people.ts'
import { type Answer, testApi } from '../support/api.ts'
import { equal, match, ok } from '../support/assert.ts'
import { getting, posting, sendBatch } from '../support/batch.ts'
import { withMeta } from '../support/expect.ts'
import { createWritableShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const on = { API_ALLOW_BATCH: true, API_ALLOW_NESTED_WRITES: true } as const

/** The API key is the id of the user; its parts between hyphens are the roles. */
const byKey: ApiConfig = {
  API_AUTHENTICATE_METHOD: ['api_key'],
  API_KEY_AUTH_AND_RETURN_METHOD: (key) => ({ id: key, roles: key.split('-') }),
}

const as = (user: string) => ({ authorization: `Api-Key ${user}` })

const told = ({ status, errors }: Answer) => [status, errors?.code ?? errors?.error, errors?.at]

eachDatabase('batches: rights', (test, db) => {
  test.before(() => createWritableShop(db))

  const tags = async (): Promise<readonly string[]> =>
    (await db.kysely.selectFrom('tags').select('name').orderBy('id').execute()).map(
      ({ name }) => name,
    )

  test('each operation is authenticated and authorised, before anything is written', async () => {
    const api = testApi(
      db,
      withMeta(withMeta(shop, 'Tag', { role_map: { POST: 'editor', GET: 'editor' } }), 'Author', {
        auth_requirements: { ALL: false },
      }),
      { ...on, ...byKey },
    )
    const operations = [getting('/api/authors/1'), posting('/api/tags', { name: 'mine' })]
    const before = await tags()
    equal(told(await sendBatch(api, operations)), [401, 'authorization_missing', 'operations[1]'])
    equal(told(await sendBatch(api, operations, {}, as('reader'))), [
      403,
      'forbidden',
      'operations[1]',
    ])
    equal(told(await sendBatch(api, [getting('/api/tags')], {}, as('reader'))), [
      403,
      'forbidden',
      'operations[0]',
    ])
    equal(await tags(), before)
    equal((await sendBatch(api, operations, {}, as('editor'))).status, 200)
    equal((await sendBatch(api, [getting('/api/authors/1')])).status, 200)
  })

  test('credentials and headers that a proxy sets are those of the batch, never of an operation', async () => {
    const api = testApi(db, shop, { ...on, ...byKey })
    for (const name of [
      'Authorization',
      'x-user',
      'cookie',
      'x-forwarded-for',
      'idempotency-key',
    ]) {
      const operation = { ...getting('/api/tags'), headers: { [name]: 'editor' } }
      const { status, errors } = await sendBatch(api, [operation])
      equal([status, Object.keys(errors.reason)], [400, [`operations[0].headers.${name}`]])
    }
  })

  test('policies, column rights and hidden columns apply as in single requests', async () => {
    const mine: AnyModel = defineModel('Note', {
      columns: {
        id: { type: 'integer', primaryKey: true, generated: true },
        owner: { type: 'string', maxLength: 20 },
        text: { type: 'string', maxLength: 80, nullable: true },
        rate: { type: 'integer', nullable: true, read: 'boss', write: 'boss' },
      },
      meta: {
        access_policy: {
          scope_query: (query, { user }) => query.where('owner', '=', (user as { id: string }).id),
          can_create: (data, { user }) => data.owner === (user as { id: string }).id,
        },
      },
    })
    await createTables(db, [mine])
    const api = testApi(db, [mine], { ...on, ...byKey })
    const reads = (user: string, url: string) => sendBatch(api, [getting(url)], {}, as(user))
    const ann = as('ann')
    const created = await sendBatch(
      api,
      [posting('/api/notes', { owner: 'ann', text: 'x' }), getting('/api/notes/{a.id}')],
      {},
      ann,
    )
    equal([created.status, created.value[1].value.text], [200, 'x'])
    const url = created.value[0].headers.location
    equal(told(await reads('bob', url)), [404, 'record_not_found', 'operations[0]'])
    equal((await reads('bob', '/api/notes')).value[0].value, [])
    const foreign = await sendBatch(api, [posting('/api/notes', { owner: 'bob' })], {}, ann)
    equal(foreign.status, 403)
    const rate = await sendBatch(api, [posting('/api/notes', { owner: 'ann', rate: 1 })], {}, ann)
    equal([rate.status, Object.keys(rate.errors.reason)], [400, ['rate']])
    equal((await reads('ann', '/api/notes?rate__eq=1')).errors.code, 'unknown_column')
    // A reference can read only members that the response shows.
    const hidden = [getting(url), posting('/api/notes', { owner: 'ann', text: { $ref: 'a.rate' } })]
    equal(told(await sendBatch(api, hidden, {}, ann)), [
      400,
      'unresolved_reference',
      'operations[1]',
    ])
  })

  test('a reference does not lead to an endpoint that its sender may not use', async () => {
    const open = withMeta(withMeta(shop, 'Tag', { auth_requirements: { ALL: false } }), 'Book', {
      auth_requirements: { ALL: false },
      endpoint: '0',
    })
    const api = testApi(db, open, { ...on, ...byKey })
    const read = [posting('/api/tags', { name: 'authors' }), getting('/api/{a.name}?fields=name')]
    equal(told(await sendBatch(api, read)), [400, 'not_in_batch', 'operations[1]'])
  })

  test('functions of the host that decide by the request are never called with unresolved references', async () => {
    const seen: string[] = []
    const refusing = ({ url, body }: ApiRequest): true => {
      seen.push(`${url} ${JSON.stringify(body)}`)
      if (url === '/api/tags/2') throw apiError(403, 'Forbidden')
      if ((body as { author_id?: unknown } | undefined)?.author_id === 2) {
        throw apiError(403, 'Forbidden')
      }
      return true
    }
    const setups: readonly ApiConfig[] = [
      { API_SETUP_CALLBACK: (request) => void refusing(request) },
      { API_AUTHENTICATE_METHOD: ['custom'], API_CUSTOM_AUTH: refusing },
    ]
    const before = await tags()
    for (const config of setups) {
      const api = testApi(db, shop, { ...on, ...config })
      const first = getting('/api/tags?id__eq=2')
      const author = getting('/api/authors?id__eq=2')
      equal((await sendBatch(api, [first])).value[0].value[0].id, 2)
      equal((await sendBatch(api, [author])).value[0].value[0].id, 2)
      const remove = (key: string) => ({ method: 'DELETE', url: `/api/tags/${key}` })
      const write = (author_id: unknown) => posting('/api/books', { title: 'x', author_id })
      equal((await sendBatch(api, [first, remove('2')])).status, 403)
      equal((await sendBatch(api, [author, write(2)])).status, 403)
      seen.length = 0
      for (const operations of [
        [first, remove('{a.0.id}')],
        [author, write({ $ref: 'a.0.id' })],
        [first, getting('/api/tags?id__eq={a.0.id}')],
      ]) {
        const answer = await sendBatch(api, operations)
        equal(told(answer), [400, 'references_not_allowed', 'operations[1]'])
      }
      equal([...new Set(seen)], ['/api/tags?id__eq=2 undefined', '/api/authors?id__eq=2 undefined'])
    }
    equal(await tags(), before)
    // Only operations on the endpoint that has such a function cannot contain references.
    const elsewhere = withMeta(shop, 'Author', {
      setup_callback: (request: ApiRequest) => void refusing(request),
    })
    const api = testApi(db, elsewhere, on)
    const read = [getting('/api/tags?id__eq=2'), getting('/api/tags/{a.0.id}')]
    equal((await sendBatch(api, read)).status, 200)
    equal((await sendBatch(api, [...read, getting('/api/authors/{a.0.id}')])).status, 400)
  })

  test('API_CUSTOM_AUTH_PER_BATCH: the function is called once for the batch, and the rights are the same', async () => {
    const seen: string[] = []
    const byRoles = ({ method, url, headers }: ApiRequest) => {
      seen.push(`${method} ${url}`)
      const roles = headers?.['x-roles']
      return typeof roles === 'string' && { id: roles, roles: roles.split(' ') }
    }
    const guarded = withMeta(
      withMeta(shop, 'Tag', { role_map: { POST: 'editor', DELETE: 'boss', GET: 'editor' } }),
      'Author',
      { auth_requirements: { ALL: false } },
    )
    const custom = { API_AUTHENTICATE_METHOD: ['custom'], API_CUSTOM_AUTH: byRoles } as const
    const each = testApi(db, guarded, { ...on, ...custom })
    const once = testApi(db, guarded, { ...on, ...custom, API_CUSTOM_AUTH_PER_BATCH: true })
    const read = getting('/api/authors/1')
    const batches = [
      [read],
      [read, getting('/api/tags')],
      [read, posting('/api/tags', { name: 'of all' }), { method: 'DELETE', url: '/api/tags/99' }],
    ]
    const callers: readonly Record<string, string>[] = [{}, { 'x-roles': 'viewer' }].concat([
      { 'x-roles': 'editor' },
      { 'x-roles': 'editor boss' },
    ])
    const verdicts: unknown[] = []
    for (const headers of callers) {
      for (const operations of batches) {
        const dry = { dry_run: true }
        seen.length = 0
        const separately = told(await sendBatch(each, operations, dry, headers))
        ok(seen.every((line) => !line.includes('/api/batch')))
        seen.length = 0
        const together = told(await sendBatch(once, operations, dry, headers))
        equal([together, seen], [separately, ['POST /api/batch']])
        verdicts.push(together[0])
      }
    }
    equal(verdicts, [200, 401, 401, 200, 403, 403, 200, 200, 403, 200, 200, 404])
    // The function does not see operations, so references hide nothing from it.
    const referring = [posting('/api/tags', { name: 'referred' }), getting('/api/tags/{a.id}')]
    const editor = { 'x-roles': 'editor' }
    equal((await sendBatch(once, referring, { dry_run: true }, editor)).status, 200)
    equal((await sendBatch(each, referring, { dry_run: true }, editor)).status, 400)
    // For separate requests, the function is still called.
    seen.length = 0
    await once.handle({ method: 'GET', url: '/api/tags', headers: editor })
    equal(seen, ['GET /api/tags'])
  })

  test('API_CUSTOM_AUTH_PER_BATCH: a user that the function or setup sets on the request is the user of each operation', async () => {
    const guarded = withMeta(shop, 'Tag', { role_map: { GET: 'editor' } })
    const setting = (request: ApiRequest): true => {
      request.user = { roles: ['editor'] }
      return true
    }
    const setups: readonly ApiConfig[] = [
      { API_CUSTOM_AUTH: setting },
      { API_CUSTOM_AUTH: () => true, API_SETUP_CALLBACK: (request) => void setting(request) },
    ]
    for (const config of setups) {
      for (const API_CUSTOM_AUTH_PER_BATCH of [false, true]) {
        const strategy = { API_AUTHENTICATE_METHOD: ['custom'], API_CUSTOM_AUTH_PER_BATCH } as const
        const api = testApi(db, guarded, { ...on, ...strategy, ...config })
        equal((await sendBatch(api, [getting('/api/tags'), getting('/api/tags/1')])).status, 200)
      }
    }
  })

  test('each operation counts against the limit of its route, and the batch against that of the API', async () => {
    const limited = withMeta(shop, 'Tag', { get_rate_limit: '3 per minute' })
    const api = testApi(db, limited, { ...on, API_RATE_LIMIT: '5 per minute' })
    const reads = (count: number) => Array.from({ length: count }, () => getting('/api/tags/1'))
    const first = await sendBatch(api, reads(2))
    match(first.headers.ratelimit ?? '', ';r=4;')
    equal(
      first.value.map(({ headers }: Answer) => /;r=(\d)/.exec(headers.ratelimit ?? '')?.[1]),
      ['2', '1'],
    )
    const over = await sendBatch(api, reads(2))
    equal(told(over), [429, 'too_many_requests', 'operations[1]'])
    ok(over.headers['retry-after'] !== undefined)
    for (const _ of [3, 4, 5]) equal((await sendBatch(api, [getting('/api/books/1')])).status, 200)
    equal(told(await sendBatch(api, [getting('/api/books/1')])), [
      429,
      'too_many_requests',
      undefined,
    ])
  })

  test('a batch counts once, by the user of its first operation, else by address', async () => {
    const seen: string[] = []
    const byHeader: ApiConfig = {
      API_AUTHENTICATE_METHOD: ['custom'],
      API_CUSTOM_AUTH: ({ headers, url }) => {
        seen.push(url)
        const [, key] = String(headers?.authorization ?? '').split(' ')
        return key !== undefined && { id: key, roles: key.split('-') }
      },
    }
    for (const strategy of [byKey, byHeader]) {
      const open = { get_rate_limit: '1000 per minute', post_rate_limit: '1000 per minute' }
      const guarded = withMeta(shop, 'Tag', { ...open, role_map: { POST: 'editor', GET: true } })
      const api = testApi(db, guarded, { ...on, ...strategy, API_RATE_LIMIT: '3 per minute' })
      const read = getting('/api/tags/1')
      const ask = async (headers?: Record<string, string>, operations: unknown[] = [read, read]) =>
        told(await sendBatch(api, operations as never, {}, headers))
      const full = [429, 'too_many_requests', undefined]
      const [ann, bob, cat] = [as('editor-ann'), as('editor-bob'), as('reader-cat')]
      for (const _ of [1, 2, 3]) equal((await ask(ann))[0], 200)
      const before = await tags()
      seen.length = 0
      equal(await ask(ann, [posting('/api/tags', { name: 'late' }), read, read]), full)
      equal(seen.length, strategy === byHeader ? 1 : 0)
      equal(await tags(), before)
      equal((await ask(bob))[0], 200)
      // Batches that are refused count, too: by user where the user is known.
      const mine = [posting('/api/tags', { name: 'mine' })]
      for (const _ of [1, 2, 3]) equal(await ask(cat, mine), [403, 'forbidden', 'operations[0]'])
      equal(await ask(cat, mine), full)
      equal((await ask())[0], 401)
      equal((await ask(undefined, [getting('/api/nothing')]))[0], 404)
      equal((await ask(undefined, []))[0], 400)
      equal(await ask(undefined, []), full)
      equal(await ask(), full)
      const answer = await sendBatch(api, [read], {}, bob)
      equal(answer.status, 200)
      match(answer.headers.ratelimit ?? '', '"3 per minute";r=1;')
    }
  })

  test('a batch whose operation has used up a limit of its user counts against nobody else', async () => {
    const limited = withMeta(shop, 'Tag', { get_rate_limit: '1 per minute' })
    const api = testApi(db, limited, { ...on, ...byKey, API_RATE_LIMIT: '2 per minute' })
    const read = [getting('/api/tags/1')]
    equal((await sendBatch(api, read, {}, as('ann'))).status, 200)
    for (const _ of [1, 2, 3]) {
      equal(told(await sendBatch(api, read, {}, as('ann'))), [
        429,
        'too_many_requests',
        'operations[0]',
      ])
    }
    equal(told(await sendBatch(api, read)), [401, 'authorization_missing', 'operations[0]'])
  })
})

eachDatabase('batches: users', (test, db) => {
  test.before(() => createPeople(db))

  test('a cross-site request with a cookie may read, but not write', async () => {
    const { api } = peopleApi(db, {
      ...jwtKeys,
      ...on,
      API_AUTH_TOKEN_PROVIDERS: ['cookie'],
    })
    const token = (await login(api, 'ann')).value.access_token as string
    const cookie = { cookie: `access_token=${token}`, 'sec-fetch-site': 'cross-site' }
    const read = getting('/api/books/1')
    equal((await sendBatch(api, [read], {}, cookie)).status, 200)
    const write = { method: 'PATCH', url: '/api/books/1', body: { title: 'Hers' } }
    equal(told(await sendBatch(api, [read, write], {}, cookie)), [
      403,
      'cross_site_request',
      'operations[1]',
    ])
    const own = { ...cookie, 'sec-fetch-site': 'same-origin' }
    equal((await sendBatch(api, [read, write], {}, own)).status, 200)
  })

  test('the same credentials are verified once', async () => {
    const { api } = peopleApi(db, { ...jwtKeys, ...on })
    const token = (await login(api, 'ann')).value.access_token as string
    const reads = [1, 1, 1].map((id) => getting(`/api/books/${id}`))
    const { result, statements } = await db.capture(() => sendBatch(api, reads, {}, bearer(token)))
    equal(result.status, 200)
    equal(statements.filter(({ sql }) => /from .users. /.test(sql)).length, 1)
  })
})

eachDatabase('batches: callbacks', (test, db) => {
  test.before(() => createWritableShop(db))

  const names = async (table = 'tags'): Promise<readonly string[]> =>
    (await db.kysely.selectFrom(table).select('name').orderBy('id').execute()).map(
      ({ name }) => name,
    )

  test('callbacks run for each operation, inside the transaction; after COMMIT one call has all changes', async () => {
    const calls: string[] = []
    const changes: (readonly Change[])[] = []
    const api = testApi(db, shop, {
      ...on,
      API_SETUP_CALLBACK: ({ method, url }) => {
        calls.push(`setup ${method} ${url}`)
      },
      API_ADD_CALLBACK: async (object, model, { db: own, request }) => {
        calls.push(`add ${model.name} ${request.url} ${own.isTransaction}`)
        return object
      },
      API_RETURN_CALLBACK: (value) => {
        calls.push('return')
        return value
      },
      API_FINAL_CALLBACK: (body) => {
        const { value, status_code } = body as { value: object; status_code: number }
        calls.push(`final ${status_code}`)
        return Array.isArray(value)
          ? body
          : { ...(body as object), value: { ...value, final: true } }
      },
      API_AFTER_COMMIT_CALLBACK: (given, args) => {
        changes.push(given)
        calls.push(
          `commit ${given.length} ${args.committed} ${args.db.isTransaction} ${args.request.url}`,
        )
      },
    })
    const { value } = await sendBatch(api, [
      posting('/api/tags', { name: 'one' }),
      posting('/api/authors', { name: 'two', books: [{ title: 'three' }] }),
      getting('/api/tags/1'),
    ])
    equal(
      value.map((one: { readonly value: { readonly final: boolean } }) => one.value.final),
      [true, true, true],
    )
    equal(calls, [
      'setup POST /api/tags',
      'setup POST /api/authors',
      'setup GET /api/tags/1',
      'add Tag /api/tags true',
      'return',
      'final 201',
      'add Author /api/authors true',
      'add Book /api/authors true',
      'return',
      'final 201',
      'return',
      'final 200',
      'commit 3 true false /api/batch',
      'final 200',
    ])
    equal(
      changes.flat().map(({ action, model }) => `${action} ${model.name}`),
      ['create Tag', 'create Author', 'create Book'],
    )
  })

  test('a callback that refuses the last operation undoes the first, and the callback after COMMIT is not called', async () => {
    const heard: unknown[] = []
    const errors: string[] = []
    const api = testApi(db, shop, {
      ...on,
      API_ADD_CALLBACK: (object) => {
        if (object.name === 'bad') throw apiError(418, 'Teapot', 'Not this one.')
        return object
      },
      API_AFTER_COMMIT_CALLBACK: (changes) => void heard.push(changes),
      API_ERROR_CALLBACK: (_, { method, url }) => void errors.push(`${method} ${url}`),
    })
    const before = await names()
    const answer = await sendBatch(api, [
      posting('/api/tags', { name: 'good' }),
      posting('/api/tags', { name: 'bad' }),
    ])
    equal(
      [answer.status, answer.errors],
      [418, { error: 'Teapot', reason: 'Not this one.', at: 'operations[1]' }],
    )
    equal([await names(), heard, errors], [before, [], ['POST /api/tags']])
  })

  test('an unexpected error of an operation is 500 and reveals nothing', async () => {
    const reported: unknown[] = []
    const api = testApi(
      db,
      shop,
      {
        ...on,
        API_ADD_CALLBACK: () => {
          throw new Error('secret')
        },
      },
      { onError: (error) => void reported.push(error) },
    )
    const { status, text } = await sendBatch(api, [posting('/api/tags', { name: 'x' })])
    equal([status, text.includes('secret'), reported.length], [500, false, 1])
  })

  test('a dry run gives the same response, and stores nothing', async () => {
    const heard: unknown[] = []
    const api = testApi(db, shop, {
      ...on,
      API_AFTER_COMMIT_CALLBACK: (changes) => void heard.push(changes),
    })
    const operations = [
      posting('/api/authors', { name: 'Dry', books: [{ title: 'Run' }] }),
      { method: 'PATCH', url: '/api/books/1', body: { rating: 1, tags: [{ id: 2 }] } },
      { method: 'DELETE', url: '/api/order-lines/2024%2F001,1' },
      getting('/api/authors/{a.id}/books?fields=title'),
      getting('/api/books/1/tags?fields=name'),
    ]
    const before = await contents()
    const dry = await sendBatch(api, operations, { dry_run: true })
    equal([await contents(), heard], [before, []])
    const real = await sendBatch(api, operations)
    equal([dry.status, real.status, heard.length], [200, 200, 1])
    ok(JSON.stringify(await contents()) !== JSON.stringify(before))
    equal(withoutGenerated(dry.value), withoutGenerated(real.value))
    const failing = [...operations.slice(0, 1), posting('/api/tags', { name: 'food' })]
    const refused = await sendBatch(api, failing, { dry_run: true })
    equal(told(refused), told(await sendBatch(api, failing)))
    equal(told(refused), [409, 'unique_violation', 'operations[1]'])
  })

  const contents = async (): Promise<unknown> =>
    Promise.all(
      ['authors', 'profiles', 'books', 'tags', 'order_lines', 'book_tags'].map(async (table) =>
        (await db.kysely.selectFrom(table).selectAll().execute())
          .map((row) => JSON.stringify(row))
          .sort(),
      ),
    )

  /** Removes generated keys, and the ETags of records that have them. */
  const withoutGenerated = (value: readonly { readonly value: { readonly id: number } }[]) => {
    const key = new RegExp(`/authors/${value[0]?.value.id}\\b`, 'g')
    const known = (name: string, member: unknown) =>
      name === 'etag' || name === 'id' ? undefined : member
    return JSON.stringify(value, known).replace(key, '/authors/key')
  }

  test('in a transaction of the host nothing is committed, and a failed batch is rolled back to its start', async () => {
    const transaction = await db.kysely.startTransaction().execute()
    const committed: boolean[] = []
    try {
      const api = testApi(db, shop, {
        ...on,
        API_SESSION_GETTER: () => transaction,
        API_AFTER_COMMIT_CALLBACK: (_, args) => void committed.push(args.committed),
      })
      const kept = [posting('/api/tags', { name: 'kept' })]
      equal((await sendBatch(api, kept)).status, 200)
      const failing = [
        posting('/api/tags', { name: 'gone' }),
        posting('/api/tags', { name: 'food' }),
      ]
      equal(told(await sendBatch(api, failing)), [409, 'unique_violation', 'operations[1]'])
      equal((await sendBatch(api, failing.slice(0, 1), { dry_run: true })).status, 200)
      const rows = await transaction.selectFrom('tags').select('name').execute()
      const inside = rows.map(({ name }) => name)
      equal([inside.includes('kept'), inside.includes('gone')], [true, false])
      equal(committed, [false])
    } finally {
      await transaction.rollback().execute()
    }
    equal((await names()).includes('kept'), false)
  })
})
