/** Reads of the typed client, through fetch, in this process and through a server: the results are the same on all databases. */
import type { Api, ApiConfig } from '@model-api/core'
import { createClient } from '@model-api/core/client'
import { createServer } from '@model-api/http-node'
import { testApi } from '../support/api.ts'
import { equal, ok, throws } from '../support/assert.ts'
import {
  type Author,
  type Book,
  createShop,
  type OrderLine,
  type Profile,
  shop,
  type Tag,
} from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'
import { throughFetch, transports } from '../support/transports.ts'

/** Texts with characters of the query language, and others that are not letters of ASCII. */
const oddTexts: readonly string[] = [
  '"',
  '\\',
  ')',
  ']',
  '(',
  '[',
  ',',
  '=',
  '&',
  '|',
  '%',
  '+',
  '#',
  '?',
  ' ',
  '',
  'ü',
  '😀',
  '"]&id__eq=1',
  'true',
  'null',
]

type Shop = Api<{
  models: [typeof Author, typeof Profile, typeof Book, typeof Tag, typeof OrderLine]
}>

const config: ApiConfig = {
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
}

for (const transport of transports) {
  eachDatabase(`${transport.name} reads`, (test, db) => {
    test.before(() => createShop(db))
    const api = testApi(db, shop, config)
    /** The requests that were sent, as method and URL. */
    const sent: string[] = []
    const client = transport.clientOf<Shop>(api, (request) => sent.push(request))
    const isSent = transport === throughFetch
    /** Requires that the last request that was sent contains a text. */
    const wasSent = (text: string): void => {
      if (isSent) ok(sent.at(-1)?.includes(text), sent.at(-1))
    }

    test('a list with conditions, order, fields and related records', async () => {
      const result = await client.books.list({
        where: { price: { gt: '10' }, author: { name: { ilike: 'ČAPEK' } } },
        orderBy: ['-price'],
        fields: ['title', 'author.name'],
        include: { tags: { orderBy: ['name'], limit: 1, fields: ['name'] } },
      })
      ok(result.ok)
      equal(result.value, [
        { title: 'Robots', name: 'Čapek, Karel', tags: [{ name: 'classic' }] },
        { title: 'Newts', name: 'Čapek, Karel', tags: [{ name: 'science fiction' }] },
      ])
      equal([result.total, result.next, result.status], [2, null, 200])
    })

    test('fields alone are selected by the server, and distinguished if their names are equal', async () => {
      const fields = ['id', 'title', 'author.id', 'author.name'] as const
      equal(await client.books.list({ fields, where: { id: { in: [1, 5] } } }).unwrap(), [
        { id: 1, title: 'Arrows', 'author.id': 1, name: 'Ann Archer' },
        { id: 5, title: 'anonymous letters', 'author.id': null, name: null },
      ])
      wasSent('fields=id,title,author.id,author.name')
      const picked = await client.books
        .list({ fields, where: { id: { in: [1, 5] } }, include: { editor: { fields: ['name'] } } })
        .unwrap()
      equal(picked, [
        {
          id: 1,
          title: 'Arrows',
          'author.id': 1,
          name: 'Ann Archer',
          editor: { name: 'bob Baker' },
        },
        { id: 5, title: 'anonymous letters', 'author.id': null, name: null, editor: null },
      ])
    })

    test('without include a record is its columns; dump embeds or links as the query language says', async () => {
      const [tag] = await client.tags.list({ limit: 1 }).unwrap()
      equal(tag, { id: 1, name: 'classic' })
      equal(await client.tags.get(1, { dump: 'url' }).unwrap(), {
        ...{ id: 1, name: 'classic' },
        books: '/api/tags/1/books',
      })
      const profile = await client.profiles.get(1, { dump: 'json' }).unwrap()
      equal(profile.author?.name, 'Ann Archer')
    })

    const ids = async (
      where: Omit<Parameters<typeof client.books.list>[0] & object, 'ifNoneMatch'>,
    ): Promise<number[]> =>
      (await client.books.list({ ...where, fields: ['id'] }).unwrap()).map(({ id }) => id)

    test('every operator, with a value and with null', async () => {
      const found = async (where: NonNullable<Parameters<typeof ids>[0]['where']>) => ids({ where })
      equal(await found({ title: 'Robots' }), [3])
      equal(await found({ title: { ne: 'Robots' }, id: { le: 3 } }), [1, 2])
      equal(await found({ id: { lt: 2 } }), [1])
      equal(await found({ id: { ge: 5 } }), [5])
      equal(await found({ id: { between: [2, 3] } }), [2, 3])
      equal(await found({ id: { in: [] } }), [])
      equal(await found({ id: { nin: [1, 2, 3] } }), [4, 5])
      equal(await found({ title: { like: 'o' }, id: { gt: 2 } }), [3, 5])
      equal(await found({ title: { nilike: 'R' } }), [4])
      equal(await found({ title: { startswith: 'A' } }), [1])
      equal(await found({ title: { istartswith: 'a' } }), [1, 5])
      equal(await found({ title: { endswith: 'S', iendswith: 'x' } }), [])
      equal(await found({ title: { iendswith: 'S' } }), [1, 3, 4, 5])
      equal(await found({ author_id: null }), [5])
      equal(await found({ price: { isnull: false, lt: '10' } }), [2])
      equal(await found({ in_stock: true }), [1, 3, 4])
      equal(await found({ sold: '9007199254740993' }), [1])
      equal(await found({ format: { in: ['ebook', 'hardcover'] } }), [1, 3])
      equal(await found({ published_at: { ge: '2024-02-29T12:00:00+02:00' } }), [3, 5])
    })

    test('strings with characters of the query language are values', async () => {
      equal(await ids({ where: { title: 'Bread, 100% rye' } }), [2])
      equal(await ids({ where: { title: { in: ['Bread, 100% rye', 'a"b\\c', ''] } } }), [2])
      for (const text of oddTexts) {
        equal(await ids({ where: { title: text } }), [], text)
        equal(
          await ids({ where: { or: [{ title: text }, { id: 1, title: { ne: text } }] } }),
          [1],
          text,
        )
        equal(await ids({ where: { author: { name: { ne: text }, id: 2 } } }), [2], text)
        equal(await ids({ where: { id: 1, title: { nin: [text, `${text}x`] } } }), [1], text)
      }
    })

    test('groups of conditions and conditions on relations', async () => {
      equal(
        await ids({ where: { or: [{ id: 1 }, { id: { gt: 3 }, price: { lt: '16' } }] } }),
        [1, 4],
      )
      equal(await ids({ where: { not: { author: {} } } }), [5])
      equal(
        await ids({
          where: { not: { or: [{ id: 1 }, { id: 2 }] }, and: [{ id: { lt: 5 } }, {}].slice(0, 1) },
        }),
        [3, 4],
      )
      equal(
        await ids({ where: { author: { country: 'CZ', mentor: { name: 'Ann Archer' } } } }),
        [3, 4],
      )
      equal(await ids({ where: { tags: { name: { ilike: 'SCIENCE' }, id: 3 } } }), [3, 4])
      equal(
        await ids({ where: { or: [{ tags: { name: 'food' } }, { author: { mentor: {} } }] } }),
        [2, 3, 4],
      )
    })

    test('paths into json columns in conditions, order_by, fields and groups', async () => {
      equal(await ids({ where: { 'details->pages': { gt: 100 } } }), [1])
      equal(await ids({ where: { 'details->a': 'é' } }), [1])
      equal(await ids({ where: { 'details->pages': null, id: { le: 2 } } }), [2])
      equal(await ids({ where: { or: [{ 'details->pages': 120 }, { id: 5 }] } }), [1, 5])
      equal(await ids({ orderBy: ['-details->pages.nullslast', '-id'], limit: 2 }), [1, 5])
      equal(
        await ids({ orderBy: ['author_id', '-price'], distinctOn: ['author_id'] }),
        [1, 2, 3, 5],
      )
      const authors = await client.authors
        .list({ where: { books: { 'details->pages': { ge: 120 } } }, fields: ['id'] })
        .unwrap()
      equal(authors, [{ id: 1 }])
      const pages = await client.orderLines
        .list({ fields: ['line', 'book.details->pages'], where: { book: { 'details->a': 'é' } } })
        .unwrap()
      equal(pages[0], { line: 1, 'details.pages': 120 })
      equal(
        await client.books.list({ where: { id: 1 }, fields: ['details->pages', 'title'] }).unwrap(),
        [{ 'details.pages': 120, title: 'Arrows' }],
      )
      const groups = await client.books
        .groups({
          groupBy: ['details->pages'],
          aggregate: { most: { max: 'details->pages' }, n: { count: 'id' } },
          where: { id: 1 },
        })
        .unwrap()
      equal(groups, [{ 'details.pages': 120, most: 120, n: 1 }])
      const deeper = shop.map((model) =>
        model.name === 'Book'
          ? {
              ...model,
              columns: {
                ...model.columns,
                details: { type: 'json', json: { 'size.mm': 'integer' } },
              },
            }
          : model,
      )
      const ofDeeper = transport.clientOf<Shop>(testApi(db, deeper as typeof shop, config))
      const far = { fields: ['id', 'details->size.mm'], orderBy: ['details->size.mm'] } as never
      equal((await ofDeeper.books.list(far).unwrap())[0], {
        id: 1,
        'details.size.mm': null,
      } as never)
      // Only the server knows which values fit a path into a document.
      throws(() =>
        client.books.list({ fields: ['details->pages'], include: { tags: true } as never }),
      )
    })

    test('columns of relations of relations', async () => {
      const where = { id: { in: [1, 3, 5] } }
      const fields = ['id', 'author.mentor.name', 'author.mentor.id'] as const
      equal(await client.books.list({ where, fields }).unwrap(), [
        { id: 1, name: null, 'author.mentor.id': null },
        { id: 3, name: 'Ann Archer', 'author.mentor.id': 1 },
        { id: 5, name: null, 'author.mentor.id': null },
      ])
      equal(
        await client.orderLines
          .list({ fields: ['line', 'book.author.mentor.name'], where: { book_id: 3 } })
          .unwrap(),
        [{ line: 2, name: 'Ann Archer' }],
      )
    })

    test('relations of embedded relations, with options of their own', async () => {
      const [line] = await client.orderLines
        .list({
          where: { book_id: 3 },
          fields: ['quantity'],
          include: {
            book: {
              fields: ['title'],
              include: {
                author: { fields: ['name'], include: { mentor: { fields: ['name'] } } },
                tags: {
                  orderBy: ['-name'],
                  limit: 1,
                  where: { name: { ne: 'x' } },
                  fields: ['name'],
                },
              },
            },
          },
        })
        .unwrap()
      equal(line, {
        quantity: 1,
        book: {
          title: 'Robots',
          author: { name: 'Čapek, Karel', mentor: { name: 'Ann Archer' } },
          tags: [{ name: 'science fiction' }],
        },
      })
    })

    test('search', async () => {
      const searchable = shop.map((model) =>
        model.name === 'Book' ? { ...model, search: ['title'] } : model,
      )
      const found = testApi(db, searchable, config)
      const searching = transport.clientOf<Shop>(found)
      const titles = async (search: string) =>
        (await searching.books.list({ search, fields: ['title'] }).unwrap()).map(
          ({ title }) => title,
        )
      equal(await titles('100% RYE'), ['Bread, 100% rye'])
      equal((await titles('')).length, 5)
      equal(await titles('a&b=c "'), [])
      equal(
        await searching.books.groups({ search: 'rob', aggregate: { n: { count: 'id' } } }).unwrap(),
        [{ n: 1 }],
      )
      const without = await client.books.list({ search: 'x' })
      equal(without.status, 400)
    })

    test('orders, pages, counts', async () => {
      equal(await ids({ orderBy: ['price.nullsfirst'] }), [5, 2, 1, 4, 3])
      const byCountry = (order: 'author.country.nullsfirst' | '-author.country.nullslast') =>
        ids({ orderBy: [order, 'id'] })
      equal(await byCountry('author.country.nullsfirst'), [5, 3, 4, 1, 2])
      equal(await byCountry('-author.country.nullslast'), [2, 1, 3, 4, 5])
      const second = await client.books.list({ page: 2, limit: 2, count: 'none' })
      ok(second.ok)
      equal([second.value.map(({ id }) => id), second.total], [[3, 4], undefined])
      equal(second.previous?.includes('page=1'), true)
    })

    test('cursors go through all records, and a page that fails throws', async () => {
      const seen: number[] = []
      for await (const { id } of client.books.iterate({
        orderBy: ['-price'],
        limit: 2,
        fields: ['id', 'price'],
      })) {
        seen.push(id)
      }
      equal(seen, await ids({ orderBy: ['-price'] }))
      const page = await client.books.list({ paging: 'cursor', limit: 2, fields: ['id'] })
      ok(page.ok && page.after !== null)
      const next = await client.books.list({
        paging: 'cursor',
        limit: 2,
        fields: ['id'],
        after: page.after,
      })
      ok(next.ok)
      equal(next.value, [{ id: 3 }, { id: 4 }])
      let code: unknown
      try {
        for await (const _ of client.books.iterate({ limit: 1000 })) ok(false)
      } catch (error) {
        code = (error as { code: unknown }).code
      }
      equal(code, 'invalid_parameter')
    })

    test('one record, a composite key, related records', async () => {
      equal((await client.authors.get(1, { fields: ['name'] }).unwrap()).name, 'Ann Archer')
      equal(await client.orderLines.get(['A,B', 1]).unwrap(), {
        ...{ order_no: 'A,B', line: 1, book_id: 1, quantity: 5 },
      })
      equal((await client.orderLines.get(['2024/001', 2]).unwrap()).book_id, 3)
      equal(
        await client.authors
          .related(3, 'books', { fields: ['title'], orderBy: ['title'] })
          .unwrap(),
        [{ title: 'Newts' }, { title: 'Robots' }],
      )
      equal(await client.books.related(3, 'order_lines', { fields: ['quantity'] }).unwrap(), [
        { quantity: 1 },
      ])
    })

    test('groups and aggregates', async () => {
      const groups = await client.books
        .groups({
          where: { author: {} },
          groupBy: ['author.country', 'year(published_at)'],
          aggregate: { n: { count: 'id' }, revenue: { sum: 'price' } },
          having: { n: { ge: 1 } },
          orderBy: ['-revenue', '-year(published_at)'],
          limit: 2,
        })
        .unwrap()
      equal(groups, [
        { country: 'CZ', 'year(published_at)': 2024, n: 1, revenue: '20.00' },
        { country: 'CZ', 'year(published_at)': null, n: 1, revenue: '15.75' },
      ])
      equal(await client.books.groups({ aggregate: { mean: { avg: 'id' } } }).unwrap(), [
        { mean: 3 },
      ])
      equal(await client.books.groups({ groupBy: ['format'], orderBy: ['format'] }).unwrap(), [
        ...[
          { format: 'ebook' },
          { format: 'hardcover' },
          { format: 'paperback' },
          { format: null },
        ],
      ])
      const nullsMoved = client.books.groups({
        groupBy: ['year(published_at)'],
        aggregate: { n: { count: 'id' } },
        orderBy: ['-year(published_at).nullslast', '-n.nullsfirst'],
      })
      equal(
        (await nullsMoved.unwrap()).map((one) => one['year(published_at)']),
        [2024, null],
      )
    })

    test('aggregates of related records are fields, conditions and orders', async () => {
      const authors = await client.authors
        .list({
          aggregate: {
            n: { count: 'books' },
            stocked: { count: 'books', where: { in_stock: true } },
            dearest: { max: 'books.price' },
            total: { sum: 'books.price', where: { or: [{ in_stock: false }, { id: { gt: 3 } }] } },
            mean: { avg: 'books.rating' },
            format: { min: 'books.format' },
            pages: { max: 'books.details->pages' },
            tag: { max: 'books.tags.name', where: { name: { startswith: 'c' } } },
          },
          where: { n: { ge: 1 }, or: [{ stocked: { gt: 0 } }, { total: { lt: '9' } }] },
          orderBy: ['-dearest', 'id'],
          fields: ['name'],
        })
        .unwrap()
      const row = { tag: null, total: null, pages: null }
      equal(authors, [
        {
          ...{ name: 'Čapek, Karel', n: 2, stocked: 2, dearest: '20.00', total: '15.75' },
          ...{ mean: 4.75, format: 'ebook', pages: null, tag: 'classic' },
        },
        {
          ...{ ...row, name: 'Ann Archer', n: 1, stocked: 1, dearest: '12.50', mean: 4.5 },
          ...{ format: 'hardcover', pages: 120, tag: 'classic' },
        },
        {
          ...{ ...row, name: 'bob Baker', n: 1, stocked: 0, dearest: '8.00', total: '8.00' },
          ...{ mean: 3.25, format: 'paperback' },
        },
      ])
      equal(await ids({ aggregate: { n: { count: 'tags' } }, where: { n: 2 } } as never), [3])
    })

    test('aggregates stand beside all columns, embedded records and relations as URLs', async () => {
      const aggregate = { n: { count: 'books' } } as const
      const author = await client.authors.get(3, { aggregate }).unwrap()
      equal(
        { ...author },
        {
          ...{ id: 3, name: 'Čapek, Karel', country: 'CZ', bornOn: '1890-01-09', mentor_id: 1 },
          ...{ initial: 'Č', n: 2 },
        },
      )
      wasSent('GET /api/authors/3?fields=*,count(books)|n&dump_relationships=false')
      const embedded = await client.authors
        .list({
          aggregate,
          fields: ['name'],
          include: { books: { fields: ['title'], limit: 1 }, mentor: { fields: ['name'] } },
          where: { n: { gt: 1 } },
        })
        .unwrap()
      equal(embedded, [
        {
          name: 'Čapek, Karel',
          n: 2,
          books: [{ title: 'Robots' }],
          mentor: { name: 'Ann Archer' },
        },
      ])
      const linked = await client.authors.get(3, { aggregate, dump: 'url' }).unwrap()
      equal([linked.n, linked.books], [2, '/api/authors/3/books'])
      equal(
        await client.authors
          .related(1, 'pupils', { aggregate, fields: ['id'], orderBy: ['-n'] })
          .unwrap(),
        [
          { id: 3, n: 2 },
          { id: 2, n: 1 },
        ],
      )
      equal(
        await client.books
          .list({ aggregate: { others: { count: 'author.books' } }, fields: ['id'], limit: 3 })
          .unwrap(),
        [
          { id: 1, others: 1 },
          { id: 2, others: 1 },
          { id: 3, others: 2 },
        ],
      )
      const seen: number[] = []
      for await (const { n } of client.authors.iterate({ aggregate, limit: 1 })) seen.push(n)
      equal(seen, [1, 1, 2, 0])
    })

    test('embedded records have aggregates of their own', async () => {
      const embedded = await client.authors
        .list({
          fields: ['name'],
          where: { id: { in: [1, 3] } },
          include: {
            mentor: { fields: ['id'], aggregate: { pupils_n: { count: 'pupils' } } },
            books: {
              aggregate: {
                n: { count: 'tags' },
                tag: { max: 'tags.name', where: { name: { startswith: 'c' } } },
              },
              fields: ['id'],
              where: { or: [{ n: { gt: 0 } }, { tag: null }] },
              orderBy: ['-n', '-id'],
              include: { tags: { fields: ['name'], aggregate: { used: { count: 'books' } } } },
            },
          },
        })
        .unwrap()
      const [classic, fiction] = [
        { name: 'classic', used: 2 },
        { name: 'science fiction', used: 2 },
      ]
      equal(embedded, [
        {
          name: 'Ann Archer',
          mentor: null,
          books: [{ id: 1, n: 1, tag: 'classic', tags: [classic] }],
        },
        {
          name: 'Čapek, Karel',
          mentor: { id: 1, pupils_n: 2 },
          books: [
            { id: 3, n: 2, tag: 'classic', tags: [classic, fiction] },
            { id: 4, n: 1, tag: null, tags: [fiction] },
          ],
        },
      ])
      const whole = { books: { aggregate: { n: { count: 'tags' } }, limit: 1 } } as const
      const [first] = (await client.authors.get(3, { include: whole }).unwrap()).books
      equal([first?.title, first?.n], ['Robots', 2])
      wasSent(
        'GET /api/authors/3?books.limit=1&books.fields=*,count(tags)|n&join=books&join_type=left&dump=dynamic',
      )
    })

    test('values in the conditions of aggregates are values, and a label that is a column is a 400', async () => {
      const counted = async (title: string) => {
        const aggregate = {
          same: { count: 'books', where: { title } },
          other: { count: 'books', where: { or: [{ title: { nin: [title, 'x'] } }, { id: -1 }] } },
        } as const
        const query = { aggregate, fields: ['id'], where: { id: 2 } } as const
        return (await client.authors.list(query).unwrap())[0]
      }
      equal(await counted('Bread, 100% rye'), { id: 2, same: 1, other: 0 })
      for (const text of [
        ...oddTexts,
        'null',
        '*',
        '],count(pupils',
        '"])|x&id__eq=1',
        '"]),secret',
        '-id',
      ]) {
        equal(await counted(text), { id: 2, same: 0, other: 1 }, text)
      }
      const taken = await client.authors.list({ aggregate: { id: { count: 'books' } } as never })
      equal(taken.status, 400)
      const unknown = await client.authors.list({ aggregate: { n: { count: 'boks' } } as never })
      equal(unknown.status, 400)
    })

    test('errors are values', async () => {
      const missing = await client.books.get(99)
      ok(!missing.ok)
      equal(
        [missing.status, missing.error.code, missing.error.problems],
        [404, 'record_not_found', []],
      )
      const many = await client.books.list({ limit: 1000 })
      ok(!many.ok)
      equal([many.status, many.error.code, many.error.at], [400, 'invalid_parameter', 'limit=1000'])
      const thrown = await client.books
        .get(99)
        .unwrap()
        .then(
          () => undefined,
          (error) => error,
        )
      equal([thrown instanceof Error, thrown.status], [true, 404])
      const away = createClient<Shop>('http://api.test', {
        fetch: () => Promise.reject(new Error('down')),
      })
      const nothing = await away.books.list()
      ok(!nothing.ok)
      equal(
        [nothing.status, nothing.error.code, (nothing.error.cause as Error).message],
        [0, 'no_answer', 'down'],
      )
      const page = createClient<Shop>('http://api.test', {
        fetch: async () =>
          new Response('<h1>Bad Gateway</h1>', { status: 502, headers: { 'retry-after': '3' } }),
      })
      const gateway = await page.books.list()
      ok(!gateway.ok)
      equal([gateway.status, gateway.error.message, gateway.error.retryAfter], [502, 'HTTP 502', 3])
    })

    test('an undefined condition is an error, and is not ignored', () => {
      let message = ''
      try {
        client.books.list({ where: { title: undefined as unknown as string } })
      } catch (error) {
        message = (error as Error).message
      }
      ok(message.includes('"title"'), message)
    })

    test('if joins are not allowed, an include is an error', async () => {
      const plain = testApi(db, shop)
      const other = transport.clientOf<Shop>(plain)
      const result = await other.books.list({ include: { author: true } })
      ok(!result.ok)
      equal(result.error.code, 'not_embedded')
    })

    test('an unchanged record is 304 and null', async () => {
      const first = await client.books.get(1)
      ok(first.ok && first.etag !== null)
      const again = await client.books.get(1, { ifNoneMatch: first.etag })
      ok(again.ok)
      equal([again.status, again.value, again.etag], [304, null, first.etag])
    })

    test('an unchanged list is 304 and null, with ETags of lists', async () => {
      const other = transport.clientOf<Shop>(testApi(db, shop, { API_LIST_ETAGS: true }))
      const first = await other.books.list({ fields: ['id'], limit: 1 })
      ok(first.ok && first.etag !== null)
      const again = await other.books.list({ fields: ['id'], limit: 1, ifNoneMatch: first.etag })
      ok(again.ok)
      equal([again.status, again.value, again.etag], [304, null, first.etag])
      const changed = await other.books.list({ fields: ['id'], limit: 2, ifNoneMatch: first.etag })
      ok(changed.ok)
      equal([changed.status, changed.value?.length], [200, 2])
    })

    test('a query too long for a URL is sent as QUERY, with the same response', async () => {
      const numbers = Array.from({ length: 900 }, (_, i) => 1000 + i)
      const where = { id: { in: [...numbers, 2, 3] } }
      const result = await client.books.list({ where, fields: ['id'], limit: 1 })
      ok(result.ok)
      equal([result.value, result.total], [[{ id: 2 }], 2])
      wasSent('QUERY /api/books')
      const posting = createClient<Shop>('http://api.test', {
        fetch: (request) => {
          sent.push(`${request.method} ${request.headers.get('x-http-method-override')}`)
          return api.fetch(request)
        },
        queryMethod: 'POST',
      })
      equal(await posting.books.list({ where, fields: ['id'] }).unwrap(), [{ id: 2 }, { id: 3 }])
      equal(sent.at(-1), 'POST QUERY')
      const seen: number[] = []
      for await (const { id } of client.books.iterate({ where, limit: 1 })) seen.push(id)
      equal(seen, [2, 3])
      wasSent('QUERY')
    })

    test('a call is sent once, when it is awaited; send() sends it again', async () => {
      const { length: before } = sent
      const count = (calls: number) => equal(sent.length, before + (isSent ? calls : 0))
      const call = client.books.list({ limit: 1 })
      count(0)
      await call
      await call
      count(1)
      await call.send()
      count(2)
      equal(call.key, ['books', '/books', 'limit=1&dump_relationships=false'])
    })

    test('headers, parameters of the host, other letter cases, paths and bodies without envelope', async () => {
      let token = 0
      const headers: (string | null)[] = []
      const other = createClient<Shop>('http://api.test/v2/', {
        fetch: (request) => {
          headers.push(request.headers.get('authorization'))
          return api2.fetch(request)
        },
        headers: async () => ({ authorization: `Bearer ${++token}` }),
        endpointCase: 'snake',
        paths: { tags: 'subjects' },
        envelope: false,
      })
      const api2 = testApi(db, shop, {
        ...config,
        API_PREFIX: '/v2',
        API_ENDPOINT_CASE: 'snake',
        API_DUMP_ENVELOPE: false,
        API_ADDITIONAL_QUERY_PARAMS: ['trace'],
      })
      const lines = await other.orderLines.list({
        limit: 2,
        fields: ['line'],
        params: { trace: 'a b' },
      })
      ok(lines.ok)
      equal([lines.value, lines.total], [[{ line: 1 }, { line: 2 }], 3])
      ok(lines.next?.includes('page=2'), `${lines.next}`)
      equal((await other.orderLines.get(['A,B', 1]).unwrap()).quantity, 5)
      equal((await other.tags.list()).ok, false)
      equal(headers, ['Bearer 1', 'Bearer 2', 'Bearer 3'])
      equal(
        (await other.orderLines.get(['A', 1], { headers: { authorization: 'own' } })).status,
        404,
      )
      equal(headers.at(-1), 'own')
    })

    test('through a node:http server', async () => {
      const server = createServer(api)
      try {
        const remote = createClient<Shop>(await server.listen(0))
        const where = { id: { in: Array.from({ length: 900 }, (_, i) => i + 2) } }
        equal(await remote.books.list({ where, fields: ['id'], limit: 2 }).unwrap(), [
          { id: 2 },
          { id: 3 },
        ])
        const query = { where: { author: { name: 'Zoë' } }, include: { author: true } } as const
        equal(await remote.books.list(query).unwrap(), await client.books.list(query).unwrap())
        const aborted = await remote.books.list({ signal: AbortSignal.abort() })
        equal([aborted.ok, aborted.status], [false, 0])
      } finally {
        await server.close()
      }
    })
  })
}
