/** The models of the measured tables. */
import { type AnyModel, belongsTo, defineModel, hasMany } from '@model-api/core'

const id = { type: 'integer', primaryKey: true, generated: true } as const

const Publisher = defineModel('Publisher', {
  columns: {
    id,
    name: { type: 'string', maxLength: 120 },
    country: { type: 'string', maxLength: 2 },
    founded_on: { type: 'date' },
  },
  relations: { books: hasMany('Book', 'publisher_id') },
  meta: {},
})

const Author = defineModel('Author', {
  columns: {
    id,
    name: { type: 'string', maxLength: 120 },
    email: { type: 'string', maxLength: 120 },
    country: { type: 'string', maxLength: 2 },
    born_on: { type: 'date' },
  },
  relations: { books: hasMany('Book', 'author_id') },
  meta: {},
})

const Book = defineModel('Book', {
  columns: {
    id,
    title: { type: 'string', maxLength: 200 },
    isbn: { type: 'string', maxLength: 20 },
    price: { type: 'decimal', precision: 8, scale: 2 },
    pages: { type: 'integer' },
    in_print: { type: 'boolean' },
    published_on: { type: 'date' },
    created_at: { type: 'datetime' },
    author_id: { type: 'integer' },
    publisher_id: { type: 'integer' },
  },
  relations: {
    author: belongsTo('Author', 'author_id'),
    publisher: belongsTo('Publisher', 'publisher_id'),
    reviews: hasMany('Review', 'book_id'),
  },
  meta: {},
})

const Review = defineModel('Review', {
  columns: {
    id,
    book_id: { type: 'integer' },
    rating: { type: 'integer' },
    reviewer: { type: 'string', maxLength: 80 },
    body: { type: 'string', maxLength: 500 },
    created_at: { type: 'datetime' },
  },
  relations: { book: belongsTo('Book', 'book_id') },
  meta: {},
})

export const models: readonly AnyModel[] = [Publisher, Author, Book, Review]
