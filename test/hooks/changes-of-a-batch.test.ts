/**
 * A batch reported a record once for each operation that wrote it, with an `after` that was never committed; and it reported
 * links that were added and removed again.
 */
import { type AnyModel, type Change, defineModel, manyToMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const title = { type: 'string', maxLength: 20, nullable: true } as const

const Book = defineModel('Book', {
  columns: { id: { type: 'integer', primaryKey: true }, title, gone: { type: 'boolean' } },
  relations: {
    tags: manyToMany('Tag', { through: 'book_tags', from: 'book_id', to: 'tag_code' }),
  },
  meta: { soft_delete: true, soft_delete_attribute: 'gone' },
})

const Tag = defineModel('Tag', {
  columns: { code: { type: 'string', maxLength: 10, primaryKey: true }, title },
  meta: {},
})

const models: readonly AnyModel[] = [Book, Tag]

type Operation = readonly [method: string, url: string, body?: unknown]

eachDatabase('the changes of a batch in the after-commit callback', (test, db) => {
  const told: (readonly Change[])[] = []
  const api = testApi(db, models, {
    API_ALLOW_BATCH: true,
    API_ALLOW_BULK: true,
    API_ALLOW_NESTED_WRITES: true,
    API_BEFORE_COMMIT_CALLBACK: (changes: readonly Change[]) => void told.push(changes),
    API_AFTER_COMMIT_CALLBACK: (changes: readonly Change[]) => void told.push(changes),
  })
  test.before(() => createTables(db, models))
  const changesOf = async (...list: readonly Operation[]): Promise<unknown> => {
    told.length = 0
    const operations = list.map(([method, url, body], i) => ({ id: `o${i}`, method, url, body }))
    const { status, errors } = await send(api, 'POST', '/api/batch', { body: { operations } })
    equal([status, errors], [200, null])
    const [before, after] = told.map((changes) =>
      changes.map(({ action, key, before, after, links }) => [
        action,
        key[0],
        before?.title,
        after?.title,
        ...(links ? [links] : []),
      ]),
    )
    equal(after, before)
    return before
  }

  test('are one for each record, from before the batch to after it', async () => {
    equal(
      await changesOf(
        ['POST', '/api/books', { id: 1, title: 'a' }],
        ['POST', '/api/tags', { code: 'x', title: 'x' }],
        ['PATCH', '/api/books/1', { title: 'b' }],
        ['PATCH', '/api/books/1', { title: 'c' }],
      ),
      [
        ['create', 1, undefined, 'c'],
        ['create', 'x', undefined, 'x'],
      ],
    )
    equal(
      await changesOf(
        ['PATCH', '/api/books/1', { title: 'd' }],
        ['DELETE', '/api/books/1'],
        ['POST', '/api/tags', { code: 'y', title: 'y' }],
      ),
      [
        ['delete', 1, 'c', 'd'],
        ['create', 'y', undefined, 'y'],
      ],
    )
    equal(
      await changesOf(['POST', '/api/books/1/restore'], ['PATCH', '/api/books/1', { title: 'e' }]),
      [['restore', 1, 'd', 'e']],
    )
  })

  test('omit a record that is created and deleted in the batch', async () => {
    equal(
      await changesOf(
        ['POST', '/api/tags', { code: 'z', title: 'z' }],
        ['PATCH', '/api/tags/z', { title: 'zz' }],
        ['DELETE', '/api/tags/z'],
        ['PATCH', '/api/tags/x', { title: 'xx' }],
      ),
      [['update', 'x', 'x', 'xx']],
    )
  })

  test('contain the links that differ after the batch', async () => {
    const tags = (...codes: string[]) => ({ tags: codes.map((code) => ({ code })) })
    equal(
      await changesOf(
        ['PATCH', '/api/books/1', tags('x', 'y')],
        ['PATCH', '/api/books/1', tags('y')],
      ),
      [['update', 1, 'e', 'e', { tags: { added: [['y']], removed: [] } }]],
    )
    equal(
      await changesOf(['PATCH', '/api/books/1', tags('x')], ['PATCH', '/api/books/1', tags('y')]),
      [['update', 1, 'e', 'e']],
    )
    told.length = 0
    const twice = [tags('x'), tags('x', 'y')].map((lists) => ({ id: 1, ...lists }))
    await send(api, 'POST', '/api/books?on_conflict=id', { body: twice })
    equal(told[1]?.[0]?.links, { tags: { added: [['x']], removed: [] } })
  })
})
