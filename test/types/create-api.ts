// What createApi knows about its models, and what hooks know about users; compiled, never run.

import {
  type AnyModel,
  type Api,
  type ApiConfig,
  apiError,
  type BeforeCommitCallback,
  belongsTo,
  createApi,
  defineModel,
  type Envelope,
  hasMany,
  type RowOf,
  type WriteCallback,
} from '@model-api/core'
import { createClient } from '@model-api/core/client'
import type { Kysely, Transaction } from 'kysely'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_Claim extends true>(): void => undefined

// biome-ignore lint/suspicious/noExplicitAny: any database
declare const db: Kysely<any>
declare const introspected: readonly AnyModel[]

const id = { type: 'integer', primaryKey: true } as const

const Author = defineModel('Author', {
  columns: { id, name: { type: 'string' } },
  relations: { books: hasMany('Book', 'author_id') },
  meta: {},
})
const Book = defineModel('Book', {
  columns: { id, author_id: { type: 'integer', nullable: true } },
  relations: { author: belongsTo('Author', 'author_id') },
  meta: {},
})
const User = defineModel('User', {
  columns: { id, name: { type: 'string' }, secret: { type: 'string', hidden: true } },
})

// ---------------------------------------------------------------- models

createApi({ db, models: [Author, Book] })
createApi({ db, models: introspected })
createApi({ db, models: [...introspected, Author] })
createApi({ db })

// @ts-expect-error: no model named "Book"
createApi({ db, models: [Author] })
const Wrong = defineModel('Review', {
  columns: { id, book_id: { type: 'integer' } },
  relations: { book: belongsTo('Book', 'bookId') },
})
// @ts-expect-error: Review has no column "bookId"
createApi({ db, models: [Author, Book, Wrong] })
const WrongFar = defineModel('Shelf', {
  columns: { id },
  relations: { books: hasMany('Book', 'shelf_id') },
})
// @ts-expect-error: Book has no column "shelf_id"
createApi({ db, models: [Author, Book, WrongFar] })

// ---------------------------------------------------------------- configuration

// @ts-expect-error: API_ALLOW_JOIN
createApi({ db, models: [Author, Book], config: { API_ALOW_JOIN: true } })
// @ts-expect-error: a boolean
createApi({ db, models: [Author, Book], config: { API_ALLOW_JOIN: 'yes' } })
// @ts-expect-error: an option of createApi
createApi({ db, models: [Author, Book], confg: {} })

// ---------------------------------------------------------------- hooks know the user

createApi({
  db,
  models: [Author, Book, User],
  config: {
    API_USER_MODEL: User,
    API_DUMP_CALLBACK: (data, { user }) => {
      holds<Equal<typeof user, { id: number; name: string; secret: string } | null>>()
      return { ...data, asked_by: user?.name }
    },
    API_RETURN_CALLBACK: (result, { user, many }) => {
      // @ts-expect-error: nobody may have asked
      user.name
      // @ts-expect-error: a user has no such field
      user?.email
      return many ? result : [result]
    },
    API_SETUP_CALLBACK: (_request, { user, model }) => {
      holds<Equal<typeof user, { id: number; name: string; secret: string } | null>>()
      holds<Equal<typeof model, AnyModel | null>>()
    },
    API_FINAL_CALLBACK: (body, { user }) => [body, user?.name ?? null],
    // @ts-expect-error: nobody may have asked
    API_ERROR_CALLBACK: (_error, _request, { user }) => void user.name,
    API_ACCESS_POLICY: {
      scope_query: (query, { user }) => user !== null && query.where('owner_id', '=', user.id),
      // @ts-expect-error: a user has no such field
      can_delete: (_book, { user }) => user?.admin,
    },
  },
})

