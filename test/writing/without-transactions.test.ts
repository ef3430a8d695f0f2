/**
 * A driver without transactions, such as that of D1: writes of single records and logins work; everything else is refused
 * before it writes.
 */
import {
  type Api,
  type ApiError,
  belongsTo,
  createApi,
  defineModel,
  hashPassword,
  hasMany,
  manyToMany,
  passwordCheck,
} from '@model-api/core'
import Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect, sql } from 'kysely'
import { equal, ok } from '../support/assert.ts'
import { suite } from '../support/suite.ts'
import { withoutTransactions } from '../support/without-transactions.ts'

const Author = defineModel('Author', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', unique: true },
  },
  relations: { books: hasMany('Book', 'author_id') },
  meta: {},
})
const Book = defineModel('Book', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    title: { type: 'string' },
    author_id: { type: 'integer', nullable: true },
  },
  relations: { author: belongsTo('Author', 'author_id') },
  meta: {},
})
const Tag = defineModel('Tag', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', unique: true },
  },
  relations: {
    books: manyToMany('Book', { through: 'book_tags', from: 'tag_id', to: 'book_id' }),
  },
  meta: {},
})
const Draft = defineModel('Draft', {
  columns: { id: { type: 'integer', primaryKey: true, generated: true }, text: { type: 'text' } },
  meta: { add_callback: (draft) => draft },
})
const User = defineModel('User', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string' },
    password_hash: { type: 'string' },
  },
  methods: { check_password: passwordCheck('password_hash') },
})

interface World {
  readonly api: Api
  // biome-ignore lint/suspicious/noExplicitAny: the tables are those below
  readonly db: Kysely<any>
  readonly errors: unknown[]
  readonly statements: string[]
}

async function openWorld(): Promise<World> {
  const statements: string[] = []
  const database = new Sqlite(':memory:')
  database.exec(`
    create table authors (id integer primary key, name text not null unique);
    create table books (id integer primary key, title text not null, author_id integer references authors (id));
    create table tags (id integer primary key, name text not null unique);
    create table book_tags (book_id integer, tag_id integer, primary key (book_id, tag_id));
    create table drafts (id integer primary key, text text not null);
    create table users (id integer primary key, name text not null, password_hash text not null);
    insert into authors values (1, 'Ann'), (2, 'Bob'); insert into books values (1, 'Arrows', 1);`)
  // biome-ignore lint/suspicious/noExplicitAny: the tables are those above
  const db = new Kysely<any>({
    dialect: withoutTransactions(new SqliteDialect({ database })),
    log: ({ query }) => void statements.push(query.sql),
  })
  const hash = await hashPassword('right', 4)
  await db.insertInto('users').values({ id: 1, name: 'ann', password_hash: hash }).execute()
  const errors: unknown[] = []
  const api = createApi({
    db,
    models: [Author, Book, Tag, Draft, User],
    config: {
      API_ALLOW_NESTED_WRITES: true,
      API_ALLOW_BULK: true,
      API_ALLOW_CASCADE_DELETE: true,
      API_AUTHENTICATE_METHOD: ['jwt'],
      API_USER_MODEL: User,
      API_USER_LOOKUP_FIELD: 'name',
      API_CREDENTIAL_CHECK_METHOD: 'check_password',
      API_AUTH_REQUIREMENTS: {
        ...{ GET: false, POST: false, PATCH: false, PUT: false, DELETE: false },
      },
    },
    env: {
      ACCESS_SECRET_KEY: 'access-secret-of-these-tests-alone',
      REFRESH_SECRET_KEY: 'refresh-secret-of-these-tests-alone',
    },
    onError: (error) => void errors.push(error),
    onWarning: () => {},
  })
  return { api, db, errors, statements }
}

