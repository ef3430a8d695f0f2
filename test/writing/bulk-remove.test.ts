/** DELETE by a filter: few statements, with the same result as deleting the records one by one. */
import {
  type AnyModel,
  type ApiConfig,
  apiError,
  belongsTo,
  type Change,
  defineModel,
  hasMany,
  manyToMany,
} from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertLinks, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true } as const
const key = { type: 'integer', nullable: true } as const

type Row = { readonly id: number; readonly title?: string }
type Args = { readonly db: TestDatabase['kysely'] }
type Callback = (issue: Row, model: unknown, args: Args) => unknown

/** What differs between the tests. */
interface Hooks {
  readonly issue?: object
  readonly comment?: object
}

const modelsWith = ({ issue = {}, comment = {} }: Hooks = {}): readonly AnyModel[] =>
  [
    defineModel('Issue', {
      columns: {
        id,
        parent_id: key,
        title: { type: 'string', maxLength: 20, nullable: true },
        deleted_by: { type: 'string', maxLength: 20, nullable: true },
      },
      relations: {
        parent: belongsTo('Issue', 'parent_id'),
        comments: hasMany('Comment', 'issue_id'),
        labels: manyToMany('Label', { through: 'issue_labels', from: 'issue_id', to: 'label_id' }),
      },
      meta: issue,
    } as never),
    defineModel('Comment', {
      columns: { id, issue_id: key },
      relations: { issue: belongsTo('Issue', 'issue_id') },
      meta: comment,
    } as never),
    defineModel('Label', {
      columns: { id, issue_id: key },
      relations: { issue: belongsTo('Issue', 'issue_id') },
      meta: {},
    }),
  ] as AnyModel[]

const config: ApiConfig = { API_ALLOW_BULK: true, API_ALLOW_CASCADE_DELETE: true }

