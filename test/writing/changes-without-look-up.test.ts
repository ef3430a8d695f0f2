/** Lists of changes that MariaDB and MySQL write without looking the records up: as if they had been looked up. */
import { belongsTo, createApi, defineModel, hasMany } from '@model-api/core'
import { detectDialect } from '@model-api/core/internals'
import fc from 'fast-check'
import { CompiledQuery, Kysely, MysqlDialect, sql } from 'kysely'
import { createPool } from 'mysql2'
import type { InternalDialect } from '../../packages/core/src/dialect/internal-dialect.ts'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { batches, check } from '../support/property.ts'
import { closeAtEnd } from '../support/registry.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Team = defineModel('Team', {
  columns: { id: { type: 'integer', primaryKey: true } },
  relations: { tasks: hasMany('Task', 'team_id') },
  meta: {},
})

const Task = defineModel('Task', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    team_id: { type: 'integer' },
    title: { type: 'string', maxLength: 20, nullable: true },
    points: { type: 'integer' },
    slug: { type: 'string', maxLength: 20, unique: true },
    place: { type: 'integer', unique: true },
    gone: { type: 'datetime', nullable: true },
  },
  relations: { team: belongsTo('Team', 'team_id'), parts: hasMany('Part', 'task_id') },
  meta: {},
})

const Part = defineModel('Part', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    task_id: { type: 'integer', nullable: true },
  },
  relations: { task: belongsTo('Task', 'task_id') },
  meta: {},
})

const config = { API_ALLOW_BULK: true } as const

const rows = Array.from({ length: 8 }, (_, i) => ({
  id: i + 1,
  team_id: 1,
  title: `title ${i}`,
  points: i,
  slug: `slug ${i}`,
  place: i,
  gone: null,
}))

/** Values for each field; some are refused: by the model, by the database, or because there is no such team. */
const fields = {
  title: fc.constantFrom('a', 'b', null),
  points: fc.oneof({ weight: 8, arbitrary: fc.nat(50) }, fc.constantFrom(2 ** 31, 100)),
  team_id: fc.oneof({ weight: 8, arbitrary: fc.constantFrom(1, 2) }, fc.constant(3)),
}

/** Lists of changes of the same fields; record 9 is not stored. */
const lists = fc
  .subarray(['title', 'points', 'team_id'] as const, { minLength: 1 })
  .chain((names) => {
    const change = fc.record({
      id: fc.oneof({ weight: 12, arbitrary: fc.integer({ min: 1, max: 8 }) }, fc.constant(9)),
      ...Object.fromEntries(names.map((name) => [name, fields[name]])),
    })
    const list = fc.uniqueArray(change, { selector: ({ id }) => id, minLength: 2, maxLength: 6 })
    // Only lists in the order of their keys are written without a look-up.
    const inOrder = list.map((changes) => [...changes].sort((a, b) => a.id - b.id))
    return fc.oneof({ weight: 3, arbitrary: inOrder }, list)
  })

/** The dialect of the database, but lists of changes look up their records. */
// biome-ignore lint/suspicious/noExplicitAny: any tables
function lookingUp(db: Kysely<any>): InternalDialect {
  const own = detectDialect(db)
  const changed = ({ shortcuts, ...dialect }: InternalDialect): InternalDialect => {
    const { lookUpOrderedUpdates: _, ...others } = shortcuts ?? {}
    return { ...dialect, shortcuts: others }
  }
  return {
    ...changed(own),
    connect: async (...about) => changed((await own.connect?.(...about)) ?? own),
  }
}

