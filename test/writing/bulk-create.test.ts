/**
 * POST of a list: few statements store it; the calls of hooks, the refusals and the paths in errors are the same as for records
 * written one by one.
 */
import { apiError, belongsTo, defineModel, hasMany } from '@model-api/core'
import { sql } from 'kysely'
import { get, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Project = defineModel('Project', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 40 },
    owner: { type: 'integer' },
  },
  relations: { issues: hasMany('Issue', 'project_id') },
  meta: {
    access_policy: {
      scope_query: (query: { where(...args: unknown[]): unknown }) => query.where('owner', '=', 7),
    },
  },
} as never)

const columns = {
  id: { type: 'integer', primaryKey: true, generated: true },
  project_id: { type: 'integer' },
  number: { type: 'integer' },
  title: { type: 'string', maxLength: 20 },
  slug: { type: 'string', maxLength: 20, nullable: true, unique: true },
  state: { type: 'string', maxLength: 20, hasDefault: true },
  points: { type: 'integer', nullable: true },
} as const

const Issue = defineModel('Issue', {
  columns,
  unique: [['project_id', 'number']],
  relations: { project: belongsTo('Project', 'project_id') },
  meta: {},
})

const config = { API_ALLOW_BULK: true } as const

async function createTracker(db: TestDatabase): Promise<void> {
  await createTables(db, [Project, Issue])
  await db.execScript(`alter table issues drop column state`)
  await db.execScript(`alter table issues add column state varchar(20) default 'open' not null`)
  if (db.name !== 'sqlite') {
    await db.execScript(`alter table issues add constraint few_points check (points < 100)`)
  }
  await insertRows(db, Project as never, [
    { id: 1, name: 'own', owner: 7 },
    { id: 2, name: 'own too', owner: 7 },
    { id: 3, name: 'foreign', owner: 8 },
  ])
}

type Row = Readonly<Record<string, unknown>>

/** Creates n issues, some of them with other values. */
const issues = (n: number, others: Readonly<Record<number, Row>> = {}): Row[] =>
  Array.from({ length: n }, (_, i) => ({
    project_id: 1 + (i % 2),
    number: i,
    title: `issue ${i}`,
    ...others[i],
  }))