// Without a user model: the user that the strategies return.
interface Member {
  readonly id: number
  readonly team: string
}
declare const memberOf: (session: string) => Promise<Member | undefined>
createApi({
  db,
  models: [Author, Book],
  config: {
    API_CUSTOM_AUTH: (request) => memberOf(String(request.headers?.session)),
    API_ADD_CALLBACK: (object, _model, { user }) => {
      holds<Equal<typeof user, Member | null>>()
      return { ...object, team: user?.team }
    },
    API_BEFORE_COMMIT_CALLBACK: (changes) => {
      for (const { path, at } of changes) {
        holds<Equal<typeof path, string | null>>()
        throw apiError(403, 'Forbidden', { title: [path ?? ''] }, { code: 'fixed', at })
      }
    },
    API_AFTER_COMMIT_CALLBACK: (_changes, { user, committed }) => {
      holds<Equal<typeof user, Member | null>>()
      holds<Equal<typeof committed, boolean>>()
    },
    API_SOFT_DELETE_VALUES: [null, ({ user }) => user?.team ?? 'nobody'],
    API_ACCESS_POLICY: {
      // @ts-expect-error: a member has no such field
      can_delete: (_book, { user }) => user?.admin,
    },
  },
})
createApi({
  db,
  models: [Author, Book],
  config: {
    API_KEY_AUTH_AND_RETURN_METHOD: async (key) => (key === '' ? null : { service: key }),
    API_DUMP_CALLBACK: (data, { user }) => {
      holds<Equal<typeof user, { service: string } | null>>()
      return data
    },
  },
})
// With both, either may have found the user. A custom strategy that returns only true or false says nothing about the user.
createApi({
  db,
  models: [Author, Book],
  config: {
    API_CUSTOM_AUTH: (request): Member | boolean => request.method === 'GET',
    API_KEY_AUTH_AND_RETURN_METHOD: (key) => ({ service: key }),
    API_DUMP_CALLBACK: (data, { user }) => {
      holds<Equal<typeof user, Member | { service: string } | null>>()
      return data
    },
  },
})
createApi({
  db,
  models: [Author, Book],
  config: {
    API_CUSTOM_AUTH: (request) => request.method === 'GET',
    API_DUMP_CALLBACK: (data, { user }) => ({ ...data, by: user.anything }),
  },
})
// A hook that runs before authentication does not know the user yet.
createApi({
  db,
  models: [Author, Book],
  config: {
    API_DUMP_CALLBACK: (data, { user }) => ({ ...data, by: user.anything }),
    API_CUSTOM_AUTH: (request) => memberOf(request.url),
  },
})

// Without any of them, the user has the type any, because only the author knows it.
createApi({
  db,
  models: [Author, Book],
  config: { API_DUMP_CALLBACK: (data, { user }) => ({ ...data, by: user.anything }) },
})

// With API_USER_MODEL, a strategy returns its records. It may add members, or leave out columns.
createApi({
  db,
  models: [Author, Book, User],
  config: {
    API_USER_MODEL: User,
    API_CUSTOM_AUTH: async () => ({ id: 1, name: 'ann', session: 'x' }),
    API_DUMP_CALLBACK: (data, { user }) => ({ ...data, by: user?.secret }),
  },
})
createApi({
  db,
  models: [Author, Book, User],
  config: { API_USER_MODEL: User, API_CUSTOM_AUTH: async () => ({ id: 1 }) },
})
// One that does both returns another user. The hooks then have its type, so that each is not an error as well.
createApi({
  db,
  models: [Author, Book, User],
  config: {
    API_USER_MODEL: User,
    // @ts-expect-error: API_USER_MODEL has no column "team", as the user of API_CUSTOM_AUTH
    API_CUSTOM_AUTH: (request) => memberOf(request.url),
    API_DUMP_CALLBACK: (data, { user }) => ({ ...data, by: user?.team }),
  },
})
// What a hook declares does not change what a strategy returns.
declare const membersOnly: BeforeCommitCallback<Member>
createApi({
  db,
  models: [Author, Book],
  config: {
    API_CUSTOM_AUTH: (request) => memberOf(request.url),
    // @ts-expect-error: nobody may have asked
    API_BEFORE_COMMIT_CALLBACK: membersOnly,
  },
})

// ---------------------------------------------------------------- hooks know the tables of db

interface Tables {
  readonly books: { readonly id: number; readonly title: string }
  readonly events: { readonly id: number; readonly text: string }
}
declare const typedDb: Kysely<Tables>
declare const inTransaction: Transaction<Tables>
declare const anyTables: WriteCallback
declare const otherTables: WriteCallback<
  Member | null,
  { readonly authors: { readonly id: number } }
