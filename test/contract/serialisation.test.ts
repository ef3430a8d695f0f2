/** Serialisation: modes, depth, cycles, options and values of relations, following the specification sentence by sentence. */
import type { ApiConfig } from '@model-api/core'
import { testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { column, read, refuses, withMeta } from '../support/expect.ts'
import { createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

/** Returns the form of a relation's value: `url`, `object`, `list` or null. */
function form(value: unknown): unknown {
  if (typeof value === 'string') return 'url'
  return Array.isArray(value) ? 'list' : value === null ? null : 'object'
}

const forms = (book: Record<string, unknown>): unknown[] =>
  ['author', 'editor', 'tags', 'order_lines'].map((key) => form(book[key]))

const urls = ['url', 'url', 'url', 'url']
const embedded = ['object', 'object', 'list', 'list']
const toOne = ['object', 'object', 'url', 'url']

eachDatabase('specification: serialisation', (test, db) => {
  test.before(() => createShop(db))
  const book = async (config: ApiConfig, query = ''): Promise<unknown[]> => {
    const api = testApi(db, shop, { API_ALLOW_JOIN: true, ...config })
    const one = forms(await read(api, `/api/books/1${query}`))
    const [first] = await read(api, `/api/books${query}${query === '' ? '?' : '&'}limit=1`)
    equal(forms(first), one, 'a list and a single object are serialised alike')
    return one
  }

  test('url is the default: relationships are URLs', async () => {
    equal(await book({}), urls)
    equal(await book({ API_SERIALIZATION_TYPE: 'json' }, '?dump=url'), urls)
  })

  test('json: related objects are embedded', async () => {
    equal(await book({ API_SERIALIZATION_TYPE: 'json' }), embedded)
    equal(await book({}, '?dump=json'), embedded)
  })

  test('hybrid: to-one relationships are embedded, collections remain URLs', async () => {
    equal(await book({ API_SERIALIZATION_TYPE: 'hybrid' }), toOne)
    equal(await book({}, '?dump=hybrid'), toOne)
  })

  test('dynamic: only relationships named in join are embedded', async () => {
    equal(await book({ API_SERIALIZATION_TYPE: 'dynamic' }), urls)
    equal(await book({ API_SERIALIZATION_TYPE: 'dynamic' }, '?join=author,tags'), [
      'object',
      'url',
      'list',
      'url',
    ])
    equal(await book({}, '?dump=dynamic&join=editor'), ['url', 'object', 'url', 'url'])
  })

  test('dynamic: dump can choose url or json per request', async () => {
    equal(await book({ API_SERIALIZATION_TYPE: 'dynamic' }, '?join=author&dump=url'), urls)
    equal(await book({ API_SERIALIZATION_TYPE: 'dynamic' }, '?dump=json'), embedded)
  })

  test('the mode may be set per model, which takes precedence', async () => {
    const models = withMeta(shop, 'Book', { serialization_type: 'hybrid' })
    const api = testApi(db, models, { API_SERIALIZATION_TYPE: 'json' })
    equal(forms(await read(api, '/api/books/1')), toOne)
    equal(form((await read(api, '/api/tags/1')).books), 'list')
  })

  test('API_SERIALIZATION_DEPTH is the number of levels to embed; at 0 relations stay URLs', async () => {
    const at = (depth: number, query = '') =>
      book({ API_SERIALIZATION_TYPE: 'json', API_SERIALIZATION_DEPTH: depth }, query)
    equal(await at(0), urls)
    equal(await at(0, '?dump=hybrid'), urls)
    equal(await at(1), embedded)
    equal(await at(2), embedded)
  })

  test('extra levels are embedded before falling back to URLs', async () => {
    const depth = async (levels: number): Promise<unknown[]> => {
      const api = testApi(db, shop, { API_SERIALIZATION_DEPTH: levels })
      const found = []
      let line = await read(api, '/api/order-lines/2024%2F001,2?dump=json')
      for (const key of ['book', 'author', 'mentor', 'profile']) {
        found.push(form(line[key]))
        if (form(line[key]) !== 'object') break
        line = line[key]
      }
      return found
    }
    equal(await depth(1), ['object', 'url'])
    equal(await depth(2), ['object', 'object', 'url'])
    equal(await depth(4), ['object', 'object', 'object', 'object'])
  })

  test('resources 2: API_ADD_RELATIONS false returns column data only', async () => {
    const api = testApi(db, shop, { API_ADD_RELATIONS: false, API_SERIALIZATION_TYPE: 'json' })
    equal(Object.keys(await read(api, '/api/tags/1')), ['id', 'name'])
    equal(Object.keys(await read(api, '/api/tags/1?dump=json')), ['id', 'name'])
    const one = testApi(db, withMeta(shop, 'Tag', { add_relations: false }))
    equal(Object.keys(await read(one, '/api/tags/1?dump=json')), ['id', 'name'])
    const book = await read(one, '/api/books/1?dump=json')
    equal(book.tags, [{ id: 1, name: 'classic' }])
    equal(book.author.books, '/api/authors/1/books')
  })

  test('query parameters: dump_relationships=false suppresses all relationship fields', async () => {
    const api = testApi(db, shop)
    for (const no of ['false', '0', 'no']) {
      const tag = await read(api, `/api/tags/1?dump=json&dump_relationships=${no}`)
      equal(Object.keys(tag), ['id', 'name'])
    }
    equal(form((await read(api, '/api/tags/1?dump_relationships=true')).books), 'url')
    await refuses(api, '/api/tags/1?dump_relationships=perhaps', {
      says: ['"perhaps"', 'true or false'],
    })
  })

  test('query parameters: any other dump is 400', async () => {
    await refuses(testApi(db, shop), '/api/tags/1?dump=jsn', {
      says: ['"jsn"', 'url, json, dynamic, hybrid', 'Did you mean "json"?'],
      at: 'dump=jsn',
    })
    // Also where there are no relations to dump.
    const api = testApi(db, shop, { API_ALLOW_GROUPBY: true })
    for (const query of ['fields=id', 'groupby=name']) {
      await refuses(api, `/api/tags?${query}&dump=jsn`, { at: 'dump=jsn' })
      await refuses(api, `/api/tags?${query}&dump_relationships=maybe`, { says: ['"maybe"'] })
    }
  })
})

eachDatabase('contract: relation values', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop, { API_ALLOW_JOIN: true })

  test('to-one: /api/<collection>/<id>/<relation>, null when the key is null', async () => {
    const [fourth, fifth] = await read(api, '/api/books?id__ge=4')
    equal([fourth.author, fifth.author], ['/api/books/4/author', null])
  })

  test('to-many: the same shape, in endpoint case', async () => {
    const book = await read(api, '/api/books/1')
    equal([book.tags, book.order_lines], ['/api/books/1/tags', '/api/books/1/order-lines'])
  })

  test('the emitted URL returns the related records', async () => {
    const book = await read(api, '/api/books/1')
    equal((await read(api, book.author)).name, 'Ann Archer')
    equal(await column(api, book.order_lines, 'order_no'), ['2024/001', 'A,B'])
    const [line] = await read(api, '/api/order-lines?quantity__eq=5')
    equal((await read(api, line.book)).title, 'Arrows')
  })

  test('embedded to-one is an object or null, embedded to-many a list ordered by primary key', async () => {
    const books = await read(api, '/api/books?dump=json&id__in=(1,3,5)')
    equal(
      books.map((book: { author: { id: number } | null }) => book.author?.id ?? null),
      [1, 3, null],
    )
    equal(
      books.map((book: { tags: { id: number }[] }) => book.tags.map(({ id }) => id)),
      [[1], [1, 3], []],
    )
    equal(
      books[0].order_lines.map((line: { order_no: string; line: number }) => [
        line.order_no,
        line.line,
      ]),
      [
        ['2024/001', 1],
        ['A,B', 1],
      ],
    )
  })

  test('a has-one relation embeds an object', async () => {
    const authors = await read(api, '/api/authors?dump=hybrid')
    equal(
      authors.map((author: { profile: { motto: string } | null }) => author.profile?.motto ?? null),
      ['Write every day', null, 'R.U.R.', null],
    )
  })

  test('the inverse of the relation just followed is a URL', async () => {
    const deep = testApi(db, shop, { API_SERIALIZATION_DEPTH: 3 })
    const author = await read(deep, '/api/authors/1?dump=json')
    equal(author.books[0].author, '/api/books/1/author')
    equal(author.profile.author, '/api/profiles/1/author')
    equal(author.books[0].tags[0].books, '/api/tags/1/books')
    equal(author.books[0].order_lines[0].book, '/api/order-lines/2024%2F001,1/book')
  })

  test('a self-reference may nest to the depth, and cyclic graphs end', async () => {
    const deep = testApi(db, shop, { API_SERIALIZATION_DEPTH: 4 })
    const author = await read(deep, '/api/authors/4?dump=hybrid')
    equal(author.mentor.mentor.name, 'Ann Archer')
    equal(author.mentor.mentor.mentor, null)
    equal(author.mentor.pupils, '/api/authors/2/pupils')
  })

  test('embedded rows use the decoders of the resource itself', async () => {
    const single = await read(api, '/api/books/1?dump_relationships=false')
    const [embed] = (await read(api, '/api/authors/1?dump=json')).books
    for (const key of Object.keys(single)) equal(embed[key], single[key], key)
  })

  test('embedded objects hide hidden columns and relations to unpublished models', async () => {
    const book = await read(api, '/api/books/1?dump=json')
    equal('secret' in book.author, false)
  })

  test('dotted joins embed along their path in dynamic mode', async () => {
    const [book] = await read(api, '/api/books?dump=dynamic&join=author.mentor&limit=1')
    equal([book.author.name, book.author.mentor.name], ['bob Baker', 'Ann Archer'])
  })

  test('dynamic embeds what join names, whatever the depth', async () => {
    const zero = testApi(db, shop, { API_ALLOW_JOIN: true, API_SERIALIZATION_DEPTH: 0 })
    equal(form((await read(zero, '/api/books/1?dump=dynamic&join=author')).author), 'object')
  })

  test('with joins disabled, dynamic embeds nothing', async () => {
    const off = testApi(db, shop)
    equal(forms(await read(off, '/api/books/1?dump=dynamic&join=author')), urls)
  })

  test('an embed of a resource that may not be listed stays a URL', async () => {
    const closed = testApi(db, withMeta(shop, 'Author', { allowed_methods: [] }))
    equal(form((await read(closed, '/api/books/1?dump=json')).author), 'url')
  })
})

