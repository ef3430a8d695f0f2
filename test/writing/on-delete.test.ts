/** `on_delete` of relations: what a DELETE of a record does with the records that refer to it. */
import {
  type AnyModel,
  type ApiConfig,
  belongsTo,
  type Change,
  defineModel,
  hasMany,
  hasOne,
  type Meta,
  manyToMany,
} from '@model-api/core'
import { type Answer, get, send, testApi } from '../support/api.ts'
import { equal, match, ok } from '../support/assert.ts'
import { sendBatch } from '../support/batch.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true } as const
const key = { type: 'integer', nullable: true } as const
const gone = { type: 'boolean', default: false } as const
const soft: Meta = { soft_delete: true, soft_delete_attribute: 'gone' }
const config: ApiConfig = { API_ALLOW_BATCH: true, API_ALLOW_BULK: true }

interface Row {
  readonly id: number
  readonly project_id?: number | null
}

/** What differs between the tests. */
interface Metas {
  readonly project?: Meta
  readonly issue?: Meta
  readonly comment?: Meta
  readonly note?: Meta
}

/** A project takes its issues along, and these their comments; its notes stay. Invoices prevent its deletion. */
const modelsOf = ({ project, issue, comment, note }: Metas = {}): readonly AnyModel[] =>
  [
    defineModel('Project', {
      columns: { id, owner_id: key, gone },
      relations: {
        issues: hasMany('Issue', 'project_id', { on_delete: 'cascade' }),
        notes: hasMany('Note', 'project_id', { on_delete: 'null' }),
        owner: belongsTo('Owner', 'owner_id'),
      },
      meta: { ...project },
    }),
    defineModel('Issue', {
      columns: { id, project_id: { type: 'integer' }, gone },
      relations: {
        project: belongsTo('Project', 'project_id'),
        comments: hasMany('Comment', 'issue_id', { on_delete: 'cascade' }),
      },
      meta: { ...issue },
    }),
    defineModel('Comment', {
      columns: { id, issue_id: { type: 'integer' }, gone },
      relations: { issue: belongsTo('Issue', 'issue_id') },
      meta: { ...comment },
    }),
    defineModel('Note', {
      columns: {
        id,
        project_id: key,
        text: { type: 'string', maxLength: 40, nullable: true },
        gone,
        changed_at: { type: 'datetime', managed: 'updated', nullable: true },
      },
      relations: { project: belongsTo('Project', 'project_id') },
      meta: { ...note },
    }),
    defineModel('Owner', { columns: { id }, meta: {} }),
    defineModel('Invoice', {
      columns: { id, project_id: key },
      relations: { project: belongsTo('Project', 'project_id') },
      meta: {},
    }),
  ] as unknown as readonly AnyModel[]

const allSoft: Metas = { project: soft, issue: soft, comment: soft, note: soft }

