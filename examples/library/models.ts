// The models of the library: what the demo publishes, and the relations.

import {
  type AnyModel,
  belongsTo,
  defineModel,
  hasMany,
  manyToMany,
  passwordCheck,
} from '@model-api/core'

export const Country = defineModel('Country', {
  columns: {
    code: {
      type: 'string',
      primaryKey: true,
      maxLength: 2,
      description: 'ISO 3166-1 alpha-2',
      example: 'GB',
    },
    name: { type: 'string', maxLength: 80 },
  },
  relations: {
    authors: hasMany('Author', 'country_code'),
    publishers: hasMany('Publisher', 'country_code'),
  },
  meta: { description: 'Countries of authors and publishers.' },
})

export const Author = defineModel('Author', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true, example: 2 },
    name: { type: 'string', maxLength: 120, description: 'As printed on the cover' },
    country_code: { type: 'string', maxLength: 2 },
    born_on: { type: 'date', nullable: true, description: 'Where the exact day is known' },
    died_on: { type: 'date', nullable: true },
    influenced_by_id: { type: 'integer', nullable: true },
  },
  relations: {
    books: hasMany('Book', 'author_id'),
    country: belongsTo('Country', 'country_code'),
    influenced_by: belongsTo('Author', 'influenced_by_id'),
    influenced: hasMany('Author', 'influenced_by_id'),
  },
  meta: { description: 'Authors of classic literature.' },
})

export const Publisher = defineModel('Publisher', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 120 },
    city: { type: 'string', maxLength: 80 },
    country_code: { type: 'string', maxLength: 2 },
    founded: { type: 'integer', nullable: true, description: 'Year' },
  },
  relations: {
    books: hasMany('Book', 'publisher_id'),
    country: belongsTo('Country', 'country_code'),
  },
  meta: { description: 'The first publishers of the books.' },
})

export const Category = defineModel('Category', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true, example: 5 },
    name: { type: 'string', maxLength: 60, unique: true },
    description: { type: 'text' },
    parent_id: { type: 'integer', nullable: true },
  },
  relations: {
    books: manyToMany('Book', { through: 'book_categories', from: 'category_id', to: 'book_id' }),
    parent: belongsTo('Category', 'parent_id'),
    children: hasMany('Category', 'parent_id'),
  },
  meta: { description: 'A tree of subjects.' },
})

export const Book = defineModel('Book', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true, example: 62 },
    title: { type: 'string', maxLength: 200, example: 'Emma' },
    original_title: { type: 'string', maxLength: 200, nullable: true },
    author_id: { type: 'integer' },
    publisher_id: { type: 'integer', nullable: true },
    sequel_of_id: { type: 'integer', nullable: true },
    first_published: { type: 'integer', description: 'Year' },
    language: { type: 'string', maxLength: 3, description: 'Of the original, ISO 639' },
    pages: { type: 'integer' },
    price: { type: 'decimal', precision: 8, scale: 2, example: '12.50' },
    in_stock: { type: 'boolean' },
  },
  relations: {
    author: belongsTo('Author', 'author_id'),
    publisher: belongsTo('Publisher', 'publisher_id'),
    sequel_of: belongsTo('Book', 'sequel_of_id'),
    sequels: hasMany('Book', 'sequel_of_id'),
    categories: manyToMany('Category', {
      through: 'book_categories',
      from: 'book_id',
      to: 'category_id',
    }),
    reviews: hasMany('Review', 'book_id'),
    holdings: hasMany('Holding', 'book_id'),
  },
  meta: { description: 'Books in the public domain.' },
})

/** The users who may log in; only admins manage them. */
export const User = defineModel('User', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    username: { type: 'string', maxLength: 40, unique: true },
    password_hash: { type: 'string', maxLength: 80, hidden: true },
    roles: {
      type: 'json',
      // Only admins reach users at all, see the role map.
      readOnly: false,
      description: 'Names of roles: admin, editor, viewer',
      example: ['viewer'],
    },
  },
  relations: { reviews: hasMany('Review', 'user_id') },
  methods: { check_password: passwordCheck('password_hash') },
  meta: {
    description: 'Who may log in.',
    auth_requirements: { ALL: true },
    role_map: { ALL: 'admin' },
    allowed_methods: ['GET', 'PATCH', 'DELETE'],
  },
})

interface Reader {
  readonly id: number
  readonly roles: readonly string[]
}

/** Users write reviews in their own name; admins may change those of others. */
const ownReviews = {
  can_create: (review: { user_id?: number | null }, { user }: { user: Reader }): boolean =>
    review.user_id === user.id,
  can_update: (
    review: { user_id: number | null },
    changes: { user_id?: number | null },
    { user }: { user: Reader },
  ): boolean =>
    user.roles.includes('admin') ||
    (review.user_id === user.id && (changes.user_id ?? user.id) === user.id),
  can_delete: (review: { user_id: number | null }, { user }: { user: Reader }): boolean =>
    user.roles.includes('admin') || review.user_id === user.id,
}

export const Review = defineModel('Review', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    book_id: { type: 'integer' },
    rating: { type: 'integer', description: 'From 1 to 5' },
    reviewer: { type: 'string', maxLength: 80 },
    body: { type: 'text' },
    created_at: { type: 'datetime', managed: 'created' },
    helpful: { type: 'integer', default: 0, description: 'How many readers found it helpful' },
    user_id: { type: 'integer', nullable: true, description: 'Whose it is, where that is known' },
  },
  relations: { book: belongsTo('Book', 'book_id'), user: belongsTo('User', 'user_id') },
  meta: {
    description: 'What readers say.',
    // Every user who is logged in may write reviews; the policy checks whose reviews they are.
    role_map: { POST: true, PATCH: true, DELETE: true },
    access_policy: ownReviews,
  },
})

export const Branch = defineModel('Branch', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 80 },
    city: { type: 'string', maxLength: 80 },
    opened_on: { type: 'date' },
  },
  relations: { holdings: hasMany('Holding', 'branch_id') },
  meta: { description: 'Where books stand.' },
})

export const Holding = defineModel('Holding', {
  columns: {
    branch_id: { type: 'integer', primaryKey: true },
    book_id: { type: 'integer', primaryKey: true },
    copies: { type: 'integer' },
    shelf_mark: { type: 'string', maxLength: 20, nullable: true },
    last_audited_on: { type: 'date', nullable: true },
  },
  relations: { branch: belongsTo('Branch', 'branch_id'), book: belongsTo('Book', 'book_id') },
  meta: { description: 'Copies of a book in a branch; its key is the pair.' },
})

/** Everything the demo publishes. */
export const models: readonly AnyModel[] = [
  Country,
  Author,
  Publisher,
  Category,
  Book,
  User,
  Review,
  Branch,
  Holding,
]
