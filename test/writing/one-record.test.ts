/** POST, PATCH, PUT and DELETE of one record, following docs/guide/writing.md sentence by sentence. */
import { frozenClock, get, send, testApi } from '../support/api.ts'
import { equal, match, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createLibrary, library, marking } from './models.ts'

eachDatabase('one record', (test, db) => {
  const clock = frozenClock()
  const api = testApi(db, library, marking, { clock })
  test.before(() => createLibrary(db))

  const newBook = async (body: object): Promise<string> => {
    const { headers, errors } = await send(api, 'POST', '/api/books', { body })
    equal(errors, null)
    return headers.location ?? ''
  }

  test('POST returns 201 with Location and the created record, as GET returns it', async () => {
    const created = await send(api, 'POST', '/api/books', {
      body: {
        title: 'Emma',
        price: '12.5',
        sold: '9007199254740993',
        details: { b: [1, { c: null }], a: 'é' },
        cover: 'AAEC',
        since: '1815-12-23',
        read_at: '2024-05-01T10:00:00+02:00',
        opens: '09:30',
        rating: 4.25,
      },
    })
    equal([created.status, created.total], [201, 1])
    const { id, code, ...value } = created.value
    match(code, /^[0-9a-f-]{36}$/)
    equal(created.headers.location, `/api/books/${id}`)
    equal(value, {
      title: 'Emma',
      price: '12.50',
      rating: 4.25,
      sold: '9007199254740993',
      in_stock: true,
      kind: 'novel',
      details: { a: 'é', b: [1, { c: null }] },
      cover: 'AAEC',
      since: '1815-12-23',
      until: null,
      read_at: '2024-05-01T08:00:00.000Z',
      opens: '09:30:00',
      author_id: null,
      author: null,
      tags: `/api/books/${id}/tags`,
      copies: `/api/books/${id}/copies`,
    })
    equal((await get(api, created.headers.location ?? '')).value, created.value)
  })

  test('a body sent as text keeps every digit', async () => {
    const body =
      '{"title":"Digits","price":100.10,"sold":12,"details":{"n":1.50,"big":12345678901234567890}}'
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    const created = await send(api, 'POST', '/api/books', { body, headers })
    equal([created.status, created.value.price], [201, '100.10'])
    // The json type of MySQL rewrites numbers.
    const n = db.engine === 'mysql' ? '1.5' : '1.50'
    match(created.text, `"details":{"big":12345678901234567890,"n":${n}}`)
  })

  test('writes take the query parameters of GET for the record that they return', async () => {
    const created = await send(api, 'POST', '/api/books?fields=title', { body: { title: 'Short' } })
    equal([created.status, created.value], [201, { title: 'Short' }])
    const wrong = await send(api, 'POST', '/api/books?fields=titel', { body: { title: 'None' } })
    equal([wrong.status, wrong.errors.code], [400, 'unknown_column'])
    equal((await get(api, '/api/books?title__eq=None')).total, 0)
  })

  test('PATCH returns 200 with the updated record, and changes only the fields sent', async () => {
    const url = await newBook({ title: 'Before', price: '1.00' })
    const { status, value } = await send(api, 'PATCH', url, { body: { title: 'After' } })
    equal([status, value.title, value.price], [200, 'After', '1.00'])
    equal((await send(api, 'PATCH', url, { body: {} })).value, value)
  })

  test('a missing record is 404, and so is an impossible key', async () => {
    for (const url of ['/api/books/999999', '/api/books/abc', '/api/books/1,2']) {
      equal((await send(api, 'PATCH', url, { body: { title: 'x' } })).status, 404, url)
      equal((await send(api, 'DELETE', url)).status, 404, url)
    }
  })

  test('PUT replaces: writable fields that are missing get their default or null', async () => {
    const url = await newBook({ title: 'Long', price: '1.00', in_stock: false, kind: 'poems' })
    const before = (await get(api, url)).value
    const { status, value } = await send(api, 'PUT', url, { body: { title: 'New' } })
    equal(status, 200)
    equal(
      [value.id, value.code, value.title, value.price, value.in_stock, value.kind],
      [before.id, before.code, 'New', null, true, 'novel'],
    )
    const refused = await send(api, 'PUT', url, { body: { id: 4711, price: '2' } })
    equal([refused.status, Object.keys(refused.errors.reason).sort()], [400, ['id', 'title']])
    equal((await send(api, 'PUT', '/api/books/999999', { body: { title: 'x' } })).status, 404)
  })

  test('PUT exists only where allowed_methods lists it', async () => {
    const { status, headers } = await send(api, 'PUT', '/api/tags/1', { body: { name: 'x' } })
    equal([status, headers.allow], [405, 'GET, HEAD, PATCH, DELETE, OPTIONS'])
  })

  test('DELETE returns 200 with value null, and the record is deleted', async () => {
    const url = await newBook({ title: 'Gone' })
    const { status, value, total } = await send(api, 'DELETE', url)
    equal([status, value, total], [200, null, 1])
    equal((await get(api, url)).status, 404)
    equal((await send(api, 'DELETE', url)).status, 404)
  })

  test('composite keys can be set by POST only', async () => {
    const book = Number((await newBook({ title: 'Held' })).split('/').at(-1))
    const body = { branch: 'A,B', number: 7, book_id: book }
    const created = await send(api, 'POST', '/api/copies', { body })
    equal([created.status, created.headers.location], [201, '/api/copies/A%2CB,7'])
    const url = created.headers.location ?? ''
    equal((await send(api, 'PATCH', url, { body: { note: 'worn' } })).value.note, 'worn')
    const moved = await send(api, 'PATCH', url, { body: { number: 8 } })
    equal([moved.status, Object.keys(moved.errors.reason)], [400, ['number']])
    equal((await send(api, 'DELETE', url)).status, 200)
  })

  test('a GET result may be sent back', async () => {
    const author = await send(api, 'POST', '/api/authors', { body: { name: 'Ann' } })
    const url = author.headers.location ?? ''
    const { value } = await get(api, url)
    const patched = await send(api, 'PATCH', url, { body: { ...value, name: 'Anna' } })
    equal([patched.status, patched.value.name], [200, 'Anna'])
    const book = await newBook({ title: 'Echo', price: '3.10', author_id: value.id })
    const whole = (await get(api, book)).value
    equal((await send(api, 'PATCH', book, { body: whole })).value, whole)
    equal((await send(api, 'PUT', book, { body: whole })).value, whole)
  })

  test('read-only members of a GET result cannot be changed', async () => {
    const author = await send(api, 'POST', '/api/authors', { body: { name: 'Ann' } })
    const { status, errors } = await send(api, 'PATCH', author.headers.location ?? '', {
      body: {
        id: 4711,
        shelf: 'B',
        createdAt: '2020-01-01T00:00:00.000Z',
        deleted: true,
        books: '/elsewhere',
      },
    })
    equal(status, 400)
    equal(errors.reason, {
      id: ['This field is generated.'],
      shelf: ['This field is read-only.'],
      createdAt: ['This field is set by the service.'],
      deleted: ['This field is set by DELETE and restore.'],
      books: ['This is not the URL of the relation; send records instead.'],
    })
    const withoutForm = { shelf: 7 }
    const other = await send(api, 'PATCH', author.headers.location ?? '', { body: withoutForm })
    equal(other.errors.reason, { shelf: ['This field is read-only.'] })
  })

  test('managed timestamps come from the clock', async () => {
    const { value, headers } = await send(api, 'POST', '/api/authors', { body: { name: 'Now' } })
    equal(value.createdAt, '2026-01-02T03:04:05.678Z')
    clock.tick(1000)
    const later = await send(api, 'PATCH', headers.location ?? '', { body: { name: 'Later' } })
    equal(later.value.createdAt, '2026-01-02T03:04:05.678Z')
    equal(later.value.updatedAt, '2026-01-02T03:04:06.678Z')
  })

  test('a disabled method is 405', async () => {
    const closed = testApi(db, library, { API_BLOCK_METHODS: ['POST', 'PATCH'] })
    const { status, headers } = await send(closed, 'POST', '/api/tags', { body: { name: 'x' } })
    equal([status, headers.allow], [405, 'GET, HEAD, QUERY, OPTIONS'])
    ok(!(await send(closed, 'OPTIONS', '/api/tags/1')).headers.allow?.includes('PATCH'))
  })

  test('a record that its author may not read is returned as null', async () => {
    const blind = testApi(db, library, { API_ALLOWED_METHODS: ['POST'] })
    const created = await send(blind, 'POST', '/api/tags', { body: { name: 'blind' } })
    equal([created.status, created.value], [201, null])
    match(created.headers.location ?? '', /^\/api\/tags\/\d+$/)
  })
})