eachDatabase('on_delete', (test, db) => {
  const models = modelsOf()
  const [Project, Issue, Comment, Note, Owner, Invoice] = models as [
    AnyModel,
    AnyModel,
    AnyModel,
    AnyModel,
    AnyModel,
    AnyModel,
  ]
  const tables = ['invoices', 'comments', 'issues', 'notes', 'projects', 'owners']

  test.before(() => createTables(db, models))
  test.before.each(async () => {
    for (const table of tables) await db.kysely.deleteFrom(table).execute()
    await insertRows(db, Owner, [{ id: 1 }])
    await insertRows(
      db,
      Project,
      [1, 2].map((one) => ({ id: one, gone: false, owner_id: 1 })),
    )
    const rows = [1, 2].map((one) => ({ id: one, project_id: one, gone: false }))
    await insertRows(db, Issue, rows)
    await insertRows(db, Note, rows)
    await insertRows(
      db,
      Comment,
      [1, 2].map((one) => ({ id: one, issue_id: one, gone: false })),
    )
  })

  const rowsOf = (table: string) =>
    db.kysely.selectFrom(table).selectAll().orderBy('id').execute() as Promise<Row[]>
  /** The keys of the records that are stored and not marked as deleted: those of projects, issues and comments. */
  const left = () =>
    Promise.all(
      ['projects', 'issues', 'comments'].map(async (table) => {
        const rows = (await rowsOf(table)) as (Row & { gone: unknown })[]
        return rows.filter((row) => !row.gone).map((row) => Number(row.id))
      }),
    )
  const all = [
    [1, 2],
    [1, 2],
    [1, 2],
  ]
  const others = [[2], [2], [2]]
  const projectsOfNotes = async () => (await rowsOf('notes')).map(({ project_id }) => project_id)
  const succeeded = ({ status, text }: Answer): void => ok(status < 300, text)

  for (const [kind, metas] of Object.entries({ hard: {}, soft: allSoft })) {
    const api = testApi(db, modelsOf(metas), config)

    for (const url of ['/api/projects/1', '/api/projects?id__eq=1']) {
      test(`${kind}: DELETE ${url}`, async () => {
        succeeded(await send(api, 'DELETE', url))
        equal(await left(), others)
        equal((await rowsOf('issues')).length, kind === 'soft' ? 2 : 1)
        equal(await projectsOfNotes(), [null, 2])
        const notes = (await get(api, '/api/notes?order_by=id')).value
        equal(
          notes.map((note: { changed_at: unknown }) => note.changed_at === null),
          [false, true],
        )
      })
    }

    test(`${kind}: in a batch`, async () => {
      succeeded(await sendBatch(api, [{ method: 'DELETE', url: '/api/projects/1' }]))
      equal(await left(), others)
      equal(await projectsOfNotes(), [null, 2])
    })

    test(`${kind}: dependents decide with their own policies, methods and limits`, async () => {
      const policy: Meta = { access_policy: () => ({ can_delete: () => false }) }
      const own = 'note' in metas ? soft : {}
      for (const comment of [policy, { block_methods: ['DELETE'] } satisfies Meta]) {
        const strict = testApi(db, modelsOf({ ...metas, comment: { ...comment, ...own } }), config)
        equal((await send(strict, 'DELETE', '/api/projects/1')).status, 403)
      }
      const noChange: Meta = { access_policy: () => ({ can_update: () => false }) }
      for (const note of [noChange, { block_methods: ['PATCH'] } satisfies Meta]) {
        const strict = testApi(db, modelsOf({ ...metas, note: { ...note, ...own } }), config)
        equal((await send(strict, 'DELETE', '/api/projects/1')).status, 403)
      }
      equal([await left(), await projectsOfNotes()], [all, [1, 2]])
      await db.kysely.deleteFrom('notes').execute()
      const strict = testApi(
        db,
        modelsOf({ ...metas, note: { block_methods: ['PATCH'], ...own } }),
        config,
      )
      succeeded(await send(strict, 'DELETE', '/api/projects/1'))
    })

    test(`${kind}: dependents that the caller does not see prevent the DELETE`, async () => {
      const own = 'note' in metas ? soft : {}
      const hidden: Meta = { ...own, access_policy: { scope: { id: { ne: 1 } } } }
      for (const name of ['issue', 'comment', 'note'] as const) {
        const strict = testApi(db, modelsOf({ ...metas, [name]: hidden }), config)
        for (const url of ['/api/projects/1', '/api/projects?id__gt=0']) {
          const { status, errors } = await send(strict, 'DELETE', url)
          equal([name, status, errors.code], [name, 409, 'referred_to'])
        }
        succeeded(await sendBatch(strict, [{ method: 'GET', url: '/api/projects/1' }]))
      }
      equal([await left(), await projectsOfNotes()], [all, [1, 2]])
    })

    test(`${kind}: API_MAX_BULK counts all records that are deleted or changed`, async () => {
      const more = [3, 4, 5]
      await insertRows(
        db,
        Note,
        more.map((one) => ({ id: one, project_id: 1, gone: false })),
      )
      const limited = testApi(db, modelsOf(metas), { ...config, API_MAX_BULK: 6 })
      // The project, an issue, a comment and four notes.
      const { status, errors } = await send(limited, 'DELETE', '/api/projects/1')
      equal([status, errors.code, errors.at], [400, 'too_many_records', undefined])
      match(errors.reason, 'more than 6 records, with those of')
      match(errors.reason, 'delete some of them first')
      equal([await left(), (await projectsOfNotes())[0]], [all, 1])
      await db.kysely.deleteFrom('notes').where('id', '=', 5).execute()
      succeeded(await send(limited, 'DELETE', '/api/projects/1'))
      equal(await projectsOfNotes(), [null, 2, null, null])
    })
  }

  test('a relation without on_delete refuses, before any hook is called', async () => {
    let calls = 0
    const counting: Meta = {
      remove_callback: (record) => {
        calls += 1
        return record
      },
    }
    const api = testApi(db, modelsOf({ project: counting, issue: counting }), config)
    await insertRows(db, Invoice, [{ id: 1, project_id: 1 }])
    for (const [url, name] of [
      ['/api/owners/1', 'projects'],
      ['/api/projects/1', 'invoices'],
    ]) {
      const { status, errors } = await send(api, 'DELETE', url as string)
      equal([status, errors.reason], [409, `Other records refer to this one: ${name}.`])
    }
    equal([calls, await left()], [0, all])
  })

  test('cascade_delete deletes dependents whatever their on_delete', async () => {
    const api = testApi(db, modelsOf(), { ...config, API_ALLOW_CASCADE_DELETE: true })
    succeeded(await send(api, 'DELETE', '/api/projects/1?cascade_delete=1'))
    equal([await left(), await projectsOfNotes()], [others, [2]])
    succeeded(await send(api, 'DELETE', '/api/owners/1?cascade_delete=1'))
    equal([await left(), await projectsOfNotes()], [[[], [], []], []])
  })

  test('a soft delete leaves the references of deleted records; a hard one empties them', async () => {
    await db.kysely
      .updateTable('notes')
      .set({ gone: db.name === 'postgres' ? true : 1 })
      .execute()
    succeeded(await send(testApi(db, modelsOf(allSoft), config), 'DELETE', '/api/projects/1'))
    equal(await projectsOfNotes(), [1, 2])
    succeeded(
      await send(testApi(db, modelsOf({ note: soft }), config), 'DELETE', '/api/projects/2'),
    )
    equal(await projectsOfNotes(), [1, null])
  })

  test('callbacks receive the changes, and may add to them', async () => {
    const seen: unknown[] = []
    const calls: Change[] = []
    const note: Meta = {
      access_policy: {
        can_update: (before, changes) => {
          seen.push(['may', before.id, before.project_id, changes])
          return true
        },
      },
      update_callback: (record, _, { action, before }) => {
        seen.push([action, record.id, record.project_id, before?.project_id])
        return { ...record, text: 'project is gone' }
      },
    }
    const api = testApi(db, modelsOf({ note }), {
      ...config,
      API_BEFORE_COMMIT_CALLBACK: (changes) => void calls.push(...changes),
    })
    succeeded(await send(api, 'DELETE', '/api/projects/1'))
    equal(seen, [
      ['may', 1, 1, { project_id: null }],
      ['DELETE', 1, null, 1],
    ])
    equal(
      calls.map(({ model, action, key: own, path }) => [model.name, action, own[0], path]),
      [
        ['Comment', 'delete', 1, null],
        ['Issue', 'delete', 1, null],
        ['Note', 'update', 1, null],
        ['Project', 'delete', 1, ''],
      ],
    )
    equal((await get(api, '/api/notes/1')).value.text, 'project is gone')
  })

  test('a callback that keeps the reference: 409', async () => {
    const note: Meta = { update_callback: (record) => ({ ...record, project_id: 1 }) }
    const api = testApi(db, modelsOf({ note }), config)
    equal((await send(api, 'DELETE', '/api/projects/1')).status, 409)
    succeeded(await send(api, 'DELETE', '/api/projects/2'))
    equal(await projectsOfNotes(), [1, 1])
  })

  test('a hook finds the earlier records deleted and changed', async () => {
    const seen: unknown[] = []
    const project: Meta = {
      remove_callback: async (record, _, { db: inside }) => {
        const notes = await inside.selectFrom('notes').select('project_id').orderBy('id').execute()
        const issues = await inside.selectFrom('issues').select('id').execute()
        seen.push([notes.map((note) => note.project_id), issues.length])
        return record
      },
    }
    const api = testApi(db, modelsOf({ project }), config)
    succeeded(await send(api, 'DELETE', '/api/projects?id__gt=0'))
    equal(seen, [
      [[null, 2], 1],
      [[null, null], 0],
    ])
  })

  test('a caller without the right to write the foreign key: 403', async () => {
    const [first, second, third, , ...others] = modelsOf()
    const guarded = defineModel('Note', {
      columns: { ...Note.columns, project_id: { ...key, write: ['editor'] } },
      relations: { project: belongsTo('Project', 'project_id') },
      meta: {},
    } as never)
    const api = testApi(db, [first, second, third, guarded, ...others] as AnyModel[], config)
    equal((await send(api, 'DELETE', '/api/projects/1')).status, 403)
    equal([await left(), await projectsOfNotes()], [all, [1, 2]])
    await db.kysely.deleteFrom('notes').where('id', '=', 1).execute()
    succeeded(await send(api, 'DELETE', '/api/projects/1'))
  })

  test('the document says so', async () => {
    const { paths } = (await testApi(db, models, config).openapi()) as unknown as {
      paths: Record<string, { delete: { description: string } }>
    }
    for (const path of ['/api/projects', '/api/projects/{id}']) {
      const description = paths[path]?.delete.description ?? ''
      match(description, 'Also deletes its `issues`')
      match(description, 'Its `notes` stay')
    }
    equal(paths['/api/owners']?.delete.description.includes('Also'), false)
  })
})

