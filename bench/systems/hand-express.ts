/** What is usually written by hand: Express and Kysely, one handler for each question, the same envelope. */
import express from 'express'
import type { Kysely } from 'kysely'
import { jsonArrayFrom as asPostgres, jsonObjectFrom } from 'kysely/helpers/postgres'
import { jsonArrayFrom as asSqlite, jsonObjectFrom as sqliteObject } from 'kysely/helpers/sqlite'
import type { DatabaseName } from '../databases.ts'
import { openKysely } from './kysely.ts'
import type { System } from './system.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tables are those of data.ts
type Database = Kysely<any>

interface Page {
  readonly value: unknown
  readonly total?: number
  readonly status?: number
}

type Params = Readonly<Record<'a' | 'b', string>>

// biome-ignore lint/suspicious/noExplicitAny: whatever was sent
type Handler = (params: Params, body: any) => Promise<Page>

const size = 20

export const handExpress: System = {
  asks: 'own',
  open: async (name) => {
    const app = express()
    const handlers = handlersOf(openKysely(name), name)
    const paths: Readonly<Record<string, Handler>> = {
      '/W1/:a': handlers.one,
      '/W2': () => handlers.list(1, true),
      '/W2n': () => handlers.list(1, false),
      '/W3/:a/:b': handlers.filtered,
      '/W4/:a': handlers.withAuthor,
      '/W5': () => handlers.withBooks(1),
      '/W5p/:a': ({ a }) => handlers.withBooks(Number(a)),
      '/W6': handlers.twoLevels,
      '/W7/:a': handlers.groups,
      '/W10/:a': handlers.ofPublisher,
      '/W11/:a': ({ a }) => handlers.list(1_950 + Number(a), true),
      '/W11n/:a': ({ a }) => handlers.list(1_950 + Number(a), false),
      '/W12/:a': ({ a }) => handlers.after((1_949 + Number(a)) * size),
    }
    for (const [path, handler] of Object.entries(paths)) app.get(path, answering(handler))
    app.post('/W8', express.json(), answering(handlers.insert))
    app.patch('/W9/:a', express.json(), answering(handlers.change))
    return app
  },
}

const answering =
  (handler: Handler): express.RequestHandler =>
  async (req, res) => {
    const started = performance.now()
    const { value, total, status = 200 } = await handler(req.params as never, req.body)
    res.status(status).json({
      datetime: new Date().toISOString(),
      api_version: '1.0.0',
      status_code: status,
      response_ms: performance.now() - started,
      total_count: total,
      next_url: null,
      previous_url: null,
      errors: null,
      value,
    })
  }

function handlersOf(db: Database, name: DatabaseName) {
  const embeds = name === 'mysql' ? batched(db) : inStatement(db, name)
  const countOf = async (query: { executeTakeFirst(): Promise<unknown> }): Promise<number> =>
    Number(((await query.executeTakeFirst()) as { n: unknown }).n)
  const count = (table: string) => db.selectFrom(table).select((eb) => eb.fn.countAll().as('n'))
  const readBack = async (table: string, id: unknown): Promise<unknown> =>
    db.selectFrom(table).selectAll().where('id', '=', id).executeTakeFirst()
  const ofPublisher = async (publisher: number, limit: number): Promise<Page> => ({
    value: await db
      .selectFrom('books')
      .selectAll()
      .where('publisher_id', '=', publisher)
      .orderBy('id')
      .limit(limit)
      .execute(),
    total: await countOf(count('books').where('publisher_id', '=', publisher)),
  })
  return {
    one: async ({ a }: Params) => ({ value: await readBack('books', Number(a)), total: 1 }),
    list: async (page: number, total: boolean): Promise<Page> => ({
      value: await db
        .selectFrom('books')
        .selectAll()
        .orderBy('id')
        .limit(size)
        .offset((page - 1) * size)
        .execute(),
      ...(total ? { total: await countOf(count('books')) } : {}),
    }),
    after: async (id: number): Promise<Page> => ({
      value: await db
        .selectFrom('books')
        .selectAll()
        .where('id', '>', id)
        .orderBy('id')
        .limit(size)
        .execute(),
    }),
    filtered: async ({ a, b }: Params) => {
      const author = Number(b) + 20
      return {
        value: await db
          .selectFrom('books')
          .selectAll()
          .where('publisher_id', '<=', 500 + Number(a))
          .where('author_id', '<=', author)
          .orderBy('published_on', 'desc')
          .orderBy('id')
          .limit(size)
          .offset(2 * size)
          .execute(),
        total: await countOf(
          count('books')
            .where('publisher_id', '<=', 500 + Number(a))
            .where('author_id', '<=', author),
        ),
      }
    },
    withAuthor: async ({ a }: Params) => ({
      value: await embeds.withAuthor(Number(a)),
      total: await countOf(count('books').where('publisher_id', '=', Number(a))),
    }),
    withBooks: async (page: number): Promise<Page> => ({
      value: await embeds.withBooks((page - 1) * size),
      total: await countOf(count('authors')),
    }),
    twoLevels: async () => ({
      value: await embeds.twoLevels(),
      total: await countOf(count('authors')),
    }),
    groups: async ({ a }: Params) => {
      const value = await db
        .selectFrom('books')
        .innerJoin('publishers', 'publishers.id', 'books.publisher_id')
        .select('publishers.country')
        .select((eb) => [
          eb.fn.avg('books.price').as('average'),
          eb.fn.count('books.id').as('books'),
        ])
        .where('books.publisher_id', '<=', 20 + Number(a))
        .groupBy('publishers.country')
        .orderBy('publishers.country')
        .execute()
      return { value, total: value.length }
    },
    ofPublisher: ({ a }: Params) => ofPublisher(Number(a), 100),
    insert: async (_: Params, body: { created_at: string }) => {
      const created_at = body.created_at.replace('T', ' ').replace('Z', '')
      const insert = db.insertInto('reviews').values({ ...body, created_at })
      if (name !== 'mysql') {
        return { value: await insert.returningAll().executeTakeFirst(), total: 1, status: 201 }
      }
      const { insertId } = await insert.executeTakeFirstOrThrow()
      return { value: await readBack('reviews', Number(insertId)), total: 1, status: 201 }
    },
    change: async ({ a }: Params, body: Record<string, unknown>) => {
      const update = db.updateTable('books').set(body).where('id', '=', Number(a))
      if (name !== 'mysql')
        return { value: await update.returningAll().executeTakeFirst(), total: 1 }
      await update.execute()
      return { value: await readBack('books', Number(a)), total: 1 }
    },
  }
}

