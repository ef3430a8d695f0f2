/** Bulk: lists, upserts, and PATCH and DELETE by filter; all records are written, or none. */
import { get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { countRows, createLibrary, everything, library, withModel } from './models.ts'

eachDatabase('many records', (test, db) => {
  const api = testApi(db, library, everything)
  const plain = testApi(db, library)
  test.before(() => createLibrary(db))
  const post = (url: string, body: unknown) => send(api, 'POST', url, { body })
  const names = (value: readonly { name: string }[]) => value.map(({ name }) => name)

  test('POST of a list creates all, in order', async () => {
    const body = [{ name: 'b' }, { name: 'a' }]
    const { status, value, total, headers } = await post('/api/tags', body)
    equal([status, names(value), total, headers.location], [201, ['b', 'a'], 2, undefined])
  })

  test('POST of a list creates none if one is refused, and names the refused ones', async () => {
    const before = await countRows(db, 'tags')
    const invalid = await post('/api/tags', [{ name: 'ok' }, { nam: 'x' }, { name: 5 }])
    equal(Object.keys(invalid.errors.reason).sort(), ['[1].nam', '[1].name', '[2].name'])
    equal((await post('/api/tags', [{ name: 'ok' }, { name: 'a' }])).errors.reason, {
      '[1].name': ['Another record has this value.'],
    })
    equal(await countRows(db, 'tags'), before)
  })

  test('a list longer than API_MAX_BULK is refused, and every list if bulk is disabled', async () => {
    const small = testApi(db, library, { ...everything, API_MAX_BULK: 2 })
    const body = [{ name: 'x1' }, { name: 'x2' }, { name: 'x3' }]
    equal((await send(small, 'POST', '/api/tags', { body })).errors.code, 'too_many_records')
    equal((await send(plain, 'POST', '/api/tags', { body })).errors.code, 'wrong_body')
    equal((await send(plain, 'PATCH', '/api/tags?id__gt=0', { body: {} })).status, 405)
    equal((await post('/api/tags', [])).errors.code, 'wrong_body')
  })

  test('PATCH changes the records that match the filters', async () => {
    await post('/api/books', [
      { title: 'cheap', price: '1' },
      { title: 'cheap', price: '2' },
      { title: 'dear', price: '30' },
    ])
    const { status, value, total } = await send(api, 'PATCH', '/api/books?price__lt=5', {
      body: { kind: 'poems' },
    })
    equal([status, total], [200, 2])
    equal(
      value.map((book: { title: string; kind: string }) => `${book.title} ${book.kind}`),
      ['cheap poems', 'cheap poems'],
    )
    equal((await get(api, '/api/books?kind__eq=poems')).total, 2)
  })

  test('max_bulk of a model overrides API_MAX_BULK for POST, PATCH and DELETE', async () => {
    const models = withModel('Book', ({ meta }) => ({ meta: { ...meta, max_bulk: 1 } }))
    const own = testApi(db, models, everything)
    const body = [{ title: 'one' }, { title: 'two' }]
    const refusal = async (method: string, url: string, more: object = {}) => {
      const { errors } = await send(own, method, url, more)
      return [errors.code, errors.reason, errors.at]
    }
    const names = 'API_MAX_BULK or max_bulk'
    const sent = `The list has 2 records of books; ${names} allows 1.`
    equal(await refusal('POST', '/api/books', { body }), ['too_many_records', sent, undefined])
    const changes = [1, 2].map((id) => ({ id, title: 'three' }))
    equal(await refusal('PATCH', '/api/books', { body: changes }), [
      'too_many_records',
      sent,
      undefined,
    ])
    equal((await send(api, 'POST', '/api/books', { body })).status, 201)
    const both = '/api/books?title__in=(one,two)'
    const found = `This concerns more than 1 records of books (${names}).`
    const refused = ['too_many_records', found, undefined]
    equal(await refusal('PATCH', both, { body: { title: 'three' } }), refused)
    equal(await refusal('DELETE', both), refused)
    equal(await refusal('DELETE', `${both}&max_affected=0`), [
      'too_many_records',
      'This concerns more than 0 records of books (max_affected).',
      'max_affected=0',
    ])
    equal((await send(api, 'DELETE', both)).status, 200)
    equal(
      (await send(own, 'POST', '/api/tags', { body: [{ name: 'p' }, { name: 'q' }] })).status,
      201,
    )
  })

  test('max_bulk of a nested model is named with the number of its records', async () => {
    const models = withModel('Book', ({ meta }) => ({ meta: { ...meta, max_bulk: 1 } }))
    const body = { name: 'Ann', books: [{ title: 'one' }, { title: 'two' }] }
    const { errors } = await send(testApi(db, models, everything), 'POST', '/api/authors', { body })
    equal(errors.reason.books, [
      'Expected at most 1 records of books, got 2 (API_MAX_BULK or max_bulk).',
    ])
  })

  test('PATCH and DELETE need a filter and honour max_affected', async () => {
    for (const method of ['PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { body: { kind: 'novel' } } : {}
      const code = async (url: string, headers = {}) =>
        (await send(api, method, url, { ...body, headers })).errors.code
      equal(await code('/api/books'), 'filter_needed')
      equal(await code('/api/books?title__eq=cheap&max_affected=1'), 'too_many_records')
      equal(await code('/api/books?title__eq=cheap&limit=1'), 'not_here')
      for (const name of ['if-match', 'if-none-match']) {
        equal(await code('/api/books?title__eq=cheap', { [name]: '"x.y"' }), 'precondition_on_many')
      }
    }
    equal((await get(api, '/api/books?kind__eq=poems')).total, 2)
  })

  test('PATCH of many refuses parameters of lists, by name', async () => {
    for (const [query, name, at = query] of [
      ['order_by=-id', 'order_by', '-id'],
      ['groupby=kind', 'groupby', 'kind'],
      ['id__count=1', 'id__count', 'id__count'],
      ['limit=1', 'limit'],
      ['page=2', 'page'],
      ['count=none', 'count'],
      ['paging=cursor', 'paging'],
      ['on_conflict=id', 'on_conflict'],
    ] as const) {
      const url = `/api/books?title__eq=cheap&${query}`
      const { status, errors } = await send(api, 'PATCH', url, { body: { kind: 'novel' } })
      equal([status, errors.reason], [400, `"${name}" cannot be used in a write.`])
      equal([errors.code, errors.at], ['not_here', at])
    }
    equal((await get(api, '/api/books?kind__eq=poems')).total, 2)
  })

  test('DELETE removes the records that match the filters', async () => {
    const url = '/api/books?title__eq=cheap&max_affected=2'
    const { status, value, total } = await send(api, 'DELETE', url)
    equal([status, value, total], [200, null, 2])
    equal((await send(api, 'DELETE', url)).total, 0)
  })

  test('DELETE by filter removes all records or none', async () => {
    await post('/api/books', { title: 'held', copies: [{ branch: 'A', number: 1 }] })
    await post('/api/books', { title: 'held' })
    equal((await send(api, 'DELETE', '/api/books?title__eq=held')).status, 409)
    equal((await get(api, '/api/books?title__eq=held')).total, 2)
    equal((await send(api, 'DELETE', '/api/books?title__eq=held&cascade_delete=1')).total, 2)
    equal((await get(api, '/api/copies')).total, 0)
  })

  test('on_conflict changes existing records and creates the others', async () => {
    await post('/api/authors', { name: 'Old', email: 'a@x.org' })
    const { status, value } = await post('/api/authors?on_conflict=email', [
      { name: 'Changed', email: 'a@x.org' },
      { name: 'Created', email: 'b@x.org' },
    ])
    equal([status, names(value)], [201, ['Changed', 'Created']])
    const again = await post('/api/authors?on_conflict=email', { name: 'Again', email: 'b@x.org' })
    equal([again.status, again.value.id], [200, value[1].id])
    equal((await get(api, '/api/authors?email__in=(a@x.org,b@x.org)')).total, 2)
  })

  test('on_conflict by primary key: a record with a key must exist, one without is created', async () => {
    const { value } = await post('/api/tags', { name: 'key' })
    const body = [{ id: value.id, name: 'key2' }, { name: 'key3' }]
    const mixed = await post('/api/tags?on_conflict=id', body)
    equal([mixed.status, names(mixed.value)], [201, ['key2', 'key3']])
    const missing = await post('/api/tags?on_conflict=id', { id: 99999, name: 'key4' })
    equal([missing.status, missing.errors.reason], [422, { id: ['No such record.'] }])
    const chosen = await post('/api/countries?on_conflict=code', { code: 'FR', title: 'France' })
    equal([chosen.status, chosen.value.code], [201, 'FR'])
  })

  test('on_conflict names a unique key', async () => {
    const { status, errors } = await post('/api/authors?on_conflict=name', { name: 'x' })
    equal([status, errors.code], [400, 'not_unique_columns'])
  })

  test('on_conflict with a record that the caller cannot see is 409', async () => {
    const { value } = await post('/api/authors', { name: 'Hidden', email: 'h@x.org' })
    await send(api, 'DELETE', `/api/authors/${value.id}`)
    const body = { name: 'New', email: 'h@x.org' }
    const { status, errors } = await post('/api/authors?on_conflict=email', body)
    equal([status, errors.reason], [409, { email: ['Another record has this value.'] }])
  })
})