eachDatabase('on_delete and relations of other shapes', (test, db) => {
  const name = { type: 'string', maxLength: 20, nullable: true } as const
  const models = [
    // A team takes its projects along, and these their milestones and issues. Issues refer to milestones, too.
    defineModel('Team', {
      columns: { id },
      relations: { plans: hasMany('Plan', 'team_id', { on_delete: 'cascade' }) },
      meta: {},
    }),
    defineModel('Plan', {
      columns: { id, team_id: key },
      relations: {
        team: belongsTo('Team', 'team_id'),
        milestones: hasMany('Milestone', 'plan_id', { on_delete: 'cascade' }),
        tasks: hasMany('Task', 'plan_id', { on_delete: 'cascade' }),
      },
      meta: {},
    }),
    defineModel('Milestone', {
      columns: { id, plan_id: key },
      relations: { plan: belongsTo('Plan', 'plan_id'), tasks: hasMany('Task', 'milestone_id') },
      meta: {},
    }),
    defineModel('Task', {
      columns: { id, plan_id: key, milestone_id: key, blocker_id: key },
      relations: {
        plan: belongsTo('Plan', 'plan_id'),
        milestone: belongsTo('Milestone', 'milestone_id'),
        blocker: belongsTo('Task', 'blocker_id'),
      },
      meta: {},
    }),
    // A page takes its parts and its copies along, and pages that link to it lose the link.
    defineModel('Page', {
      columns: { id, parent_id: key, next_id: key, original_id: key },
      relations: {
        copies: hasMany('Page', 'original_id', { on_delete: 'cascade' }),
        original: belongsTo('Page', 'original_id'),
        parts: hasMany('Page', 'parent_id', { on_delete: 'cascade' }),
        previous: hasMany('Page', 'next_id', { on_delete: 'null' }),
        parent: belongsTo('Page', 'parent_id'),
        next: belongsTo('Page', 'next_id'),
      },
      meta: {},
    }),
    // An author takes the books along, one of which is the best one.
    defineModel('Writer', {
      columns: { id, best_id: key },
      relations: {
        works: hasMany('Work', 'writer_id', { on_delete: 'cascade' }),
        best: belongsTo('Work', 'best_id'),
        card: hasOne('Card', 'writer_id', { on_delete: 'cascade' }),
        badge: hasOne('Badge', 'writer_id', { on_delete: 'null' }),
      },
      meta: {},
    }),
    defineModel('Work', {
      columns: { id, writer_id: key },
      relations: {
        writer: belongsTo('Writer', 'writer_id'),
        bestOf: hasMany('Writer', 'best_id', { on_delete: 'null' }),
      },
      meta: {},
    }),
    defineModel('Card', {
      columns: { id, writer_id: { ...key, unique: true } },
      relations: { writer: belongsTo('Writer', 'writer_id') },
      meta: {},
    }),
    defineModel('Badge', {
      columns: { id, writer_id: { ...key, unique: true } },
      relations: { writer: belongsTo('Writer', 'writer_id') },
      meta: {},
    }),
    // Keys of two columns.
    defineModel('Edition', {
      columns: { book: id, number: { type: 'integer', primaryKey: true } },
      relations: {
        copies: hasMany('Copy', ['book', 'number'], { on_delete: 'cascade' }),
        loans: hasMany('Loan', ['book', 'number'], { on_delete: 'null' }),
      },
      meta: {},
    }),
    defineModel('Copy', {
      columns: { id, book: key, number: key },
      relations: { edition: belongsTo('Edition', ['book', 'number']) },
      meta: {},
    }),
    defineModel('Loan', {
      columns: { id, book: key, number: key, name },
      relations: { edition: belongsTo('Edition', ['book', 'number']) },
      meta: {},
    }),
    // A message loses its sender and its recipient.
    defineModel('Person', {
      columns: { id },
      relations: {
        sent: hasMany('Message', 'sender_id', { on_delete: 'null' }),
        received: hasMany('Message', 'recipient_id', { on_delete: 'null' }),
        owned: hasMany('Message', 'owner_id', { on_delete: 'cascade' }),
      },
      meta: {},
    }),
    defineModel('Message', {
      columns: { id, sender_id: key, recipient_id: key, owner_id: key },
      relations: {
        sender: belongsTo('Person', 'sender_id'),
        recipient: belongsTo('Person', 'recipient_id'),
        owner: belongsTo('Person', 'owner_id'),
      },
      meta: {},
    }),
  ] as unknown as readonly AnyModel[]
  const model = (wanted: string): AnyModel => models.find((one) => one.name === wanted) as AnyModel
  const withMeta = (wanted: string, meta: Meta): readonly AnyModel[] =>
    models.map((one) => (one.name === wanted ? ({ ...one, meta } as AnyModel) : one))
  const config: ApiConfig = { API_ALLOW_BULK: true }
  const api = testApi(db, models, config)
  const cleared = {
    tasks: ['milestone_id', 'blocker_id'],
    pages: ['parent_id', 'next_id', 'original_id'],
    writers: ['best_id'],
  }
  const tables = [
    ...['messages', 'people', 'loans', 'copies', 'editions', 'badges', 'cards', 'works', 'writers'],
    ...['pages', 'tasks', 'milestones', 'plans', 'teams'],
  ]

  test.before(async () => {
    if (db.name === 'sqlite') return createTables(db, models)
    // The foreign keys of writers and works form a cycle, so the second one is added later.
    const { best: _, ...relations } = model('Writer').relations
    const first = models.map((one) => (one.name === 'Writer' ? { ...one, relations } : one))
    await createTables(db, first as readonly AnyModel[])
    await db.execScript('alter table writers add foreign key (best_id) references works (id)')
  })
  test.before.each(async () => {
    for (const [table, columns] of Object.entries(cleared)) {
      const empty = Object.fromEntries(columns.map((column) => [column, null]))
      await db.kysely.updateTable(table).set(empty).execute()
    }
    for (const table of tables) await db.kysely.deleteFrom(table).execute()
  })

  const ids = async (table: string) =>
    (await db.kysely.selectFrom(table).selectAll().execute())
      .map((row) => Number(row.id ?? row.book))
      .sort((a, b) => a - b)
  const rows = (table: string) => db.kysely.selectFrom(table).selectAll().orderBy('id').execute()
  const remove = async (url: string, of = api) => {
    const { status, text } = await send(of, 'DELETE', url)
    equal(status, 200, text)
  }

  async function storePlans(): Promise<void> {
    await insertRows(db, model('Team'), [{ id: 1 }])
    await insertRows(
      db,
      model('Plan'),
      [1, 2].map((one) => ({ id: one, team_id: 1 })),
    )
    await insertRows(
      db,
      model('Milestone'),
      [1, 2].map((one) => ({ id: one, plan_id: one })),
    )
    await insertRows(db, model('Task'), [
      { id: 1, plan_id: 1, milestone_id: 1 },
      { id: 2, plan_id: 1, milestone_id: 1, blocker_id: 1 },
      { id: 3, plan_id: 2, milestone_id: 2, blocker_id: null },
    ])
  }

  for (const [how, meta] of Object.entries<Meta>({
    'found ahead': {},
    'found one by one': {
      remove_callback: async (record, _, { db: inside }) => {
        await inside.selectFrom('teams').selectAll().execute()
        return record
      },
    },
  })) {
    const own = testApi(db, withMeta('Task', meta), config)

    test(`records that are deleted as well do not prevent a deletion, ${how}`, async () => {
      await storePlans()
      await remove('/api/plans/1', own)
      equal([await ids('plans'), await ids('milestones'), await ids('tasks')], [[2], [2], [3]])
    })

    test(`records that others of the same request refer to, ${how}`, async () => {
      await storePlans()
      // A task of the second plan has a milestone of the first one.
      await db.kysely.updateTable('tasks').set({ milestone_id: 1 }).where('id', '=', 3).execute()
      const { status, errors } = await send(own, 'DELETE', '/api/plans/1')
      equal([status, errors.reason], [409, 'Other records refer to this one: tasks.'])
      equal(
        [await ids('plans'), await ids('tasks')],
        [
          [1, 2],
          [1, 2, 3],
        ],
      )
      await remove('/api/teams/1', own)
      equal([await ids('plans'), await ids('milestones'), await ids('tasks')], [[], [], []])
    })
  }

  test('records that refer to each other', async () => {
    await insertRows(
      db,
      model('Page'),
      [1, 2, 3, 4, 5].map((one) => ({ id: one })),
    )
    // 1 has the parts 2 and 3, and 2 the part 4; 2 → 3 → 2 and 5 → 4 are links; 5 is its own next one.
    for (const [own, values] of [
      [2, { parent_id: 1, next_id: 3 }],
      [3, { parent_id: 1, next_id: 2 }],
      [4, { parent_id: 2, next_id: 1 }],
      [5, { next_id: 4 }],
    ] as const) {
      await db.kysely.updateTable('pages').set(values).where('id', '=', own).execute()
    }
    await remove('/api/pages/1')
    equal(
      (await rows('pages')).map((row) => [row.id, row.next_id]),
      [[5, null]],
    )
    await db.kysely.updateTable('pages').set({ next_id: 5 }).execute()
    await remove('/api/pages/5')
    equal(await ids('pages'), [])
  })

  test('a record that two relations reach is deleted once', async () => {
    await insertRows(
      db,
      model('Page'),
      [1, 2, 3].map((one) => ({ id: one })),
    )
    for (const [own, values] of [
      [2, { parent_id: 1 }],
      [3, { parent_id: 1, original_id: 2 }],
    ] as const) {
      await db.kysely.updateTable('pages').set(values).where('id', '=', own).execute()
    }
    const calls: unknown[] = []
    const meta: Meta = {
      remove_callback: (record) => {
        calls.push(record.id)
        return record
      },
    }
    await remove('/api/pages/1', testApi(db, withMeta('Page', meta), config))
    equal([calls, await ids('pages')], [[3, 2, 1], []])
  })

  test('a record that is deleted loses its reference to one that is deleted before, without a call of its hooks', async () => {
    await insertRows(db, model('Writer'), [{ id: 1 }, { id: 2 }])
    await insertRows(
      db,
      model('Work'),
      [1, 2].map((one) => ({ id: one, writer_id: 1 })),
    )
    await db.kysely.updateTable('writers').set({ best_id: 2 }).execute()
    let changes = 0
    const meta: Meta = {
      update_callback: (record) => {
        changes += 1
        return record
      },
    }
    await remove('/api/writers/1', testApi(db, withMeta('Writer', meta), config))
    equal(
      (await rows('writers')).map((row) => [row.id, row.best_id]),
      [[2, null]],
    )
    equal([await ids('works'), changes], [[], 1])
  })

  test('has-one', async () => {
    await insertRows(db, model('Writer'), [{ id: 1 }, { id: 2 }])
    for (const wanted of ['Card', 'Badge']) {
      await insertRows(
        db,
        model(wanted),
        [1, 2].map((one) => ({ id: one, writer_id: one })),
      )
    }
    await remove('/api/writers/1')
    equal(await ids('cards'), [2])
    equal(
      (await rows('badges')).map((row) => row.writer_id),
      [null, 2],
    )
  })

  test('keys of two columns', async () => {
    await insertRows(db, model('Edition'), [
      { book: 1, number: 1 },
      { book: 1, number: 2 },
      { book: 2, number: 1 },
    ])
    for (const wanted of ['Copy', 'Loan']) {
      await insertRows(db, model(wanted), [
        { id: 1, book: 1, number: 1 },
        { id: 2, book: 1, number: 2 },
        { id: 3, book: 2, number: 1 },
        { id: 4, book: 2, number: null },
      ])
    }
    await remove('/api/editions/1,1')
    equal(await ids('copies'), [2, 3, 4])
    await remove('/api/editions?number__eq=1')
    equal(await ids('copies'), [2, 4])
    equal(
      (await rows('loans')).map((row) => [row.book, row.number]),
      [
        [null, null],
        [1, 2],
        [null, null],
        [2, null],
      ],
    )
  })

  test('two foreign keys of one record, which is then deleted', async () => {
    await insertRows(db, model('Person'), [{ id: 1 }, { id: 2 }, { id: 3 }])
    await insertRows(db, model('Message'), [
      { id: 1, sender_id: 1, recipient_id: 1 },
      { id: 2, sender_id: 1, recipient_id: 2, owner_id: 3 },
      { id: 3, sender_id: 2, recipient_id: 1, owner_id: 1 },
    ])
    const seen: unknown[] = []
    const state = (record: object) => {
      const { id: own, sender_id, recipient_id } = record as Record<string, unknown>
      return [own, sender_id, recipient_id]
    }
    const meta: Meta = {
      update_callback: (record, _, { before }) => {
        seen.push([...state(before ?? {}), ...state(record).slice(1)])
        return record
      },
      remove_callback: (record) => {
        seen.push(state(record))
        return record
      },
    }
    await remove('/api/people?id__gt=0', testApi(db, withMeta('Message', meta), config))
    equal(seen, [
      [3, 2, 1],
      [1, 1, 1, null, 1],
      [2, 1, 2, null, 2],
      [1, null, 1, null, null],
      [2, null, 2, null, null],
      [2, null, null],
    ])
    equal([await ids('people'), (await rows('messages')).map(state)], [[], [[1, null, null]]])
  })

  test('a record that gets another parent at the same time keeps that one', async () => {
    await insertRows(db, model('Writer'), [{ id: 1 }, { id: 2 }])
    await insertRows(db, model('Badge'), [{ id: 1, writer_id: 1 }])
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let begin = () => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const meta: Meta = {
      update_callback: async (record) => {
        begin()
        await released
        return record
      },
    }
    const moving = send(testApi(db, withMeta('Badge', meta), config), 'PATCH', '/api/badges/1', {
      body: { writer_id: 2 },
    })
    await begun
    const removing = remove('/api/writers/1')
    // The DELETE waits for the PATCH, on SQLite before it begins.
    await new Promise((resolve) => setTimeout(resolve, 100))
    release()
    equal((await moving).status, 200)
    await removing
    equal(
      (await rows('badges')).map((row) => row.writer_id),
      [2],
    )
  })

  test('a callback may give the record another parent', async () => {
    await insertRows(db, model('Writer'), [{ id: 1 }, { id: 2 }])
    await insertRows(db, model('Badge'), [{ id: 1, writer_id: 1 }])
    const meta: Meta = {
      update_callback: (record) => ({ ...record, writer_id: 2 }),
    }
    await remove('/api/writers/1', testApi(db, withMeta('Badge', meta), config))
    equal(
      (await rows('badges')).map((row) => row.writer_id),
      [2],
    )
  })
})