interface Embeds {
  withAuthor(publisher: number): Promise<unknown>
  withBooks(offset: number): Promise<unknown>
  twoLevels(): Promise<unknown>
}

/** As Kysely's documentation shows it: related rows as JSON in the select list. */
function inStatement(db: Database, name: DatabaseName): Embeds {
  const array = (name === 'sqlite' ? asSqlite : asPostgres) as typeof asPostgres
  const object = (name === 'sqlite' ? sqliteObject : jsonObjectFrom) as typeof jsonObjectFrom
  const bookColumns = [
    'id',
    'title',
    'isbn',
    'price',
    'pages',
    'in_print',
    'published_on',
    'created_at',
    'author_id',
    'publisher_id',
  ]
  const authorColumns = ['id', 'name', 'email', 'country', 'born_on']
  const authors = () => db.selectFrom('authors').selectAll('authors').orderBy('authors.id')
  return {
    withAuthor: (publisher) =>
      db
        .selectFrom('books')
        .selectAll('books')
        .select((eb) =>
          object(
            eb
              .selectFrom('authors')
              .select(authorColumns)
              .whereRef('authors.id', '=', 'books.author_id'),
          ).as('author'),
        )
        .where('publisher_id', '=', publisher)
        .orderBy('books.id')
        .limit(size)
        .execute(),
    withBooks: (offset) =>
      authors()
        .select((eb) =>
          array(
            eb
              .selectFrom('books')
              .select(bookColumns)
              .whereRef('books.author_id', '=', 'authors.id')
              .orderBy('books.id'),
          ).as('books'),
        )
        .limit(size)
        .offset(offset)
        .execute(),
    twoLevels: () =>
      authors()
        .select((eb) =>
          array(
            eb
              .selectFrom('books')
              .select(bookColumns)
              .select((inner) =>
                array(
                  inner
                    .selectFrom('reviews')
                    .select(['id', 'book_id', 'rating', 'reviewer', 'body', 'created_at'])
                    .whereRef('reviews.book_id', '=', 'books.id')
                    .orderBy('reviews.id'),
                ).as('reviews'),
              )
              .whereRef('books.author_id', '=', 'authors.id')
              .orderBy('books.id'),
          ).as('books'),
        )
        .limit(10)
        .execute(),
  }
}

/** One more statement for every relation, put together here. */
function batched(db: Database): Embeds {
  type Row = Record<string, unknown>
  const attach = async (parents: Row[], key: string, table: string, foreign: string) => {
    const keys = parents.map(({ id }) => id)
    const children: Row[] =
      keys.length === 0
        ? []
        : await db.selectFrom(table).selectAll().where(foreign, 'in', keys).orderBy('id').execute()
    const byParent = new Map<unknown, Row[]>(keys.map((id) => [id, []]))
    for (const child of children) byParent.get(child[foreign])?.push(child)
    for (const parent of parents) parent[key] = byParent.get(parent.id)
    return children
  }
  const authors = (limit: number, offset: number): Promise<Row[]> =>
    db.selectFrom('authors').selectAll().orderBy('id').limit(limit).offset(offset).execute()
  return {
    withAuthor: async (publisher) => {
      const books = await db
        .selectFrom('books')
        .selectAll()
        .where('publisher_id', '=', publisher)
        .orderBy('id')
        .limit(size)
        .execute()
      const ids = [...new Set(books.map(({ author_id }) => author_id))]
      const found =
        ids.length === 0
          ? []
          : await db.selectFrom('authors').selectAll().where('id', 'in', ids).execute()
      const byId = new Map(found.map((author) => [author.id, author]))
      return books.map((book) => ({ ...book, author: byId.get(book.author_id) }))
    },
    withBooks: async (offset) => {
      const page = await authors(size, offset)
      await attach(page, 'books', 'books', 'author_id')
      return page
    },
    twoLevels: async () => {
      const page = await authors(10, 0)
      const books = await attach(page, 'books', 'books', 'author_id')
      await attach(books, 'reviews', 'reviews', 'book_id')
      return page
    },
  }
}
