// Creates the tables of the library in a SQLite database and fills them.

import { type Kysely, sql, type Transaction } from 'kysely'
import { authors } from './authors.ts'
import { books } from './books.ts'
import { branches } from './branches.ts'
import { categories } from './categories.ts'
import { countries } from './countries.ts'
import { generateHoldings } from './holdings.ts'
import { publishers } from './publishers.ts'
import { generateReviews } from './reviews.ts'

// biome-ignore lint/suspicious/noExplicitAny: no type knows the tables before they exist.
type AnyDatabase = any
type Row = Record<string, string | number | null>

/** The number of rows per INSERT, far below the limit of bound values. */
const chunkSize = 500

/** Creates and fills every table, in one transaction. The database must not have them yet. */
export async function createLibrary(
  db: Kysely<AnyDatabase>,
  onProgress: (line: string) => void = () => {},
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await createTables(trx)
    // A book may refer to a later book in the list, and an author to a later author.
    await sql`pragma defer_foreign_keys = on`.execute(trx)
    for (const [table, rows] of Object.entries(tableRows())) {
      for (let i = 0; i < rows.length; i += chunkSize) {
        await trx
          .insertInto(table)
          .values(rows.slice(i, i + chunkSize))
          .execute()
      }
      onProgress(`${table}: ${rows.length} rows`)
    }
    await createIndexes(trx)
  })
}