eachDatabase('on_delete, whatever the foreign keys of the database do', (test, db) => {
  const headOf = (on_delete?: 'cascade' | 'null', arm: Meta = {}): readonly AnyModel[] =>
    [
      defineModel('Head', {
        columns: { id },
        relations: {
          arms: hasMany('Arm', 'head_id', on_delete && { on_delete }),
        },
        meta: {},
      }),
      defineModel('Arm', {
        columns: { id, head_id: key },
        relations: { head: belongsTo('Head', 'head_id') },
        meta: arm,
      }),
    ] as unknown as readonly AnyModel[]
  const [Head, Arm] = headOf() as [AnyModel, AnyModel]

  for (const rule of ['cascade', 'set null', 'no action']) {
    const stored = async () => {
      await db.execScript(`
        drop table if exists arms;
        drop table if exists heads;
        create table heads (id integer not null primary key);
        create table arms (
          id integer not null primary key,
          head_id integer,
          foreign key (head_id) references heads (id) on delete ${rule}
        );
      `)
      await insertRows(db, Head, [{ id: 1 }, { id: 2 }])
      await insertRows(db, Arm, [
        { id: 1, head_id: 1 },
        { id: 2, head_id: 1 },
      ])
    }
    const arms = async () =>
      (await db.kysely.selectFrom('arms').selectAll().orderBy('id').execute()).map((row) => [
        Number(row.id),
        row.head_id,
      ])
    const both = [
      [1, 1],
      [2, 1],
    ]
    const remove = (on_delete?: 'cascade' | 'null', arm?: Meta) =>
      send(testApi(db, headOf(on_delete, arm), { API_ALLOW_BULK: true }), 'DELETE', '/api/heads/1')

    test(`a foreign key with on delete ${rule}`, async () => {
      await stored()
      const hidden: Meta = { access_policy: { scope: { id: { ne: 2 } } } }
      const keeping: Meta = { update_callback: (record) => ({ ...record, head_id: 1 }) }
      const refusing: Meta = {
        access_policy: { can_update: ({ id: own }) => own !== 2, can_delete: () => false },
      }
      equal((await remove()).status, 409)
      equal((await remove('cascade', hidden)).status, 409)
      equal((await remove('null', hidden)).status, 409)
      equal((await remove('null', keeping)).status, 409)
      equal((await remove('cascade', refusing)).status, 403)
      equal((await remove('null', refusing)).status, 403)
      equal(await arms(), both)
      equal((await remove('null')).status, 200)
      equal(await arms(), [
        [1, null],
        [2, null],
      ])
      await stored()
      const called: unknown[] = []
      const noting: Meta = {
        remove_callback: (record) => {
          called.push(record.id)
          return record
        },
      }
      equal((await remove('cascade', noting)).status, 200)
      equal([await arms(), called], [[], [1, 2]])
    })
  }
})