eachDatabase('DELETE by a filter', (test, db) => {
  const models = modelsWith()
  const [Issue, Comment, Label] = models as [AnyModel, AnyModel, AnyModel]
  const tables = ['issue_labels', 'comments', 'labels', 'issues']

  test.before(async () => {
    await createTables(db, models)
    // A table without a model, which only the database knows.
    await db.execScript(
      'create table locks (issue_id integer not null, foreign key (issue_id) references issues (id))',
    )
  })
  test.before.each(async () => {
    await db.kysely.deleteFrom('locks').execute()
    await db.kysely.deleteFrom('issue_labels').execute()
    await db.kysely.updateTable('issues').set({ parent_id: null }).execute()
    for (const table of tables) await db.kysely.deleteFrom(table).execute()
    await insertRows(
      db,
      Issue,
      Array.from({ length: 8 }, (_, i) => ({ id: i + 1, title: `issue ${i + 1}` })),
    )
    await insertRows(db, Label, [{ id: 1 }, { id: 2 }])
    await insertLinks(
      db,
      'issue_labels',
      Array.from({ length: 8 }, (_, i) => ({ issue_id: i + 1, label_id: 1 })),
    )
  })

  const remove = (hooks: Hooks = {}, cascade = false, own: ApiConfig = {}) => {
    const api = testApi(db, modelsWith(hooks), { ...config, ...own })
    return send(api, 'DELETE', `/api/issues?id__gt=0${cascade ? '&cascade_delete=1' : ''}`)
  }
  const ids = async (table = 'issues', of: Args['db'] = db.kysely) =>
    (await of.selectFrom(table).select('id').orderBy('id').execute()).map((row) => Number(row.id))
  const links = async (of: Args['db']) =>
    (await of.selectFrom('issue_labels').select('issue_id').orderBy('issue_id').execute()).map(
      (row) => Number(row.issue_id),
    )

  test('a callback finds the earlier records deleted, and the links of its own', async () => {
    const seen: unknown[] = []
    const remove_callback: Callback = async (issue, _, args) => {
      if ([1, 2, 5, 8].includes(issue.id)) {
        seen.push([issue.id, await ids('issues', args.db), await links(args.db)])
      }
      return issue
    }
    equal((await remove({ issue: { remove_callback } })).status, 200)
    equal(seen, [
      [1, [1, 2, 3, 4, 5, 6, 7, 8], [2, 3, 4, 5, 6, 7, 8]],
      [2, [2, 3, 4, 5, 6, 7, 8], [3, 4, 5, 6, 7, 8]],
      [5, [5, 6, 7, 8], [6, 7, 8]],
      [8, [8], []],
    ])
    equal([await ids(), await links(db.kysely)], [[], []])
  })

  test('a record that a hook changes is the changed one at its turn', async () => {
    const seen: unknown[] = []
    const change = (args: Args, id: number, title: string) =>
      args.db.updateTable('issues').set({ title }).where('id', '=', id).execute()
    const remove_callback: Callback = async (issue, _, args) => {
      seen.push([issue.id, issue.title])
      // The records 2, and then 3 and 4, are read again together.
      if (issue.id === 1) await change(args, 4, 'by the first')
      if (issue.id === 3) await change(args, 4, 'by the third')
      return issue
    }
    equal((await remove({ issue: { remove_callback } })).status, 200)
    equal(seen.slice(0, 5), [
      [1, 'issue 1'],
      [2, 'issue 2'],
      [3, 'issue 3'],
      [4, 'by the third'],
      [5, 'issue 5'],
    ])
  })

  test('a record that a hook deletes is not found at its turn', async () => {
    const remove_callback: Callback = async (issue, _, args) => {
      if (issue.id === 2) {
        await args.db.deleteFrom('issue_labels').where('issue_id', '=', 6).execute()
        await args.db.deleteFrom('issues').where('id', '=', 6).execute()
      }
      return issue
    }
    const { status, errors } = await remove({ issue: { remove_callback } })
    equal([status, errors.code], [404, 'record_not_found'])
    equal((await ids()).length, 8)
  })

  test('records that others refer to: 409, unless a callback of another record deletes them', async () => {
    await insertRows(db, Comment, [{ id: 1, issue_id: 3 }])
    const { status, errors } = await remove()
    equal([status, errors.reason], [409, 'Other records refer to this one: comments.'])
    equal((await ids()).length, 8)
    const order: number[] = []
    const remove_callback: Callback = async (issue, _, args) => {
      order.push(issue.id)
      if (issue.id === 7) await args.db.deleteFrom('comments').execute()
      return issue
    }
    equal((await remove({ issue: { remove_callback } })).status, 200)
    equal([order, await ids()], [[1, 2, 4, 5, 6, 7, 8, 3], []])
  })

  test('a hook that stores a dependent of a later record: 409 at its turn', async () => {
    const remove_callback: Callback = async (issue, _, args) => {
      if (issue.id === 2)
        await args.db.insertInto('comments').values({ id: 9, issue_id: 8 }).execute()
      return issue
    }
    const { status, errors } = await remove({ issue: { remove_callback } })
    equal([status, errors.code], [409, 'referred_to'])
    equal([(await ids()).length, await ids('comments')], [8, []])
  })

  test('a policy that refuses one record: 403, and none is deleted', async () => {
    const can_delete = ({ id }: Row) => id !== 5
    const { status } = await remove({ issue: { access_policy: { can_delete } } })
    equal([status, (await ids()).length], [403, 8])
  })

  test('the database refuses one of the records', async () => {
    await db.execScript('insert into locks (issue_id) values (4)')
    const called: number[] = []
    const remove_callback: Callback = async (issue, _, args) => {
      called.push(issue.id)
      // Results of hooks that send statements are not kept for a repetition.
      if (issue.id === 1) await ids('issues', args.db)
      return issue
    }
    const { status, errors } = await remove({ issue: { remove_callback } })
    equal([status, errors.reason], [409, 'Other records refer to this one.'])
    equal((await ids()).length, 8)
    // A callback may have effects outside of the transaction, which is not repeated.
    equal(new Set(called).size, called.length)
  })

  test('an error of the database about an earlier record takes precedence over that of a hook', async () => {
    await db.execScript('insert into locks (issue_id) values (4)')
    const remove_callback: Callback = (issue) => {
      if (issue.id === 6) throw apiError(422, 'Not this one.')
      return issue
    }
    const { status, errors } = await remove({ issue: { remove_callback } })
    equal([status, errors.code], [409, 'referred_to'])
  })

  test('records that refer to each other are deleted from below', async () => {
    for (const [own, parent] of [
      [2, 1],
      [3, 1],
      [1, 4],
      [5, 4],
    ] as const) {
      await db.kysely
        .updateTable('issues')
        .set({ parent_id: parent })
        .where('id', '=', own)
        .execute()
    }
    equal([(await remove()).status, await ids()], [200, []])
  })

  test('a mark that a function makes differs from record to record', async () => {
    const issue = {
      soft_delete: true,
      soft_delete_attribute: 'deleted_by',
      soft_delete_values: [null, ({ before }: { before: Row }) => `${before.id} by Ann`],
    }
    equal((await remove({ issue })).status, 200)
    const rows = await db.kysely.selectFrom('issues').select('deleted_by').orderBy('id').execute()
    equal(
      rows.map((row) => row.deleted_by),
      [1, 2, 3, 4, 5, 6, 7, 8].map((one) => `${one} by Ann`),
    )
  })

  const dependents = async (): Promise<void> => {
    await insertRows(
      db,
      Comment,
      Array.from({ length: 16 }, (_, i) => ({ id: i + 1, issue_id: (i % 8) + 1 })),
    )
    await db.kysely.updateTable('issues').set({ parent_id: 1 }).where('id', 'in', [2, 3]).execute()
  }

  test('a cascade calls the hooks of dependents before those of their record', async () => {
    await dependents()
    const called: string[] = []
    const noting = (name: string) => ({
      remove_callback: (record: Row) => {
        called.push(`${name} ${record.id}`)
        return record
      },
    })
    const hooks = { issue: noting('issue'), comment: noting('comment') }
    equal((await remove(hooks, true)).status, 200)
    equal(called.slice(0, 9), [
      ...['comment 3', 'comment 11', 'issue 3', 'comment 2', 'comment 10', 'issue 2'],
      ...['comment 1', 'comment 9', 'issue 1'],
    ])
    equal([called.length, await ids(), await ids('comments')], [24, [], []])
  })

  test('a hook in a cascade finds the earlier records deleted', async () => {
    await dependents()
    const seen: unknown[] = []
    const remove_callback: Callback = async (comment, _, { db: inside }) => {
      if ([1, 4].includes(comment.id)) {
        seen.push([comment.id, await ids('issues', inside), await ids('comments', inside)])
      }
      return comment
    }
    equal((await remove({ comment: { remove_callback } }, true)).status, 200)
    equal(seen, [
      [1, [1, 4, 5, 6, 7, 8], [1, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16]],
      [4, [4, 5, 6, 7, 8], [4, 5, 6, 7, 8, 12, 13, 14, 15, 16]],
    ])
    equal([await ids(), await ids('comments')], [[], []])
  })

  test('a hook in a cascade of one record finds the earlier dependents deleted', async () => {
    await insertRows(
      db,
      Comment,
      [1, 2].map((id) => ({ id, issue_id: 1 })),
    )
    const seen: unknown[] = []
    const remove_callback: Callback = async (comment, _, { db: inside }) => {
      seen.push(await ids('comments', inside))
      return comment
    }
    const api = testApi(db, modelsWith({ comment: { remove_callback } }), config)
    equal((await send(api, 'DELETE', '/api/issues/1?cascade_delete=1')).status, 200)
    equal(seen, [[1, 2], [2]])
  })

  test('a cascade with a dependent that the caller does not see: 409', async () => {
    await dependents()
    const comment = { access_policy: { scope: () => ({ id: { ne: 16 } }) } }
    const { status, errors } = await remove({ comment }, true)
    equal([status, errors.code, (await ids()).length], [409, 'referred_to', 8])
  })

  test('an error is that of the first record that may not be deleted, whatever was looked up ahead', async () => {
    await dependents()
    const comment = { access_policy: { scope: () => ({ id: { ne: 16 } }) } }
    const issue = { access_policy: { can_delete: ({ id }: Row) => id !== 4 } }
    const { status } = await remove({ issue, comment }, true)
    // Issue 4 is refused, and comment 16 of issue 8 is hidden, which alone would be 409.
    equal([status, (await ids()).length], [403, 8])
  })

  test('a cascade reports a link between two deleted records with the first of them', async () => {
    await db.kysely.updateTable('labels').set({ issue_id: 2 }).where('id', '=', 1).execute()
    const calls: Change[] = []
    const own: ApiConfig = { API_BEFORE_COMMIT_CALLBACK: (all) => void calls.push(...all) }
    equal((await remove({}, true, own)).status, 200)
    const reported = calls.flatMap(({ model, key, links = {} }) =>
      Object.entries(links).map(([name, { removed }]) => [
        model.name,
        key[0],
        name,
        removed.length,
      ]),
    )
    // The links of the issues are read at once, and those of the label when issue 2 is deleted: that of issue 1 is gone by then.
    equal(reported, [
      ...[1, 2, 3, 4, 5, 6, 7, 8].map((one) => ['Issue', one, 'labels', 1]),
      ['Label', 1, 'Issue.labels', 7],
    ])
  })
})
