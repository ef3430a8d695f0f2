/** Handlers as they are usually written by hand with Kysely: one for each workload. With users, every query has their condition. */
import { type ExpressionBuilder, type Kysely, ParseJSONResultsPlugin } from 'kysely'
import { jsonArrayFrom as asPostgres, jsonObjectFrom } from 'kysely/helpers/postgres'
import { jsonArrayFrom as asSqlite, jsonObjectFrom as sqliteObject } from 'kysely/helpers/sqlite'
import type { DatabaseName } from '../databases.ts'

// biome-ignore lint/suspicious/noExplicitAny: the tables are those of data.ts
type Any = any
type Database = Kysely<Any>

/** The value of the user in the condition of every query; undefined without users. */
export type Caller = number | undefined

export interface Page {
  readonly value: unknown
  readonly total?: number
  readonly status?: number
}

/** Serves a workload; takes the numbers in the path, the caller and the body. */
export type Handler = (args: readonly number[], caller: Caller, body: Any) => Promise<Page>

const size = 20

/** Returns the handlers by the names of the workloads. */
export function handlersOf(db: Database, name: DatabaseName): Readonly<Record<string, Handler>> {
  const embeds = embedsOf(db, name)
  const countOf = async (query: { executeTakeFirst(): Promise<unknown> }): Promise<number> =>
    Number(((await query.executeTakeFirst()) as { n: unknown }).n)
  const count = (table: string, caller: Caller) =>
    rowsOf(db, table, caller).select((eb) => eb.fn.countAll().as('n'))
  const one = (table: string, id: unknown, caller: Caller): Promise<unknown> =>
    rowsOf(db, table, caller).selectAll().where('id', '=', id).executeTakeFirst()
  const pageOf = async (value: Promise<unknown>, total: Promise<number>): Promise<Page> => {
    const [found, counted] = await Promise.all([value, total])
    return { value: found, total: counted }
  }
  const books = (caller: Caller) => rowsOf(db, 'books', caller).selectAll()
  const at = (page: number, caller: Caller) =>
    books(caller)
      .orderBy('id')
      .limit(size)
      .offset((page - 1) * size)
      .execute()
  const withBooks = (page: number, caller: Caller) =>
    pageOf(embeds.withBooks((page - 1) * size, caller), countOf(count('authors', caller)))
  return {
    W1: async ([id], caller) => ({ value: await one('books', id, caller), total: 1 }),
    W2: (_, caller) => pageOf(at(1, caller), countOf(count('books', caller))),
    W2n: async (_, caller) => ({ value: await at(1, caller) }),
    W3: ([a, b], caller) => {
      const [publisher, author] = [500 + Number(a), Number(b) + 20]
      return pageOf(
        books(caller)
          .where('publisher_id', '<=', publisher)
          .where('author_id', '<=', author)
          .orderBy('published_on', 'desc')
          .orderBy('id')
          .limit(size)
          .offset(2 * size)
          .execute(),
        countOf(
          count('books', caller)
            .where('publisher_id', '<=', publisher)
            .where('author_id', '<=', author),
        ),
      )
    },
    W4: ([publisher], caller) =>
      pageOf(
        embeds.withAuthor(Number(publisher), caller),
        countOf(count('books', caller).where('publisher_id', '=', publisher)),
      ),
    W5: (_, caller) => withBooks(1, caller),
    W5p: ([page], caller) => withBooks(Number(page), caller),
    W6: (_, caller) => pageOf(embeds.twoLevels(caller), countOf(count('authors', caller))),
    W7: async ([publisher], caller) => {
      const value = await rowsOf(db, 'books', caller)
        .innerJoin('publishers', 'publishers.id', 'books.publisher_id')
        .$if(caller !== undefined, (query) => query.where('publishers.id', '!=', -Number(caller)))
        .select('publishers.country')
        .select((eb) => [
          eb.fn.avg('books.price').as('average'),
          eb.fn.count('books.id').as('books'),
        ])
        .where('books.publisher_id', '<=', 20 + Number(publisher))
        .groupBy('publishers.country')
        .orderBy('publishers.country')
        .execute()
      return { value, total: value.length }
    },
    W10: ([publisher], caller) =>
      pageOf(
        books(caller).where('publisher_id', '=', publisher).orderBy('id').limit(100).execute(),
        countOf(count('books', caller).where('publisher_id', '=', publisher)),
      ),
    W11: ([page], caller) =>
      pageOf(at(1_950 + Number(page), caller), countOf(count('books', caller))),
    W11n: async ([page], caller) => ({ value: await at(1_950 + Number(page), caller) }),
    W12: async ([page], caller) => ({
      value: await books(caller)
        .where('id', '>', (1_949 + Number(page)) * size)
        .orderBy('id')
        .limit(size)
        .execute(),
    }),
    W16: async ([id], caller) => ({
      value: await rowsOf(db, 'authors', caller)
        .select(['id', 'name'])
        .select((eb) => numberOf(eb, 'books', 'books.author_id', 'authors.id', caller).as('n'))
        .where('id', '>', id)
        .orderBy('id')
        .limit(size)
        .execute(),
    }),
    W17: async (_, caller) => ({
      value: await (name === 'postgres'
        ? withNumbers(db, caller)
        : rowsOf(db, 'publishers', caller)
            .select(['id', 'name'])
            .select((eb) =>
              numberOf(eb, 'books', 'books.publisher_id', 'publishers.id', caller).as('n'),
            )
      )
        .orderBy('n', 'desc')
        .orderBy('id')
        .limit(size)
        .execute(),
    }),
    W8: async (_, caller, body) => {
      const created_at = body.created_at.replace('T', ' ').replace('Z', '')
      const insert = db.insertInto('reviews').values({ ...body, created_at })
      if (name !== 'mysql') {
        return { value: await insert.returningAll().executeTakeFirst(), total: 1, status: 201 }
      }
      const { insertId } = await insert.executeTakeFirstOrThrow()
      return { value: await one('reviews', Number(insertId), caller), total: 1, status: 201 }
    },
    W9: async ([id], caller, body) => {
      const update = db
        .updateTable('books')
        .set(body)
        .where('id', '=', id)
        .$if(caller !== undefined, (query) => query.where('id', '!=', -Number(caller)))
      if (name !== 'mysql') {
        return { value: await update.returningAll().executeTakeFirst(), total: 1 }
      }
      await update.execute()
      return { value: await one('books', id, caller), total: 1 }
    },
  }
}

