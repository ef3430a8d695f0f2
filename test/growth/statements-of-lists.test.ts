/**
 * The number of statements of a DELETE by a filter, and of a PATCH with lists of children, depends on the models and relations, not on the
 * number of records. If a hook asks the database once, the number for a list grows by a few statements for twice as many records.
 */
import {
  type AnyModel,
  type ApiConfig,
  belongsTo,
  defineModel,
  hasMany,
  manyToMany,
} from '@model-api/core'
import { sql } from 'kysely'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertLinks, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const key = { type: 'integer', nullable: true } as const

/** Issues with comments, which have files, and with labels; `acts`: a DELETE also deletes comments, and empties other references. */
const modelsWith = (meta: object, acts = false): readonly AnyModel[] =>
  [
    defineModel('Project', {
      columns: { id, open: { type: 'boolean', default: true } },
      relations: { issues: hasMany('Issue', 'project_id') },
      meta: { access_policy: { scope: () => ({ open: { eq: true } }) } },
    } as never),
    defineModel('Issue', {
      columns: {
        id,
        project_id: key,
        parent_id: key,
        title: { type: 'string', maxLength: 20, nullable: true },
        deleted: { type: 'boolean', default: false },
        deleted_by: { type: 'string', maxLength: 20, nullable: true },
        updated: { type: 'datetime', managed: 'updated', nullable: true },
      },
      relations: {
        project: belongsTo('Project', 'project_id'),
        parent: belongsTo('Issue', 'parent_id'),
        comments: hasMany('Comment', 'issue_id', acts ? { on_delete: 'cascade' } : {}),
        ...(acts && { parts: hasMany('Issue', 'parent_id', { on_delete: 'null' }) }),
        labels: manyToMany('Label', { through: 'issue_labels', from: 'issue_id', to: 'label_id' }),
      },
      meta,
    } as never),
    defineModel('Comment', {
      columns: { id, issue_id: key },
      relations: {
        issue: belongsTo('Issue', 'issue_id'),
        files: hasMany('File', 'comment_id', acts ? { on_delete: 'null' } : {}),
      },
      meta: {},
    }),
    defineModel('File', {
      columns: { id, comment_id: key },
      relations: { comment: belongsTo('Comment', 'comment_id') },
      meta: {},
    }),
    defineModel('Label', { columns: { id }, meta: {} }),
  ] as AnyModel[]

const tables = ['issue_labels', 'files', 'comments', 'issues', 'labels', 'projects']

/** The statement that a hook sends, once for each transaction. */
function asksOnce(): (db: object) => Promise<void> {
  const asked = new WeakSet<object>()
  return async (db) => {
    if (asked.has(db)) return
    asked.add(db)
    await sql`select 1`.execute(db as never)
  }
}

interface Hooked {
  readonly db: object
}

const onceIn = (name: string): object => {
  const ask = asksOnce()
  return {
    [name]: async (record: object, _: unknown, { db }: Hooked) => {
      await ask(db)
      return record
    },
  }
}

const changes: ApiConfig = { API_BEFORE_COMMIT_CALLBACK: () => {} }

const metas: Readonly<Record<string, readonly [meta: object, config?: ApiConfig]>> = {
  'without hooks': [{}],
  'with soft delete': [{ soft_delete: true, soft_delete_attribute: 'deleted' }],
  'with marks of a function': [
    {
      soft_delete: true,
      soft_delete_attribute: 'deleted_by',
      soft_delete_values: [null, ({ before }: { before: { id: number } }) => `for ${before.id}`],
    },
  ],
  'with can_delete': [{ access_policy: { can_delete: () => true } }],
  'with a scope': [{ access_policy: { scope: () => ({ deleted: { eq: false } }) } }],
  'with a callback': [{ remove_callback: (issue: object) => issue }],
  'with the changes of a commit callback': [{}, changes],
}

const metasOfChanges: typeof metas = {
  'without hooks': [{}],
  'with a policy': [{ access_policy: { can_update: () => true, can_create: () => true } }],
  'with a scope': metas['with a scope'] ?? [{}],
  'with callbacks': [
    { update_callback: (issue: object) => issue, add_callback: (issue: object) => issue },
  ],
  'with the changes of a commit callback': [{}, changes],
}