>
createApi({
  db: typedDb,
  models: [Author, Book],
  config: {
    API_CUSTOM_AUTH: (request) => memberOf(request.url),
    API_SETUP_CALLBACK: (_request, { db }) => holds<Equal<typeof db, Kysely<Tables> | null>>(),
    API_FILTER_CALLBACK: (query, _model, _params, { db }) => {
      holds<Equal<typeof db, Kysely<Tables>>>()
      return query
    },
    API_ADD_CALLBACK: async (object, _model, { db, user }) => {
      holds<Equal<typeof user, Member | null>>()
      // @ts-expect-error: no such table
      await db.insertInto('evens').execute()
      return object
    },
    // A callback that does not say which tables it needs.
    API_REMOVE_CALLBACK: anyTables,
    API_DUMP_CALLBACK: async (data, { db }) => {
      // @ts-expect-error: no such column
      await db.selectFrom('books').select('titel').execute()
      return data
    },
    API_RETURN_CALLBACK: (result, { db }) => {
      holds<Equal<typeof db, Kysely<Tables>>>()
      return result
    },
    API_BEFORE_COMMIT_CALLBACK: async (_changes, { db }) => {
      await db.insertInto('events').values({ id: 1, text: '' }).execute()
      // @ts-expect-error: no such column
      await db.insertInto('events').values({ id: 1, text: '', at: 0 }).execute()
    },
    API_AFTER_COMMIT_CALLBACK: (_changes, { db }) => holds<Equal<typeof db, Kysely<Tables>>>(),
    API_FINAL_CALLBACK: (body, { db }) => {
      holds<Equal<typeof db, Kysely<Tables> | null>>()
      return body
    },
    API_ERROR_CALLBACK: (_e, _request, { db }) => holds<Equal<typeof db, Kysely<Tables> | null>>(),
    API_SOFT_DELETE_VALUES: [null, ({ db }) => holds<Equal<typeof db, Kysely<Tables>>>()],
    API_ACCESS_POLICY: {
      scope: { id: { eq: ({ db }) => holds<Equal<typeof db, Kysely<Tables>>>() ?? null } },
      can_read: (_object, { db }) => holds<Equal<typeof db, Kysely<Tables>>>(),
    },
  },
})
createApi({
  db: typedDb,
  models: [Author, Book],
  config: {
    // @ts-expect-error: db has no table "authors"
    API_ADD_CALLBACK: otherTables,
  },
})
createApi({
  db: inTransaction,
  models: [Author, Book],
  config: {
    API_AFTER_COMMIT_CALLBACK: async (_changes, { db }) => {
      await db.insertInto('events').values({ id: 1, text: '' }).execute()
      // @ts-expect-error: no such table
      await db.insertInto('evens').execute()
    },
  },
})
// Without types of the tables, and for a function that takes the options of createApi.
createApi({
  db,
  config: {
    API_DUMP_CALLBACK: async (data, { db }) => ({
      ...data,
      rows: await db.selectFrom('anything').selectAll().execute(),
    }),
  },
})
declare const options: Parameters<typeof createApi>[0]
export const wrapped: typeof options = { ...options, db: inTransaction }

// ---------------------------------------------------------------- a wrong setting leaves the models typed

export const wrongValue = createApi({
  db: typedDb,
  models: [Author, Book],
  config: {
    API_CUSTOM_AUTH: (request) => memberOf(request.url),
    // @ts-expect-error: a boolean
    API_ALLOW_JOIN: 'yes',
  },
})
createClient<typeof wrongValue>('').authors.list({ fields: ['name'] })
// @ts-expect-error: an author has no such field
createClient<typeof wrongValue>('').authors.list({ fields: ['nme'] })

// A configuration declared elsewhere.
declare const config: ApiConfig
createApi({ db, models: [Author, Book], config })
createApi({ db, models: [Author, Book], config: { ...config, API_USER_MODEL: User } })

// ---------------------------------------------------------------- responses

declare const api: Api
const one = api.handle<RowOf<typeof Author>>({ method: 'GET', url: '/api/authors/1' })
holds<Equal<Awaited<typeof one>['body'], Envelope<{ id: number; name: string }> | undefined>>()
// @ts-expect-error: a URL is needed
api.handle({ method: 'GET' })
