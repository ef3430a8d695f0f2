/** The cost of a read grows with the rows of the tables: twice the rows cost at most three times as much. */
import { type Api, belongsTo, createApi, defineModel, hasMany, manyToMany } from '@model-api/core'
import { type Kysely, sql } from 'kysely'
import {
  aggregateFunctions,
  type FilterOperator,
  filterOperators,
} from '../../packages/core/src/model/query-words/operators.ts'
import { joinTypes } from '../../packages/core/src/query/plan/relations/joins.ts'
import { equal, ok } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { type Meter, meterOf } from '../support/row-meter.ts'
import { eachDatabase, runsOn } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

runsOn('one server of each engine')

const id = { type: 'integer', primaryKey: true, generated: true } as const
const key = { type: 'integer' } as const
const name = { type: 'string', maxLength: 40 } as const

const Publisher = defineModel('Publisher', {
  columns: { id, name },
  relations: { authors: hasMany('Author', 'publisher_id') },
  meta: {},
})
const Author = defineModel('Author', {
  columns: { id, name, publisher_id: key },
  relations: {
    publisher: belongsTo('Publisher', 'publisher_id'),
    books: hasMany('Book', 'author_id'),
  },
  meta: {},
})
const Book = defineModel('Book', {
  columns: { id, title: name, author_id: { ...key, nullable: true }, price: key },
  relations: {
    author: belongsTo('Author', 'author_id'),
    reviews: hasMany('Review', 'book_id'),
    tags: manyToMany('Tag', { through: 'book_tags', from: 'book_id', to: 'tag_id' }),
  },
  meta: {},
})
const Review = defineModel('Review', {
  columns: { id, book_id: key, stars: key, deleted: { type: 'boolean' } },
  relations: { book: belongsTo('Book', 'book_id') },
  meta: {
    soft_delete: true,
    soft_delete_attribute: 'deleted',
    soft_delete_values: [false, true],
    access_policy: { scope_query: (query) => query.where('stars', '>=', 0) },
  },
})
const Tag = defineModel('Tag', {
  columns: { id, name },
  relations: {
    books: manyToMany('Book', { through: 'book_tags', from: 'tag_id', to: 'book_id' }),
  },
  meta: {},
})
const models = [Publisher, Author, Book, Review, Tag]

/** A fixed number of tags, so each has more books as books are added. */
const tags = 10

/** Adds rows until there are `to` books. */
async function grow(db: TestDatabase, from: number, to: number): Promise<void> {
  const ids = (each: number): number[] =>
    Array.from({ length: to / each - from / each }, (_, i) => from / each + i + 1)
  await insertRows(
    db,
    Publisher,
    ids(40).map((i) => ({ id: i, name: `p${i}` })),
  )
  await insertRows(
    db,
    Author,
    ids(4).map((i) => ({ id: i, name: `a${i}`, publisher_id: Math.ceil(i / 10) })),
  )
  await insertRows(
    db,
    Book,
    ids(1).map((i) => ({
      id: i,
      title: `b${i}`,
      author_id: i % 17 === 0 ? null : Math.ceil(i / 4),
      price: i % 100,
    })),
  )
  await insertRows(
    db,
    Review,
    ids(1).map((i) => ({ id: i, book_id: Math.ceil(i / 2), stars: i % 6, deleted: i % 9 === 0 })),
  )
  const links = ids(1).flatMap((i) =>
    [0, 3, 5].map((k) => ({ book_id: i, tag_id: 1 + ((i * 7 + k) % tags) })),
  )
  for (let at = 0; at < links.length; at += 500) {
    await db.kysely
      .insertInto('book_tags')
      .values(links.slice(at, at + 500))
      .execute()
  }
  if (db.name === 'postgres') await sql`analyze`.execute(db.kysely)
  if (db.name === 'mysql')
    await sql`analyze table publishers, authors, books, reviews, tags, book_tags`.execute(db.kysely)
}

async function create(db: TestDatabase): Promise<void> {
  await createTables(db, models)
  for (const [table, column] of [
    ['authors', 'publisher_id'],
    ['books', 'author_id'],
    ['reviews', 'book_id'],
    ['book_tags', 'tag_id'],
  ] as const) {
    await sql`create index ${sql.id(`of_${table}`)} on ${sql.table(table)} (${sql.id(column)})`.execute(
      db.kysely,
    )
  }
  await insertRows(
    db,
    Tag,
    Array.from({ length: tags }, (_, i) => ({ id: i + 1, name: `t${i + 1}` })),
  )
}

const samples: Readonly<Record<FilterOperator, string>> = {
  ...(Object.fromEntries(Object.keys(filterOperators).map((one) => [one, 'b2'])) as Record<
    FilterOperator,
    string
  >),
  in: '(b2,b3)',
  nin: '(b2,b3)',
  between: '(b2,b3)',
  contains: '(b2,b3)',
  overlaps: '(b2,b3)',
  isnull: 'true',
}

const chain = 'tags.books.tags.books'
const far = `${chain}.title__nlike=b`