suite('a driver without transactions', (test) => {
  let world: World
  test.before(async () => {
    world = await openWorld()
  })
  test.after(async () => {
    await world.api.close()
    await world.db.destroy()
  })
  // biome-ignore lint/suspicious/noExplicitAny: the shape depends on the request
  const send = async (method: string, url: string, body?: unknown, headers = {}): Promise<any> => {
    const json = { 'content-type': 'application/json', ...headers }
    const text = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await world.api.handle({ method, url, headers: json, ...text })
    const { value, errors } = answer.body as { value: unknown; errors: { code: string } | null }
    return { status: answer.status, value, code: errors?.code, errors }
  }
  const everything = async (): Promise<unknown> => {
    const rows: unknown[] = []
    for (const table of ['authors', 'books', 'tags', 'book_tags', 'drafts']) {
      rows.push(table, ...(await sql`select * from ${sql.id(table)}`.execute(world.db)).rows)
    }
    return rows
  }

  test('writes one record by one statement', async () => {
    equal((await send('POST', '/api/tags', { name: 'new' })).status, 201)
    equal((await send('PATCH', '/api/tags/1', { name: 'newer' })).value.name, 'newer')
    await sql`insert into drafts values (7, 'old')`.execute(world.db)
    equal((await send('DELETE', '/api/drafts/7')).status, 200)
    // The response contains more than the row, so it is read after the write.
    const deep = await send('POST', '/api/books?dump=json', { title: 'Deep', author_id: 2 })
    equal([deep.status, deep.value.author.name], [201, 'Bob'])
  })

  test('reports errors of a single-record write like other drivers', async () => {
    const codes = [
      await send('POST', '/api/authors', { name: 'Ann' }),
      await send('PATCH', '/api/authors/2', { name: 'Ann' }),
      await send('PATCH', '/api/authors/99', { name: 'Nobody' }),
      await send('POST', '/api/books', { title: 7 }),
      await send('DELETE', '/api/drafts/99'),
    ].map(({ status, code }) => `${status} ${code}`)
    equal(codes, [
      '409 unique_violation',
      '409 unique_violation',
      '404 record_not_found',
      '400 validation_failed',
      '404 record_not_found',
    ])
  })

  test('refuses what needs a transaction, says why, and writes nothing', async () => {
    const before = await everything()
    const key = { 'idempotency-key': 'a-key-of-16-letters' }
    const refused = [
      await send('POST', '/api/tags', [{ name: 'one' }, { name: 'two' }]),
      await send('POST', '/api/books', { title: 'Nested', author: { name: 'Ewa' } }),
      await send('PATCH', '/api/books?title__eq=Arrows', { title: 'All' }),
      await send('DELETE', '/api/books?title__eq=Arrows'),
      await send('POST', '/api/tags?on_conflict=name', { name: 'newer' }),
      await send('POST', '/api/tags', { name: 'keyed' }, key),
      await send('PATCH', '/api/tags/1', { name: 'if' }, { 'if-match': '"0.0"' }),
      await send('DELETE', '/api/authors/2'),
      await send('DELETE', '/api/authors/1?cascade_delete=1'),
      await send('POST', '/api/drafts', { text: 'seen by a callback' }),
    ]
    const codes = refused.map(({ status, code }) => `${status} ${code}`)
    equal(new Set(codes), new Set(['501 transactions_unsupported']))
    ok(refused[0].errors.reason.includes('needs a transaction'))
    equal(await everything(), before)
    // All errors from 500 on are reported, and no others.
    const reported = world.errors.map((error) => (error as ApiError).body.code)
    equal(
      reported,
      refused.map(() => 'transactions_unsupported'),
    )
  })

  test('signs in, rotates refresh tokens, and revokes the successor of one that is used twice', async () => {
    const first = await send('POST', '/auth/login', { username: 'ann', password: 'right' })
    equal(first.status, 200)
    const refresh = (token: string) => send('POST', '/auth/refresh', { refresh_token: token })
    world.statements.length = 0
    const second = await refresh(first.value.refresh_token)
    equal(second.status, 200)
    const changes = world.statements.filter((text) => /^(insert|update|delete)/.test(text))
    equal(
      changes.map((text) => text.slice(0, 6)),
      ['update', 'insert'],
    )
    equal((await refresh(first.value.refresh_token)).code, 'invalid_refresh_token')
    equal((await refresh(second.value.refresh_token)).code, 'invalid_refresh_token')
    const { rows } = await sql`select revoked from refresh_tokens`.execute(world.db)
    equal(rows, [{ revoked: 1 }, { revoked: 1 }])
  })

  test('a token that is used twice before its successor is stored keeps that one from being stored', async () => {
    await sql`delete from refresh_tokens`.execute(world.db)
    const { value } = await send('POST', '/auth/login', { username: 'ann', password: 'right' })
    const refresh = () => send('POST', '/auth/refresh', { refresh_token: value.refresh_token })
    equal((await refresh()).status, 200)
    // As between the two statements of the rotation.
    await sql`delete from refresh_tokens where revoked = 0`.execute(world.db)
    equal((await refresh()).code, 'invalid_refresh_token')
    const { rows } = await sql`select revoked from refresh_tokens`.execute(world.db)
    equal(rows, [{ revoked: 1 }, { revoked: 1 }])
  })
})
