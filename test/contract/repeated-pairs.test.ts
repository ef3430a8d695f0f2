/** Many-to-many relations whose junction table may contain a pair twice: a related record is returned and counted once. */
import { defineModel, manyToMany } from '@model-api/core'
import { sql } from 'kysely'
import { get, send, testApi } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { read } from '../support/expect.ts'
import { eachDatabase } from '../support/suite.ts'

const id = { type: 'integer', primaryKey: true } as const

const Book = defineModel('Book', {
  columns: { id },
  relations: {
    // The junction has no model, so the relation declares that pairs may repeat.
    tags: manyToMany('Tag', { through: 'book_tags', from: 'book_id', to: 'code', repeats: true }),
    // A published model without a unique key of the pair.
    people: manyToMany('Person', { through: 'credits', from: 'book_id', to: 'person_id' }),
  },
  meta: {},
})
const Tag = defineModel('Tag', {
  columns: { code: { type: 'string', primaryKey: true } },
  relations: {
    books: manyToMany('Book', { through: 'book_tags', from: 'code', to: 'book_id', repeats: true }),
  },
  meta: {},
})
const Person = defineModel('Person', { columns: { id }, meta: {} })
const Credit = defineModel('Credit', {
  columns: { id, book_id: { type: 'integer' }, person_id: { type: 'integer' } },
  meta: {},
})

const config = {
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
  API_ALLOW_NESTED_WRITES: true,
}

eachDatabase('junctions that hold a pair twice', (test, db) => {
  // Two tags that differ in case, and a junction column whose collation ignores case.
  const { exact, loose } = {
    sqlite: { exact: '', loose: ' collate nocase' },
    postgres: { exact: '', loose: '' },
    mysql: {
      exact: ' character set utf8mb4 collate utf8mb4_bin',
      loose: ' character set utf8mb4 collate utf8mb4_general_ci',
    },
  }[db.name]
  test.before(() =>
    db.execScript(`
create table books (id integer primary key);
create table tags (code varchar(20)${exact} not null primary key);
create table people (id integer primary key);
create table book_tags (book_id integer not null, code varchar(20)${loose} not null);
create table credits (id integer primary key, book_id integer not null, person_id integer not null);
insert into books values (1), (2), (3);
insert into tags values ('a'), ('A'), ('b');
insert into people values (1), (2);
insert into book_tags values (1, 'b'), (1, 'b'), (1, 'A'), (1, 'a'), (2, 'b'), (2, 'b'), (2, 'b');
insert into credits values (1, 1, 1), (2, 1, 1), (3, 1, 2), (4, 2, 2), (5, 2, 2);
`),
  )
  const api = testApi(db, [Book, Tag, Person, Credit], config)
  const codes = (rows: readonly { readonly code: string }[]) => rows.map(({ code }) => code)

  test('show a related record once: embedded, in its list and in a join', async () => {
    // A repeated query uses the cached plan, and JSON that the database builds.
    for (let time = 1; time <= 3; time++) {
      const [one, two] = await read(api, '/api/books?dump=json&order_by=id')
      equal([codes(one.tags), one.people.length], [['A', 'a', 'b'], 2])
      equal([codes(two.tags), two.people.length], [['b'], 1])
    }
    equal(codes((await get(api, '/api/books/1/tags')).value), ['A', 'a', 'b'])
    const first = await get(api, '/api/books/1/tags?paging=cursor&limit=2')
    equal(codes(first.value), ['A', 'a'])
    equal(codes((await get(api, first.body.next_url)).value), ['b'])
    equal(await read(api, '/api/books?join=people&fields=id,people.id&order_by=id,people.id'), [
      { id: 1, 'people.id': 1 },
      { id: 1, 'people.id': 2 },
      { id: 2, 'people.id': 2 },
    ])
    const [b] = await read(api, '/api/tags?code__eq=b&dump=json')
    equal(b.books.length, 2)
  })

  test('count a related record once', async () => {
    const totals = [
      '/api/books/1/tags',
      '/api/books?join=tags&fields=id,tags.code',
      '/api/books?join=tags&join_type=left&fields=id,tags.code',
      '/api/books?join=people&join_type=right&fields=id,people.id',
      '/api/books?exists(tags.code__eq=b)',
    ]
    equal(
      await Promise.all(totals.map(async (path) => (await get(api, path)).total)),
      [3, 4, 5, 3, 2],
    )
    equal(await read(api, '/api/books?join=tags&groupby=id&tags.code__count=1&order_by=id'), [
      { id: 1, code_count: 3 },
      { id: 2, code_count: 1 },
    ])
  })

  test('lose all rows of a pair with its link', async () => {
    const tags = async (url: string, links: readonly object[]) => {
      const { status, text } = await send(api, 'PATCH', url, { body: { tags: links } })
      equal(status, 200, text)
      return codes((await get(api, `${url}/tags`)).value)
    }
    equal(await tags('/api/books/1', [{ code: 'b' }, { code: 'a' }]), ['a', 'b'])
    equal(await tags('/api/books/2', []), [])
    const { rows } = await sql<{ book_id: number }>`select book_id from book_tags`.execute(
      db.kysely,
    )
    equal(
      rows.filter(({ book_id }) => book_id === 2),
      [],
    )
  })

  test('are found by the check of the schema where the relation expects each pair once', async () => {
    const once = manyToMany('Tag', { through: 'book_tags', from: 'book_id', to: 'code' })
    const models = [
      defineModel('Book', { columns: { id }, relations: { tags: once }, meta: {} }),
      Tag,
    ]
    const off = { API_SCHEMA_CHECK: 'off' } as const
    const differences = await testApi(db, models, off).schemaDifferences()
    const found = differences.filter(({ kind }) => kind === 'repeated pairs')
    match(
      found.map(({ message }) => message).join('\n'),
      /^Book\.tags \(book_tags\): the relation expects each pair of book_tags once, but no unique constraint lies within \(book_id, code\)\. Make \(book_id, code\) the primary key or unique, or declare repeats: true\.$/,
    )
  })
})
