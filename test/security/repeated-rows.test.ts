/** A hook whose query returns a record several times, because it joins: every read and write meets the record once (docs/guide/access.md). */
import {
  type AnyModel,
  type ApiConfig,
  belongsTo,
  defineModel,
  hasMany,
  manyToMany,
} from '@model-api/core'
import { sql } from 'kysely'
import type { AccessPolicy } from '../../packages/core/src/model/settings/access/access-types.ts'
import { type Answer, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertLinks, insertRows } from '../support/tables.ts'

// biome-ignore lint/suspicious/noExplicitAny: any query of Kysely
type Query = any

/** Joins the grants of user 7, of which each row in scope has two. */
const joined = (table: string) => (query: Query) =>
  query.innerJoin('grants', 'grants.row_id', `${table}.id`).where('grants.user_id', '=', 7)

/** The same with a computed value in the place of a stored one. */
const masked = (table: string, columns: readonly string[]) => (query: Query) =>
  joined(table)(query)
    .clearSelect()
    .select(columns.map((name) => `${table}.${name}`))
    .select(sql`concat('<', ${sql.ref(`${table}.name`)}, '>')`.as('name'))

const crossed = (table: string) => (query: Query) =>
  query.innerJoin(
    (db: Query) => db.selectFrom('grants').selectAll().as('g'),
    (join: Query) => join.onRef('g.row_id', '=', `${table}.id`).on('g.user_id', '=', 7),
  )

const forms: Readonly<Record<string, (table: string, columns: readonly string[]) => Query>> = {
  'a join of a table': joined,
  'a join of a subquery': crossed,
  'a join and a computed column': masked,
}

const config: ApiConfig = {
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
  API_ALLOW_BULK: true,
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_CASCADE_DELETE: true,
}

