/** A cascade reaches a record twice: it first marks it as deleted, and must then delete its row, because a row goes to which it refers. */
import { type AnyModel, belongsTo, defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true } as const
const key = { type: 'integer', nullable: true } as const
const gone = { type: 'boolean', default: false } as const
const soft = { soft_delete: true, soft_delete_attribute: 'gone' } as const

eachDatabase('a record that is marked before its row is deleted', (test, db) => {
  const called: unknown[] = []
  const modelsWith = (firsts: boolean) =>
    [
      defineModel('Issue', { columns: { id, gone }, meta: soft }),
      defineModel('Comment', {
        columns: { id, gone, issue_id: key, thread_id: key },
        relations: {
          issue: belongsTo('Issue', 'issue_id'),
          thread: belongsTo('Thread', 'thread_id'),
        },
        meta: {
          ...soft,
          remove_callback: (comment: { readonly id: number; readonly gone: boolean }) => {
            called.push([comment.id, comment.gone])
            return comment
          },
        },
      } as never),
      // Without soft delete.
      defineModel('Thread', {
        columns: { id, issue_id: key, first_id: key },
        relations: {
          issue: belongsTo('Issue', 'issue_id'),
          ...(firsts ? { first: belongsTo('Comment', 'first_id') } : {}),
        },
        meta: {},
      } as never),
    ] as AnyModel[]
  const models = modelsWith(true)
  const [Issue, Comment, Thread] = models as [AnyModel, AnyModel, AnyModel]
  // The constraints of a cycle would need an ALTER TABLE.
  test.before(() => createTables(db, modelsWith(false)))
  test.before.each(async () => {
    called.length = 0
    for (const table of ['comments', 'threads', 'issues']) {
      await db.kysely.deleteFrom(table).execute()
    }
    const numbers = [1, 2, 3]
    await insertRows(
      db,
      Issue,
      numbers.map((one) => ({ id: one, gone: false })),
    )
    await insertRows(
      db,
      Thread,
      numbers.map((one) => ({ id: one, issue_id: one })),
    )
    await insertRows(
      db,
      Comment,
      numbers.map((one) => ({ id: one, gone: false, issue_id: one, thread_id: one })),
    )
  })

  const api = testApi(db, models, { API_ALLOW_BULK: true, API_ALLOW_CASCADE_DELETE: true })
  const left = async () => {
    const tables = ['issues', 'threads', 'comments'].map(async (table) => {
      const rows = await db.kysely.selectFrom(table).selectAll().orderBy('id').execute()
      return rows.map((row) => [Number(row.id), Boolean(row.gone)])
    })
    return Promise.all(tables)
  }

  test('DELETE of one record', async () => {
    const { status } = await send(api, 'DELETE', '/api/issues/1?cascade_delete=1')
    const others = [2, 3]
    equal(status, 200)
    equal(called, [
      [1, false],
      [1, true],
    ])
    equal(await left(), [
      [[1, true], ...others.map((one) => [one, false])],
      others.map((one) => [one, false]),
      others.map((one) => [one, false]),
    ])
  })

  test('a record that is being marked is not deleted: in a cycle, its row and another one prevent each other', async () => {
    await db.kysely.updateTable('threads').set({ first_id: 1 }).where('id', '=', 1).execute()
    const before = await left()
    const { status } = await send(api, 'DELETE', '/api/comments/1?cascade_delete=1')
    equal([status, await left()], [409, before])
  })

  test('DELETE by a filter', async () => {
    const { status } = await send(api, 'DELETE', '/api/issues?id__gt=0&cascade_delete=1')
    equal(status, 200)
    equal(
      called,
      [1, 2, 3].flatMap((one) => [
        [one, false],
        [one, true],
      ]),
    )
    equal(await left(), [[1, 2, 3].map((one) => [one, true]), [], []])
  })
})