/** Requests of different shapes; a function returns the path for a number of books. */
const shapes: readonly (string | ((books: number) => string))[] = [
  '/books',
  ...Object.entries(samples)
    // These two do not work on text.
    .filter(([operator]) => operator !== 'contains' && operator !== 'overlaps')
    .map(([operator, value]) => `/books?title__${operator}=${value}`),
  '/books?or[title__eq=zz,and[price__gt=5,not[title__like=b]]]',
  `/books?exists(${far})`,
  `/books?exists(${chain}.title__like=b)`,
  `/books?missing(${far})`,
  `/books?not[exists(${far})]`,
  `/books?or[exists(${far}),title__eq=zz]`,
  `/books?or[missing(${far}),title__eq=zz]`,
  '/books?exists(author.books.reviews.stars__gt=99)',
  '/books?missing(author.publisher.authors.books.price__gt=999)',
  '/tags?exists(books.author.books.title__eq=zz)',
  ...[...joinTypes.keys()].flatMap((type) => [
    `/books?join=${chain}&join_type=${type}&${far}`,
    `/books?join=${chain}&join_type=${type}&or[tags.name__eq=zz,${far}]`,
    `/books?join=author.publisher,reviews&join_type=${type}&fields=id,reviews.stars,author.publisher.name`,
    `/authors?join=books.reviews&join_type=${type}&fields=id,books.reviews.stars`,
    `/reviews?join=book.author&join_type=${type}&fields=id,book.author.name`,
    `/tags?join=books.reviews&join_type=${type}&fields=id,books.reviews.stars`,
    `/authors?join=books.reviews&join_type=${type}&reviews.stars__gt=99`,
    `/tags?join=books&join_type=${type}&fields=id,books.id&not[exists(books.title__eq=zz)]`,
    `/authors?join=books&join_type=${type}&groupby=publisher_id&id__count=1`,
  ]),
  `/books?join=${chain}`,
  '/books?join=author&order_by=author.name',
  '/books?dump=json&reviews[stars__gt=3]',
  '/authors?dump=json&books[exists(tags.books.title__eq=zz)]&limit=5',
  ...aggregateFunctions.map((fn) => `/books?groupby=author_id&price|x__${fn}=1&x__gt=3`),
  '/books?paging=cursor&order_by=title',
  ...['exact', 'capped', 'none'].map((count) => `/books?count=${count}&title__nlike=zz`),
  (books) => `/books?page=${books / 20}`,
  '/reviews?include_deleted=true&stars__gt=3',
  '/reviews?exists(book.reviews.stars__gt=99)',
  '/tags/1/books',
  '/authors/1/books?exists(tags.books.title__eq=zz)',
]

// biome-ignore lint/suspicious/noExplicitAny: the tables are the test's
const apiOn = (kysely: Kysely<any>): Api =>
  createApi({
    db: kysely,
    models,
    config: {
      API_ALLOW_JOIN: true,
      API_ALLOW_GROUPBY: true,
      API_ALLOW_AGGREGATION: true,
      API_STATEMENT_TIMEOUT: 20_000,
      API_MAX_EMBEDDED_ROWS: 10_000,
    },
    onWarning: () => {},
  })

eachDatabase('growth with rows', (test, db) => {
  const costs = new Map<number, readonly number[]>()
  let meter: Meter

  test.before(async () => {
    await create(db)
    meter = await meterOf(db, apiOn)
  })
  test.after(() => meter.close())

  // Times vary more than counts, so there are fewer sizes, further apart, and the minimum of several runs counts.
  const isTimed = db.name === 'sqlite'
  const sizes = isTimed ? [400, 1600] : [1000, 2000, 4000]
  const most = isTimed ? 3 * 3 : 3
  const times = isTimed ? 3 : 1

  for (const [i, books] of sizes.entries()) {
    test(`every request is answered with ${books} books`, async () => {
      await grow(db, sizes[i - 1] ?? 0, books)
      const measured: number[] = []
      for (const shape of shapes) {
        const path = typeof shape === 'string' ? shape : shape(books)
        const ask = async (): Promise<void> => {
          const request = { method: 'GET', url: `/api${path}`, headers: {} }
          const { status, text } = await meter.api.answer(request)
          ok(status === 200, `${path}: ${status} ${text?.slice(0, 300)}`)
        }
        // Warms up: look-ups and plans that are made once are not counted.
        await ask()
        const costs: number[] = []
        while (costs.length < times) costs.push(await meter.cost(ask))
        measured.push(Math.min(...costs))
      }
      costs.set(books, measured)
    })
  }

  test('the cost grows no faster than the number of rows', () => {
    const grown = shapes.flatMap((shape, i) => {
      const series = sizes.map((books) => (costs.get(books)?.[i] ?? Number.NaN) + meter.floor)
      // The database may choose another plan between two sizes, so only the last two count; excessive growth does not stop
      // there.
      const [before = 0, last = Number.NaN] = series.slice(-2)
      const isEven = last <= most * before
      return isEven ? [] : [`${shape}: ${series.map(Math.round).join(', ')}`]
    })
    equal(grown, [])
  })
})