/**
 * Selects the rows of a table that the caller sees: all rows except one that does not exist, so that every system reads the same
 * rows.
 */
function rowsOf(db: Pick<Database, 'selectFrom'>, table: string, caller: Caller) {
  const rows = db.selectFrom(table)
  return caller === undefined ? rows : rows.where(`${table}.id`, '!=', -caller)
}

/** Selects the number of the rows that refer to the outer row. */
const numberOf = (
  eb: ExpressionBuilder<Any, Any>,
  table: string,
  foreign: string,
  key: string,
  caller: Caller,
) =>
  rowsOf(eb as never, table, caller)
    .select((inner) => inner.fn.countAll().as('n'))
    .whereRef(foreign, '=', key)

/** Publishers with the numbers of their books, which PostgreSQL counts at once for all of them. */
const withNumbers = (db: Database, caller: Caller) =>
  rowsOf(db, 'publishers', caller)
    .leftJoin(
      rowsOf(db, 'books', caller)
        .select('publisher_id')
        .select((eb) => eb.fn.countAll().as('books'))
        .groupBy('publisher_id')
        .as('numbers'),
      'numbers.publisher_id',
      'publishers.id',
    )
    .select(['publishers.id', 'publishers.name'])
    .select((eb) => eb.fn.coalesce('numbers.books', eb.lit(0)).as('n'))

interface Embeds {
  withAuthor(publisher: number, caller: Caller): Promise<unknown>
  withBooks(offset: number, caller: Caller): Promise<unknown>
  twoLevels(caller: Caller): Promise<unknown>
}

