/** PATCH of a list and by a filter, and upserts of a list: few statements, with the same result as writing the records one by one. */
import { belongsTo, defineModel, hasMany } from '@model-api/core'
import { sql } from 'kysely'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Project = defineModel('Project', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    owner: { type: 'integer' },
  },
  relations: { issues: hasMany('Issue', 'project_id') },
  meta: {
    access_policy: {
      scope_query: (query: { where(...args: unknown[]): unknown }) => query.where('owner', '=', 7),
    },
  },
} as never)

const Issue = defineModel('Issue', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    project_id: { type: 'integer' },
    slug: { type: 'string', maxLength: 20, unique: true },
    title: { type: 'string', maxLength: 20, nullable: true },
    price: { type: 'decimal', precision: 8, scale: 2, nullable: true },
    total: { type: 'bigint', nullable: true },
    open: { type: 'boolean', nullable: true },
    due: { type: 'date', nullable: true },
    seen: { type: 'datetime', nullable: true },
    file: { type: 'binary', nullable: true },
    details: { type: 'json', nullable: true },
    owner: { type: 'integer' },
  },
  relations: { project: belongsTo('Project', 'project_id') },
  meta: {
    access_policy: {
      scope_query: (query: { where(...args: unknown[]): unknown }) => query.where('owner', '=', 7),
      can_update: (_: object, { title }: { title?: string }) => title !== 'forbidden',
    },
  },
} as never)

const Seat = defineModel('Seat', {
  columns: {
    hall: { type: 'string', maxLength: 10, primaryKey: true },
    number: { type: 'integer', primaryKey: true },
    taken_by: { type: 'string', maxLength: 20, nullable: true },
  },
  meta: {},
})

const config = { API_ALLOW_BULK: true } as const

type Row = Readonly<Record<string, unknown>>