eachDatabase('a list of changes without a look-up', (test, db) => {
  const models = [Team, Task, Part]
  const isWithout = db.name === 'mysql'
  const api = testApi(db, models, config)
  const plain = testApi(db, models, config, { dialect: lookingUp(db.kysely) })
  const patch = (body: unknown, of = api) => send(of, 'PATCH', '/api/tasks', { body })
  const stored = () => db.kysely.selectFrom('tasks').selectAll().orderBy('id').execute()
  /** Whether a list is written without a look-up. */
  const skips = async (body: unknown, of = api, transactions = 1) => {
    await of.ready
    const { result, statements } = await db.capture(() => patch(body, of))
    equal(result.status, 200, result.text)
    const texts = statements.map((statement) => statement.sql)
    const update = texts.findIndex((text) => text.startsWith('update'))
    equal(texts.filter((text) => /^(begin|start)/.test(text)).length, transactions)
    return !texts.slice(0, update).some((text) => /^select .*tasks/.test(text))
  }
  test.before(async () => {
    await createTables(db, models)
    await insertRows(db, Team, [{ id: 1 }, { id: 2 }])
    // SQLite cannot add a constraint to a table.
    if (db.name === 'sqlite') return
    await db.execScript('alter table tasks add constraint few_points check (points < 100)')
  })
  test.before.each(async () => {
    await db.kysely.deleteFrom('tasks').execute()
    await insertRows(db, Task, rows)
  })

  test('a URL that is sent back is compared', async () => {
    const before = await stored()
    const list = (parts: string) => [
      { id: 1, points: 1, parts },
      { id: 2, points: 1 },
    ]
    const refused = await patch(list('/api/tasks/2/parts'))
    equal(refused.status, 400, refused.text)
    equal(Object.keys(refused.errors.reason), ['[0].parts'])
    equal(await stored(), before)
    equal((await patch(list('/api/tasks/1/parts'))).status, 200)
  })

  test('is one UPDATE, also of values that are stored already', async () => {
    const list = [2, 5, 7].map((id) => ({ id, title: `new ${id}` }))
    equal([await skips(list), await skips(list)], [isWithout, isWithout])
    equal(await skips([2, 5, 7].map((id) => ({ points: 3, title: 'same', id }))), isWithout)
    const titles = (await stored()).map(({ title }) => title)
    equal(titles, ['title 0', 'same', 'title 2', 'title 3', 'same', 'title 5', 'same', 'title 7'])
  })

  test('is looked up if something depends on the stored records', async () => {
    const list = [1, 3].map((id) => ({ id, title: `new ${id}` }))
    equal(await skips(list), isWithout)
    const lists = [
      [...list].reverse(),
      list.map(({ id }) => ({ id, slug: `free ${id}` })),
      list.map(({ id }) => ({ id, place: 50 + id })),
      list.map(({ id }) => ({ id, gone: null })),
      [...list, { id: 4 }],
      [...list, { id: 4, points: 5 }],
      [...list, { id: 4, title: 'more', points: 77 }],
    ]
    for (const each of lists) equal(await skips(each), false)
    equal((await stored())[3]?.points, 77)
    const scope_query = (query: { where(...args: unknown[]): unknown }) =>
      query.where('team_id', '=', 1)
    const scoped = { ...Task, meta: { access_policy: { scope_query } } } as never
    equal(await skips(list, testApi(db, [Team, scoped, Part], config)), false)
    const deletable = { ...Task, meta: { soft_delete: true, soft_delete_attribute: 'gone' } }
    const deletes = { ...config, API_SOFT_DELETE_VALUES: [null, 'now'] } as never
    equal(await skips(list, testApi(db, [Team, deletable as never, Part], deletes)), false)
    const seen = { ...config, API_AFTER_COMMIT_CALLBACK: async () => {} }
    equal(await skips(list, testApi(db, models, seen)), false)
  })

  test('that names a record which is not stored changes nothing', async () => {
    const before = await stored()
    const { status, errors } = await patch([2, 4, 99].map((id) => ({ id, title: 'x' })))
    equal(
      [status, errors?.code, errors?.reason],
      [404, 'record_not_found', { '[2]': ['No such record.'] }],
    )
    const noTeam = { id: 2, team_id: 3 }
    const noTask = { id: 99, team_id: 1 }
    equal((await patch([noTeam, noTask])).errors?.reason, { '[1]': ['No such record.'] })
    equal((await patch([noTask, noTeam])).errors?.reason, { '[0]': ['No such record.'] })
    equal(await stored(), before)
  })

  test('with a text that JSON escapes is looked up', async () => {
    // MariaDB and MySQL do not join such a text.
    const change = (id: number) => ({ id, title: `bell \u0007 ${id}` })
    const before = await stored()
    equal((await patch([1, 2, 99].map(change))).status, 404)
    equal(await stored(), before)
    equal(await skips([1, 2].map(change), api, isWithout ? 2 : 1), false)
    equal((await stored())[1]?.title, change(2).title)
  })

  batches(
    test,
    'with random mistakes answers and stores the same as after a look-up',
    160,
    (runs) =>
      check(lists, runs, async (body) => {
        const outcomes: string[] = []
        for (const each of [api, plain]) {
          await db.kysely.deleteFrom('tasks').execute()
          await insertRows(db, Task, rows)
          const { status, errors, value } = await patch(body, each)
          outcomes.push(JSON.stringify([status, errors, value, await stored()]))
        }
        return outcomes[0] === outcomes[1] ? undefined : outcomes.join('\n')
      }),
  )

  test('locks its records in the order of their keys, also if all get the same value', async () => {
    if (!isWithout) return
    for (const title of [(id: number) => `new ${id}`, () => 'same']) {
      let answer: ReturnType<typeof patch> | undefined
      await db.kysely.transaction().execute(async (other) => {
        await sql`update tasks set points = 7 where id = 2`.execute(other)
        answer = patch([2, 3, 4, 5].map((id) => ({ id, title: title(id) })))
        // The list waits for record 2, so the others are still free.
        await new Promise((resolve) => setTimeout(resolve, 100))
        await sql`select id from tasks where id in (3, 4, 5) for update nowait`.execute(other)
      })
      equal((await answer)?.status, 200)
    }
  })

  test('an error of a trigger does not hide that a record is missing', async () => {
    if (!isWithout) return
    await db.kysely.executeQuery(
      CompiledQuery.raw(`create trigger no_bad before update on tasks for each row
        begin if new.title = 'bad' then signal sqlstate '45001' set message_text = 'bad'; end if; end`),
    )
    const { status, errors } = await patch([3, 99].map((id) => ({ id, title: 'bad' })))
    equal([status, errors?.reason], [404, { '[1]': ['No such record.'] }])
    await db.execScript('drop trigger no_bad')
  })

  test('looks the records up again if the driver reports only the rows that change', async () => {
    if (!isWithout || db.url === undefined) return
    const pool = createPool({ uri: db.url, flags: ['-FOUND_ROWS'] })
    // biome-ignore lint/suspicious/noExplicitAny: any tables
    const own = new Kysely<any>({ dialect: new MysqlDialect({ pool }) })
    closeAtEnd(() => own.destroy())
    const of = createApi({ db: own, models, config, onWarning: () => {} })
    const body = [1, 2].map((id) => ({ id, points: 1 }))
    for (let i = 0; i < 2; i++) equal((await patch(body, of)).status, 200)
    equal(
      (await stored()).slice(0, 2).map(({ points }) => points),
      [1, 1],
    )
  })
})

