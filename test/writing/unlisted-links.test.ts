/** Deleting a record deletes its links in a junction without a published model, even if the model at the other end is not published. */
import { type AnyModel, defineModel, manyToMany } from '@model-api/core'
import { sql } from 'kysely'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const name = { type: 'string', maxLength: 20 } as const

/** The side that declares the relation, and whether the junction table has a model. */
const models = (declared: 'Book' | 'Tag', junction: boolean): readonly AnyModel[] => [
  defineModel('Book', {
    columns: { id, name },
    relations:
      declared === 'Book'
        ? { tags: manyToMany('Tag', { through: 'book_tags', from: 'book_id', to: 'tag_id' }) }
        : {},
    meta: {},
  }),
  // Not published.
  defineModel('Tag', {
    columns: { id, name },
    relations:
      declared === 'Tag'
        ? { books: manyToMany('Book', { through: 'book_tags', from: 'tag_id', to: 'book_id' }) }
        : {},
  }),
  ...(junction
    ? [
        defineModel('BookTag', {
          columns: {
            book_id: { type: 'integer', primaryKey: true },
            tag_id: { type: 'integer', primaryKey: true },
          },
        }),
      ]
    : []),
]

eachDatabase('links to a model that is not published', (test, db) => {
  test.before(async () => {
    await createTables(db, models('Tag', false))
    await db.execScript('drop table book_tags')
    await db.execScript(
      'create table book_tags (book_id integer not null references books (id), tag_id integer not null references tags (id), primary key (book_id, tag_id))',
    )
  })

  for (const declared of ['Book', 'Tag'] as const) {
    for (const junction of [true, false]) {
      test(`are deleted with the record: declared by ${declared}${junction ? ', junction declared' : ''}`, async () => {
        const api = testApi(db, models(declared, junction), { API_ALLOW_BULK: true })
        await db.kysely.deleteFrom('book_tags').execute()
        await db.kysely.deleteFrom('books').execute()
        await db.kysely.deleteFrom('tags').execute()
        const [Book, Tag] = models(declared, junction) as [AnyModel, AnyModel]
        await insertRows(
          db,
          Book,
          [1, 2, 3].map((one) => ({ id: one, name: 'book' })),
        )
        await insertRows(db, Tag, [{ id: 1, name: 'tag' }])
        await sql`insert into book_tags values (1, 1), (2, 1), (3, 1)`.execute(db.kysely)
        equal((await send(api, 'DELETE', '/api/books/1')).status, 200)
        equal((await send(api, 'DELETE', '/api/books?id__eq=2')).status, 200)
        const left = await db.kysely.selectFrom('book_tags').selectAll().execute()
        equal(left, [{ book_id: 3, tag_id: 1 }])
        equal((await db.kysely.selectFrom('tags').selectAll().execute()).length, 1)
      })
    }
  }
})