eachDatabase('POST of a list', (test, db) => {
  const api = testApi(db, [Project, Issue], config)
  const post = (body: unknown, of = api) => send(of, 'POST', '/api/issues', { body })
  const stored = () => db.kysely.selectFrom('issues').selectAll().orderBy('id').execute()
  test.before(() => createTracker(db))
  const given = (title: string, run: () => Promise<void>): void =>
    test(title, async () => {
      await db.kysely.deleteFrom('issues').execute()
      await run()
    })

  given('stores records with different fields in their order', async () => {
    const body = issues(9, {
      1: { slug: 'one' },
      4: { points: 4, state: 'closed' },
      5: { slug: null },
      8: { state: 'shut' },
    })
    const { status, value } = await post(body)
    equal(status, 201)
    const ids = value.map(({ id }: { id: number }) => id)
    equal(
      ids,
      [...ids].sort((a, b) => a - b),
    )
    const expected = body.map((one) => ({ slug: null, points: null, state: 'open', ...one }))
    const told = (rows: readonly Row[]) =>
      rows.map((row) =>
        Object.fromEntries(Object.keys(expected[0] ?? {}).map((name) => [name, row[name]])),
      )
    const same = expected.map((one) => told([one])[0])
    equal(told(value), same)
    equal(told(await stored()), same)
  })

  given(
    'names the record whose unique value is already taken, by a stored record or by one of the list',
    async () => {
      await post(issues(1, { 0: { slug: 'taken', number: 100 } }))
      for (const [place, conflict] of [
        [0, { slug: 'taken' }],
        [12, { slug: 'taken' }],
        [19, { project_id: 1, number: 100 }],
      ] as const) {
        const { status, errors } = await post(issues(20, { [place]: conflict }))
        equal(status, 409)
        const names = 'slug' in conflict ? ['slug'] : ['project_id', 'number']
        equal(
          Object.keys(errors.reason),
          names.map((name) => `[${place}].${name}`),
        )
      }
      const twice = await post(issues(20, { 3: { slug: 'twice' }, 17: { slug: 'twice' } }))
      equal([twice.status, Object.keys(twice.errors.reason)], [409, ['[17].slug']])
      equal((await stored()).length, 1)
    },
  )

  given('names the record whose foreign key refers to a missing or a hidden record', async () => {
    for (const project_id of [3, 99]) {
      const { status, errors } = await post(issues(20, { 11: { project_id } }))
      equal([status, errors.reason], [422, { '[11].project_id': ['No such record.'] }])
    }
    const open = testApi(db, [{ ...Project, meta: {} } as never, Issue], config)
    const { status, errors } = await post(issues(20, { 11: { project_id: 99 } }), open)
    equal([status, errors.reason], [422, { '[11].project_id': ['No such record.'] }])
    equal(await stored(), [])
  })

  given('a check that refuses a record stores none', async () => {
    if (db.name === 'sqlite') return
    const { status, errors } = await post(issues(20, { 11: { points: 500 } }))
    equal(
      [status, errors.code, Object.keys(errors.reason)],
      [422, 'check_violation', ['[11].points']],
    )
    equal(await stored(), [])
  })

  given('a callback that reads the database finds the preceding records', async () => {
    const seen: number[] = []
    const numbered = testApi(
      db,
      [
        Project,
        {
          ...Issue,
          meta: {
            add_callback: async (issue: Row, _: unknown, { db: own }: { db: typeof db.kysely }) => {
              const found = await own
                .selectFrom('issues')
                .select(sql<number>`coalesce(max(number), 0)`.as('last'))
                .where('project_id', '=', issue.project_id)
                .executeTakeFirstOrThrow()
              seen.push(Number(found.last))
              return { ...issue, number: Number(found.last) + 1 }
            },
          },
        } as never,
      ],
      config,
    )
    const { status, value } = await post(issues(6), numbered)
    equal(status, 201)
    equal(
      value.map(({ number }: { number: number }) => number),
      [1, 1, 2, 2, 3, 3],
    )
    equal(seen, [0, 0, 1, 1, 2, 2])
  })

  given('so does a policy, whether it reads for every record or for one', async () => {
    const counts: number[] = []
    const counting = testApi(
      db,
      [
        Project,
        {
          ...Issue,
          meta: {
            access_policy: {
              can_create: async (
                { number }: { number: number },
                args: { db: typeof db.kysely },
              ) => {
                if (number % 3 !== 2) return true
                const rows = await args.db.selectFrom('issues').select('id').execute()
                counts.push(rows.length)
                return rows.length < 8
              },
            },
          },
        } as never,
      ],
      config,
    )
    equal((await post(issues(7), counting)).status, 201)
    equal(counts, [2, 5])
    await db.kysely.deleteFrom('issues').execute()
    equal((await post(issues(20), counting)).status, 403)
    equal(await stored(), [])
  })

  given('later records find what a callback has created', async () => {
    const making = testApi(
      db,
      [
        Project,
        {
          ...Issue,
          meta: {
            add_callback: async (issue: Row, _: unknown, { db: own }: { db: typeof db.kysely }) => {
              if (issue.number === 1) {
                await own.updateTable('projects').set({ owner: 7 }).where('id', '=', 3).execute()
              }
              return issue
            },
          },
        } as never,
      ],
      config,
    )
    equal((await post(issues(4, { 0: { project_id: 3 } }), making)).status, 422)
    equal((await post(issues(4, { 3: { project_id: 3 } }), making)).status, 201)
    await db.kysely.updateTable('projects').set({ owner: 8 }).where('id', '=', 3).execute()
  })

  given('references are looked up again only after a statement of a callback', async () => {
    const lookUps = async (sends: (issue: Row) => boolean): Promise<number> => {
      await db.kysely.deleteFrom('issues').execute()
      const own = testApi(
        db,
        [
          Project,
          {
            ...Issue,
            meta: {
              add_callback: async (issue: Row, _: unknown, args: { db: typeof db.kysely }) => {
                if (sends(issue)) await args.db.selectFrom('issues').select('id').execute()
                return { ...issue, title: `${issue.title}!` }
              },
            },
          } as never,
        ],
        config,
      )
      await own.ready
      const { result, statements } = await db.capture(() => post(issues(9), own))
      equal(
        [result.status, (await stored()).map(({ title }) => title.at(-1)).join('')],
        [201, '!!!!!!!!!'],
      )
      return statements.filter(({ sql }) => /from .projects./.test(sql)).length
    }
    equal(await lookUps(() => false), 1)
    // After the statement of the callback, each of the two projects is looked up once more.
    equal(await lookUps(({ number }) => number === 2), 3)
    equal(await lookUps(({ number }) => number === 8), 1)
    equal(await lookUps(() => true), 9)
  })

  given('the response shows the changes that a callback made to an earlier record', async () => {
    const changing = testApi(
      db,
      [
        Project,
        {
          ...Issue,
          meta: {
            add_callback: async (issue: Row, _: unknown, { db: own }: { db: typeof db.kysely }) => {
              if (issue.number === 3) {
                await own.updateTable('issues').set({ points: 7 }).where('number', '=', 1).execute()
              }
              return issue
            },
          },
        } as never,
      ],
      config,
    )
    // The callback of the last record comes after the other ones are stored.
    for (const n of [6, 4]) {
      await db.kysely.deleteFrom('issues').execute()
      const { value } = await post(issues(n), changing)
      equal(
        value.map(({ points }: Row) => points),
        [null, 7, null, null, null, null].slice(0, n),
      )
    }
  })

  given('the response has null for a record that its author may not read', async () => {
    const hiding = testApi(
      db,
      [
        Project,
        {
          ...Issue,
          meta: {
            access_policy: {
              scope_query: (query: { where(...args: unknown[]): unknown }) =>
                query.where('number', '!=', 1),
            },
          },
        } as never,
      ],
      config,
    )
    const { status, value } = await post(issues(3), hiding)
    equal([status, value.map((one: Row | null) => one?.number ?? null)], [201, [0, null, 2]])
  })

  given('a record that another one of the list conflicts with is named by its field', async () => {
    const nesting = testApi(db, [Project, Issue], { ...config, API_ALLOW_NESTED_WRITES: true })
    const nested = { project_id: undefined, project: { id: 1 } }
    const twice = issues(3, { 0: nested, 1: { slug: 'twice' }, 2: { slug: 'twice' } })
    const { status, errors } = await post(twice, nesting)
    equal([status, Object.keys(errors.reason)], [409, ['[2].slug']])
    equal(await stored(), [])
  })

  given(
    'of two refused records the first is reported, but checks come before what the database refuses',
    async () => {
      await post(issues(1, { 0: { slug: 'taken', number: 100 } }))
      const ruled = testApi(
        db,
        [
          Project,
          {
            ...Issue,
            meta: { access_policy: { can_create: ({ number }: Row) => number !== 3 } },
          } as never,
        ],
        config,
      )
      const body = issues(5, { 1: { slug: 'taken' } })
      const { status, errors } = await post(body, ruled)
      equal([status, Object.keys(errors.reason)], [409, ['[1].slug']])
      const [{ id } = { id: 0 }] = await stored()
      await post(issues(1))
      const { id: other } = (await stored())[1] as { id: number }
      const changes = [
        { id: other, slug: 'taken' },
        { id: other + 99, points: 1 },
        { id, points: 1 },
      ]
      const changed = await send(api, 'PATCH', '/api/issues', { body: changes })
      equal([changed.status, Object.keys(changed.errors.reason)], [404, ['[1]']])
    },
  )

  given('a record without a required field, or with one too many, stores none', async () => {
    const { title: _, ...untitled } = issues(1)[0] ?? {}
    for (const [wrong, field] of [
      [untitled, 'title'],
      [{ ...issues(1)[0], id: 5 }, 'id'],
      [{ ...issues(1)[0], titel: '' }, 'titel'],
      [{ ...issues(1)[0], title: 'x'.repeat(21) }, 'title'],
      [{ ...issues(1)[0], number: 1.5 }, 'number'],
      [{ ...issues(1)[0], title: null }, 'title'],
    ] as const) {
      const { status, errors } = await post([...issues(3), wrong])
      equal([status, Object.keys(errors.reason)], [400, [`[3].${field}`]])
    }
    equal(await stored(), [])
  })

  given('a list is refused even if a callback catches the error', async () => {
    await post(issues(1, { 0: { slug: 'taken', number: 100 } }))
    for (const first of [0, 3]) {
      const called: unknown[] = []
      const hiding = testApi(
        db,
        [
          Project,
          {
            ...Issue,
            meta: {
              add_callback: async (
                issue: Row & { number: number },
                _: unknown,
                { db: own }: { db: typeof db.kysely },
              ) => {
                called.push(issue.number)
                if (issue.number < first) return issue
                await own
                  .selectFrom('issues')
                  .select('id')
                  .execute()
                  .catch(() => [])
                return issue
              },
            },
          } as never,
        ],
        config,
      )
      const { status, errors } = await post(issues(5, { 1: { slug: 'taken' } }), hiding)
      equal([status, Object.keys(errors.reason)], [409, ['[1].slug']])
      equal(called, first === 0 ? [0, 1] : [0, 1, 2, 3])
      equal((await stored()).length, 1)
    }
  })

  given('a callback that refuses a record stores none', async () => {
    const refusing = testApi(
      db,
      [
        Project,
        {
          ...Issue,
          meta: {
            add_callback: (issue: Row) => {
              if (issue.number === 4) throw apiError(418, 'Teapot', 'no')
              return issue
            },
          },
        } as never,
      ],
      config,
    )
    equal((await post(issues(6), refusing)).status, 418)
    equal(await stored(), [])
  })

  given('in a transaction of the host it is committed or rolled back with it', async () => {
    for (const commits of [true, false]) {
      const work = db.kysely.transaction().execute(async (transaction) => {
        const hosted = testApi(db, [Project, Issue], {
          ...config,
          API_SESSION_GETTER: () => transaction,
        })
        equal((await post(issues(5), hosted)).status, 201)
        if (!commits) throw new Error('the host changes its mind')
      })
      await work.catch(() => undefined)
      equal((await stored()).length, 5)
    }
  })

  given('needs one statement of each kind, for any number of records and relations', async () => {
    await api.ready
    const counts: number[] = []
    for (const n of [2, 5, 40]) {
      await db.kysely.deleteFrom('issues').execute()
      const { result, statements } = await db.capture(() => post(issues(n)))
      equal(result.status, 201)
      counts.push(statements.length)
    }
    equal(new Set(counts).size, 1, String(counts))
    ok((counts[0] ?? 0) <= 8, String(counts))
    equal((await get(api, '/api/issues?limit=1')).total, 40)
  })
})
