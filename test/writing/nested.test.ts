/** Nested writes: to-one, to-many, many-to-many, several levels, links by key; all in one transaction. */
import * as fc from 'fast-check'
import { get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { countRows, createLibrary, everything, library, withModel } from './models.ts'

interface Named {
  readonly name: string
}

const names = (list: readonly Named[]): string[] => list.map(({ name }) => name)

eachDatabase('nested writes', (test, db) => {
  const api = testApi(db, library, { ...everything, API_SERIALIZATION_TYPE: 'json' })
  test.before(() => createLibrary(db))
  const post = (url: string, body: unknown) => send(api, 'POST', url, { body })
  const tables = ['authors', 'books', 'tags', 'book_tags', 'profiles', 'countries'] as const

  test('a to-one object is created first, and the foreign key may be left out', async () => {
    const { status, value } = await post('/api/books', { title: 'Emma', author: { name: 'Jane' } })
    equal([status, value.author.name, value.author_id], [201, 'Jane', value.author.id])
  })

  test('to-many lists and to-one children are created last, several levels deep', async () => {
    const { status, value } = await post('/api/authors', {
      name: 'Karel',
      country: { code: 'CZ', title: 'Czechia' },
      profile: { motto: 'R.U.R.' },
      books: [
        { title: 'Robots', tags: [{ name: 'play' }], copies: [{ branch: 'A', number: 1 }] },
        { title: 'Newts' },
      ],
    })
    equal(status, 201)
    equal(
      [value.country_code, value.country.title, value.profile.motto],
      ['CZ', 'Czechia', 'R.U.R.'],
    )
    equal(
      value.books.map(({ title }: { title: string }) => title),
      ['Robots', 'Newts'],
    )
    const robots = await get(api, `/api/books/${value.books[0].id}?dump=json`)
    equal([robots.value.tags[0].name, robots.value.copies[0].branch], ['play', 'A'])
  })

  test('a plain key in place of an object: the message shows how a stored record is named', async () => {
    const { status, errors } = await post('/api/books', { title: 'Keys', tags: [1] })
    const message = 'Expected an object; a stored record is named by its key, { "id": … }.'
    equal([status, errors.reason], [400, { 'tags[0]': [message] }])
  })

  test('a nested object with the key of its target links the existing record', async () => {
    const tag = (await post('/api/tags', { name: 'linked' })).value
    const author = (await post('/api/authors', { name: 'Linked' })).value
    const { status, value } = await post('/api/books', {
      title: 'Links',
      author: { id: author.id },
      tags: [{ id: tag.id, name: 'linked' }, { name: 'new one' }],
    })
    equal([status, value.author_id], [201, author.id])
    equal([value.tags[0].id, names(value.tags)], [tag.id, ['linked', 'new one']])
    const moved = await post('/api/authors', { name: 'Next', books: [{ id: value.id }] })
    equal(moved.value.books[0].id, value.id)
  })

  test('a linked record is not changed', async () => {
    const tag = (await post('/api/tags', { name: 'fixed' })).value
    const tags = [{ id: tag.id, name: 'other' }]
    const { status, errors } = await post('/api/books', { title: 'x', tags })
    equal(
      [status, errors.reason],
      [400, { 'tags[0].name': ['This field cannot be changed here.'] }],
    )
  })

  test('a linked record is not changed by PATCH either, of one record or of many', async () => {
    const { value: tag } = await post('/api/tags', { name: 'kept' })
    const { value: book } = await post('/api/books', { title: 'Linked by PATCH' })
    const body = { tags: [{ id: tag.id, name: 'other' }] }
    for (const url of [`/api/books/${book.id}`, `/api/books?id__eq=${book.id}`]) {
      const { status, errors } = await send(api, 'PATCH', url, { body })
      const reason = { 'tags[0].name': ['This field cannot be changed here.'] }
      equal([status, errors?.reason], [400, reason])
    }
    equal((await get(api, `/api/books/${book.id}/tags`)).total, 0)
  })

  test('a link to a missing or deleted record is 422, and nothing is written', async () => {
    const gone = (await post('/api/authors', { name: 'Gone' })).value
    equal((await send(api, 'DELETE', `/api/authors/${gone.id}`)).status, 200)
    const before = await countRows(db, ...tables)
    const refused = async (body: object) => {
      const { status, errors } = await post('/api/books', { title: 'x', ...body })
      return [status, errors.reason]
    }
    const expected = (path: string) => [422, { [path]: ['No such record.'] }]
    equal(await refused({ tags: [{ name: 'half' }, { id: 999 }] }), expected('tags[1].id'))
    equal(await refused({ author: { id: gone.id } }), expected('author.id'))
    equal(await refused({ author_id: gone.id }), expected('author_id'))
    equal(await refused({ author_id: 9999 }), expected('author_id'))
    equal(await countRows(db, ...tables), before)
  })

  test('a violation in a nested record rolls everything back and names its path', async () => {
    await post('/api/tags', { name: 'unique' })
    const before = await countRows(db, ...tables)
    const books = [{ title: 'x', tags: [{ name: 'fresh' }, { name: 'unique' }] }]
    const { status, errors } = await post('/api/authors', { name: 'A', books })
    const reason = { 'books[0].tags[1].name': ['Another record has this value.'] }
    equal([status, errors.reason], [409, reason])
    equal(await countRows(db, ...tables), before)
  })

  test('a client-chosen key links an existing record, or else creates one', async () => {
    const withCountry = async (country: object) => {
      const { status, errors } = await post('/api/authors', { name: 'A', country })
      return [status, Object.keys(errors?.reason ?? {})]
    }
    equal(await withCountry({ code: 'GB', title: 'Britain' }), [201, []])
    equal(await withCountry({ code: 'GB', title: 'Britain' }), [201, []])
    equal(await withCountry({ code: 'GB' }), [201, []])
    equal(await withCountry({ code: 'GB', title: 'Other' }), [400, ['country.title']])
    equal(await withCountry({ code: 'XX' }), [422, ['country.code']])
  })

  test('a foreign key and an object for it exclude each other', async () => {
    const body = { title: 'x', author_id: 1, author: { name: 'A' } }
    const { status, errors } = await post('/api/books', body)
    equal([status, Object.keys(errors.reason)], [400, ['author_id']])
  })

  test('a nested record cannot set the foreign key to its parent', async () => {
    const books = [{ title: 'x', author_id: 1, author: { name: 'B' } }]
    const { errors } = await post('/api/authors', { name: 'A', books })
    equal(Object.keys(errors.reason).sort(), ['books[0].author', 'books[0].author_id'])
  })

  test('PATCH replaces the links by those listed, and deletes no linked record', async () => {
    const { value } = await post('/api/books', {
      title: 'T',
      tags: [{ name: 't1' }, { name: 't2' }],
    })
    const [one, two] = value.tags
    const url = `/api/books/${value.id}`
    const body = { tags: [{ id: two.id }, { name: 't3' }] }
    equal(names((await send(api, 'PATCH', url, { body })).value.tags), ['t2', 't3'])
    equal((await get(api, `/api/tags/${one.id}`)).status, 200)
    equal((await send(api, 'PATCH', url, { body: { tags: [] } })).value.tags, [])
  })

  test('PATCH takes to-one objects and null', async () => {
    const { value } = await post('/api/books', { title: 'P' })
    const patch = (body: object) => send(api, 'PATCH', `/api/books/${value.id}`, { body })
    equal((await patch({ author: { name: 'New' } })).value.author.name, 'New')
    const undone = await patch({ author: null })
    equal([undone.value.author, undone.value.author_id], [null, null])
  })

  test('each nested record is checked against the methods of its own model', async () => {
    const models = withModel('Tag', () => ({ meta: { allowed_methods: ['GET'] } }))
    const closed = testApi(db, models, everything)
    const before = await countRows(db, ...tables)
    const body = { title: 'x', tags: [{ name: 'forbidden' }] }
    equal((await send(closed, 'POST', '/api/books', { body })).status, 403)
    equal(await countRows(db, ...tables), before)
  })

  test('any nested payload reads back as it was written', async () => {
    let n = 0
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
      .filter((value) => !value.includes('\0') && [...value].length <= 20)
    const book = fc.record({
      title: text,
      price: fc.option(
        fc.integer({ min: -99999999, max: 99999999 }).map((cents) => (cents / 100).toFixed(2)),
      ),
      rating: fc.option(fc.integer({ min: -1e6, max: 1e6 }).map((eighths) => eighths / 8)),
      sold: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String)),
      in_stock: fc.boolean(),
      details: fc
        .jsonValue({ maxDepth: 3 })
        // These keys make a body invalid.
        .filter((json) => !/__proto__|constructor|prototype/.test(JSON.stringify(json))),
      tags: fc.array(fc.constant(0), { maxLength: 3 }),
    })
    const payload = fc.record({ name: text, books: fc.array(book, { maxLength: 3 }) })
    const roundTrip = fc.asyncProperty(payload, async (given) => {
      const books = given.books.map((one) => ({
        ...one,
        tags: one.tags.map(() => ({ name: `p${n++}` })),
      }))
      const { status, value, errors } = await post('/api/authors', { name: given.name, books })
      equal([status, errors], [201, null])
      equal([value.name, value.books.length], [given.name, books.length])
      for (const [i, sent] of books.entries()) {
        const read = (await get(api, `/api/books/${value.books[i].id}?dump=json`)).value
        for (const field of ['title', 'price', 'rating', 'sold', 'in_stock'] as const) {
          equal(read[field], sent[field], field)
        }
        equal(plain(read.details), plain(sent.details))
        equal(names(read.tags), names(sent.tags))
      }
    })
    await fc.assert(roundTrip, { numRuns: 25 })
  })
})

/** The value after serialisation, which has no negative zero. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
