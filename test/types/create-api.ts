// What createApi knows about its models, and what hooks know about users; compiled, never run.

import {
  type AnyModel,
  type Api,
  type ApiConfig,
  belongsTo,
  createApi,
  defineModel,
  type Envelope,
  hasMany,
  type RowOf,
} from '@model-api/core'
import type { Kysely } from 'kysely'

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
