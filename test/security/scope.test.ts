/** Policies apply to every source: scope_query narrows every read of a model, however its rows are reached (docs/guide/access.md). */
import {
  type AnyModel,
  ApiError,
  type ApiRequest,
  belongsTo,
  createApi,
  defineModel,
  hasMany,
  manyToMany,
} from '@model-api/core'
import { CamelCasePlugin, type SelectQueryBuilder, sql } from 'kysely'
import type { AccessPolicy } from '../../packages/core/src/model/settings/access/access-types.ts'
import type { HookArgs } from '../../packages/core/src/model/settings/access/hook-types.ts'
import { type Answer, frozenClock, send as sendTo } from '../support/api.ts'
import { equal, match, ok } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertLinks, insertRows } from '../support/tables.ts'

/** The models, with the given policies. */
function models(policies: Readonly<Record<string, AccessPolicy>>): readonly AnyModel[] {
  const meta = (name: string) => {
    const policy = policies[name]
    return policy === undefined ? {} : { access_policy: policy }
  }
  return [
    defineModel('Author', {
      columns: {
        id: { type: 'integer', primaryKey: true },
        name: { type: 'string' },
        owner_id: { type: 'integer' },
        secret: { type: 'string', nullable: true, hidden: true },
      },
      relations: { books: hasMany('Book', 'author_id') },
      meta: meta('Author'),
    }),
    defineModel('Book', {
      columns: {
        id: { type: 'integer', primaryKey: true },
        title: { type: 'string' },
        price: { type: 'integer' },
        author_id: { type: 'integer', nullable: true },
        ownerId: { type: 'integer', column: 'owner_id' },
      },
      relations: {
        author: belongsTo('Author', 'author_id'),
        tags: manyToMany('Tag', { through: 'taggings', from: 'book_id', to: 'tag_id' }),
      },
      meta: meta('Book'),
    }),
    defineModel('Tag', {
      columns: { id: { type: 'integer', primaryKey: true }, name: { type: 'string' } },
      relations: {
        books: manyToMany('Book', { through: 'taggings', from: 'tag_id', to: 'book_id' }),
      },
      meta: meta('Tag'),
    }),
    defineModel('Tagging', {
      columns: {
        id: { type: 'integer', primaryKey: true },
        book_id: { type: 'integer' },
        tag_id: { type: 'integer' },
        owner_id: { type: 'integer' },
      },
      meta: meta('Tagging'),
    }),
  ]
}

const config = {
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
}

async function fill(db: TestDatabase): Promise<void> {
  const [Author, Book, Tag, Tagging] = models({}) as [AnyModel, AnyModel, AnyModel, AnyModel]
  await createTables(db, [Author, Book, Tag, Tagging])
  await insertRows(db, Author, [
    { id: 1, name: 'Ann', owner_id: 7, secret: 'a' },
    { id: 2, name: 'Bob', owner_id: 8, secret: 'b' },
  ])
  await insertRows(db, Book, [
    { id: 1, title: 'Arrows', price: 10, author_id: 1, ownerId: 7 },
    { id: 2, title: 'Bread', price: 20, author_id: 2, ownerId: 7 },
    { id: 3, title: 'Clouds', price: 30, author_id: 1, ownerId: 8 },
    { id: 4, title: 'Dust', price: 40, author_id: null, ownerId: 7 },
  ])
  await insertRows(db, Tag, [
    { id: 1, name: 'classic' },
    { id: 2, name: 'new' },
  ])
  await insertRows(db, Tagging, [
    { id: 1, book_id: 1, tag_id: 1, owner_id: 7 },
    { id: 2, book_id: 1, tag_id: 2, owner_id: 8 },
    { id: 3, book_id: 2, tag_id: 2, owner_id: 7 },
  ])
  await insertLinks
}

type Query = { where(column: string, operator: string, value: unknown): Query }

/** Rows of the user alone. */
const owned: AccessPolicy = {
  scope_query: (query: Query, { user }) => query.where('owner_id', '=', user?.id ?? 0),
}

