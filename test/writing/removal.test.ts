/** Removal: dependents, soft delete from end to end, restore, cascades. */
import { get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { countRows, createLibrary, everything, library, withModel } from './models.ts'

eachDatabase('DELETE of a record', (test, db) => {
  const api = testApi(db, library, { ...everything, API_ALLOW_JOIN: true, API_ALLOW_GROUPBY: true })
  test.before(() => createLibrary(db))
  const post = (url: string, body: unknown) => send(api, 'POST', url, { body })
  const remove = (url: string) => send(api, 'DELETE', url)

  test('children in published models are looked up first: 409, whatever the database would do', async () => {
    const { value } = await post('/api/books', {
      title: 'Held',
      tags: [{ name: 'tied' }],
      copies: [{ branch: 'A', number: 1 }],
    })
    const { status, errors } = await remove(`/api/books/${value.id}`)
    equal([status, errors.reason], [409, 'Other records refer to this one: copies.'])
    equal((await get(api, `/api/books/${value.id}/tags`)).total, 1)
  })

  test('links of an unpublished junction are deleted with the record, from either side', async () => {
    const tags = [{ name: 'gone with the book' }, { name: 'gone before the book' }]
    const { value } = await post('/api/books', { title: 'Linked', tags })
    const list = (await get(api, `/api/books/${value.id}/tags`)).value
    const links = (book: number) =>
      db.kysely.selectFrom('book_tags').selectAll().where('book_id', '=', book).execute()
    equal((await remove(`/api/tags/${list[1].id}`)).status, 200)
    equal((await links(value.id)).length, 1)
    equal((await remove(`/api/books/${value.id}`)).status, 200)
    equal(await links(value.id), [])
    equal((await get(api, `/api/tags/${list[0].id}`)).status, 200)
  })

  test('with soft delete every read leaves the record out; a second DELETE is 404', async () => {
    const { value } = await post('/api/authors', {
      name: 'Marked',
      books: [{ title: 'Of the marked' }],
      country: { code: 'XX', title: 'Nowhere' },
    })
    const url = `/api/authors/${value.id}`
    equal((await remove(url)).status, 200)
    equal((await remove(url)).status, 404)
    equal((await send(api, 'PATCH', url, { body: { name: 'x' } })).status, 404)
    equal((await get(api, url)).status, 404)
    equal((await get(api, '/api/authors?name__eq=Marked')).total, 0)
    equal((await get(api, '/api/countries/XX/authors')).total, 0)
    equal((await get(api, '/api/books?join=author&author.name__eq=Marked')).total, 0)
    equal((await get(api, '/api/books?exists(author.name__eq=Marked)')).total, 0)
    equal((await get(api, '/api/authors?groupby=name&name__eq=Marked')).value, [])
    const book = await get(api, '/api/books?title__eq=Of%20the%20marked&dump=json')
    equal(book.value[0].author, null)
    equal((await get(api, `${url}?include_deleted=true`)).value.deleted, true)
  })

  test('restore needs PATCH: without it the route allows nothing', async () => {
    const models = withModel('Author', ({ meta }) => ({
      meta: { ...meta, block_methods: ['PATCH'] },
    }))
    const closed = testApi(db, models, everything)
    const { value } = await post('/api/authors', { name: 'Stays away' })
    const url = `/api/authors/${value.id}`
    equal((await remove(url)).status, 200)
    const { status, headers } = await send(closed, 'POST', `${url}/restore`)
    equal([status, headers.allow], [405, 'OPTIONS'])
    equal((await get(api, url)).status, 404)
    equal((await send(api, 'OPTIONS', `${url}/restore`)).headers.allow, 'POST, OPTIONS')
  })

  test('restore undoes a soft delete', async () => {
    const { value } = await post('/api/authors', { name: 'Back', email: 'back@x.org' })
    const url = `/api/authors/${value.id}`
    const restore = (body?: object) =>
      send(api, 'POST', `${url}/restore`, body === undefined ? {} : { body })
    equal((await restore()).errors.code, 'not_deleted')
    await remove(url)
    equal((await restore({ name: 'x' })).status, 400)
    const restored = await restore()
    equal([restored.status, restored.value.deleted], [200, false])
    equal((await get(api, url)).status, 200)
    equal((await send(api, 'POST', '/api/authors/99999/restore')).status, 404)
    equal((await send(api, 'POST', '/api/tags/1/restore')).status, 404)
    equal((await get(api, `${url}/restore`)).status, 405)
  })

  test('a unique value of a soft-deleted record is still taken', async () => {
    const { value } = await post('/api/authors', { name: 'Taken', email: 'taken@x.org' })
    await remove(`/api/authors/${value.id}`)
    const { status, errors } = await post('/api/authors', { name: 'New', email: 'taken@x.org' })
    equal([status, Object.keys(errors.reason)], [409, ['email']])
  })

  test('PATCH cannot set the soft-delete column unless it has readOnly: false', async () => {
    const { value } = await post('/api/authors', { name: 'Attr' })
    const url = `/api/authors/${value.id}`
    equal((await send(api, 'PATCH', url, { body: { deleted: true } })).status, 400)
    equal((await send(api, 'PATCH', url, { body: { deleted: false } })).status, 200)
    const models = withModel('Author', ({ columns }) => ({
      columns: { ...columns, deleted: { type: 'boolean', readOnly: false } },
    }))
    const writable = testApi(db, models, everything)
    equal((await send(writable, 'PATCH', url, { body: { deleted: true } })).status, 200)
    equal((await get(api, url)).status, 404)
  })

  test('cascade_delete deletes dependents and links, but no linked record', async () => {
    const { value } = await post('/api/books', {
      title: 'All',
      tags: [{ name: 'stays' }],
      copies: [
        { branch: 'C', number: 1 },
        { branch: 'C', number: 2 },
      ],
    })
    const before = await countRows(db, 'tags')
    equal((await remove(`/api/books/${value.id}?cascade_delete=1`)).status, 200)
    equal((await get(api, '/api/copies?branch__eq=C')).total, 0)
    equal(await countRows(db, 'tags'), before)
    const links = db.kysely.selectFrom('book_tags').selectAll().where('book_id', '=', value.id)
    equal(await links.execute(), [])
  })

  test('cascade_delete needs DELETE on each dependent model, and deletes all or nothing', async () => {
    const models = withModel('Copy', () => ({ meta: { block_methods: ['DELETE'] } }))
    const closed = testApi(db, models, everything)
    const { value } = await post('/api/books', {
      title: 'Kept',
      copies: [{ branch: 'D', number: 1 }],
    })
    const url = `/api/books/${value.id}?cascade_delete=1`
    equal((await send(closed, 'DELETE', url)).status, 403)
    equal((await get(api, `/api/books/${value.id}/copies`)).total, 1)
  })

  test('cascade_delete only where it is allowed', async () => {
    const plain = testApi(db, library)
    const { status, errors } = await send(plain, 'DELETE', '/api/books/1?cascade_delete=1')
    equal([status, errors.code], [400, 'feature_disabled'])
    equal((await remove('/api/books/1?dump=json')).errors.code, 'not_here')
    const { value } = await post('/api/books', {
      title: 'Allowed by its model',
      copies: [{ branch: 'M', number: 1 }],
    })
    const models = withModel('Book', ({ meta }) => ({
      meta: { ...meta, allow_cascade_delete: true },
    }))
    const own = testApi(db, models)
    const url = (name: string, id: unknown) => `/api/${name}/${id}?cascade_delete=1`
    equal((await send(own, 'DELETE', url('authors', 1))).errors.code, 'feature_disabled')
    equal((await send(own, 'DELETE', url('books', value.id))).status, 200)
    equal((await get(own, '/api/copies?branch__eq=M')).total, 0)
  })

  test('cascade_delete of a soft-deleted record soft-deletes the dependents that allow it', async () => {
    const { value } = await post('/api/authors', { name: 'Soft', books: [{ title: 'Hard' }] })
    equal((await remove(`/api/authors/${value.id}?cascade_delete=1`)).status, 200)
    equal((await get(api, '/api/books?title__eq=Hard')).total, 0)
    equal((await get(api, `/api/authors/${value.id}?include_deleted=1`)).status, 200)
  })
})
