/** Lists of links that two requests write at once, one from each end: no dangling link, no false refusal, and nothing stored in part. */
import { type AnyModel, type ApiConfig, defineModel, manyToMany } from '@model-api/core'
import { sql } from 'kysely'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true } as const
const rank = { type: 'integer', default: 0 } as const

const Author = defineModel('Author', {
  columns: { id, rank },
  relations: {
    books: manyToMany('Book', { through: 'authorships', from: 'author_id', to: 'book_id' }),
  },
  meta: {},
})
const Book = defineModel('Book', {
  columns: { id, rank },
  relations: {
    authors: manyToMany('Author', { through: 'authorships', from: 'book_id', to: 'author_id' }),
  },
  meta: {},
})
const Person = defineModel('Person', {
  table: 'people',
  columns: { id },
  relations: {
    friends: manyToMany('Person', { through: 'friends', from: 'who', to: 'whom' }),
    fans: manyToMany('Person', { through: 'friends', from: 'whom', to: 'who' }),
  },
  meta: {},
})
const models: readonly AnyModel[] = [Author, Book]
const config: ApiConfig = { API_ALLOW_NESTED_WRITES: true, API_ALLOW_BULK: true }
const rounds = 25
const count = 3

for (const keys of ['with', 'without'] as const) {
  for (const only of ['postgres', 'mysql'] as const) {
    eachDatabase(
      `links from both ends ${keys} foreign keys`,
      (test, db) => {
        const refused: unknown[] = []
        const api = testApi(db, models, config, { onError: (error) => refused.push(error) })
        const reset = async () => {
          for (const table of ['authorships', 'authors', 'books']) {
            await db.kysely.deleteFrom(table).execute()
          }
          const rows = Array.from({ length: count }, (_, i) => ({ id: i + 1, rank: 0 }))
          await insertRows(db, Author, rows)
          await insertRows(db, Book, rows)
        }
        const links = async (): Promise<string[]> => {
          const rows = await db.kysely.selectFrom('authorships').selectAll().execute()
          return rows.map(({ author_id, book_id }) => `${author_id} ${book_id}`).sort()
        }
        const isDangling = async (): Promise<boolean> => {
          const { rows } = await sql`select 1 from authorships as l
            where not exists (select 1 from authors as a where a.id = l.author_id)
              or not exists (select 1 from books as b where b.id = l.book_id)`.execute(db.kysely)
          return rows.length > 0
        }

        test.before(async () => {
          await createTables(db, [...models, Person])
          await insertRows(
            db,
            Person,
            [1, 2, 3].map((id) => ({ id })),
          )
          await sql`drop table authorships`.execute(db.kysely)
          const refers = (table: string) =>
            keys === 'with'
              ? sql`, foreign key (${sql.ref(`${table}_id`)}) references ${sql.table(`${table}s`)} (id)`
              : sql``
          await sql`create table authorships (author_id integer not null, book_id integer not null,
            primary key (author_id, book_id)${refers('author')}${refers('book')})`.execute(
            db.kysely,
          )
          await api.ready
        })
        test.before.each(reset)

        test('the same link, and lists that cross', async () => {
          const statuses: number[] = []
          let repeats = 0
          for (let round = 0; round < rounds; round++) {
            await db.kysely.deleteFrom('authorships').execute()
            const own = (round % count) + 1
            const all = Array.from({ length: count }, (_, i) => ({ id: i + 1 }))
            const list = round % 2 === 0 ? all : all.toReversed()
            const { result: answers, statements } = await db.capture(() =>
              Promise.all([
                send(api, 'PATCH', `/api/authors/${own}`, { body: { rank: round, books: list } }),
                send(api, 'PATCH', `/api/books/${own}`, { body: { rank: round, authors: list } }),
                send(api, 'PATCH', '/api/books', {
                  body: all.map((one) => ({ ...one, authors: [{ id: own }] })),
                }),
              ]),
            )
            repeats += statements.filter((one) => one.sql === 'rollback').length
            statuses.push(...answers.map(({ status }) => status))
          }
          equal(count503(statuses), 0, JSON.stringify(refused.slice(0, 2).map(String)))
          equal(new Set(statuses), new Set([200]))
          equal(repeats, 0)
        })

        test('a list beside the removal of a record that it names', async () => {
          for (let round = 0; round < rounds; round++) {
            await reset()
            const [linked, removed] = await Promise.all([
              send(api, 'PATCH', '/api/authors/1', {
                body: { rank: 7, books: [{ id: 1 }, { id: 2 }] },
              }),
              send(api, 'DELETE', '/api/books/2'),
            ])
            equal(await isDangling(), false)
            ok([200, 409, 422].includes(linked.status), linked.text)
            ok([200, 409].includes(removed.status), removed.text)
            const [author] = await db.kysely
              .selectFrom('authors')
              .where('id', '=', 1)
              .selectAll()
              .execute()
            equal(author?.rank, linked.status === 200 ? 7 : 0)
            if (linked.status !== 200) equal(await links(), [])
          }
        })

        test('with a callback, a list is neither refused nor dangles', async () => {
          const called = testApi(db, models, { ...config, API_UPDATE_CALLBACK: (object) => object })
          for (let round = 0; round < 8; round++) {
            await reset()
            const [first, second] = await Promise.all([
              send(called, 'PATCH', '/api/authors/1', { body: { rank: 1, books: [{ id: 1 }] } }),
              send(called, 'PATCH', '/api/books/1', { body: { rank: 1, authors: [{ id: 1 }] } }),
            ])
            equal([first.status, second.status], [200, 200])
            equal(await links(), ['1 1'])
            const [linked, removed] = await Promise.all([
              send(called, 'PATCH', '/api/authors/2', { body: { rank: 7, books: [{ id: 2 }] } }),
              send(called, 'DELETE', '/api/books/2'),
            ])
            equal(await isDangling(), false)
            ok([200, 409, 422].includes(linked.status), linked.text)
            ok([200, 409].includes(removed.status), removed.text)
          }
        })

        test('a link that is made from both ends, whose records cannot be locked, is made once', async () => {
          // PostgreSQL: a lock may not find the rows of tables with row security.
          if (db.name !== 'postgres') return
          for (const table of ['authors', 'books']) {
            await sql`alter table ${sql.table(table)} enable row level security`.execute(db.kysely)
          }
          let inside = 0
          const called = testApi(db, models, {
            ...config,
            API_UPDATE_CALLBACK: async (object) => {
              inside += 1
              while (inside < 2) await new Promise((resolve) => setTimeout(resolve, 2))
              return object
            },
          })
          await called.ready
          for (let round = 0; round < 8; round++) {
            await reset()
            inside = 0
            const answers = await Promise.all([
              send(called, 'PATCH', '/api/authors/1', { body: { rank: 1, books: [{ id: 1 }] } }),
              send(called, 'PATCH', '/api/books/1', { body: { rank: 1, authors: [{ id: 1 }] } }),
            ])
            equal(
              answers.map(({ status }) => status),
              [200, 200],
            )
            equal(await links(), ['1 1'])
          }
          for (const table of ['authors', 'books']) {
            await sql`alter table ${sql.table(table)} disable row level security`.execute(db.kysely)
          }
        })

        test('both ends may be records of one model', async () => {
          const friends = testApi(db, [Person], config)
          for (let round = 0; round < rounds; round++) {
            await db.kysely.deleteFrom('friends').execute()
            const { result, statements } = await db.capture(() =>
              Promise.all([
                send(friends, 'PATCH', '/api/people/1', {
                  body: { friends: [{ id: 2 }, { id: 3 }] },
                }),
                send(friends, 'PATCH', '/api/people/2', { body: { fans: [{ id: 1 }, { id: 3 }] } }),
                send(friends, 'PATCH', '/api/people', {
                  body: [
                    { id: 3, friends: [{ id: 2 }, { id: 1 }] },
                    { id: 2, friends: [{ id: 3 }] },
                  ],
                }),
              ]),
            )
            equal(
              result.map(({ status }) => status),
              [200, 200, 200],
            )
            equal(statements.filter((one) => one.sql === 'rollback').length, 0)
          }
        })

        test('new records with links beside lists of the other end', async () => {
          for (let round = 0; round < rounds; round++) {
            await reset()
            const answers = await Promise.all([
              send(api, 'POST', '/api/authors', { body: { id: 8, books: [{ id: 1 }, { id: 2 }] } }),
              send(api, 'PATCH', '/api/books/1', { body: { authors: [{ id: 1 }, { id: 2 }] } }),
              send(api, 'PATCH', '/api/books/2', { body: { authors: [{ id: 2 }, { id: 1 }] } }),
            ])
            equal(
              answers.map(({ status }) => status),
              [201, 200, 200],
            )
            equal(await isDangling(), false)
          }
        })
      },
      { only },
    )
  }
}

const count503 = (statuses: readonly number[]): number =>
  statuses.filter((status) => status === 503).length