eachDatabase('tables whose lists of changes are looked up', (test, db) => {
  const Item = (key: 'integer' | 'bigint' = 'integer') =>
    defineModel('Item', {
      columns: { id: { type: key, primaryKey: true }, title: { type: 'string' } },
      meta: {},
    })
  const tables = {
    'an engine without transactions': ['id int primary key, title text', 'engine = myisam'],
    'a key that is a year': ['id year primary key, title text', ''],
    'a key that is not unique': ['id int not null, title text, key (id)', ''],
    'a key of two columns': [
      'id int not null, a int default 1, title text, primary key (id, a)',
      '',
    ],
    'a key of big integers': ['id bigint primary key, title text', ''],
  }
  for (const [title, [columns, options]] of Object.entries(tables)) {
    test(title, async () => {
      if (db.name !== 'mysql') return
      await db.execScript(`drop table if exists items; create table items (${columns}) ${options}`)
      await db.execScript("insert into items (id, title) values (2001, 'a'), (2024, 'b')")
      const stored = () => db.kysely.selectFrom('items').selectAll().orderBy('id').execute()
      const api = testApi(db, [Item(columns?.includes('bigint') ? 'bigint' : 'integer')], config)
      await api.ready
      const patch = (ids: readonly number[]) =>
        send(api, 'PATCH', '/api/items', { body: ids.map((id) => ({ id, title: `new ${id}` })) })
      const before = await stored()
      for (const ids of [
        [1, 24],
        [1, 2001],
      ]) {
        equal((await patch(ids)).status, 404)
        equal(await stored(), before)
      }
      const { result, statements } = await db.capture(() => patch([2001, 2024]))
      equal(result.status, 200)
      const writes = statements.filter(({ sql: text }) => /^update|for update$/.test(text))
      equal(
        writes.map(({ sql: text }) => text.slice(0, 6)),
        ['select', 'update'],
      )
    })
  }
})
