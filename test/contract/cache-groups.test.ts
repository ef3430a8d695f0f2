/** API_CACHE_GROUPS: the groups that reads depend on and writes invalidate (RFC 9875), tested with a cache, and which names callers see. */
import {
  type ApiConfig,
  belongsTo,
  type ColumnRight,
  defineModel,
  hasMany,
  manyToMany,
} from '@model-api/core'
import { random } from '../../bench/random.ts'
import { get, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { sendBatch } from '../support/batch.ts'
import { propertySeed } from '../support/property.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertLinks, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const

const Writer = defineModel('Writer', {
  columns: { id, name: { type: 'string' } },
  relations: { books: hasMany('Book', 'writer_id') },
  meta: {},
})
const Book = defineModel('Book', {
  columns: {
    id,
    title: { type: 'string', unique: true },
    writer_id: { type: 'integer', nullable: true },
  },
  relations: {
    writer: belongsTo('Writer', 'writer_id'),
    tags: manyToMany('Tag', { through: 'book_tags', from: 'book_id', to: 'tag_id' }),
    shelves: manyToMany('Shelf', { through: 'placings', from: 'book_id', to: 'shelf_id' }),
    reviews: hasMany('Review', 'book_id'),
  },
  meta: {},
})
const Tag = defineModel('Tag', {
  columns: { id, name: { type: 'string' } },
  relations: { books: manyToMany('Book', { through: 'book_tags', from: 'tag_id', to: 'book_id' }) },
  meta: {},
})
const Shelf = defineModel('Shelf', {
  columns: { id, name: { type: 'string' } },
  relations: {
    books: manyToMany('Book', { through: 'placings', from: 'shelf_id', to: 'book_id' }),
  },
  meta: {},
})
/** The junction of books and shelves, which only the staff may see. */
const Placing = defineModel('Placing', {
  table: 'placings',
  columns: { id, book_id: { type: 'integer' }, shelf_id: { type: 'integer' } },
  meta: { roles_required: ['staff'] },
})
const Review = defineModel('Review', {
  columns: { id, book_id: { type: 'integer' }, text: { type: 'string' } },
  relations: { book: belongsTo('Book', 'book_id') },
  meta: { roles_required: ['staff'] },
})
const models = [Writer, Book, Tag, Shelf, Placing, Review] as const

const config: ApiConfig = {
  API_CACHE_GROUPS: true,
  API_LIST_ETAGS: true,
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
  API_ALLOW_BATCH: true,
  API_ALLOW_BULK: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_CASCADE_DELETE: true,
  API_HTML_PAGES: false,
}
const staff = { id: 1, roles: ['staff'] }
const reads = 'cache-groups'
const writes = 'cache-group-invalidation'
const groupsOf = (headers: Readonly<Record<string, string>>, name: string): string[] =>
  (headers[name] ?? '').split(', ').filter(Boolean).sort()

eachDatabase('cache groups', (test, db) => {
  const api = testApi(db, models, config)
  test.before(async () => {
    await createTables(db, models)
    await insertRows(db, Writer, [{ name: 'w1' }, { name: 'w2' }, { name: 'w3' }])
    await insertRows(
      db,
      Book,
      [2, 3, 1, 2].map((writer_id, i) => ({ title: `b${i + 1}`, writer_id })),
    )
    await insertRows(db, Tag, [{ name: 't1' }, { name: 't2' }])
    await insertRows(db, Shelf, [{ name: 's1' }, { name: 's2' }])
    await insertRows(db, Placing, [{ book_id: 1, shelf_id: 1 }])
    await insertRows(db, Review, [{ book_id: 1, text: 'good' }])
    await insertLinks(db, 'book_tags', [{ book_id: 1, tag_id: 1 }])
  })
  const readBy = async (url: string, user?: unknown): Promise<string[]> =>
    groupsOf((await send(api, 'GET', url, { user })).headers, reads)
  const changedBy = async (
    method: string,
    url: string,
    body?: unknown,
    more: object = {},
  ): Promise<string[]> => {
    const sent = body === undefined ? more : { body, ...more }
    const { status, headers, text } = await send(api, method, url, sent)
    ok(status < 300, text)
    return groupsOf(headers, writes)
  }

  test('a read names the groups that it depends on, also with 304; without the setting neither header is sent', async () => {
    equal((await get(api, '/api/books/1')).headers[reads], '"*", "books"')
    equal(await readBy('/api/books?join=writer'), ['"*"', '"books"', '"writers"'])
    equal(await readBy('/api/books?dump_relationships=false'), ['"*"', '"books"'])
    equal(await readBy('/api/writers/1/books'), ['"*"', '"books"', '"writers"'])
    equal(await readBy('/api/tags?exists(books.writer.name__eq=w1)'), [
      '"*"',
      '"books"',
      '"tags"',
      '"writers"',
    ])
    equal(await readBy('/api/books?groupby=writer_id&id|n__count=1'), ['"*"', '"books"'])
    const { headers } = await get(api, '/api/books')
    const known = { 'if-none-match': headers.etag ?? '' }
    const again = await get(api, '/api/books', known)
    equal([again.status, again.headers[reads]], [304, headers[reads]])
    const off = testApi(db, models, { ...config, API_CACHE_GROUPS: false })
    equal((await get(off, '/api/books')).headers[reads], undefined)
    const written = await send(off, 'PATCH', '/api/books/1', { body: { title: 'b1' } })
    equal(written.headers[writes], undefined)
  })

  test('a write names the groups that it may have changed, derived from the request alone', async () => {
    equal(await changedBy('PATCH', '/api/books/1', { title: 'b1' }), ['"*other"', '"books"'])
    const nested = { title: 'b9', writer: { name: 'w9' }, tags: [{ id: 1 }] }
    equal(await changedBy('POST', '/api/books', nested), [
      '"*other"',
      '"books"',
      '"tags"',
      '"writers"',
    ])
    const filter = '/api/books?title__eq=none'
    equal(await changedBy('PATCH', filter, { title: 'x' }), ['"*other"', '"books"'])
    equal(await changedBy('DELETE', filter), ['"*other"', '"books"'])
    const minimal = { headers: { prefer: 'return=minimal' } }
    const listed = [{ id: 1, title: 'b1' }]
    equal(await changedBy('PATCH', '/api/books', listed, minimal), ['"*other"', '"books"'])
    const refused = await send(api, 'PATCH', '/api/books/1', { body: { title: 5 } })
    equal([refused.status, refused.headers[writes]], [400, undefined])
  })

  test('models that the caller may not list are not named', async () => {
    equal(await readBy('/api/books/1?dump=json', staff), [
      '"*"',
      '"books"',
      '"placings"',
      '"reviews"',
      '"shelves"',
      '"tags"',
      '"writers"',
    ])
    // The response does not name the junction to a caller who may not see it; every write invalidates what depends on it.
    const shown = ['"*"', '"*other"', '"books"', '"shelves"', '"tags"', '"writers"']
    equal(await readBy('/api/books/1?dump=json'), shown)
    const { value } = await send(api, 'POST', '/api/books', { body: { title: 'gone' } })
    const cascade = `/api/books/${value.id}?cascade_delete=true`
    equal(await changedBy('DELETE', cascade), ['"*other"', '"books"'])
  })

  test('what on_delete deletes or changes counts as written, also below links that a list removes', async () => {
    const Mark = defineModel('Mark', {
      columns: { id, placing_id: { type: 'integer', nullable: true } },
      relations: { placing: belongsTo('Placing', 'placing_id') },
      meta: {},
    })
    await createTables(db, [Mark])
    const own = testApi(
      db,
      [
        { ...Writer, relations: { books: hasMany('Book', 'writer_id', { on_delete: 'null' }) } },
        {
          ...Book,
          relations: {
            ...Book.relations,
            reviews: hasMany('Review', 'book_id', { on_delete: 'cascade' }),
          },
        },
        ...[Tag, Shelf, Review, Mark],
        {
          ...Placing,
          relations: { marks: hasMany('Mark', 'placing_id', { on_delete: 'null' }) },
        },
      ] as unknown as typeof models,
      config,
    )
    const writtenBy = async (method: string, url: string, body?: object) => {
      const answer = await send(own, method, url, { user: staff, ...(body && { body }) })
      equal(answer.status < 300, true, answer.text)
      return groupsOf(answer.headers, writes)
    }
    const { value: writer } = await send(own, 'POST', '/api/writers', { body: { name: 'w' } })
    const { value: book } = await send(own, 'POST', '/api/books', { body: { title: 'marked' } })
    equal(await writtenBy('PATCH', `/api/books/${book.id}`, { shelves: [] }), [
      '"*other"',
      ...['"books"', '"marks"', '"placings"', '"shelves"'],
    ])
    equal(await writtenBy('DELETE', `/api/books/${book.id}`), ['"*other"', '"books"', '"reviews"'])
    equal(await writtenBy('DELETE', `/api/writers/${writer.id}`), [
      '"*other"',
      ...['"books"', '"writers"'],
    ])
  })

  test('functions of the host count as reading and writing anything', async () => {
    const hooked = testApi(db, models, {
      ...config,
      API_UPDATE_CALLBACK: (object) => object,
      API_RETURN_CALLBACK: (value) => value,
    })
    equal((await get(hooked, '/api/tags')).headers[reads], '"*", "tags", "*other"')
    const { headers } = await send(hooked, 'PATCH', '/api/tags/1', { body: { name: 't1' } })
    equal(headers[writes], '"*"')
    const scoped = testApi(db, models, { ...config, API_ACCESS_POLICY: { scope: () => true } })
    equal((await get(scoped, '/api/tags')).headers[reads], '"*", "tags", "*other"')
  })

  test('so do functions that decide column rights, and computed columns that the caller may read', async () => {
    const groups = async (right: { read?: ColumnRight }, user?: unknown) => {
      const ruled = defineModel('Tag', {
        columns: { id, name: { type: 'string', ...right } },
        computed: {
          twice: {
            type: 'integer',
            // biome-ignore lint/suspicious/noExplicitAny: the expression builder of any database
            expression: (eb: any) => eb('id', '*', eb.val(2)),
            read: 'staff',
          },
        },
        meta: {},
      })
      return (await send(testApi(db, [ruled], config), 'GET', '/api/tags', { user })).headers[reads]
    }
    equal(await groups({ read: async () => true }), '"*", "tags", "*other"')
    equal(await groups({}), '"*", "tags"')
    equal(await groups({}, staff), '"*", "tags", "*other"')
  })

  test('a batch invalidates the groups of all of its operations; a dry run none', async () => {
    const operations = [
      { method: 'PATCH', url: '/api/books/1', body: { title: 'b1' } },
      { id: 'z', method: 'PATCH', url: '/api/tags/1', body: { name: 't1' } },
      { id: 'y', method: 'GET', url: '/api/writers' },
    ]
    const { headers, value } = await sendBatch(api, operations)
    equal(groupsOf(headers, writes), ['"*other"', '"books"', '"tags"'])
    for (const one of value) {
      equal([one.headers[reads], one.headers[writes]], [undefined, undefined])
    }
    equal((await sendBatch(api, operations, { dry_run: true })).headers[writes], undefined)
    equal((await sendBatch(api, operations.slice(2))).headers[writes], undefined)
  })

  test('a replayed response invalidates everything: the first response may not have arrived', async () => {
    const key = { headers: { 'idempotency-key': 'a-key-of-sixteen-characters' } }
    const body = { name: 'once' }
    equal(await changedBy('POST', '/api/tags', body, key), ['"*other"', '"tags"'])
    equal(await changedBy('POST', '/api/tags', body, key), ['"*"'])
  })

  test('the OpenAPI document has the headers, of every response that carries them', () => {
    const document = api.openapi()
    const documented = (path: string, method: 'get' | 'post' | 'patch' | 'delete'): unknown =>
      Object.fromEntries(
        Object.entries(document.paths?.[path]?.[method]?.responses ?? {})
          .map(([status, response]): [string, unknown] => {
            const [, name = ''] = /responses\/(.+)/.exec(response.$ref ?? '') ?? []
            const { headers = {} } = response.$ref
              ? (document.components?.responses?.[name] ?? {})
              : response
            const named = Object.keys(headers).filter((one) => one.startsWith('Cache-Group'))
            return [status, named.join()]
          })
          .filter(([, named]) => named !== ''),
      )
    const read = { 200: 'Cache-Groups', 304: 'Cache-Groups' }
    const changed = 'Cache-Group-Invalidation'
    equal(documented('/api/books', 'get'), read)
    equal(documented('/api/books/{id}', 'get'), read)
    equal(documented('/api/books/{id}/writer', 'get'), read)
    equal(documented('/api/books', 'post'), { 200: changed, 201: changed, 204: changed })
    equal(documented('/api/books/{id}', 'patch'), { 200: changed, 204: changed })
    equal(documented('/api/books/{id}', 'delete'), { 200: changed, 204: changed })
    equal(documented('/api/batch', 'post'), { 200: changed })
    equal(documented('/auth/login', 'post'), {})
    const off = JSON.stringify(
      testApi(db, models, { ...config, API_CACHE_GROUPS: false }).openapi(),
    )
    ok(!off.includes('Cache-Group'))
  })

  test('a cache that removes what writes invalidate serves no stale response', async () => {
    const next = random(propertySeed)
    const any = (of: string) => async (): Promise<number> => {
      const { value } = await get(api, `/api/${of}?fields=id&limit=100`)
      return value.length === 0 ? 0 : value[next(value.length)].id
    }
    const [book, writer, tag, shelf] = [any('books'), any('writers'), any('tags'), any('shelves')]
    let number = 0
    const name = (): string => `n${++number}`
    const changes: readonly (() => Promise<readonly [string, string, unknown?]>)[] = [
      async () => ['PATCH', `/api/books/${await book()}`, { title: name() }],
      async () => ['PATCH', `/api/writers/${await writer()}`, { name: name() }],
      async () => ['PATCH', `/api/tags/${await tag()}`, { name: name() }],
      async () => ['POST', '/api/tags', { name: name() }],
      async () => ['POST', '/api/books', { title: name(), writer: { name: name() } }],
      async () => ['POST', '/api/writers', { name: name(), books: [{ title: name() }] }],
      async () => ['PATCH', `/api/books/${await book()}`, { tags: [{ id: await tag() }] }],
      async () => ['PATCH', `/api/tags/${await tag()}`, { books: [{ id: await book() }] }],
      async () => ['PATCH', `/api/books/${await book()}`, { shelves: [{ id: await shelf() }] }],
      async () => ['POST', '/api/placings', { book_id: await book(), shelf_id: await shelf() }],
      async () => ['PATCH', '/api/books?id__ge=1', { writer_id: await writer() }],
      async () => ['POST', '/api/reviews', { book_id: await book(), text: name() }],
      async () => ['POST', '/api/books?on_conflict=title', { title: 'same', writer_id: null }],
      async () => ['DELETE', `/api/writers/${await writer()}?cascade_delete=true`],
      async () => ['DELETE', `/api/books?id__eq=${await book()}&cascade_delete=true`],
    ]
    const urls = [
      ...['books', 'writers', 'tags', 'shelves'].map((of) => `/api/${of}?limit=100`),
      ...['books', 'writers', 'tags', 'shelves'].map((of) => `/api/${of}?dump=json&limit=100`),
      ...['books/1', 'writers/2', 'tags/1/books', 'books/2/tags'].map((of) => `/api/${of}`),
      ...['shelves/1/books', 'writers/1/books'].map((of) => `/api/${of}`),
      '/api/books?join=writer&fields=title,writer.name&limit=100',
      '/api/tags?exists(books.writer.name__ne=w1)&limit=100',
      '/api/books?exists(shelves.name__eq=s1)&limit=100',
      '/api/books?missing(tags)&count=exact',
      '/api/books?groupby=writer_id&id|n__count=1',
    ]
    const copies = new Map<string, { readonly groups: string[]; readonly text: string }>()
    const fresh = async (url: string) => {
      const { headers, value, total, status } = await get(api, url)
      return { groups: groupsOf(headers, reads), text: JSON.stringify([status, total, value]) }
    }
    for (const url of urls) equal((await get(api, url)).status, 200, url)
    let [kept, stored] = [0, 0]
    // The statements are tested on SQLite; on a server, fewer steps show that rows and keys are returned the same way.
    const steps = db.name === 'sqlite' ? 60 : 20
    for (let step = 0; step < steps; step++) {
      for (const url of urls) {
        const copy = await fresh(url)
        // A 404 has no groups, so it is not cached.
        if (!copies.has(url) && copy.groups.length > 0) copies.set(url, copy)
        const known = copies.get(url)
        if (known !== undefined) equal(known.text, copy.text, `${url} after ${step} writes`)
      }
      const change = changes[next(changes.length)]
      if (change === undefined) continue
      const [method, url, body] = await change()
      const answer = await send(api, method, url, {
        user: staff,
        ...(body === undefined ? {} : { body }),
      })
      stored += answer.status < 300 ? 1 : 0
      const invalidated = new Set(groupsOf(answer.headers, writes))
      for (const [of, { groups }] of copies) {
        if (groups.some((group) => invalidated.has(group))) copies.delete(of)
        else kept += 1
      }
    }
    ok(kept > 5 * steps && stored > steps * 0.6, `${kept} copies outlived ${stored} writes`)
  })
})