eachDatabase('on_delete of links that are records', (test, db) => {
  const modelsOfLinks = (own: Meta = {}): readonly AnyModel[] =>
    [
      defineModel('Member', {
        columns: { id },
        relations: {
          teams: manyToMany('Team', { through: 'seats', from: 'member_id', to: 'team_id' }),
        },
        meta: {},
      }),
      defineModel('Team', { columns: { id }, meta: {} }),
      defineModel('Seat', {
        columns: { id: { ...id, generated: true }, member_id: key, team_id: key, gone },
        relations: {
          badges: hasMany('Badge', 'seat_id', { on_delete: 'cascade' }),
          entries: hasMany('Entry', 'seat_id', { on_delete: 'null' }),
        },
        meta: own,
      }),
      defineModel('Badge', {
        columns: { id, seat_id: key },
        relations: { seat: belongsTo('Seat', 'seat_id') },
        meta: {},
      }),
      defineModel('Entry', {
        columns: { id, seat_id: key },
        relations: { seat: belongsTo('Seat', 'seat_id') },
        meta: {},
      }),
    ] as unknown as readonly AnyModel[]
  const models = modelsOfLinks()
  const [Member, Team, Seat, Badge, Entry] = models as [
    AnyModel,
    AnyModel,
    AnyModel,
    AnyModel,
    AnyModel,
  ]
  const options: ApiConfig = { API_ALLOW_NESTED_WRITES: true }

  test.before(() => createTables(db, models))
  /** A member with n seats, each with a badge and an entry. */
  async function store(n: number): Promise<void> {
    for (const table of ['badges', 'entries', 'seats', 'teams', 'members'])
      await db.kysely.deleteFrom(table).execute()
    const numbers = Array.from({ length: n }, (_, i) => i + 1)
    const ids = numbers.map((one) => ({ id: one }))
    await insertRows(db, Member, [{ id: 1 }])
    await insertRows(db, Team, ids)
    await insertRows(
      db,
      Seat,
      numbers.map((one) => ({ id: one, member_id: 1, team_id: one, gone: false })),
    )
    for (const model of [Badge, Entry]) {
      await insertRows(
        db,
        model,
        numbers.map((one) => ({ id: one, seat_id: one })),
      )
    }
  }
  const keysOf = async (table: string, column: string) =>
    (await db.kysely.selectFrom(table).selectAll().orderBy('id').execute()).map(
      (row) => row[column],
    )

  for (const [kind, meta] of Object.entries({ hard: {}, soft })) {
    test(`${kind}: a list that removes links`, async () => {
      await store(3)
      const api = testApi(db, modelsOfLinks(meta), options)
      const { status, text } = await send(api, 'PATCH', '/api/members/1', {
        body: { teams: [{ id: 2 }] },
      })
      equal(status, 200, text)
      equal(await keysOf('badges', 'seat_id'), [2])
      equal(await keysOf('entries', 'seat_id'), [null, 2, null])
    })

    test(`${kind}: takes as many statements for any number of links`, async () => {
      const api = testApi(db, modelsOfLinks(meta), options)
      await api.ready
      const counts: number[] = []
      for (const n of [5, 10]) {
        await store(n)
        const { result, statements } = await db.capture(() =>
          send(api, 'PATCH', '/api/members/1', { body: { teams: [] } }),
        )
        equal(result.status, 200, result.text)
        counts.push(statements.length)
      }
      equal(counts[1], counts[0])
      equal(await keysOf('badges', 'seat_id'), [])
    })
  }

  test('API_MAX_BULK counts what is removed with the links', async () => {
    await store(3)
    const api = testApi(db, models, { ...options, API_MAX_BULK: 8 })
    const empty = { body: { teams: [] } }
    const { status, errors } = await send(api, 'PATCH', '/api/members/1', empty)
    equal([status, errors.code], [400, 'too_many_records'])
    match(errors.reason, 'max_bulk of members')
    const more = testApi(db, models, { ...options, API_MAX_BULK: 9 })
    equal((await send(more, 'PATCH', '/api/members/1', empty)).status, 200)
  })
})
