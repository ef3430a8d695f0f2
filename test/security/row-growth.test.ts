/** What a read costs grows with the rows of the tables: twice the rows cost at most three times as much. */
import { type Api, belongsTo, createApi, defineModel, hasMany, manyToMany } from '@model-api/core'
import { preparedMysql, preparedPg } from '@model-api/core/prepared'
import { Kysely, MysqlDialect, PostgresDialect, sql } from 'kysely'
import {
  aggregateFunctions,
  type FilterOperator,
  filterOperators,
} from '../../packages/core/src/parse/operators.ts'
import { equal, ok } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

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

/** As many tags, whatever the number of books: each leads to ever more of them. */
const tags = 10

/** Adds what is missing to `to` books. */
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
  isnull: 'true',
}

const chain = 'tags.books.tags.books'
const far = `${chain}.title__nlike=b`
const joinTypes = ['inner', 'left', 'right'] as const

/** Requests by what they show; a function makes a path of the number of books. */
const shapes: readonly (string | ((books: number) => string))[] = [
  '/books',
  ...Object.entries(samples).map(([operator, value]) => `/books?title__${operator}=${value}`),
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
  ...joinTypes.flatMap((type) => [
    `/books?join=${chain}&join_type=${type}&${far}`,
    `/books?join=${chain}&join_type=${type}&or[tags.name__eq=zz,${far}]`,
    `/books?join=author.publisher,reviews&join_type=${type}&fields=id,reviews.stars,author.publisher.name`,
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

interface Meter {
  readonly api: Api
  /** What the database does for a request; the unit is the database's own. */
  cost(ask: () => Promise<unknown>): Promise<number>
  /** Less than this is no growth. */
  readonly floor: number
  close(): Promise<void>
}

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

/** Rows that the nodes of the plans gave and threw away, as PostgreSQL itself counts them. */
async function postgresMeter(url: string): Promise<Meter> {
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({ connectionString: url, max: 1 })
  pool.on('error', () => {})
  let rows = 0
  pool.on('connect', (client) => {
    client.on('notice', ({ message = '' }) => {
      const at = message.indexOf('{')
      if (message.startsWith('duration:') && at >= 0)
        rows += rowsOf(JSON.parse(message.slice(at)).Plan)
    })
    client.query(
      "load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_analyze = on; set auto_explain.log_timing = off; " +
        'set auto_explain.log_format = json; set auto_explain.log_level = notice; set auto_explain.log_nested_statements = on; set jit = off',
    )
  })
  const kysely = new Kysely<Record<string, never>>({
    dialect: new PostgresDialect({ pool: preparedPg(pool as never) }),
  })
  return {
    api: apiOn(kysely),
    floor: 200,
    async cost(ask) {
      rows = 0
      await ask()
      return rows
    },
    close: () => kysely.destroy(),
  }
}

interface PlanNode {
  readonly Plans?: readonly PlanNode[]
  readonly [key: string]: unknown
}

function rowsOf(node: PlanNode): number {
  const counted = [
    'Actual Rows',
    'Rows Removed by Filter',
    'Rows Removed by Join Filter',
    'Rows Removed by Index Recheck',
  ]
  const own =
    counted.reduce((sum, one) => sum + Number(node[one] ?? 0), 0) *
    Number(node['Actual Loops'] ?? 1)
  return (node.Plans ?? []).reduce((sum, below) => sum + rowsOf(below), own)
}

/** Rows that the server asked its storage for, temporary tables included. */
async function mysqlMeter(url: string): Promise<Meter> {
  const { createPool } = await import('mysql2')
  const kysely = new Kysely<Record<string, never>>({
    dialect: new MysqlDialect({
      pool: preparedMysql(createPool({ uri: url, connectionLimit: 1 })),
    }),
  })
  const handled = async (): Promise<number> => {
    const { rows } = await sql<{
      Value: unknown
    }>`show session status like 'Handler_read%'`.execute(kysely)
    return rows.reduce((sum, { Value }) => sum + Number(Value), 0)
  }
  return {
    api: apiOn(kysely),
    floor: 400,
    async cost(ask) {
      const before = await handled()
      await ask()
      return (await handled()) - before
    },
    close: () => kysely.destroy(),
  }
}

/** Milliseconds, the least of several: SQLite counts nothing that can be asked for. */
const sqliteMeter = (db: TestDatabase): Meter => ({
  api: apiOn(db.kysely),
  floor: 3,
  async cost(ask) {
    let least = Number.POSITIVE_INFINITY
    for (let time = 0; time < 7; time++) {
      const start = performance.now()
      await ask()
      least = Math.min(least, performance.now() - start)
    }
    return least
  },
  close: async () => {},
})

eachDatabase('growth with rows', (test, db) => {
  const costs = new Map<number, readonly number[]>()
  let meter: Meter

  test.before(async () => {
    await create(db)
    meter =
      db.name === 'postgres'
        ? await postgresMeter(db.url ?? '')
        : db.name === 'mysql'
          ? await mysqlMeter(db.url ?? '')
          : sqliteMeter(db)
  })
  test.after(() => meter.close())

  // Times are less steady than counts: fewer rows, so that nothing interrupts a request, and steeper growth is looked for.
  const isTimed = db.name === 'sqlite'
  const sizes = isTimed ? [80, 320] : [1000, 2000, 4000]
  const most = isTimed ? 12 : 3
  const asked = shapes.filter((shape) => !isTimed || String(shape).includes(chain))

  for (const [i, books] of sizes.entries()) {
    test(`every request is answered with ${books} books`, async () => {
      await grow(db, sizes[i - 1] ?? 0, books)
      const measured: number[] = []
      for (const shape of asked) {
        const path = typeof shape === 'string' ? shape : shape(books)
        const ask = async (): Promise<void> => {
          const request = { method: 'GET', url: `/api${path}`, headers: {} }
          const { status, text } = await meter.api.answer(request)
          ok(status === 200, `${path}: ${status} ${text?.slice(0, 300)}`)
        }
        // What is looked up and planned once is no part of it.
        await ask()
        measured.push(await meter.cost(ask))
      }
      costs.set(books, measured)
    })
  }

  test('the cost grows with the rows, and not faster', () => {
    const grown = asked.flatMap((shape, i) => {
      const series = sizes.map((books) => (costs.get(books)?.[i] ?? Number.NaN) + meter.floor)
      const isEven = series.every((cost, at) => at === 0 || cost <= most * (series[at - 1] ?? 0))
      return isEven ? [] : [`${shape}: ${series.map(Math.round).join(', ')}`]
    })
    equal(grown, [])
  })
})
