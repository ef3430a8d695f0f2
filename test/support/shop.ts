/** The models and data of a small shop, for golden and contract tests. */
import { type AnyModel, belongsTo, defineModel, hasMany, hasOne, manyToMany } from '@model-api/core'
import type { TestDatabase } from './databases.ts'
import { createTables, insertLinks, insertRows } from './tables.ts'

/** A parent, with a hidden column and a column that has another name in the database. */
export const Author = defineModel('Author', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 120 },
    country: { type: 'string', maxLength: 2, nullable: true },
    bornOn: { type: 'date', nullable: true, column: 'born_on' },
    mentor_id: { type: 'integer', nullable: true },
    secret: { type: 'string', nullable: true, hidden: true },
  },
  computed: {
    initial: {
      type: 'string',
      // biome-ignore lint/suspicious/noExplicitAny: the expression builder of any database
      expression: (eb: any) => eb.fn('substr', ['name', eb.val(1), eb.val(1)]),
    },
  },
  relations: {
    books: hasMany('Book', 'author_id'),
    mentor: belongsTo('Author', 'mentor_id'),
    pupils: hasMany('Author', 'mentor_id'),
    profile: hasOne('Profile', 'author_id'),
  },
  meta: {},
})

/** One-to-one. */
export const Profile = defineModel('Profile', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    author_id: { type: 'integer', unique: true },
    motto: { type: 'text' },
  },
  relations: { author: belongsTo('Author', 'author_id') },
  meta: {},
})

/** All kinds of relations, most types, and two foreign keys to one table. */
export const Book = defineModel('Book', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    title: { type: 'string', maxLength: 200 },
    price: { type: 'decimal', precision: 8, scale: 2, nullable: true },
    rating: { type: 'float', nullable: true },
    sold: { type: 'bigint', nullable: true },
    in_stock: { type: 'boolean', nullable: true },
    published_at: { type: 'datetime', nullable: true },
    format: { type: 'enum', enum: ['hardcover', 'paperback', 'ebook'], nullable: true },
    details: { type: 'json', nullable: true, json: { pages: 'integer', a: 'text' } },
    author_id: { type: 'integer', nullable: true },
    editor_id: { type: 'integer', nullable: true },
  },
  relations: {
    author: belongsTo('Author', 'author_id'),
    editor: belongsTo('Author', 'editor_id'),
    tags: manyToMany('Tag', { through: 'book_tags', from: 'book_id', to: 'tag_id' }),
    order_lines: hasMany('OrderLine', 'book_id'),
  },
  meta: {},
})

export const Tag = defineModel('Tag', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 40, unique: true },
  },
  relations: {
    books: manyToMany('Book', { through: 'book_tags', from: 'tag_id', to: 'book_id' }),
  },
  meta: {},
})

/** A composite key, and a name of two words. */
export const OrderLine = defineModel('OrderLine', {
  columns: {
    order_no: { type: 'string', maxLength: 20, primaryKey: true },
    line: { type: 'integer', primaryKey: true },
    book_id: { type: 'integer' },
    quantity: { type: 'integer' },
  },
  relations: { book: belongsTo('Book', 'book_id') },
  meta: {},
})

/** Declared but not published: it has no endpoint, and relations to it are not visible. */
export const Audit = defineModel('Audit', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    note: { type: 'text' },
  },
})

export const shop: readonly AnyModel[] = [Author, Profile, Book, Tag, OrderLine, Audit]

const at = (day: string): string => `2024-${day}T10:00:00.000Z`

/** Creates and fills the tables. */
export async function createShop(db: TestDatabase): Promise<void> {
  await createTables(db, shop)
  await insertRows(db, Author, [
    {
      id: 1,
      name: 'Ann Archer',
      country: 'GB',
      bornOn: '1970-01-31',
      mentor_id: null,
      secret: 'x1',
    },
    { id: 2, name: 'bob Baker', country: 'US', bornOn: null, mentor_id: 1, secret: 'x2' },
    {
      id: 3,
      name: 'Čapek, Karel',
      country: 'CZ',
      bornOn: '1890-01-09',
      mentor_id: 1,
      secret: null,
    },
    { id: 4, name: 'Zoë', country: null, bornOn: '1999-12-31', mentor_id: 2, secret: 'x4' },
  ])
  await insertRows(db, Profile, [
    { id: 1, author_id: 1, motto: 'Write every day' },
    { id: 2, author_id: 3, motto: 'R.U.R.' },
  ])
  await insertRows(db, Book, [
    {
      id: 1,
      title: 'Arrows',
      price: '12.50',
      rating: 4.5,
      sold: '9007199254740993',
      in_stock: true,
      published_at: at('01-15'),
      format: 'hardcover',
      details: { pages: 120, z: [1, 2], a: 'é' },
      author_id: 1,
      editor_id: 2,
    },
    {
      id: 2,
      title: 'Bread, 100% rye',
      price: '8.00',
      rating: 3.25,
      sold: '10',
      in_stock: false,
      published_at: at('02-20'),
      format: 'paperback',
      details: null,
      author_id: 2,
      editor_id: 1,
    },
    {
      id: 3,
      title: 'Robots',
      price: '20.00',
      rating: null,
      sold: '250',
      in_stock: true,
      published_at: at('02-29'),
      format: 'ebook',
      details: [],
      author_id: 3,
      editor_id: null,
    },
    {
      id: 4,
      title: 'Newts',
      price: '15.75',
      rating: 4.75,
      sold: null,
      in_stock: true,
      published_at: null,
      format: 'paperback',
      details: { n: 1 },
      author_id: 3,
      editor_id: 2,
    },
    {
      id: 5,
      title: 'anonymous letters',
      price: null,
      rating: 2,
      sold: '0',
      in_stock: null,
      published_at: at('12-31'),
      format: null,
      details: null,
      author_id: null,
      editor_id: null,
    },
  ])
  await insertRows(db, Tag, [
    { id: 1, name: 'classic' },
    { id: 2, name: 'food' },
    { id: 3, name: 'science fiction' },
  ])
  await insertLinks(db, 'book_tags', [
    { book_id: 1, tag_id: 1 },
    { book_id: 2, tag_id: 2 },
    { book_id: 3, tag_id: 1 },
    { book_id: 3, tag_id: 3 },
    { book_id: 4, tag_id: 3 },
  ])
  await insertRows(db, OrderLine, [
    { order_no: '2024/001', line: 1, book_id: 1, quantity: 2 },
    { order_no: '2024/001', line: 2, book_id: 3, quantity: 1 },
    { order_no: 'A,B', line: 1, book_id: 1, quantity: 5 },
  ])
}

/** Creates and fills the tables so that the database can generate keys for further rows. */
export async function createWritableShop(db: TestDatabase): Promise<void> {
  await createShop(db)
  // The rows were inserted with their keys, which does not advance PostgreSQL's sequences.
  for (const table of db.name === 'postgres' ? ['authors', 'profiles', 'books', 'tags'] : []) {
    await db.execScript(`alter table ${table} alter column id restart with 100`)
  }
}
