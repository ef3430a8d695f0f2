/** Prefer: return=minimal and return=representation (RFC 7240) on every write, and which reads they save. */
import { type AnyModel, type Api, type ApiConfig, apiError, defineModel } from '@model-api/core'
import { type Answer, get, send, testApi } from '../support/api.ts'
import { equal, match, ok } from '../support/assert.ts'
import { sendBatch } from '../support/batch.ts'
import { createWritableShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

const on: ApiConfig = {
  API_ALLOW_BULK: true,
  API_ALLOW_BATCH: true,
  API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
}
const minimal = { prefer: 'return=minimal' }

eachDatabase('Prefer', (test, db) => {
  test.before(() => createWritableShop(db))
  const api = testApi(db, shop, on)
  const write = (
    method: string,
    url: string,
    body?: unknown,
    headers: Record<string, string> = minimal,
    of: Api = api,
  ): Promise<Answer> => send(of, method, url, { headers, ...(body === undefined ? {} : { body }) })
  const form = ({ status, text, headers }: Answer) => [
    status,
    text,
    headers['preference-applied'],
    headers['content-type'],
  ]
  const applied = 'return=minimal'

  test('return=minimal: 201 with Location and ETag and without a body', async () => {
    const created = await write('POST', '/api/tags', { name: 'small' })
    equal(form(created), [201, '', applied, undefined])
    const { location = '', etag } = created.headers
    match(location, /^\/api\/tags\/\d+$/)
    const read = await get(api, location)
    equal([read.value.name, read.headers.etag], ['small', etag])
  })

  test('204 with the ETag for PATCH and PUT, and 204 for DELETE', async () => {
    const { location = '' } = (await write('POST', '/api/tags', { name: 'brief' })).headers
    for (const [method, name] of [
      ['PATCH', 'briefer'],
      ['PUT', 'briefest'],
    ] as const) {
      const written = await write(method, location, { name })
      equal(form(written), [204, '', applied, undefined])
      const read = await get(api, location)
      equal([read.value.name, read.headers.etag], [name, written.headers.etag])
    }
    const stale = await write('PATCH', location, { name: 'x' }, { ...minimal, 'if-match': '"x"' })
    equal([stale.status, stale.headers['preference-applied']], [412, undefined])
    equal(form(await write('DELETE', location)), [204, '', applied, undefined])
    equal((await get(api, location)).status, 404)
  })

  test('lists are written without being read again; a write by filter returns the number of changed records', async () => {
    const statementsOf = async (method: string, url: string, body: unknown, prefer: string) => {
      const { statements, result } = await db.capture(() => write(method, url, body, { prefer }))
      return { count: statements.length, answer: result }
    }
    const names = (text: string) => [{ name: `${text} 1` }, { name: `${text} 2` }]
    const ids = [1, 2]
    for (const [method, url, bodies, status, total] of [
      ['POST', '/api/tags?on_conflict=name', [names('a'), names('a')], 204, undefined],
      ['PATCH', '/api/books?id__le=2', [{ rating: 1 }, { rating: 2 }], 204, '2'],
      ['PATCH', '/api/books', ids.map((n) => ids.map((id) => ({ id, rating: n + 2 }))), 204, '2'],
    ] as const) {
      if (total === undefined) await write(method, url, bodies[0])
      const full = await statementsOf(method, url, bodies[0], 'return=representation')
      const less = await statementsOf(method, url, bodies[1], 'return=minimal')
      // With RETURNING there is no read to save.
      const mayReturn = url === '/api/books' || method === 'POST'
      const saved = full.count - less.count
      ok(saved === 1 || (mayReturn && saved === 0), `${method} ${url}: ${saved}`)
      equal(full.answer.value.length, 2)
      equal(form(less.answer), [status, '', applied, undefined])
      equal(less.answer.headers['x-total-count'], total)
    }
    const made = await write('POST', '/api/tags', names('b'))
    equal(form(made), [201, '', applied, undefined])
    equal((await get(api, '/api/tags?name__startswith=b 1')).total, 1)
    const gone = await write('DELETE', '/api/tags?name__startswith=b')
    equal([...form(gone), gone.headers['x-total-count']], [204, '', applied, undefined, '2'])
  })

  test('return=representation gives the usual response, and Preference-Applied', async () => {
    const headers = { prefer: 'return=representation' }
    const {
      status,
      value,
      headers: answered,
    } = await write('PATCH', '/api/books/1', { rating: 3 }, headers)
    equal([status, value.rating], [200, 3])
    equal(answered['preference-applied'], 'return=representation')
    const { location = '' } = (await write('POST', '/api/tags', { name: 'whole' })).headers
    const removed = await write('DELETE', location, undefined, headers)
    equal([removed.status, removed.headers['preference-applied']], [200, undefined])
  })

  test('the first return counts; other preferences, unknown values and reads are ignored', async () => {
    for (const [prefer, expected] of [
      ['return=minimal', applied],
      ['Return = "minimal"; x=1', applied],
      ['respond-async, wait=5, return=minimal', applied],
      ['return=minimal, return=representation', applied],
      ['return=representation, return=minimal', 'return=representation'],
      ['return=nothing, return=minimal', undefined],
      ['return', undefined],
      ['returns=minimal', undefined],
      ['', undefined],
    ] as const) {
      const { status, headers } = await write('PATCH', '/api/books/1', { rating: 3 }, { prefer })
      equal(
        [status, headers['preference-applied']],
        [expected === applied ? 204 : 200, expected],
        prefer,
      )
    }
    equal(await get(api, '/api/books/1', minimal), await get(api, '/api/books/1'))
    const refused = await write('POST', '/api/tags', { nam: 'x' })
    equal([refused.status, refused.errors.error], [400, 'Validation failed'])
  })

  test('callbacks of the response are called as usual, and may refuse', async () => {
    const seen: unknown[] = []
    const hooked = testApi(db, shop, {
      ...on,
      API_RETURN_CALLBACK: (value) => {
        seen.push(value)
        if (JSON.stringify(value).includes('wrong')) throw apiError(409, 'Conflict')
        return value
      },
      // biome-ignore lint/suspicious/noExplicitAny: the body of any answer
      API_FINAL_CALLBACK: (body: any) => ({ ...body, own: 'words' }),
    })
    for (const body of [{ name: 'called' }, [{ name: 'called too' }]]) {
      const { status, text } = await write('POST', '/api/tags', body, minimal, hooked)
      equal([status, text], [201, ''])
    }
    equal(seen.length, 2)
    ok(JSON.stringify(seen[1]).includes('called too'))
    const refused = await write('POST', '/api/tags', [{ name: 'wrong' }], minimal, hooked)
    equal(refused.status, 409)
    equal((await get(api, '/api/tags?name__eq=wrong')).total, 0)
  })

  test('policies and callbacks of the omitted response may refuse the write of a list', async () => {
    const refuse = (): never => {
      throw apiError(409, 'Conflict')
    }
    const narrow = <Q>(query: Q): Q => query
    const label = (meta: NonNullable<AnyModel['meta']>) =>
      defineModel('Label', {
        table: 'tags',
        columns: {
          id: { type: 'integer', primaryKey: true, generated: true },
          name: { type: 'string', maxLength: 30 },
        },
        meta,
      })
    for (const meta of [
      { access_policy: { scope_query: refuse } },
      { access_policy: { scope_query: narrow, can_read: refuse } },
      { dump_callback: refuse },
    ]) {
      const hooked = testApi(db, [label(meta)], on)
      for (const headers of [{}, minimal]) {
        const body = [{ name: 'refused' }, { name: 'refused too' }]
        const { status } = await write('POST', '/api/labels', body, headers, hooked)
        equal([status, Object.keys(meta).join()], [409, Object.keys(meta).join()])
      }
    }
    equal((await get(api, '/api/tags?name__startswith=refused')).total, 0)
  })

  test('a replayed request with an Idempotency-Key gets the response that it prefers', async () => {
    for (const body of [{ name: 'again' }, [{ name: 'again, listed' }]]) {
      const key = { 'idempotency-key': `preferring-itself-${JSON.stringify(body).length}` }
      const first = await write('POST', '/api/tags', body, { ...minimal, ...key })
      const second = await write('POST', '/api/tags', body, key)
      const third = await write('POST', '/api/tags', body, { ...minimal, ...key })
      equal([first.status, first.text, third.status, third.text], [201, '', 201, ''])
      equal([second.status, [second.value].flat().length], [201, 1])
      equal(third.headers['idempotency-replayed'], 'true')
    }
  })

  test('in a batch each operation has its own preference, but is not minimal if another refers to it', async () => {
    const operation = (name: string, more = {}) => ({
      method: 'POST',
      url: '/api/tags',
      headers: minimal,
      body: { name },
      ...more,
    })
    const { status, value, headers } = await sendBatch(
      api,
      [
        operation('batched', { id: 'a' }),
        operation('referred to', { id: 'b' }),
        { method: 'PATCH', url: '/api/tags/{b.id}', headers: minimal, body: { name: 'referred' } },
        { method: 'DELETE', url: '/api/tags/{b.id}', headers: minimal },
      ],
      {},
      { prefer: 'return=minimal' },
    )
    equal([status, headers['preference-applied']], [200, undefined])
    const told = value.map((one: Answer) => [one.status, one.headers['preference-applied']])
    equal(told, [
      [201, applied],
      [201, undefined],
      [204, applied],
      [204, applied],
    ])
    equal([value[0].value, value[1].value.name, value[2].value], [null, 'referred to', null])
    ok('location' in value[0].headers && 'etag' in value[0].headers)
  })
})