eachDatabase('contract: per-relation options', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop, { API_ALLOW_JOIN: true })
  const books = async (query: string, member = 'id'): Promise<unknown[]> => {
    const authors = await read(api, `/api/authors?dump=json&${query}`)
    return authors.map((author: { books: Record<string, unknown>[] }) =>
      author.books.map((book) => book[member]),
    )
  }

  test('limit, per parent', async () => {
    equal(await books('books.limit=1'), [[1], [2], [3], []])
  })

  test('order_by, per parent', async () => {
    equal(await books('books.order_by=-id'), [[1], [2], [4, 3], []])
    equal(await books('books.limit=1&books.order_by=price'), [[1], [2], [4], []])
  })

  test('fields: exactly these columns', async () => {
    const [author] = await read(api, '/api/authors?dump=json&books.fields=title,price')
    equal(author.books, [{ title: 'Arrows', price: '12.50' }])
  })

  test('a filter in brackets chooses embedded rows, a joined filter base rows', async () => {
    equal(await books('books[price__gt=15]'), [[], [], [3, 4], []])
    const joined = '/api/authors?dump=json&join=books&books.price__gt=18'
    const [author] = await read(api, joined)
    equal([author.id, author.books.length], [3, 2])
    equal(await books('books[or[id__eq=1,id__eq=4]]'), [[1], [], [4], []])
  })

  test('all at once, and through a junction', async () => {
    equal(await books('books.limit=1&books.order_by=-price&books[in_stock__eq=true]'), [
      [1],
      [],
      [3],
      [],
    ])
    const tags = await read(
      api,
      '/api/tags?dump=json&books.limit=1&books.order_by=-title&books.fields=title',
    )
    equal(
      tags.map((tag: { books: unknown }) => tag.books),
      [[{ title: 'Robots' }], [{ title: 'Bread, 100% rye' }], [{ title: 'Robots' }]],
    )
  })

  test('on a single object', async () => {
    const author = await read(api, '/api/authors/3?dump=json&books.limit=1&books.order_by=title')
    equal(author.books.length, 1)
    equal(author.books[0].title, 'Newts')
  })

  test('on a relation that is not embedded: 400', async () => {
    for (const query of [
      'books.limit=1',
      'dump=hybrid&books.order_by=id',
      'dump=url&books[id__eq=1]',
    ]) {
      await refuses(api, `/api/authors?${query}`, { says: ['not embedded'] })
    }
    await refuses(api, '/api/authors?dump=json&dump_relationships=false&books.limit=1')
    await refuses(api, '/api/authors?fields=id&books.limit=1')
  })

  test('a to-one relation has nothing to limit or order', async () => {
    await refuses(api, '/api/books?dump=json&author.limit=1', { says: ['single object'] })
    const [book] = await read(api, '/api/books?dump=json&author.fields=name&limit=1')
    equal(book.author, { name: 'Ann Archer' })
  })

  test('of nested relations, by their path, in any spelling that a join token may have', async () => {
    const deep = testApi(db, shop, { API_SERIALIZATION_DEPTH: 2 })
    const tags = async (query: string) => {
      const author = await read(deep, `/api/authors/3?dump=json&${query}`)
      return author.books.map((book: { tags: unknown[] }) => book.tags)
    }
    const [classic, fiction] = [{ name: 'classic' }, { name: 'science fiction' }]
    equal(await tags('books.tags.fields=name'), [[classic, fiction], [fiction]])
    equal(await tags('books.tags.fields=name&books.tags.limit=1'), [[classic], [fiction]])
    equal(await tags('Books.TAG.fields=name&book.tag.order_by=-name'), [
      [fiction, classic],
      [fiction],
    ])
    equal(await tags('books.tags.fields=name&books.tags[name__eq=classic]'), [[classic], []])
    await refuses(deep, '/api/authors?dump=json&books.tags.limit=1&books.fields=id', {
      says: ['"books.tags" is not embedded'],
    })
    await refuses(api, '/api/authors?dump=json&books.tags.limit=1', {
      says: ['"books.tags" is not embedded'],
    })
  })

  test('name columns of the relation alone; related rows are tested by exists', async () => {
    const reason =
      'Unknown column "author.name" on books. Only its own columns can be named here; related rows are tested by "exists(…)".'
    for (const option of [
      'books[author.name__eq=x]',
      'books.fields=id,author.name',
      'books.order_by=author.name',
    ]) {
      for (const join of ['', 'join=books.author&']) {
        const { errors } = await refuses(api, `/api/authors?dump=json&${join}${option}`)
        equal(errors.reason, reason, option)
      }
    }
    equal(await books('books[exists(author.name__like=Ann)]'), [[1], [], [], []])
  })

  test('wrong values and names are refused', async () => {
    await refuses(api, '/api/authors?dump=json&books.limit=0', { says: ['books.limit', '"0"'] })
    await refuses(api, '/api/authors?dump=json&books.limit=10001', {
      says: ['"10001"', 'a whole number from 1 to 10000'],
    })
    equal(await books('books.limit=10000'), [[1], [2], [3, 4], []])
    await refuses(api, '/api/authors?dump=json&books.limit=1&books.limit=2')
    await refuses(api, '/api/authors?dump=json&books.fields=nope', { says: ['"nope"'] })
    await refuses(api, '/api/authors?dump=json&boks.limit=1', { says: ['"boks"', '"books"'] })
    await refuses(api, '/api/authors?dump=json&books.size=1')
  })

  test('a to-many embed is never cut silently', async () => {
    const narrow = testApi(db, shop, { API_MAX_EMBEDDED_ROWS: 4 })
    await refuses(narrow, '/api/books?dump=json', {
      says: ['API_MAX_EMBEDDED_ROWS', '4', 'tags'],
      code: 'too_many_embedded_rows',
    })
    equal(
      (await read(narrow, '/api/authors?dump=json&pupils.limit=1&books.limit=1&limit=2')).length,
      2,
    )
  })
})