function embedsOf(db: Database, name: DatabaseName): Embeds {
  if (name === 'mysql') return batched(db)
  // SQLite returns JSON as text, so a plugin parses it.
  return inStatement(name === 'sqlite' ? db.withPlugin(new ParseJSONResultsPlugin()) : db, name)
}

/** Embeds related rows as JSON in the select list, as Kysely's documentation shows. */
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
  const reviewColumns = ['id', 'book_id', 'rating', 'reviewer', 'body', 'created_at']
  const authors = (caller: Caller) =>
    rowsOf(db, 'authors', caller).selectAll('authors').orderBy('authors.id')
  const below = (eb: ExpressionBuilder<Any, Any>, table: string, caller: Caller) =>
    rowsOf(eb as never, table, caller)
  return {
    withAuthor: (publisher, caller) =>
      rowsOf(db, 'books', caller)
        .selectAll('books')
        .select((eb) =>
          object(
            below(eb, 'authors', caller)
              .select(authorColumns)
              .whereRef('authors.id', '=', 'books.author_id'),
          ).as('author'),
        )
        .where('publisher_id', '=', publisher)
        .orderBy('books.id')
        .limit(size)
        .execute(),
    withBooks: (offset, caller) =>
      authors(caller)
        .select((eb) =>
          array(
            below(eb, 'books', caller)
              .select(bookColumns)
              .whereRef('books.author_id', '=', 'authors.id')
              .orderBy('books.id'),
          ).as('books'),
        )
        .limit(size)
        .offset(offset)
        .execute(),
    twoLevels: (caller) =>
      authors(caller)
        .select((eb) =>
          array(
            below(eb, 'books', caller)
              .select(bookColumns)
              .select((inner) =>
                array(
                  below(inner, 'reviews', caller)
                    .select(reviewColumns)
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

/** Embeds related rows by one more statement for every relation, and joins the rows in JavaScript. */
function batched(db: Database): Embeds {
  type Row = Record<string, unknown>
  const attach = async (
    parents: Row[],
    key: string,
    table: string,
    foreign: string,
    caller: Caller,
  ) => {
    const keys = parents.map(({ id }) => id)
    const children: Row[] =
      keys.length === 0
        ? []
        : await rowsOf(db, table, caller)
            .selectAll()
            .where(foreign, 'in', keys)
            .orderBy('id')
            .execute()
    const byParent = new Map<unknown, Row[]>(keys.map((id) => [id, []]))
    for (const child of children) byParent.get(child[foreign])?.push(child)
    for (const parent of parents) parent[key] = byParent.get(parent.id)
    return children
  }
  const authors = (limit: number, offset: number, caller: Caller): Promise<Row[]> =>
    rowsOf(db, 'authors', caller).selectAll().orderBy('id').limit(limit).offset(offset).execute()
  return {
    withAuthor: async (publisher, caller) => {
      const books: Row[] = await rowsOf(db, 'books', caller)
        .selectAll()
        .where('publisher_id', '=', publisher)
        .orderBy('id')
        .limit(size)
        .execute()
      const ids = [...new Set(books.map(({ author_id }) => author_id))]
      const found: Row[] =
        ids.length === 0
          ? []
          : await rowsOf(db, 'authors', caller).selectAll().where('id', 'in', ids).execute()
      const byId = new Map(found.map((author) => [author.id, author]))
      return books.map((book) => ({ ...book, author: byId.get(book.author_id) }))
    },
    withBooks: async (offset, caller) => {
      const page = await authors(size, offset, caller)
      await attach(page, 'books', 'books', 'author_id', caller)
      return page
    },
    twoLevels: async (caller) => {
      const page = await authors(10, 0, caller)
      const books = await attach(page, 'books', 'books', 'author_id', caller)
      await attach(books, 'reviews', 'reviews', 'book_id', caller)
      return page
    },
  }
}

/** Returns the envelope that model-api sends. */
export const envelope = ({ value, total, status = 200 }: Page, started: number): object => ({
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
