/** A junction whose two keys share a column: links were 500 on PostgreSQL and MariaDB, and on SQLite another record was linked. */
import { type AnyModel, belongsTo, defineModel, manyToMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const part = { type: 'integer', primaryKey: true } as const
const key = { tenant_id: part, id: part } as const

const Book = defineModel('Book', {
  columns: key,
  relations: {
    tags: manyToMany('Tag', {
      through: 'book_tags',
      from: ['tenant_id', 'book_id'],
      to: ['tenant_id', 'tag_id'],
    }),
  },
  meta: {},
})

const Tag = defineModel('Tag', { columns: key, meta: {} })

const BookTag = defineModel('BookTag', {
  columns: { tenant_id: part, book_id: part, tag_id: part },
  relations: {
    book: belongsTo('Book', ['tenant_id', 'book_id']),
    tag: belongsTo('Tag', ['tenant_id', 'tag_id']),
  },
  meta: {},
})

const published: readonly AnyModel[] = [Book, Tag, BookTag]
const unpublished: readonly AnyModel[] = [Book, Tag]

eachDatabase('a junction whose keys share a column', (test, db) => {
  const settings = { API_ALLOW_NESTED_WRITES: true, API_ALLOW_BULK: true } as const
  const ids = [1, 2]
  const pairs = ids.flatMap((tenant_id) => ids.map((id) => ({ tenant_id, id })))
  test.before(async () => {
    await createTables(db, published)
    for (const model of unpublished) await insertRows(db, model, pairs)
  })
  const links = async (): Promise<unknown> => {
    const rows = await db.kysely.selectFrom('book_tags').selectAll().execute()
    return rows.map(({ tenant_id, book_id, tag_id }) => `${tenant_id} ${book_id} ${tag_id}`).sort()
  }
  for (const [title, models] of [
    ['with a model', published],
    ['without a model', unpublished],
  ] as const) {
    const api = testApi(db, models, settings)
    const patch = async (body: unknown): Promise<unknown[]> => {
      const { status, errors } = await send(api, 'PATCH', '/api/books', { body })
      return errors === null ? [status] : [status, errors.reason]
    }

    test(`links and unlinks records, ${title}`, async () => {
      await db.kysely.deleteFrom('book_tags').execute()
      const both = ids.map((id) => ({ tenant_id: 1, id, tags: pairs.slice(0, 2) }))
      equal(await patch(both), [200])
      equal(await links(), ['1 1 1', '1 1 2', '1 2 1', '1 2 2'])
      const one = { tenant_id: 1, id: 2, tags: pairs.slice(0, 1) }
      equal(await patch([{ tenant_id: 1, id: 1, tags: [] }, one]), [200])
      equal(await links(), ['1 2 1'])
    })

    test(`links no other record than the one named, ${title}`, async () => {
      await db.kysely.deleteFrom('book_tags').execute()
      const tags = [{ tenant_id: 2, id: 1 }]
      equal(await patch([{ tenant_id: 1, id: 1, tags }]), [
        400,
        {
          '[0].tags[0]': [
            'It cannot be linked here: its "tenant_id" differs from that of the record.',
          ],
        },
      ])
      equal(await links(), [])
    })
  }
})
