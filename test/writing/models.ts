/** A lending library whose models show each rule of writing once. */
import { type AnyModel, belongsTo, defineModel, hasMany, hasOne, manyToMany } from '@model-api/core'
import type { TestDatabase } from '../support/databases.ts'
import { createTables } from '../support/tables.ts'

export const Author = defineModel('Author', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 40 },
    email: {
      type: 'string',
      maxLength: 80,
      nullable: true,
      unique: true,
      validator: 'email',
      validator_message: 'Not an e-mail address',
    },
    homepage: { type: 'string', nullable: true, format: 'uri' },
    country_code: { type: 'string', maxLength: 2, nullable: true },
    secret: { type: 'string', nullable: true, hidden: true },
    shelf: { type: 'string', nullable: true, readOnly: true },
    deleted: { type: 'boolean' },
    createdAt: { type: 'datetime', managed: 'created', column: 'created_at' },
    updatedAt: { type: 'datetime', managed: 'updated', column: 'updated_at' },
  },
  relations: {
    books: hasMany('Book', 'author_id'),
    profile: hasOne('Profile', 'author_id'),
    country: belongsTo('Country', 'country_code'),
  },
  meta: {},
})

/** Clients set the key. */
export const Country = defineModel('Country', {
  columns: {
    code: { type: 'string', maxLength: 2, primaryKey: true },
    title: { type: 'string', maxLength: 40 },
  },
  relations: { authors: hasMany('Author', 'country_code') },
  meta: {},
})

export const Profile = defineModel('Profile', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    author_id: { type: 'integer', unique: true },
    motto: { type: 'text' },
  },
  relations: { author: belongsTo('Author', 'author_id') },
  meta: {},
})

/** Every column type; `until` is checked against `since`. */
export const Book = defineModel('Book', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    title: { type: 'string', maxLength: 60 },
    price: { type: 'decimal', precision: 8, scale: 2, nullable: true },
    rating: { type: 'float', nullable: true },
    sold: { type: 'bigint', nullable: true },
    in_stock: { type: 'boolean', default: true },
    kind: { type: 'enum', enum: ['novel', 'poems'], default: 'novel' },
    details: { type: 'json', nullable: true },
    cover: { type: 'binary', nullable: true },
    code: { type: 'uuid', generated: 'uuid' },
    since: { type: 'date', nullable: true },
    until: {
      type: 'date',
      nullable: true,
      validator: (value: string, row: { since?: string | null }) =>
        row.since === null || row.since === undefined || value >= row.since
          ? true
          : 'Before it began',
    },
    read_at: { type: 'datetime', nullable: true },
    opens: { type: 'time', nullable: true },
    author_id: { type: 'integer', nullable: true },
  },
  relations: {
    author: belongsTo('Author', 'author_id'),
    tags: manyToMany('Tag', { through: 'book_tags', from: 'book_id', to: 'tag_id' }),
    copies: hasMany('Copy', 'book_id'),
  },
  meta: { allowed_methods: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] },
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

/** A composite key. */
export const Copy = defineModel('Copy', {
  columns: {
    branch: { type: 'string', maxLength: 20, primaryKey: true },
    number: { type: 'integer', primaryKey: true },
    book_id: { type: 'integer' },
    note: { type: 'string', maxLength: 20, nullable: true },
  },
  relations: { book: belongsTo('Book', 'book_id') },
  meta: {},
})

export const library: readonly AnyModel[] = [Country, Author, Profile, Book, Tag, Copy]

/** Deleted authors are marked instead of removed. */
export const marking = { API_SOFT_DELETE: true, API_SOFT_DELETE_ATTRIBUTE: 'deleted' } as const

/** All settings of writes are on. */
export const everything = {
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_BULK: true,
  API_ALLOW_CASCADE_DELETE: true,
  ...marking,
} as const

export const createLibrary = (db: TestDatabase): Promise<void> => createTables(db, library)

/** The library with a change of one model. */
export const withModel = (name: string, change: (model: AnyModel) => object): readonly AnyModel[] =>
  library.map((model) =>
    model.name === name ? ({ ...model, ...change(model) } as AnyModel) : model,
  )

/** Counts the rows of tables, because a refused write must leave none. */
export async function countRows(db: TestDatabase, ...tables: readonly string[]): Promise<number[]> {
  const counts = tables.map(async (table) => {
    const rows = await db.kysely.selectFrom(table).selectAll().execute()
    return rows.length
  })
  return Promise.all(counts)
}
