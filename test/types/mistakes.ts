// Mistakes in models, meta and configuration that do not compile; compiled, never run.

import type { CheckedModels } from '../../packages/core/src/model/check-models.ts'
import {
  type AnyModel,
  defineBase,
  defineModel,
} from '../../packages/core/src/model/define-model.ts'
import { belongsTo, hasMany } from '../../packages/core/src/model/relation.ts'
import type { ApiConfig } from '../../packages/core/src/model/settings/config.ts'
import type { Meta } from '../../packages/core/src/model/settings/meta.ts'

const id = { type: 'integer', primaryKey: true } as const

// ---------------------------------------------------------------- columns

// @ts-expect-error: there is no type "int"
defineModel('Book', { columns: { id: { type: 'int' } } })
// @ts-expect-error: nullable, not nulable
defineModel('Book', { columns: { id, note: { type: 'text', nulable: true } } })
// @ts-expect-error: created or updated
defineModel('Book', { columns: { id, at: { type: 'datetime', managed: 'inserted' } } })
// @ts-expect-error: a column needs a type
defineModel('Book', { columns: { id: { primaryKey: true } } })
// @ts-expect-error: a path has one of the types text, integer, float and boolean
defineModel('Book', { columns: { id, meta: { type: 'json', json: { 'a.b': 'string' } } } })
// @ts-expect-error: table, not tabel
defineModel('Book', { tabel: 'books', columns: { id } })
// @ts-expect-error: an object of settings
defineModel('Book', { columns: { id }, meta: true })
// @ts-expect-error: a base has no tables
defineBase({ columns: { id }, table: 'books' })
// @ts-expect-error: table, not tabel, with a base too
defineBase({ columns: { id } }).define('Book', { tabel: 'books', columns: {} })
// @ts-expect-error: a base's columns too
defineBase({ columns: { at: { type: 'datetime', manged: 'created' } } })

// ---------------------------------------------------------------- meta

// @ts-expect-error: allow_join, not alow_join
defineModel('Book', { columns: { id }, meta: { alow_join: true } })
// @ts-expect-error: true or false
defineModel('Book', { columns: { id }, meta: { allow_join: 'yes' } })
// @ts-expect-error: a method name
defineModel('Book', { columns: { id }, meta: { allowed_methods: ['FETCH'] } })
// @ts-expect-error: config only
defineModel('Book', { columns: { id }, meta: { title: 'Library' } })
// @ts-expect-error: the spelling of config
defineModel('Book', { columns: { id }, meta: { API_ALLOW_JOIN: true } })
// @ts-expect-error: a base's meta too
defineBase({ columns: { id }, meta: { alow_join: true } })
// @ts-expect-error: an inherited model's too
defineBase({ columns: { id } }).define('Book', { columns: {}, meta: { alow_join: true } })

const everyForm: Meta = {
  allow_join: true,
  soft_delete_attribute: 'deleted',
  get_return_callback: (result) => result,
  patch_rate_limit: '5 per minute',
  rate_limit: '100/hour',
  endpoint: ['library/books'],
  api_role_map: { GET: 'viewer', '*': ['admin'] },
  role_map: { ALL: true },
  max_list: 10,
  dump_callback: (data) => ({ ...data }),
}
// @ts-expect-error: there is no method "fetch"
everyForm.fetch_rate_limit
// @ts-expect-error: secrets are config only
everyForm.access_secret_key
// @ts-expect-error: so are the token settings
everyForm.jwt_issuer
// @ts-expect-error: the login has a limit of its own
everyForm.login_rate_limit

// ---------------------------------------------------------------- configuration

// @ts-expect-error: API_ALLOW_JOIN
const misspelt: ApiConfig = { API_ALOW_JOIN: true }
// @ts-expect-error: kebab, snake, camel or pascal
const wrongCase: ApiConfig = { API_ENDPOINT_CASE: 'upper' }
// @ts-expect-error: no camelCase twins
const twin: ApiConfig = { allowJoin: true }
// @ts-expect-error: no key of a role map
const role: ApiConfig = { API_ROLE_MAP: { FETCH: 'admin' } }

// ---------------------------------------------------------------- computed columns and methods

defineModel('Book', {
  columns: { id, title: { type: 'string', column: 'book_title' } },
  // @ts-expect-error: the database name is book_title
  computed: { loud: { type: 'string', expression: (eb) => eb.ref('title') } },
})
defineModel('Book', {
  columns: { id, title: { type: 'string', column: 'book_title' } },
  computed: {
    // @ts-expect-error: the database name is book_title
    same: { type: 'integer', expression: (eb, self) => eb(self('title'), '=', eb.ref('id')) },
  },
})
defineModel('Book', {
  columns: { id },
  // @ts-expect-error: a computed column is never written
  computed: { loud: { type: 'string', expression: (eb) => eb.ref('id'), default: 'x' } },
})
defineModel('Book', {
  columns: { id },
  methods: {
    // @ts-expect-error: a book has no such field
    check: (book) => book.isbn,
  },
})

// ---------------------------------------------------------------- relations between models of a list

declare function publish<const Models extends readonly AnyModel[]>(
  models: Models & CheckedModels<Models>,
): void

const Author = defineModel('Author', {
  columns: { id },
  relations: { books: hasMany('Book', 'author_id') },
})
const Book = defineModel('Book', {
  columns: { id, author_id: { type: 'integer' } },
  relations: { author: belongsTo('Author', 'author_id') },
})
const WrongTarget = defineModel('Review', {
  columns: { id, book_id: { type: 'integer' } },
  relations: { book: belongsTo('Boook', 'book_id') },
})
const WrongKey = defineModel('Review', {
  columns: { id, book_id: { type: 'integer' } },
  relations: { book: belongsTo('Book', 'bookId') },
})
const WrongFarKey = defineModel('Shelf', {
  columns: { id },
  relations: { books: hasMany('Book', ['shelf_id', 'author_id']) },
})
declare const introspected: readonly AnyModel[]

publish([Author, Book])
publish(introspected)
publish([...introspected, Book])
// @ts-expect-error: no model named "Boook"
publish([Author, Book, WrongTarget])
// @ts-expect-error: Review has no column "bookId"
publish([Author, Book, WrongKey])
// @ts-expect-error: Book has no column "shelf_id"
publish([Author, Book, WrongFarKey])
// @ts-expect-error: no model named "Author"
publish([Book])

export const unused = [misspelt, wrongCase, twin, role]