eachDatabase('growth of the statements of lists', (test, db) => {
  const config: ApiConfig = {
    API_ALLOW_BULK: true,
    API_ALLOW_CASCADE_DELETE: true,
    API_ALLOW_NESTED_WRITES: true,
    API_MAX_BULK: 10_000,
  }
  const apiOf = ([meta, own = {}]: readonly [meta: object, config?: ApiConfig], acts = false) =>
    testApi(db, modelsWith(meta, acts), { ...config, ...own })
  const plain = modelsWith({})
  const [Project, Issue, Comment, File, Label] = plain as [
    AnyModel,
    AnyModel,
    AnyModel,
    AnyModel,
    AnyModel,
  ]
  const times = <T>(n: number, of: (i: number) => T): T[] =>
    Array.from({ length: n }, (_, i) => of(i))

  test.before(async () => {
    await createTables(db, plain)
    if (db.name === 'postgres') {
      await db.execScript('alter table issues alter column id restart with 1000')
    }
  })

  /** Stores n issues with links, of which each fifth is the parent of the next ones; `below`: each with comments and files. */
  async function store(n: number, below = 0): Promise<void> {
    await db.kysely.updateTable('issues').set({ parent_id: null }).execute()
    for (const table of tables) await db.kysely.deleteFrom(table).execute()
    await insertRows(
      db,
      Project,
      times(n, (i) => ({ id: i + 1, open: true })),
    )
    await insertRows(db, Label, [{ id: 1 }])
    const issue = (i: number) => ({ id: i + 1, parent_id: i % 5 === 0 ? null : i - (i % 5) + 1 })
    await insertRows(
      db,
      Issue,
      times(n, (i) => ({ ...issue(i), project_id: i + 1, deleted: false })),
    )
    await insertLinks(
      db,
      'issue_labels',
      times(n, (i) => ({ issue_id: i + 1, label_id: 1 })),
    )
    if (below === 0) return
    await insertRows(
      db,
      Comment,
      times(n * below, (i) => ({ id: i + 1, issue_id: (i % n) + 1 })),
    )
    await insertRows(
      db,
      File,
      times(n * below, (i) => ({ id: i + 1, comment_id: i + 1 })),
    )
  }

  const statementsOf = async (
    api: ReturnType<typeof apiOf>,
    method: string,
    url: string,
    body?: unknown,
  ) => {
    await api.ready
    const extra = body === undefined ? {} : { body }
    const { result, statements } = await db.capture(() => send(api, method, url, extra))
    ok(result.status < 300, JSON.stringify(result.errors))
    return statements.length
  }

  for (const [name, meta] of Object.entries(metas)) {
    for (const cascades of [false, true]) {
      const what = cascades ? 'DELETE of records with dependents' : 'DELETE of records'
      test(`${what}, ${name}`, async () => {
        const counts: number[] = []
        for (const n of [10, 40]) {
          await store(n, cascades ? 2 : 0)
          const url = `/api/issues?id__gt=0${cascades ? '&cascade_delete=1' : ''}`
          counts.push(await statementsOf(apiOf(meta), 'DELETE', url))
        }
        equal(counts[1], counts[0])
      })
    }
  }

  for (const [name, meta] of Object.entries({
    ...metas,
    'with can_update': [{ access_policy: { can_update: () => true } }] as const,
    'with an update callback': [{ update_callback: (issue: object) => issue }] as const,
  })) {
    test(`DELETE of records with on_delete, ${name}`, async () => {
      const counts: number[] = []
      for (const n of [10, 40]) {
        await store(n, 2)
        counts.push(await statementsOf(apiOf(meta, true), 'DELETE', '/api/issues?id__gt=0'))
        const rows = await db.kysely.selectFrom('files').select('comment_id').execute()
        equal([rows.length, rows.some(({ comment_id }) => comment_id !== null)], [2 * n, false])
      }
      equal(counts[1], counts[0])
    })
  }

  test('DELETE of one record with many dependents', async () => {
    const counts: number[] = []
    for (const below of [10, 40]) {
      await store(1, below)
      counts.push(await statementsOf(apiOf([{}]), 'DELETE', '/api/issues/1?cascade_delete=1'))
    }
    equal(counts[1], counts[0])
  })

  test('DELETE of records that refer to each other in cycles, with soft delete', async () => {
    const counts: number[] = []
    for (const n of [10, 40]) {
      await store(n)
      for (let i = 1; i < n; i += 2) {
        const other = { [i]: i + 1, [i + 1]: i }
        for (const [own, parent_id] of Object.entries(other)) {
          await db.kysely
            .updateTable('issues')
            .set({ parent_id })
            .where('id', '=', Number(own))
            .execute()
        }
      }
      const api = apiOf(metas['with soft delete'] ?? [{}])
      counts.push(await statementsOf(api, 'DELETE', '/api/issues?id__gt=0&cascade_delete=1'))
    }
    equal(counts[1], counts[0])
  })

  /** Stores a project with n issues, or n projects with one each; the issues have comments with n files, or none. */
  async function storeChildren(n: number, projects: number, files = 0): Promise<void> {
    await store(projects)
    await db.kysely.updateTable('issues').set({ parent_id: null }).execute()
    await db.kysely.deleteFrom('issue_labels').execute()
    await db.kysely.deleteFrom('issues').execute()
    await insertRows(
      db,
      Issue,
      times(n, (i) => ({ id: i + 1, project_id: (i % projects) + 1, deleted: false })),
    )
    await insertRows(db, Comment, files === 0 ? [] : [{ id: 1, issue_id: 1 }])
    await insertRows(
      db,
      File,
      times(files, (i) => ({ id: i + 1, comment_id: 1 })),
    )
  }

  const named = (n: number) => times(n, (i) => ({ id: i + 1, title: 'x' }))
  const fresh = (n: number) => times(n, () => ({ title: 'new' }))
  const children: Readonly<Record<string, (n: number) => readonly [url: string, body: unknown]>> = {
    'changes children': (n) => ['/api/projects/1', { issues: named(n) }],
    'creates children': (n) => ['/api/projects/1', { issues: fresh(n) }],
    'changes and creates children': (n) => [
      '/api/projects/1',
      { issues: [...named(n), ...fresh(n)] },
    ],
  }
  for (const [what, ask] of Object.entries(children)) {
    for (const [name, meta] of Object.entries(metasOfChanges)) {
      test(`PATCH that ${what}, ${name}`, async () => {
        const counts: number[] = []
        for (const n of [10, 40]) {
          await storeChildren(n, 1)
          counts.push(await statementsOf(apiOf(meta), 'PATCH', ...ask(n)))
        }
        equal(counts[1], counts[0])
      })
    }
  }
  // Where callbacks run, records with children of their own are written one by one, because a callback may read what is stored before it.
  for (const [name, meta] of Object.entries(metasOfChanges)) {
    if (name === 'with callbacks') continue
    test(`PATCH that changes children of children, ${name}`, async () => {
      const counts: number[] = []
      for (const n of [10, 40]) {
        await storeChildren(n, 1)
        const issues = named(n).map((issue) => ({ ...issue, comments: [{}] }))
        counts.push(await statementsOf(apiOf(meta), 'PATCH', '/api/projects/1', { issues }))
      }
      equal(counts[1], counts[0])
    })

    test(`PATCH of a list that changes and creates children, ${name}`, async () => {
      const counts: number[] = []
      for (const n of [10, 40]) {
        await storeChildren(n, n)
        const body = named(n).map((issue, i) => ({ id: i + 1, issues: [issue, ...fresh(1)] }))
        counts.push(await statementsOf(apiOf(meta), 'PATCH', '/api/projects', body))
      }
      equal(counts[1], counts[0])
    })
  }

  test('PATCH that removes children, with soft delete', async () => {
    const counts: number[] = []
    for (const n of [10, 40]) {
      await storeChildren(n, 1)
      const url = '/api/projects/1?issues.on_missing=remove'
      const api = apiOf(metas['with soft delete'] ?? [{}])
      counts.push(await statementsOf(api, 'PATCH', url, { issues: [] }))
    }
    equal(counts[1], counts[0])
  })

  test('PATCH that removes children to which nothing can refer', async () => {
    const counts: number[] = []
    for (const n of [10, 40]) {
      await storeChildren(1, 1, n)
      const url = '/api/comments/1?files.on_missing=remove'
      counts.push(await statementsOf(apiOf([{}]), 'PATCH', url, { files: [{ id: 1 }] }))
    }
    equal(counts[1], counts[0])
  })

  const once: Readonly<Record<string, (n: number) => Promise<number>>> = {
    'PATCH by a filter': () =>
      statementsOf(apiOf([onceIn('update_callback')]), 'PATCH', '/api/issues?id__gt=0', {
        title: 'x',
      }),
    'PATCH of a list': (n) =>
      statementsOf(
        apiOf([onceIn('update_callback')]),
        'PATCH',
        '/api/issues',
        times(n, (i) => ({ id: i + 1, project_id: n - i })),
      ),
    'POST of a list': (n) =>
      statementsOf(
        apiOf([onceIn('add_callback')]),
        'POST',
        '/api/issues',
        times(n, (i) => ({ project_id: i + 1 })),
      ),
    'DELETE by a filter': () =>
      statementsOf(apiOf([onceIn('remove_callback')]), 'DELETE', '/api/issues?id__gt=0'),
  }
  for (const [name, count] of Object.entries(once)) {
    test(`${name}, with a hook that asks once`, async () => {
      await store(16)
      const few = await count(16)
      await store(64)
      const many = await count(64)
      // Two more look-ups, each with a few statements.
      ok(many - few <= 20, `16 records: ${few}, 64 records: ${many}`)
    })
  }

  test('POST and PATCH of records under a rule against overlaps, each with another parent', async () => {
    const Room = defineModel('Room', { columns: { id }, meta: {} })
    const Stay = defineModel('Stay', {
      columns: {
        id,
        room_id: { type: 'integer' },
        first: { type: 'integer' },
        last: { type: 'integer' },
      },
      relations: { room: belongsTo('Room', 'room_id') },
      exclude: { room_id: 'equal', period: ['first', 'last'] },
      meta: {},
    })
    const models = [Room, Stay]
    await createTables(db, models)
    await insertRows(
      db,
      Room,
      times(40, (i) => ({ id: i + 1 })),
    )
    const api = testApi(db, models, config)
    const counts: (readonly number[])[] = []
    for (const n of [10, 40]) {
      const stays = times(n, (i) => ({ room_id: i + 1, first: n, last: n + 1 }))
      const made = await statementsOf(api, 'POST', '/api/stays', stays)
      const { value } = await send(api, 'GET', `/api/stays?first__eq=${n}&limit=${n}`)
      const moved = (value as readonly { id: number }[]).map((stay) => ({
        id: stay.id,
        last: n + 2,
      }))
      counts.push([made, await statementsOf(api, 'PATCH', '/api/stays', moved)])
    }
    equal(counts[1], counts[0])
  })
})