eachDatabase('a policy', (test, db) => {
  const reports: Error[] = []
  const api = (policies: Readonly<Record<string, AccessPolicy>>, kysely = db.kysely) =>
    createApi({
      db: kysely,
      models: models(policies),
      config,
      clock: frozenClock(),
      onError: (error) => reports.push(error as Error),
      onWarning: () => {},
    })
  const as =
    (policies: Readonly<Record<string, AccessPolicy>>, user: unknown = { id: 7 }) =>
    (url: string): Promise<Answer> => {
      const served = api(policies)
      const asUser = {
        ...served,
        handle: (request: ApiRequest) => served.handle({ ...request, user }),
        answer: (request: ApiRequest) => served.answer({ ...request, user }),
      }
      return sendTo(asUser as typeof served, 'GET', url)
    }
  const ids = ({ value }: Answer): unknown => value.map(({ id }: { id: number }) => id)

  test.before(() => fill(db))
  test.before.each(() => {
    reports.length = 0
  })

  test('narrows lists, their count and single records', async () => {
    const get = as({ Book: owned })
    const list = await get('/api/books?order_by=id')
    equal([ids(list), list.total], [[1, 2, 4], 3])
    equal((await get('/api/books?page=2&limit=2')).total, 3)
    equal((await get('/api/books/1')).status, 200)
    const foreign = await get('/api/books/3')
    equal(foreign.text, (await get('/api/books/99')).text)
    equal(foreign.status, 404)
  })

  test('whose query compares with undefined, NaN or an invalid date is 500, and the reported error names the column', async () => {
    type Any = (query: unknown) => unknown
    // biome-ignore lint/suspicious/noExplicitAny: a query of any table
    type Narrow = (query: SelectQueryBuilder<any, any, any>, tenant: any) => unknown
    const wrong: readonly (readonly [string, Narrow])[] = [
      ['owner_id', (query, tenant) => query.where('owner_id', '=', tenant)],
      ['owner_id', (query, tenant) => query.where('books.owner_id', 'is not', tenant)],
      ['owner_id', (query, tenant) => query.where('owner_id', 'in', [7, tenant])],
      [
        'owner_id',
        (query, tenant) => query.where((eb) => eb('owner_id', 'in', [eb.val(7), eb.val(tenant)])),
      ],
      [
        'owner_id',
        (query, tenant) =>
          query.where((eb) => eb.not(eb.or([eb('id', '=', 0), eb('owner_id', '=', tenant)]))),
      ],
      [
        'owner_id',
        (query, tenant) =>
          query.where('author_id', 'in', (eb: typeof db.kysely) =>
            eb.selectFrom('authors').select('id').where('owner_id', 'is not', tenant),
          ),
      ],
      ['a value', (query, tenant) => query.where(sql<boolean>`owner_id is not ${tenant}`)],
      ['a value', (query, tenant) => query.where(sql<boolean>`owner_id = any(${[7, tenant]})`)],
    ]
    const values = [
      [undefined, 'undefined'],
      [Number.NaN, 'NaN'],
      [new Date(Number.NaN), 'an invalid date'],
    ] as const
    for (const [value, called] of values) {
      for (const [compared, narrow] of wrong) {
        const scope_query: Any = (query) => narrow(query as never, value)
        const get = as({ Book: { scope_query } as AccessPolicy })
        for (const url of ['/api/books', '/api/books/1', '/api/authors/1?dump=json']) {
          reports.length = 0
          equal((await get(url)).status, 500, `${compared} ${called}`)
          match(String(reports), `The scope_query of Book compares ${compared} with ${called}.`)
        }
        const filtered = createApi({
          db: db.kysely,
          models: models({}),
          config: { ...config, API_FILTER_CALLBACK: (query) => narrow(query, value) },
          onError: (error) => reports.push(error as Error),
        })
        reports.length = 0
        equal((await sendTo(filtered, 'GET', '/api/books')).status, 500)
        match(String(reports), `compares ${compared} with ${called}.`)
      }
    }
  })

  test('narrows joins, joined filters and orders, without turning left joins into inner ones', async () => {
    const get = as({ Author: owned })
    equal(ids(await get('/api/books?join=author&order_by=id')), [1, 3])
    equal(ids(await get('/api/books?join=author&join_type=left&order_by=id')), [1, 2, 3, 4])
    equal(ids(await get('/api/books?join=author&join_type=left&author.name__isnull=1')), [2, 4])
    const list = await get(
      '/api/books?join=author&join_type=left&fields=id,author.name&order_by=id',
    )
    equal(list.value[1], { id: 2, name: null })
  })

  test('narrows exists and missing', async () => {
    const get = as({ Author: owned })
    equal(ids(await get('/api/books?exists(author)&order_by=id')), [1, 3])
    equal(ids(await get('/api/books?missing(author)&order_by=id')), [2, 4])
    equal(ids(await get('/api/books?not[exists(author.name__eq=Bob)]&order_by=id')), [1, 2, 3, 4])
    equal(ids(await get('/api/tags?exists(books.author.name__eq=Bob)')), [])
  })

  test('narrows groups and aggregates', async () => {
    const get = as({ Book: owned })
    equal((await get('/api/books?price|total__sum=1')).value, [{ total: 70 }])
    const groups = await get('/api/books?groupby=author_id&id|n__count=1&order_by=author_id')
    equal(groups.value, [
      { author_id: 1, n: 1 },
      { author_id: 2, n: 1 },
      { author_id: null, n: 1 },
    ])
  })

  test('narrows embeds and relation routes, of parents too', async () => {
    const get = as({ Book: owned, Author: owned })
    const author = await get('/api/authors/1?dump=json')
    equal(
      author.value.books.map(({ id }: { id: number }) => id),
      [1],
    )
    const book = await get('/api/books/2?dump=json')
    equal(book.value.author, null)
    equal(ids(await get('/api/authors/1/books')), [1])
    const parent = await get('/api/authors/2/books')
    equal(parent.text, (await get('/api/authors/99/books')).text)
    equal(parent.status, 404)
    equal((await get('/api/books/2/author')).status, 404)
  })

  test('narrows the rows of a junction that is a published model', async () => {
    const get = as({ Tagging: owned })
    const book = await get('/api/books/1?dump=json')
    equal(
      book.value.tags.map(({ name }: { name: string }) => name),
      ['classic'],
    )
    equal(ids(await get('/api/books/1/tags')), [1])
    equal(ids(await get('/api/tags?join=books&books.id__eq=1')), [1])
    equal(ids(await get('/api/tags?exists(books.id__eq=1)')), [1])
    const none = as({ Tagging: { scope_query: () => false } })
    equal(ids(await none('/api/books/1/tags')), [])
  })

  test('that refuses is 403 for base and joins, a URL for embeds, no rows for exists', async () => {
    const get = as({ Author: { scope_query: () => null } })
    const refused = await get('/api/authors')
    equal([refused.status, refused.errors.error], [403, 'Forbidden'])
    equal((await get('/api/authors/1')).status, 403)
    equal((await get('/api/books?join=author')).status, 403)
    equal((await get('/api/books/1/author')).status, 403)
    equal((await get('/api/authors/1/books')).status, 403)
    equal((await get('/api/books/1?dump=json')).value.author, '/api/books/1/author')
    equal((await get('/api/books?exists(author)')).value, [])
    equal((await get('/api/books?missing(author)')).total, 4)
  })

  test('is called once per source, with the arguments of the specification', async () => {
    const seen: HookArgs[] = []
    const all: AccessPolicy = {
      scope_query: (query, args) => {
        seen.push(args)
        return query
      },
    }
    const get = as({ Author: all, Book: all })
    await get('/api/books?join=author&exists(author.name__eq=Ann)&dump=json&page=2&limit=1')
    equal(
      seen.map(({ action, model, many, relation_name, user }) => [
        action,
        model.name,
        many,
        relation_name,
        user.id,
      ]),
      [
        ['GET_MANY', 'Book', true, null, 7],
        ['GET_MANY', 'Author', false, 'author', 7],
        ['GET_MANY', 'Author', false, 'author', 7],
        ['GET_MANY', 'Author', false, 'author', 7],
      ],
    )
    seen.length = 0
    await get('/api/authors/1/books')
    equal(
      seen.map(({ action, model, many, relation_name }) => [
        action,
        model.name,
        many,
        relation_name,
      ]),
      [
        ['RELATION_GET_MANY', 'Author', false, null],
        ['RELATION_GET_MANY', 'Book', true, 'books'],
      ],
    )
  })

  test('may be asynchronous, join, and query other tables', async () => {
    const get = as({
      Book: {
        scope_query: async (query, { user }) => {
          await Promise.resolve()
          return query
            .innerJoin('authors', 'authors.id', 'books.author_id')
            .where('authors.owner_id', '=', user.id)
        },
      },
      Author: {
        scope_query: (query, { user }) =>
          query.where(
            'id',
            'in',
            db.kysely.selectFrom('books').select('author_id').where('owner_id', '=', user.id),
          ),
      },
    })
    equal(ids(await get('/api/books?order_by=id')), [1, 3])
    equal(ids(await get('/api/authors?order_by=id')), [1, 2])
  })

  test('uses the plugins of its own instance', async () => {
    const kysely = db.kysely.withPlugin(new CamelCasePlugin())
    const policy: AccessPolicy = { scope_query: (query) => query.where('ownerId', '=', 8) }
    const served = api({ Book: policy }, kysely)
    const list = await sendTo(served, 'GET', '/api/books')
    equal(list.value[0], {
      id: 3,
      title: 'Clouds',
      price: 30,
      author_id: 1,
      ownerId: 8,
      author: '/api/books/3/author',
      tags: '/api/books/3/tags',
    })
  })

  test('that throws ends the request, and is reported with its model and hook', async () => {
    for (const hook of [
      () => {
        throw new Error('no tenant')
      },
      async () => Promise.reject(new Error('no tenant')),
    ]) {
      reports.length = 0
      const answer = await as({ Book: { scope_query: hook } })('/api/books')
      equal(answer.status, 500)
      ok(!answer.text.includes('tenant'))
      match(reports[0]?.message ?? '', 'scope_query of the policy of Book failed: no tenant')
    }
  })

  test('may respond with an ApiError', async () => {
    const policy: AccessPolicy = {
      scope_query: () => {
        throw new ApiError(402, { error: 'Payment Required' })
      },
    }
    equal((await as({ Book: policy })('/api/books')).status, 402)
    equal(reports, [])
  })

  test('that returns anything but a query of the model ends the request', async () => {
    const bad: readonly (readonly [AccessPolicy['scope_query'], string])[] = [
      [() => true, 'The scope_query of Book must return the query it received'],
      [() => 'select 1', 'The scope_query of Book must return the query it received'],
      [() => db.kysely.selectFrom('books').select('id'), 'does not select title, price'],
      [
        (query) => query.innerJoin('authors', 'authors.id', 'books.author_id').select('authors.id'),
        'a second column called id',
      ],
      [
        (query) =>
          query.clearSelect().selectAll().innerJoin('authors', 'authors.id', 'books.author_id'),
        'all columns of several tables',
      ],
      [() => sql`select 1`, 'must return a select query'],
    ]
    for (const [scope_query, message] of bad) {
      reports.length = 0
      equal((await as({ Book: { scope_query } as AccessPolicy })('/api/books')).status, 500)
      match(reports[0]?.message ?? 'not reported', message)
    }
  })

  test('decides about single records by can_read, hidden columns included', async () => {
    const policy: AccessPolicy = {
      scope_query: (query) => query,
      can_read: (author, { user }) => author.secret === 'a' && user.id === author.owner_id,
    }
    const get = as({ Author: policy })
    const mine = await get('/api/authors/1')
    equal(mine.value, { id: 1, name: 'Ann', owner_id: 7, books: '/api/authors/1/books' })
    equal((await get('/api/authors/2')).status, 403)
    equal((await get('/api/authors/2?fields=name')).status, 403)
    equal((await get('/api/authors/1?fields=name')).value, { name: 'Ann' })
    equal((await get('/api/books/1/author')).status, 200)
    equal((await get('/api/books/2/author')).status, 403)
    equal(ids(await get('/api/authors?order_by=id')), [1, 2])
    const list = await get('/api/books?dump=json&order_by=id')
    equal(
      list.value.map(({ author }: { author: { name: string } | null }) => author?.name ?? null),
      ['Ann', null, 'Ann', null],
    )
  })

  test('removes embedded objects that can_read refuses from lists, with everything nested in them', async () => {
    const asked: unknown[] = []
    const policy: AccessPolicy = {
      scope_query: (query) => query,
      can_read: (book, args) => {
        asked.push([args.action, args.model.name, args.many, args.relation_name, book.id])
        return Promise.resolve(book.ownerId === 7)
      },
    }
    const get = as({ Book: policy })
    const author = await get('/api/authors/1?dump=json')
    equal(
      author.value.books.map(({ id }: { id: number }) => id),
      [1],
    )
    equal(asked, [
      ['GET_ONE', 'Book', true, 'books', 1],
      ['GET_ONE', 'Book', true, 'books', 3],
    ])
    const limited = await get('/api/authors/1?dump=json&books.fields=title')
    equal(limited.value.books, [{ title: 'Arrows' }])
  })
})
