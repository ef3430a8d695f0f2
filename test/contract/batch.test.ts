/** Batch: several requests in one transaction, following the documentation sentence by sentence. */
import { type Answer, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { sendBatch as batch, getting as get, posting as post } from '../support/batch.ts'
import { createWritableShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

const json = { 'content-type': 'application/json' }

const statuses = ({ value }: Answer): readonly number[] =>
  value.map(({ status }: { readonly status: number }) => status)

const on = { API_ALLOW_BATCH: true, API_ALLOW_JOIN: true, API_ALLOW_BULK: true } as const

eachDatabase('batches', (test, db) => {
  test.before(() => createWritableShop(db))
  const api = testApi(db, shop, on)

  const titles = async (): Promise<readonly string[]> => {
    const rows = await db.kysely.selectFrom('books').select('title').orderBy('id').execute()
    return rows.map(({ title }) => title)
  }

  test('the response is a list of id, status, headers and value of each operation, in order', async () => {
    const { status, value, total, headers } = await batch(api, [
      post('/api/tags', { name: 'new' }),
      get('/api/tags?name__eq=new&fields=name'),
      { method: 'PATCH', url: '/api/books/1', body: { rating: 5 } },
      { method: 'OPTIONS', url: '/api/books/1' },
    ])
    equal([status, total, headers['content-type']], [200, 4, 'application/json; charset=utf-8'])
    const alone = await send(api, 'GET', '/api/books/1')
    const tag = value[0].value
    equal(value, [
      {
        id: 'a',
        status: 201,
        headers: { location: `/api/tags/${tag.id}`, etag: value[0].headers.etag },
        value: { id: tag.id, name: 'new', books: `/api/tags/${tag.id}/books` },
      },
      { id: 'b', status: 200, headers: { 'x-total-count': '1' }, value: [{ name: 'new' }] },
      { id: 'c', status: 200, headers: { etag: alone.headers.etag }, value: alone.value },
      {
        id: 'd',
        status: 204,
        headers: {
          allow: 'GET, HEAD, PATCH, DELETE, OPTIONS',
          'accept-patch': 'application/json, application/merge-patch+json',
        },
        value: null,
      },
    ])
    equal(alone.value.rating, 5)
  })

  test('an operation without an id has its position as its id, which no reference can name', async () => {
    const read = { method: 'GET', url: '/api/books/1?fields=id' }
    const sendAll = (...operations: readonly object[]) =>
      send(api, 'POST', '/api/batch', { headers: json, body: JSON.stringify({ operations }) })
    const { status, value } = await sendAll(read, { ...read, id: 'a' }, read)
    equal(status, 200)
    equal(
      value.map(({ id }: { readonly id: string }) => id),
      ['0', 'a', '2'],
    )
    for (const other of [
      { ...read, url: '/api/books/{0.id}' },
      { ...read, id: '0' },
      { ...read, id: null },
    ]) {
      equal((await sendAll(read, other)).status, 400, JSON.stringify(other))
    }
  })

  test('writes of many records tell their number', async () => {
    const { value } = await batch(api, [
      { method: 'POST', url: '/api/tags', body: [{ name: 'x1' }, { name: 'x2' }] },
      { method: 'DELETE', url: '/api/tags?name__in=(x1,x2)' },
      { method: 'POST', url: '/api/tags', body: { name: 'x3' } },
    ])
    equal(
      value.map((one: { headers: Record<string, string> }) => one.headers['x-total-count']),
      ['2', '2', undefined],
    )
  })

  test('the results of handle are independent objects: a change to one changes no other', async () => {
    const removing = async (...ids: readonly string[]) => {
      const operations = ids.map((id) => ({
        id: `t${id}`,
        method: 'DELETE',
        url: `/api/tags/${id}`,
      }))
      const body = JSON.stringify({ operations, dry_run: true })
      const answer = await api.handle({ method: 'POST', url: '/api/batch', headers: json, body })
      return answer.body?.value as unknown as readonly { readonly headers: object }[]
    }
    const [first, second] = await removing('1', '2')
    Object.assign(first?.headers ?? {}, { mine: 'yes' })
    const [later] = await removing('2')
    equal([first?.headers, second?.headers, later?.headers], [{ mine: 'yes' }, {}, {}])
  })

  test('one operation fails: the response has its status and error with its place, and nothing is stored', async () => {
    const before = await titles()
    for (const [failing, status, code] of [
      [post('/api/books', { titel: 'x' }), 400, undefined],
      [post('/api/tags', { name: 'food' }), 409, 'unique_violation'],
      [get('/api/books/999'), 404, 'record_not_found'],
      [{ method: 'DELETE', url: '/api/books' }, 400, 'filter_needed'],
      [{ method: 'PUT', url: '/api/books/1', body: {} }, 405, 'method_not_allowed'],
      [get('/api/boks'), 404, 'unknown_path'],
      [get('/api/books?titel__eq=x'), 400, 'unknown_column'],
    ] as const) {
      const alone = await send(api, failing.method, failing.url, {
        headers: json,
        ...('body' in failing ? { body: JSON.stringify(failing.body) } : {}),
      })
      const answer = await batch(api, [post('/api/books', { title: 'Lost' }), failing])
      equal([answer.status, answer.errors.code ?? code], [status, code ?? answer.errors.code])
      equal(answer.errors, { ...alone.errors, at: 'operations[1]' })
      equal(answer.headers.allow, alone.headers.allow)
    }
    equal(await titles(), before)
  })

  test('an error of the database names the field, also where the other record is of the same batch', async () => {
    const { status, errors } = await batch(api, [
      post('/api/tags', { name: 'twice' }),
      post('/api/tags', { name: 'twice' }),
    ])
    equal([status, errors.code, errors.at], [409, 'unique_violation', 'operations[1]'])
    equal(errors.reason, { name: ['Another record has this value.'] })
    const bulk = await batch(api, [
      post('/api/tags', { name: 'x1' }),
      post('/api/tags', [{ name: 'x2' }, { name: 'x1' }]),
    ])
    equal([bulk.status, Object.keys(bulk.errors.reason)], [409, ['[1].name']])
  })

  test('a reference stands for a member of the value of an earlier operation', async () => {
    const { status, value } = await batch(
      api,
      [
        post('/api/authors', { name: '"Q", the (great) & [one] \\ 100%' }),
        post('/api/books', {
          title: 'First',
          author_id: { $ref: 'a.id' },
          details: { by: [{ $ref: 'a.name' }] },
        }),
        get('/api/authors/{a.id}/books?id__in=({b.id},1)&fields=id'),
        get('/api/authors?name__eq={a.name}&fields=id'),
        { method: 'PATCH', url: '/api/books/{b.id}', body: { title: { $ref: 'd.0.id' } } },
      ].map((one, i) => (i === 4 ? { ...one, body: { title: { $ref: 'a.name' } } } : one)),
    )
    equal(status, 200)
    const [author, book, list, found, changed] = value
    equal(book.value.author_id, author.value.id)
    equal(book.value.details, { by: [author.value.name] })
    equal(list.value, [{ id: book.value.id }])
    equal(found.value, [{ id: author.value.id }])
    equal(changed.value.title, author.value.name)
  })

  test('references in lists, in composite keys, and in nested objects', async () => {
    const { status, value } = await batch(api, [
      get('/api/order-lines?book_id__eq=3&fields=order_no,line'),
      get('/api/order-lines/{a.0.order_no},{a.0.line}'),
    ])
    equal(status, 200)
    equal([value[1].value.order_no, value[1].value.book_id], ['2024/001', 3])
  })

  test('a reference without a value is 400', async () => {
    for (const [operations, code] of [
      [[get('/api/books/1'), get('/api/books/{a.nothing}')], 'unresolved_reference'],
      [[get('/api/books/5'), get('/api/authors/{a.author_id}')], 'unresolved_reference'],
      [[get('/api/books/1'), get('/api/authors/{a.details}')], 'unresolved_reference'],
      [
        [get('/api/books/1'), post('/api/tags', { name: { $ref: 'a.secret' } })],
        'unresolved_reference',
      ],
      [
        [get('/api/authors/1'), post('/api/tags', { name: { $ref: 'a.secret' } })],
        'unresolved_reference',
      ],
    ] as const) {
      const { status, errors } = await batch(api, operations)
      equal([status, errors.code, errors.at], [400, code, 'operations[1]'])
    }
  })

  test('a malformed batch is 400 with all of its problems', async () => {
    const { status, errors } = await batch(
      api,
      [
        { method: 'GET', url: '/api/books/{b.id}' },
        { method: 'GET', url: '/api/books/{b.id}' },
        { id: 'a', method: 'GET', url: '/api/books?title__eq=x{a.id}' },
        { id: 'd e', method: 'GET ', url: '/api/{x}' },
        {
          method: 'GET',
          url: '/api/books',
          headers: { Authorization: 'Bearer x', 'if-match': '*' },
        },
        post('/api/books', { title: { $ref: 'nothing' } }),
        post('/api/books', 'text'),
      ],
      { dry_run: 'yes', more: 1 },
    )
    equal([status, errors.error], [400, 'Validation failed'])
    equal(Object.keys(errors.reason), [
      'more',
      'dry_run',
      'operations[0].url',
      'operations[1].url',
      'operations[2].url',
      'operations[3].id',
      'operations[3].method',
      'operations[3].url',
      'operations[4].headers.Authorization',
      'operations[5].body.title',
      'operations[6].body',
    ])
    for (const body of [{}, { operations: [] }, [], null, { operations: [7] }]) {
      const answer = await send(api, 'POST', '/api/batch', {
        headers: json,
        body: JSON.stringify(body),
      })
      equal([answer.status, answer.errors.error], [400, 'Validation failed'])
    }
  })

  test('more operations than API_MAX_BATCH are 400, and GET is 405', async () => {
    const few = testApi(db, shop, { ...on, API_MAX_BATCH: 2, API_BATCH_ROUTE: '/many/at-once' })
    const url = '/api/many/at-once'
    const sent = (count: number) =>
      send(few, 'POST', url, {
        headers: json,
        body: JSON.stringify({
          operations: Array.from({ length: count }, (_, i) => ({
            id: `o${i}`,
            ...get('/api/tags/1'),
          })),
        }),
      })
    equal((await sent(2)).status, 200)
    const { status, errors } = await sent(3)
    equal([status, errors.code], [400, 'limit_exceeded'])
    ok(errors.reason.includes('API_MAX_BATCH'))
    const moved = testApi(db, shop, { ...on, API_PREFIX: '/v1' })
    const body = JSON.stringify({ operations: [{ id: 'a', ...get('/v1/tags/1') }] })
    equal((await send(moved, 'POST', '/v1/batch', { headers: json, body })).status, 200)
    equal((await send(moved, 'POST', '/api/batch', { headers: json, body })).status, 404)
    const wrong = await send(few, 'GET', url)
    equal([wrong.status, wrong.headers.allow], [405, 'POST, OPTIONS'])
    equal((await send(few, 'OPTIONS', url)).headers.allow, 'POST, OPTIONS')
    equal((await send(testApi(db, shop), 'POST', '/api/batch', { body: {} })).status, 404)
  })

  test('values repeated by references are limited to API_BODY_LIMIT in all bodies together', async () => {
    const small = testApi(db, shop, { ...on, API_BODY_LIMIT: 2_000 })
    // Values of 7, 33, 137, 553, 2217 and 8873 characters; each contains the previous one four times.
    const growing = Array.from({ length: 6 }, (_, i) => ({
      id: `o${i}`,
      ...post('/api/books', {
        title: 'Grows',
        details:
          i === 0 ? ['lol'] : Array.from({ length: 4 }, () => ({ $ref: `o${i - 1}.details` })),
      }),
    }))
    const before = await titles()
    const refused = await batch(small, growing, { dry_run: true })
    equal([refused.status, refused.errors.code], [413, 'references_too_large'])
    equal(refused.errors.at, 'operations[4]')
    ok(refused.errors.reason.includes('2000 characters (API_BODY_LIMIT)'), refused.errors.reason)
    const committed = await batch(small, growing)
    equal([committed.status, await titles()], [413, before])
    // The default limit allows all of them.
    const { status, value } = await batch(api, growing, { dry_run: true })
    equal([status, JSON.stringify(value[5].value.details).length], [200, 8_873])
  })

  test('references in URLs count like those in bodies', async () => {
    const title = 'Long '.repeat(36).trim()
    const operations = [
      { id: 'a', ...post('/api/books', { title }) },
      ...Array.from({ length: 12 }, () => get('/api/books?title__eq={a.title}&fields=id')),
    ]
    const before = await titles()
    const small = testApi(db, shop, { ...on, API_BODY_LIMIT: 2_000 })
    const refused = await batch(small, operations, { dry_run: true })
    // Each URL contains the 179 characters of the title in quotes again; the twelfth would increase the total to 2172.
    equal([refused.status, refused.errors.code], [413, 'references_too_large'])
    equal([refused.errors.at, await titles()], ['operations[12]', before])
    const { status, value } = await batch(small, operations.slice(0, -1), { dry_run: true })
    equal([status, value.length], [200, 12])
  })

  test('results longer than API_MAX_BATCH_RESPONSE are 400 at their operation, and nothing is stored', async () => {
    const operations = [
      post('/api/tags', { name: 'too long' }),
      get('/api/tags/1'),
      get('/api/books'),
    ]
    const limited = (characters: number) =>
      testApi(db, shop, { ...on, API_MAX_BATCH_RESPONSE: characters })
    const whole = await batch(limited(100_000), operations, { dry_run: true })
    // The link of a tag contains its key, and a dry run may use up keys.
    const [first, second, third] = whole.value.map((one: unknown) => JSON.stringify(one).length)
    for (const [characters, at] of [
      [first - 10, 0],
      [first + second - 10, 1],
      [first + second + third - 10, 2],
    ] as const) {
      for (const headers of [{}, { 'idempotency-key': 'a-key-of-too-long-a-batch' }]) {
        const { status, errors } = await batch(limited(characters), operations, {}, headers)
        equal([status, errors.code, errors.at], [400, 'limit_exceeded', `operations[${at}]`])
        ok(errors.reason.includes(`API_MAX_BATCH_RESPONSE allows ${characters}`), errors.reason)
      }
    }
    equal((await send(api, 'GET', '/api/tags?name__eq=too%20long')).value, [])
    const enough = limited(first + second + third + 10)
    equal((await batch(enough, operations, { dry_run: true })).status, 200)
    const key = { 'idempotency-key': 'a-key-of-a-repeated-batch' }
    const reads = [get('/api/tags/1'), get('/api/books')]
    equal((await batch(api, reads, {}, key)).status, 200)
    const repeated = await batch(limited(second + 10), reads, {}, key)
    equal([repeated.status, repeated.errors.at], [400, 'operations[1]'])
  })

  test('a URL with unresolved references is at most as long as API_MAX_URL_LENGTH', async () => {
    const id = 'a'.repeat(40)
    const first = { id, ...get('/api/tags/1') }
    const reference = `{${id}.id}`
    const read = get(`/api/tags?id__in=(${reference},${reference})`)
    const limited = (limit: number) => testApi(db, shop, { ...on, API_MAX_URL_LENGTH: limit })
    equal((await batch(limited(read.url.length), [first, read])).status, 200)
    const short = limited(read.url.length - 1)
    const long = await batch(short, [first, read])
    equal([long.status, long.errors.code, long.errors.at], [414, 'url_too_long', 'operations[1]'])
    // API_MAX_URL_LENGTH does not apply to the URL of QUERY, which may be as long as a body.
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const query = { ...read, method: 'QUERY', headers, body: 'fields=id' }
    equal((await batch(short, [first, query])).status, 200)
    const override = { ...headers, 'x-http-method-override': 'QUERY' }
    equal(
      (await batch(short, [first, { ...query, method: 'POST', headers: override }])).status,
      200,
    )
  })

  test('a reference that is not a whole segment or value of its URL is 400', async () => {
    for (const url of [
      '{a.id}',
      '/api/tags{a.id}',
      '/api/tags/{a.id}x',
      '/api/tags/{a.id}{a.id}',
      '/api/tags/1?id__eq=x{a.id}',
      '/api/tags?id__eq={a.id}x',
      '/api/tags?id__eq={a.id}/',
      '/api/tags?{a.id}',
    ]) {
      const { status, errors } = await batch(api, [get('/api/tags/1'), get(url)])
      equal([status, Object.keys(errors.reason)], [400, ['operations[1].url']])
    }
    for (const url of [
      '/api/tags/{a.id}',
      '/api/tags/{a.id}/',
      '/api/tags/{a.id}?fields=id',
      '/api/tags/{a.id}#top',
      '/api/tags?id__eq={a.id}&id__in=({a.id},{a.id})&or[id__eq={a.id},id__eq={a.id}]#top',
    ]) {
      const { errors } = await batch(api, [get('/api/tags/1'), get(url)])
      equal(errors?.error === 'Validation failed', false)
    }
  })

  test('reads see what earlier operations wrote, and other requests do not before COMMIT', async () => {
    const { value } = await batch(api, [
      get('/api/tags?count=exact'),
      post('/api/tags', { name: 'seen' }),
      get('/api/tags?name__eq=seen'),
      { method: 'DELETE', url: '/api/tags/{b.id}' },
      get('/api/tags?name__eq=seen'),
    ])
    equal(statuses({ value } as Answer), [200, 201, 200, 200, 200])
    equal([value[2].value.length, value[4].value.length], [1, 0])
  })

  test('If-Match and If-None-Match are those of the operation', async () => {
    const { headers } = await send(api, 'GET', '/api/books/2')
    const etag = headers.etag ?? ''
    const patch = (tag: string) => ({
      method: 'PATCH',
      url: '/api/books/2',
      headers: { 'If-Match': tag },
      body: { title: 'Bread' },
    })
    const stale = await batch(api, [post('/api/tags', { name: 'stale' }), patch('"old.old"')])
    equal([stale.status, stale.errors.code], [412, 'precondition_failed'])
    equal((await batch(api, [post('/api/tags', { name: 'stale' }), patch(etag)])).status, 200)
    equal((await batch(api, [patch(etag)])).status, 412)
    const fresh = (await send(api, 'GET', '/api/books/2')).headers.etag ?? ''
    const read = await batch(api, [
      { ...get('/api/books/2'), headers: { 'if-none-match': fresh } },
      get('/api/books/2'),
    ])
    equal(statuses(read), [304, 200])
  })

  test('HEAD has the status and headers of GET and no value, also for references', async () => {
    const head = (url: string) => ({ ...get(url), method: 'HEAD' })
    const reads = [get('/api/books/2'), head('/api/books/2'), get('/api/books'), head('/api/books')]
    const final = testApi(db, shop, { ...on, API_FINAL_CALLBACK: (body) => body })
    for (const own of [api, final]) {
      const { value } = await batch(own, reads)
      const [one, headOfOne, many, headOfMany] = value
      equal(headOfOne, { ...one, id: 'b', value: null })
      equal(headOfMany, { ...many, id: 'd', value: null })
      const { status, errors } = await batch(own, [head('/api/books/2'), get('/api/books/{a.id}')])
      equal([status, errors.code, errors.at], [400, 'unresolved_reference', 'operations[1]'])
    }
    const key = { 'idempotency-key': 'a-key-of-head-operations' }
    const [first, again] = [await batch(api, reads, {}, key), await batch(api, reads, {}, key)]
    equal([first.value[1].value, again.value[1].value], [null, null])
  })

  test('parameters and preconditions of the batch itself are 400, and nothing is stored', async () => {
    const body = JSON.stringify({
      operations: [{ id: 'a', ...post('/api/tags', { name: 'dry' }) }],
    })
    const before = (await send(api, 'GET', '/api/tags?count=exact')).total
    for (const query of ['dry_run=true', 'fields=id', 'dry_run&x=1']) {
      const { status, errors } = await send(api, 'POST', `/api/batch?${query}`, {
        headers: json,
        body,
      })
      equal([status, errors.code], [400, 'unknown_parameter'])
      ok(errors.reason.includes('"dry_run" is a member of its body'))
    }
    for (const name of ['if-match', 'if-none-match']) {
      const headers = { ...json, [name]: '"one.two"' }
      const { status, errors } = await send(api, 'POST', '/api/batch', { headers, body })
      equal([status, errors.code], [400, 'precondition_on_batch'])
    }
    equal((await send(api, 'GET', '/api/tags?count=exact')).total, before)
  })

  test('a URL of another origin is 404, and nothing is stored', async () => {
    const own = testApi(db, shop, { ...on, API_BASE_URL: 'https://api.example.org' })
    const before = (await send(own, 'GET', '/api/tags')).total
    for (const origin of ['https://example.org', 'http://api.example.org', 'HTTPS://other']) {
      for (const asked of [api, own]) {
        const { status, errors } = await batch(asked, [
          post(`${origin}/api/tags`, { name: 'other' }),
        ])
        equal([status, errors?.code, errors?.at], [404, 'unknown_path', 'operations[0]'], origin)
      }
    }
    equal((await send(own, 'GET', '/api/tags')).total, before)
    const repeated = await batch(own, [get('https://api.example.org/api/tags/1?fields=id')])
    equal([repeated.status, repeated.value[0].value], [200, { id: 1 }])
  })

  test('sign-in, documentation, health and batches are refused in a batch', async () => {
    const own = testApi(db, shop, { ...on, API_HEALTH_ROUTE: '/health' })
    for (const url of ['/api', '/api/batch', '/docs', '/openapi.json', '/health']) {
      const { status, errors } = await batch(own, [get(url)])
      equal([status, errors.code, errors.at], [400, 'not_in_batch', 'operations[0]'])
    }
  })
})
