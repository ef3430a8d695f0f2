/**
 * Foreign keys that share a column: nested objects moved a child to another parent, and created references to records that a
 * policy hides.
 */
import { type AnyModel, belongsTo, defineModel, hasMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'
import { countRows } from '../writing/models.ts'

const key = {
  tenant_id: { type: 'integer', primaryKey: true },
  id: { type: 'integer', primaryKey: true },
} as const
const name = { type: 'string', maxLength: 20 } as const

const Author = defineModel('Author', {
  columns: { ...key, name },
  relations: { books: hasMany('Book', ['tenant_id', 'author_id']) },
  meta: {},
})

const Publisher = defineModel('Publisher', {
  columns: { ...key, name },
  meta: { access_policy: { scope: { name: { ne: 'hidden' } } } },
})

const Book = defineModel('Book', {
  columns: {
    number: { type: 'integer', primaryKey: true, generated: true },
    tenant_id: { type: 'integer' },
    author_id: { type: 'integer' },
    publisher_id: { type: 'integer', nullable: true },
  },
  relations: {
    author: belongsTo('Author', ['tenant_id', 'author_id']),
    publisher: belongsTo('Publisher', ['tenant_id', 'publisher_id']),
  },
  meta: { allowed_methods: ['GET', 'POST', 'PATCH', 'PUT'] },
})

const models: readonly AnyModel[] = [Author, Publisher, Book]

eachDatabase('foreign keys that share a column', (test, db) => {
  const api = testApi(db, models, { API_ALLOW_NESTED_WRITES: true, API_ALLOW_BULK: true })
  test.before(async () => {
    await createTables(db, models)
    const tenants = [1, 2]
    await insertRows(
      db,
      Author,
      tenants.flatMap((tenant_id) => [7, 8].map((id) => ({ tenant_id, id, name: 'author' }))),
    )
    await insertRows(
      db,
      Publisher,
      tenants.flatMap((tenant_id) => [
        { tenant_id, id: 5, name: tenant_id === 2 ? 'hidden' : 'shown' },
        { tenant_id, id: 6, name: 'shown' },
      ]),
    )
    const common = { tenant_id: 1, author_id: 7 }
    await insertRows(db, Book, [
      { ...common, number: 901, publisher_id: 5 },
      { ...common, number: 902, publisher_id: 6 },
      { ...common, number: 903, publisher_id: null },
      { ...common, number: 904, publisher_id: 6 },
    ])
  })
  const stored = async (number: number): Promise<unknown> => {
    const row = await db.kysely
      .selectFrom('books')
      .selectAll()
      .where('number', '=', number)
      .executeTakeFirst()
    return row && [row.tenant_id, row.author_id, row.publisher_id]
  }
  const ask = async (method: string, url: string, body: unknown): Promise<unknown[]> => {
    const { status, errors } = await send(api, method, url, { body })
    return errors === null ? [status] : [status, errors.reason]
  }
  const hidden = (path: string) => [
    422,
    { [`${path}tenant_id`]: ['No such record.'], [`${path}publisher_id`]: ['No such record.'] },
  ]

  test('a nested object does not move a child to another parent', async () => {
    const author = (id: number, tenant_id: number) => ({
      tenant_id: 1,
      id,
      name: 'new',
      books: [{ publisher: { tenant_id, id: 6 } }],
    })
    const problem = ['Its "tenant_id" differs from that of the parent record.']
    equal(await ask('POST', '/api/authors', author(10, 2)), [
      400,
      { 'books[0].publisher': problem },
    ])
    equal(await ask('POST', '/api/authors', [author(10, 1), author(11, 2)]), [
      400,
      { '[1].books[0].publisher': problem },
    ])
    equal((await countRows(db, 'books'))[0], 4)
    equal(await ask('POST', '/api/authors', author(10, 1)), [201])
    const made = await db.kysely
      .selectFrom('books')
      .selectAll()
      .where('author_id', '=', 10)
      .execute()
    equal(
      made.map(({ tenant_id, publisher_id }) => [tenant_id, publisher_id]),
      [[1, 6]],
    )
  })

  test('a nested object cannot create a reference to a hidden record', async () => {
    const author = { tenant_id: 2, id: 7 }
    equal(await ask('PATCH', '/api/books/901', { author }), hidden(''))
    equal(await ask('PATCH', '/api/books', [{ number: 901, author }]), hidden('[0].'))
    equal(await stored(901), [1, 7, 5])
    equal(await ask('PATCH', '/api/books/902', { author }), [200])
    equal(await stored(902), [2, 7, 6])
    // The publisher is reset, so nothing refers to a hidden record.
    equal(await ask('PUT', '/api/books/901', { author }), [200])
    equal(await stored(901), [2, 7, null])
    equal(await ask('PATCH', '/api/books/903', { author }), [200])
  })

  test('a nested object keeps one for callers who may read the record alone', async () => {
    await insertRows(db, Book, [{ tenant_id: 2, author_id: 7, number: 900, publisher_id: 5 }])
    const blind = testApi(
      db,
      [Author, Publisher, { ...Book, meta: { allowed_methods: ['PATCH'] } } as AnyModel],
      { API_ALLOW_NESTED_WRITES: true },
    )
    const body = { author: { tenant_id: 2, id: 8 } }
    const { status, errors } = await send(blind, 'PATCH', '/api/books/900', { body })
    equal([status, errors.reason], hidden(''))
    equal(await ask('PATCH', '/api/books/900', body), [200])
  })

  test('a move to another parent cannot create one either', async () => {
    await db.kysely
      .updateTable('books')
      .set({ tenant_id: 1, author_id: 7, publisher_id: 5 })
      .where('number', '=', 901)
      .execute()
    const author = (id: number, number: number) => ({
      tenant_id: 2,
      id,
      name: 'new',
      books: [{ number }],
    })
    equal(await ask('POST', '/api/authors', author(20, 901)), hidden('books[0].'))
    equal(await stored(901), [1, 7, 5])
    equal(await ask('POST', '/api/authors', author(20, 904)), [201])
    equal(await stored(904), [2, 20, 6])
  })
})