for (const [name, narrow] of Object.entries(forms)) {
  eachDatabase(`a scope that repeats rows by ${name}`, (test, db) => {
    const calls: string[] = []
    const note = (what: string) => (object: { id?: number }) => {
      calls.push(`${what} ${object.id}`)
      return object
    }
    const policy = (table: string, columns: readonly string[]): AccessPolicy => ({
      scope_query: narrow(table, columns),
    })
    const Author = defineModel('Author', {
      columns: {
        id: { type: 'integer', primaryKey: true },
        name: { type: 'string' },
        rank: { type: 'integer' },
      },
      relations: { books: hasMany('Book', 'author_id') },
      meta: { access_policy: policy('authors', ['id', 'rank']) },
    })
    const Book = defineModel('Book', {
      columns: {
        id: { type: 'integer', primaryKey: true },
        name: { type: 'string' },
        pages: { type: 'integer' },
        data: { type: 'json', nullable: true },
        author_id: { type: 'integer', nullable: true },
      },
      relations: {
        author: belongsTo('Author', 'author_id'),
        tags: manyToMany('Tag', { through: 'book_tags', from: 'book_id', to: 'tag_id' }),
      },
      meta: {
        access_policy: policy('books', ['id', 'pages', 'data', 'author_id']),
        update_callback: note('update'),
        remove_callback: note('remove'),
      },
    })
    const Tag = defineModel('Tag', {
      columns: { id: { type: 'integer', primaryKey: true }, name: { type: 'string' } },
      relations: {
        books: manyToMany('Book', { through: 'book_tags', from: 'tag_id', to: 'book_id' }),
      },
      meta: { access_policy: policy('tags', ['id']) },
    })
    const Grant = defineModel('Grant', {
      columns: {
        id: { type: 'integer', primaryKey: true },
        row_id: { type: 'integer' },
        user_id: { type: 'integer' },
      },
      meta: {},
    })
    const models: readonly AnyModel[] = [Author, Book, Tag, Grant]
    const api = testApi(db, models, config)
    const shown = (text: string) => (name.endsWith('column') ? `<${text}>` : text)
    const ids = ({ value }: Answer) => value.map(({ id }: { id: number }) => id)
    const get = async (url: string) => send(api, 'GET', url)

    test.before(() => createTables(db, models))
    test.before.each(async () => {
      for (const table of ['book_tags', 'books', 'authors', 'tags', 'grants']) {
        await db.kysely.deleteFrom(table).execute()
      }
      calls.length = 0
      await insertRows(db, Author, [
        { id: 1, name: 'Ann', rank: 1 },
        { id: 2, name: 'Bob', rank: 2 },
        { id: 9, name: 'Hidden', rank: 9 },
      ])
      await insertRows(db, Book, [
        { id: 1, name: 'A', pages: 10, data: { a: 1 }, author_id: 1 },
        { id: 2, name: 'B', pages: 20, data: null, author_id: 1 },
        { id: 3, name: 'C', pages: 30, data: null, author_id: 2 },
        { id: 9, name: 'H', pages: 90, data: null, author_id: 1 },
      ])
      await insertRows(db, Tag, [
        { id: 1, name: 'x' },
        { id: 2, name: 'y' },
      ])
      await insertLinks(db, 'book_tags', [
        { book_id: 1, tag_id: 1 },
        { book_id: 1, tag_id: 2 },
        { book_id: 2, tag_id: 1 },
      ])
      const grants = [1, 2, 3].flatMap((row_id) => [
        { row_id, user_id: 7 },
        { row_id, user_id: 7 },
      ])
      await insertRows(
        db,
        Grant,
        [...grants, { row_id: 9, user_id: 8 }].map((grant, i) => ({ id: i + 1, ...grant })),
      )
    })

    test('lists, pages and totals count each record once', async () => {
      const list = await get('/api/books?order_by=id')
      equal([ids(list), list.total], [[1, 2, 3], 3])
      equal(list.value[0].name, shown('A'))
      const page = await get('/api/books?order_by=-id&limit=2&page=2')
      equal([ids(page), page.total], [[1], 3])
      const first = await get('/api/books?order_by=id&limit=2&paging=cursor')
      equal(ids(first), [1, 2])
    })

    test('so do groups and aggregates', async () => {
      const groups = await get(
        '/api/books?groupby=author_id&pages|sum__sum=1&id|books__count=1&order_by=author_id',
      )
      equal(groups.value, [
        { author_id: 1, sum: 30, books: 2 },
        { author_id: 2, sum: 30, books: 1 },
      ])
    })

    test('so do joins, conditions on relations, embeds and relation routes', async () => {
      equal(ids(await get('/api/books?join=author&author.rank__eq=1&order_by=id')), [1, 2])
      equal(ids(await get('/api/authors?join=books&books.pages__gt=5&order_by=id')), [1, 2])
      equal(ids(await get('/api/authors?exists(books.pages__gt=25)')), [2])
      const { value } = await get('/api/authors/1?dump=json')
      equal(
        value.books.map((one: { id: number }) => one.id),
        [1, 2],
      )
      const book = await get('/api/books/1?dump=json')
      equal([ids({ value: book.value.tags } as Answer), book.value.author.id], [[1, 2], 1])
      const related = await get('/api/authors/1/books?order_by=id')
      equal([ids(related), related.total], [[1, 2], 2])
    })

    test('a change by filters changes each record once', async () => {
      const body = { pages: 11 }
      const { status, value, total } = await send(
        api,
        'PATCH',
        '/api/books?author_id__eq=1&max_affected=2',
        { body },
      )
      equal([status, total, calls], [200, 2, ['update 1', 'update 2']])
      equal(ids({ value } as Answer), [1, 2])
    })

    test('a removal by filters removes each record once', async () => {
      const { status, total } = await send(
        api,
        'DELETE',
        '/api/books?author_id__eq=1&max_affected=2',
      )
      equal([status, total, calls.toSorted()], [200, 2, ['remove 1', 'remove 2']])
      equal((await get('/api/books')).total, 1)
    })

    test('single records, references and lists of links are found', async () => {
      equal((await send(api, 'PATCH', '/api/books/1', { body: { author_id: 2 } })).status, 200)
      const linked = await send(api, 'PATCH', '/api/books/1', { body: { tags: [{ id: 2 }] } })
      equal(linked.status, 200)
      const links = await db.kysely.selectFrom('book_tags').where('book_id', '=', 1).selectAll()
      equal(
        (await links.execute()).map(({ tag_id }) => tag_id),
        [2],
      )
      const hidden = await send(api, 'PATCH', '/api/books/1', { body: { author_id: 9 } })
      equal(hidden.status, 422)
      const listed = await send(api, 'PATCH', '/api/books', { body: [{ id: 2, pages: 21 }] })
      equal([listed.status, listed.value.length], [200, 1])
      const upserted = await send(api, 'POST', '/api/books?on_conflict=id', {
        body: [{ id: 3, name: 'C2', pages: 1, author_id: 1 }],
      })
      equal(upserted.status, 200)
    })

    test('a DELETE of one record works, with its dependents too', async () => {
      equal((await send(api, 'DELETE', '/api/books/3')).status, 200)
      equal(calls, ['remove 3'])
      await db.kysely.deleteFrom('books').where('id', '=', 9).execute()
      equal((await send(api, 'DELETE', '/api/authors/1?cascade_delete=1')).status, 200)
      equal(calls, ['remove 3', 'remove 1', 'remove 2'])
    })
  })
}

eachDatabase('a filter callback that repeats rows', (test, db) => {
  const Book = defineModel('Book', {
    columns: { id: { type: 'integer', primaryKey: true }, name: { type: 'string' } },
    meta: {},
  })
  const Grant = defineModel('Grant', {
    columns: { id: { type: 'integer', primaryKey: true }, row_id: { type: 'integer' } },
    meta: {},
  })
  const filter = (query: Query) => query.innerJoin('grants', 'grants.row_id', 'books.id')
  const api = testApi(db, [Book, Grant], { API_FILTER_CALLBACK: filter })
  test.before(async () => {
    await createTables(db, [Book, Grant])
    await insertRows(db, Book, [
      { id: 1, name: 'A' },
      { id: 2, name: 'B' },
    ])
    await insertRows(
      db,
      Grant,
      [1, 2, 3].map((id) => ({ id, row_id: 1 })),
    )
  })

  test('lists each record once', async () => {
    const list = await send(api, 'GET', '/api/books')
    equal([list.value, list.total], [[{ id: 1, name: 'A' }], 1])
  })
})
