/** Cached statements under policies: whoever sent the request before, each caller gets the response of an API without caches. */
import { type ApiConfig, belongsTo, defineModel, hasMany } from '@model-api/core'
import { sql } from 'kysely'
import { type Answer, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true } as const

interface Caller {
  readonly role: 'admin' | 'member' | 'guest' | 'stranger' | 'outsider'
  readonly tenant: number
  readonly others: readonly number[]
}

const callers: readonly Caller[] = [
  { role: 'admin', tenant: 0, others: [] },
  { role: 'member', tenant: 1, others: [] },
  { role: 'member', tenant: 2, others: [] },
  { role: 'guest', tenant: 3, others: [1] },
  { role: 'guest', tenant: 2, others: [1, 3] },
  { role: 'guest', tenant: 1, others: [2, 3] },
  { role: 'stranger', tenant: 1, others: [] },
  { role: 'outsider', tenant: 1, others: [] },
]

// biome-ignore lint/suspicious/noExplicitAny: the query of either model
const byTenant = (query: any, { user }: any) => {
  const { role, tenant, others } = user as Caller
  if (role === 'admin') return query
  const own = query.where('tenant', '=', tenant)
  if (role === 'member' || role === 'outsider') return own
  if (role === 'guest') return query.where('tenant', 'in', [tenant, ...others])
  return own.where(sql`'a $1 question?'`, '=', 'a $1 question?')
}

const Author = defineModel('Author', {
  columns: { id, name: { type: 'string' }, tenant: { type: 'integer' } },
  relations: { books: hasMany('Book', 'author_id') },
  // An outsider may see no related author.
  meta: {
    access_policy: {
      scope_query: (query, args) => {
        const user = args.user as unknown as Caller
        return user.role === 'outsider' && args.relation_name !== null
          ? null
          : byTenant(query, args)
      },
    },
  },
})
const Book = defineModel('Book', {
  columns: {
    id,
    title: { type: 'string' },
    tenant: { type: 'integer' },
    author_id: { type: 'integer' },
  },
  relations: { author: belongsTo('Author', 'author_id'), notes: hasMany('Note', 'book_id') },
  meta: { access_policy: { scope_query: byTenant } },
})
const Note = defineModel('Note', {
  columns: {
    id,
    book_id: { type: 'integer' },
    text: { type: 'string' },
    tenant: { type: 'integer' },
  },
  meta: {
    access_policy: {
      scope_query: byTenant,
      can_read: (note) => note.text !== 'secret',
    },
  },
})
const models = [Author, Book, Note]

const config: ApiConfig = {
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
  API_SERIALIZATION_TYPE: 'dynamic',
}

const urls = [
  '/api/books?order_by=id',
  '/api/books?title__ne=Book%202&order_by=-id&limit=2',
  '/api/books?title__ne=Book%203&order_by=-id&limit=2&page=2',
  '/api/books/1',
  '/api/books/2?dump=json',
  '/api/books?join=author&join_type=left&order_by=id',
  '/api/books?join=author&order_by=id',
  '/api/books?dump=json&order_by=id',
  '/api/authors?join=books.notes&join_type=left&order_by=id',
  '/api/authors?exists(books.title__ne=Book%201)&order_by=id',
  '/api/books?groupby=tenant&id|n__count=1&order_by=tenant',
  '/api/notes?order_by=id',
  '/api/notes/1',
  '/api/authors/1/books?order_by=id',
]

eachDatabase('cached statements under policies', (test, db) => {
  test.before(async () => {
    await createTables(db, models)
    const numbers = Array.from({ length: 12 }, (_, i) => i + 1)
    const tenant = (i: number) => 1 + (i % 3)
    await insertRows(
      db,
      Author,
      numbers.slice(0, 6).map((i) => ({ id: i, name: `Author ${i}`, tenant: tenant(i) })),
    )
    await insertRows(
      db,
      Book,
      numbers.map((i) => ({
        id: i,
        title: `Book ${i}`,
        tenant: tenant(i),
        author_id: 1 + (i % 6),
      })),
    )
    await insertRows(
      db,
      Note,
      numbers.map((i) => ({
        id: i,
        book_id: i,
        text: i % 4 === 1 ? 'secret' : 'open',
        tenant: tenant(i),
      })),
    )
  })

  test('give each caller the same responses as an API without caches', async () => {
    const api = testApi(db, models, config)
    for (const url of urls) {
      const alone = new Map<Caller, Answer>()
      for (const user of callers) {
        alone.set(user, await send(testApi(db, models, config), 'GET', url, { user }))
      }
      // The third round is in reverse order, so that each caller uses the statements of each other one.
      for (const user of [...callers, ...callers, ...[...callers].reverse()]) {
        const { status, text } = await send(api, 'GET', url, { user })
        const expected = alone.get(user)
        equal(
          [status, text],
          [expected?.status, expected?.text],
          `${url} for ${JSON.stringify(user)}`,
        )
      }
    }
  })

  test('are the same for callers whose policies have the same SQL', async () => {
    const api = testApi(db, models, config)
    const url = '/api/books?order_by=id&count=none'
    const [, one, two] = callers
    for (const user of [one, one, one]) await send(api, 'GET', url, { user })
    const texts = []
    for (const user of [one, two]) {
      const { statements } = await db.capture(() => send(api, 'GET', url, { user }))
      texts.push(statements.map((statement) => statement.sql))
    }
    equal(texts[0], texts[1])
    equal(texts[0]?.length, 1)
  })

  test('bind a policy value that looks like an SQL fragment', async () => {
    const fragment = { strings: ["'Book 1' or 1 = 1"], values: [] }
    const Odd = defineModel('Book', {
      columns: { id, title: { type: 'string' } },
      meta: {
        access_policy: { scope_query: (query) => query.where('title', '=', fragment as never) },
      },
    })
    const api = testApi(db, [Odd], config, { onError: () => {} })
    for (let i = 0; i < 4; i++) {
      const { statements } = await db.capture(() => send(api, 'GET', '/api/books'))
      ok(statements.length > 0)
      for (const { sql: text } of statements) ok(!text.includes('1 = 1'), text)
    }
  })

  test('share a total only between callers who see the same rows', async () => {
    const api = testApi(db, models, config)
    const url = '/api/books?order_by=id&limit=1'
    for (let round = 0; round < 4; round++) {
      const answers = await Promise.all(callers.map((user) => send(api, 'GET', url, { user })))
      equal(
        answers.map(({ total }) => total),
        [12, 4, 4, 8, 12, 12, 4, 4],
      )
    }
  })
})