async function createTables(trx: Transaction<AnyDatabase>): Promise<void> {
  const { schema } = trx
  await schema
    .createTable('countries')
    .addColumn('code', 'text', (c) => c.primaryKey().notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .execute()
  await schema
    .createTable('authors')
    .addColumn('id', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('country_code', 'text', (c) => c.notNull().references('countries.code'))
    .addColumn('born_on', 'text')
    .addColumn('died_on', 'text')
    .addColumn('influenced_by_id', 'integer', (c) => c.references('authors.id'))
    .execute()
  await schema
    .createTable('publishers')
    .addColumn('id', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('city', 'text', (c) => c.notNull())
    .addColumn('country_code', 'text', (c) => c.notNull().references('countries.code'))
    .addColumn('founded', 'integer')
    .execute()
  await schema
    .createTable('categories')
    .addColumn('id', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('name', 'text', (c) => c.notNull().unique())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('parent_id', 'integer', (c) => c.references('categories.id'))
    .execute()
  await schema
    .createTable('books')
    .addColumn('id', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('title', 'text', (c) => c.notNull())
    .addColumn('original_title', 'text')
    .addColumn('author_id', 'integer', (c) => c.notNull().references('authors.id'))
    .addColumn('publisher_id', 'integer', (c) => c.references('publishers.id'))
    .addColumn('sequel_of_id', 'integer', (c) => c.references('books.id'))
    .addColumn('first_published', 'integer', (c) => c.notNull())
    .addColumn('language', 'text', (c) => c.notNull())
    .addColumn('pages', 'integer', (c) => c.notNull())
    .addColumn('price', 'decimal(8, 2)', (c) => c.notNull())
    .addColumn('in_stock', 'integer', (c) => c.notNull().check(sql`in_stock in (0, 1)`))
    .execute()
  await schema
    .createTable('book_categories')
    .addColumn('book_id', 'integer', (c) => c.notNull().references('books.id'))
    .addColumn('category_id', 'integer', (c) => c.notNull().references('categories.id'))
    .addPrimaryKeyConstraint('book_categories_pk', ['book_id', 'category_id'])
    .execute()
  await schema
    .createTable('reviews')
    .addColumn('id', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('book_id', 'integer', (c) => c.notNull().references('books.id'))
    .addColumn('rating', 'integer', (c) => c.notNull().check(sql`rating between 1 and 5`))
    .addColumn('reviewer', 'text', (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('helpful', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await schema
    .createTable('branches')
    .addColumn('id', 'integer', (c) => c.primaryKey().notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('city', 'text', (c) => c.notNull())
    .addColumn('opened_on', 'text', (c) => c.notNull())
    .execute()
  await schema
    .createTable('holdings')
    .addColumn('branch_id', 'integer', (c) => c.notNull().references('branches.id'))
    .addColumn('book_id', 'integer', (c) => c.notNull().references('books.id'))
    .addColumn('copies', 'integer', (c) => c.notNull())
    .addColumn('shelf_mark', 'text')
    .addColumn('last_audited_on', 'text')
    .addPrimaryKeyConstraint('holdings_pk', ['branch_id', 'book_id'])
    .execute()
}

/** One index for each foreign key that is not the beginning of a primary key. */
async function createIndexes(trx: Transaction<AnyDatabase>): Promise<void> {
  const columns = [
    ['authors', 'country_code'],
    ['authors', 'influenced_by_id'],
    ['publishers', 'country_code'],
    ['categories', 'parent_id'],
    ['books', 'author_id'],
    ['books', 'publisher_id'],
    ['books', 'sequel_of_id'],
    ['book_categories', 'category_id'],
    ['reviews', 'book_id'],
    ['holdings', 'book_id'],
  ] as const
  for (const [table, column] of columns) {
    await trx.schema.createIndex(`${table}_${column}`).on(table).column(column).execute()
  }
}

/** The rows of every table, in the order of insertion. The position in a list is the integer key. */
function tableRows(): Record<string, Row[]> {
  const authorIds = idsOf(authors.map(([key]) => key))
  const publisherIds = idsOf(publishers.map(([key]) => key))
  const categoryIds = idsOf(categories.map(([key]) => key))
  const bookIds = idsOf(books.map((book) => book.title))
  const authorNames = new Map(authors.map(([key, name]) => [key, name]))

  return {
    countries: countries.map(([code, name]) => ({ code, name })),
    authors: authors.map(([, name, country, bornOn, diedOn, influencedBy], i) => ({
      id: i + 1,
      name,
      country_code: country,
      born_on: bornOn,
      died_on: diedOn,
      influenced_by_id: authorIds(influencedBy),
    })),
    publishers: publishers.map(([, name, city, country, founded], i) => ({
      id: i + 1,
      name,
      city,
      country_code: country,
      founded,
    })),
    categories: categories.map(([, name, description, parent], i) => ({
      id: i + 1,
      name,
      description,
      parent_id: categoryIds(parent),
    })),
    books: books.map((book, i) => ({
      id: i + 1,
      title: book.title,
      original_title: book.originalTitle,
      author_id: authorIds(book.author),
      publisher_id: publisherIds(book.publisher),
      sequel_of_id: bookIds(book.sequelOf),
      first_published: book.year,
      language: book.language,
      pages: book.pages,
      price: book.price,
      in_stock: book.inStock ? 1 : 0,
    })),
    book_categories: books.flatMap((book, i) =>
      book.categories.map((key) => ({ book_id: i + 1, category_id: categoryIds(key) })),
    ),
    reviews: generateReviews(books.length).map((review, i) => ({
      id: i + 1,
      book_id: review.bookId,
      rating: review.rating,
      reviewer: review.reviewer,
      body: review.body,
      created_at: review.createdAt,
      helpful: review.helpful,
    })),
    branches: branches.map(([name, city, openedOn], i) => ({
      id: i + 1,
      name,
      city,
      opened_on: openedOn,
    })),
    holdings: generateHoldings(
      branches.length,
      books.map((book) => authorNames.get(book.author) as string),
      books.map((book) => book.categories[0] as string),
    ).map((holding) => ({
      branch_id: holding.branchId,
      book_id: holding.bookId,
      copies: holding.copies,
      shelf_mark: holding.shelfMark,
      last_audited_on: holding.lastAuditedOn,
    })),
  }
}

/** Returns the position of a key in the list, counted from 1; throws for a missing key. */
function idsOf(keys: readonly string[]): (key: string | null) => number | null {
  const ids = new Map(keys.map((key, i) => [key, i + 1]))
  return (key) => {
    if (key === null) return null
    const id = ids.get(key)
    if (id === undefined) throw new Error(`Nothing in the library has the key "${key}".`)
    return id
  }
}