eachDatabase('PATCH of a list', (test, db) => {
  const models = [Project, Issue, Seat] as never[]
  const api = testApi(db, models, config)
  const patch = (url: string, body: unknown, of = api) => send(of, 'PATCH', url, { body })
  const titles = async () =>
    (await db.kysely.selectFrom('issues').select(['id', 'title']).orderBy('id').execute()).map(
      ({ title }) => title,
    )
  const stored = () => db.kysely.selectFrom('issues').selectAll().orderBy('id').execute()

  test.before(async () => {
    await createTables(db, models)
    await insertRows(db, Project as never, [
      { id: 1, owner: 7 },
      { id: 2, owner: 8 },
    ])
  })
  const given = (title: string, run: () => Promise<void>): void =>
    test(title, async () => {
      await db.kysely.deleteFrom('issues').execute()
      const rows = Array.from({ length: 12 }, (_, i) => ({
        id: i + 1,
        project_id: 1,
        slug: `slug ${i + 1}`,
        title: `title ${i + 1}`,
        owner: i === 11 ? 8 : 7,
      }))
      await insertRows(db, Issue as never, rows)
      if (db.name === 'postgres') {
        await db.execScript('alter table issues alter column id restart with 1000')
      }
      await run()
    })

  given('changes each record by its own values, of every type', async () => {
    const changes = [
      { id: 3, title: 'three', price: '3.50', total: '9007199254740993', open: true },
      { id: 1, title: null, price: null, total: null, open: false },
      { id: 5, due: '2026-02-03', seen: '2026-02-03T04:05:06.789Z', file: 'AQID' },
      { id: 4, due: null, seen: '2026-02-04T04:05:06.789Z', file: 'BAUG' },
      { id: 7, details: { a: [1, 2] } },
      { id: 8, details: ['b'] },
      { id: 9 },
    ]
    const { status, value, total } = await patch('/api/issues', changes)
    equal([status, total], [200, 7])
    equal(
      value.map((row: Row, i: number) =>
        Object.fromEntries(Object.keys(changes[i] ?? {}).map((name) => [name, row[name]])),
      ),
      changes,
    )
    equal((await titles()).slice(0, 4), [null, 'title 2', 'three', 'title 4'])
  })

  given('changes all or none, and names what is wrong', async () => {
    const before = await stored()
    const errors = async (body: unknown) => {
      const { status, errors } = await patch('/api/issues', body)
      return [status, errors.code, errors.reason]
    }
    equal(await errors([{ id: 1, title: 'x' }, { title: 'y' }]), [
      400,
      'validation_failed',
      { '[1].id': ['The key of the record to change is needed.'] },
    ])
    equal(await errors([{ id: 1, title: 'x' }, { id: 1 }]), [
      400,
      'validation_failed',
      { '[1]': ['The list changes this record twice.'] },
    ])
    const missing = { '[1]': ['No such record.'] }
    for (const id of [12, 99]) {
      equal(await errors([{ id: 1, title: 'x' }, { id }]), [404, 'record_not_found', missing])
    }
    const foreign = [
      { id: 1, title: 'x' },
      { id: 2, project_id: 2 },
    ]
    equal(await errors(foreign), [
      422,
      'missing_reference',
      { '[1].project_id': ['No such record.'] },
    ])
    const forbidden = [
      { id: 1, title: 'x' },
      { id: 2, title: 'forbidden' },
    ]
    equal((await patch('/api/issues', forbidden)).status, 403)
    const taken = Array.from({ length: 9 }, (_, i) => ({ id: i + 1, slug: `new ${i}` }))
    taken[6] = { id: 7, slug: 'slug 12' }
    equal(await errors(taken), [
      409,
      'unique_violation',
      { '[6].slug': ['Another record has this value.'] },
    ])
    const mixed = [
      { id: 1, title: 'x' },
      { id: 2, slug: 'slug 12' },
      { id: 3, title: 'y', owner: 7 },
    ]
    equal(await errors(mixed), [
      409,
      'unique_violation',
      { '[1].slug': ['Another record has this value.'] },
    ])
    equal(await stored(), before)
  })

  given('a unique value is free only for records after the one that gives it up', async () => {
    const down = await patch('/api/issues', [
      { id: 1, slug: 'slug 0' },
      { id: 2, slug: 'slug 1' },
      { id: 3, slug: 'slug 2' },
    ])
    equal(down.status, 200)
    const { status, errors } = await patch('/api/issues', [
      { id: 2, slug: 'slug 0' },
      { id: 1, slug: 'free' },
    ])
    equal([status, Object.keys(errors.reason)], [409, ['[0].slug']])
  })

  given('needs a list without a filter, and refuses a list with one', async () => {
    equal((await patch('/api/issues', { title: 'x' })).errors.code, 'filter_needed')
    equal((await patch('/api/issues', [])).errors.code, 'wrong_body')
    equal((await patch('/api/issues?id__gt=1', [{ id: 1 }])).status, 400)
    const list = [{ id: 1 }, { id: 2 }]
    equal((await patch('/api/issues?max_affected=1', list)).errors.code, 'too_many_records')
    const small = testApi(db, models, { ...config, API_MAX_BULK: 1 })
    equal((await patch('/api/issues', list, small)).errors.code, 'too_many_records')
    const headers = { 'if-match': '"x.y"' }
    const matched = await send(api, 'PATCH', '/api/issues', { body: list, headers })
    equal(matched.errors.code, 'precondition_on_many')
  })

  given('reads the stored columns that policies, callbacks and checks need', async () => {
    const body = [3, 1, 2].map((id) => ({ id, title: `t ${id}` }))
    const lookUp = async (meta: object, list: readonly object[] = body, name = 'slug') => {
      const of = testApi(db, [Project, { ...(Issue as object), meta }] as never[], config)
      await of.ready
      const { result, statements } = await db.capture(() => patch('/api/issues', list, of))
      equal([result.status, result.value.map(({ id }: Row) => id)], [200, [3, 1, 2]])
      const texts = statements.map(({ sql: text }) => text)
      const beforeUpdate = texts.slice(
        0,
        texts.findIndex((text) => text.startsWith('update')),
      )
      return beforeUpdate.some((text) => /^select .*issues/.test(text) && text.includes(name))
    }
    const seen: unknown[] = []
    const can_update = (issue: Row) => {
      seen.push([issue.id, issue.slug, issue.owner])
      return true
    }
    const policy = { access_policy: { can_update } }
    equal([await lookUp({}), await lookUp(policy)], [false, true])
    equal(seen, [
      [3, 'slug 3', 7],
      [1, 'slug 1', 7],
      [2, 'slug 2', 7],
    ])
    const update_callback = (issue: Row) => ({ ...issue, total: String(issue.owner) })
    equal(await lookUp({ update_callback }), true)
    equal(
      (await stored()).slice(0, 4).map(({ total }) => Number(total)),
      [7, 7, 7, 0],
    )
    // JSON does not show microseconds, so equal values are not written.
    const times = body.map(({ id }) => ({ id, seen: '2026-02-03T04:05:06.789Z' }))
    equal(await lookUp({}, times, 'seen'), true)
    // One record may take the unique value that another one gives up.
    const freed = body.map(({ id }, i) => ({ id, slug: `slug ${[0, 3, 1][i]}` }))
    equal(await lookUp({}, freed), true)
  })

  given('finds records by keys of several columns', async () => {
    await db.kysely.deleteFrom('seats').execute()
    const seats = ['A', 'B'].flatMap((hall) => [1, 2].map((number) => ({ hall, number })))
    await send(api, 'POST', '/api/seats', { body: seats })
    const { value } = await patch('/api/seats', [
      { hall: 'B', number: 1, taken_by: 'ann' },
      { hall: 'A', number: 2, taken_by: 'bob' },
      { hall: 'A', number: 1, taken_by: null },
    ])
    equal(
      value.map((seat: Row) => `${seat.hall}${seat.number} ${seat.taken_by}`),
      ['B1 ann', 'A2 bob', 'A1 null'],
    )
  })

  given(
    'a callback that reads sees the preceding records changed, and its own writes',
    async () => {
      const summing = testApi(
        db,
        [
          Project,
          {
            ...(Issue as object),
            meta: {
              update_callback: async (issue: Row, _: unknown, args: { db: typeof db.kysely }) => {
                const { done } = await args.db
                  .selectFrom('issues')
                  .select(sql<number>`count(*)`.as('done'))
                  .where('title', '=', 'done')
                  .executeTakeFirstOrThrow()
                if (issue.id === 1) {
                  await args.db
                    .updateTable('issues')
                    .set({ total: 50 })
                    .where('id', '=', 2)
                    .execute()
                }
                return { ...issue, total: String(Number(issue.total ?? 0) + Number(done)) }
              },
            },
          },
        ] as never[],
        config,
      )
      const list = [1, 2, 3, 4].map((id) => ({ id, title: 'done' }))
      const { status, value } = await patch('/api/issues', list, summing)
      equal(status, 200)
      equal(
        value.map(({ total }: Row) => total),
        ['0', '51', '2', '3'],
      )
    },
  )

  given('a record that a callback changes is the changed one at its turn', async () => {
    const before: unknown[] = []
    const asking = testApi(
      db,
      [
        Project,
        {
          ...(Issue as object),
          meta: {
            update_callback: async (
              issue: Row,
              _: unknown,
              args: { db: typeof db.kysely; before: Row },
            ) => {
              before.push(args.before.title)
              const change = (id: number, title: string) =>
                args.db.updateTable('issues').set({ title }).where('id', '=', id).execute()
              // The records 2, and then 3 and 4, are read again together.
              if (issue.id === 1) await change(4, 'by the first')
              if (issue.id === 3) await change(4, 'by the third')
              return issue
            },
          },
        },
      ] as never[],
      config,
    )
    const list = [1, 2, 3, 4, 5].map((id) => ({ id, price: '1.00' }))
    equal((await patch('/api/issues', list, asking)).status, 200)
    equal(before, ['title 1', 'title 2', 'title 3', 'by the third', 'title 5'])
  })

  given('needs as many statements for many records as for two', async () => {
    await api.ready
    for (const change of [
      (id: number) => ({ id, title: `t ${id}`, price: `${id}.00`, project_id: 1 }),
      (id: number) => ({ id, slug: `new ${id} ${Math.floor(id / 2)}` }),
    ]) {
      const counts: number[] = []
      for (const n of [2, 5, 11]) {
        const body = Array.from({ length: n }, (_, i) => change(i + 1))
        const { result, statements } = await db.capture(() => patch('/api/issues', body))
        equal(result.status, 200)
        counts.push(statements.length)
      }
      equal(new Set(counts).size, 1, String(counts))
      ok((counts[0] ?? 0) <= 10, String(counts))
    }
  })

  given('does not reveal to callers without the right to PATCH which records exist', async () => {
    const meta = { allowed_methods: ['GET', 'POST'] }
    const closed = testApi(db, [Project, { ...(Issue as object), meta }] as never[], config)
    const body = (...slugs: string[]) =>
      slugs.map((slug) => ({ slug, project_id: 1, owner: 7, title: 'x' }))
    for (const slugs of [
      ['slug 1', 'slug 2'],
      ['new 1', 'new 2'],
    ]) {
      const url = '/api/issues?on_conflict=slug'
      equal((await send(closed, 'POST', url, { body: body(...slugs) })).status, 403)
    }
    equal((await stored()).length, 12)
  })

  given(
    'an upsert of a list updates and creates, with as many statements for many records as for few',
    async () => {
      const slugs = (n: number, from: number) =>
        Array.from({ length: n }, (_, i) => ({
          slug: `slug ${from + i}`,
          title: `upserted ${i}`,
          project_id: 1,
          owner: 7,
        }))
      const counts: number[] = []
      for (const [n, from] of [
        [4, 10],
        [8, 8],
        [20, 1],
      ] as const) {
        await db.kysely.deleteFrom('issues').where('id', '>', 11).execute()
        const { result, statements } = await db.capture(() =>
          send(api, 'POST', '/api/issues?on_conflict=slug', { body: slugs(n, from) }),
        )
        equal(result.status, 201)
        equal(
          result.value.map(({ title }: Row) => title),
          slugs(n, from).map(({ title }) => title),
        )
        counts.push(statements.length)
      }
      equal(new Set(counts).size, 1, String(counts))
      equal((await stored()).length, 20)
    },
  )

  given('an upsert that names a record twice, or a record that the caller cannot see', async () => {
    const one = { project_id: 1, owner: 7 }
    const twice = await send(api, 'POST', '/api/issues?on_conflict=slug', {
      body: [
        { ...one, slug: 'new', title: 'first' },
        { ...one, slug: 'new', title: 'second' },
        { ...one, slug: 'slug 1', title: 'third' },
      ],
    })
    equal(
      [twice.status, twice.value.map(({ title }: Row) => title)],
      [201, ['second', 'second', 'third']],
    )
    const hidden = await send(api, 'POST', '/api/issues?on_conflict=slug', {
      body: [
        { ...one, slug: 'newer' },
        { ...one, slug: 'slug 12' },
      ],
    })
    equal([hidden.status, Object.keys(hidden.errors.reason)], [409, ['[1].slug']])
    const counted = await send(api, 'POST', '/api/issues?on_conflict=id', {
      body: [
        { ...one, slug: 'newest' },
        { ...one, id: 9999, slug: 'chosen' },
      ],
    })
    equal([counted.status, Object.keys(counted.errors.reason)], [422, ['[1].id']])
  })
})
