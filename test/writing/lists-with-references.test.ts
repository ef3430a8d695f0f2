/**
 * Lists whose nested objects refer to stored records: written together also where callbacks are called or in a batch, with the same
 * result as one by one.
 */
import {
  type AnyModel,
  type ApiConfig,
  apiError,
  belongsTo,
  type Change,
  defineModel,
  manyToMany,
} from '@model-api/core'
import { type Answer, get, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const name = { type: 'string', maxLength: 20, unique: true } as const

const issueWith = (meta: object): AnyModel =>
  defineModel('Issue', {
    columns: {
      id,
      name,
      project_id: { type: 'integer' },
      size: { type: 'integer', nullable: true },
    },
    relations: {
      project: belongsTo('Project', 'project_id'),
      labels: manyToMany('Label', { through: 'issue_labels', from: 'issue_id', to: 'label_id' }),
    },
    meta,
  })
const Project = defineModel('Project', {
  columns: { id, name },
  meta: { access_policy: { scope: { name: { ne: 'hidden' } } } },
})
const Label = defineModel('Label', {
  columns: { id, name },
  meta: { access_policy: { scope: { name: { ne: 'hidden' } } } },
})

type Row = Readonly<Record<string, unknown>>

eachDatabase('lists with references', (test, db) => {
  let changes: readonly Change[] = []
  const apiWith = (meta: object, config: ApiConfig = {}) =>
    testApi(db, [issueWith(meta), Project, Label], {
      API_ALLOW_BULK: true,
      API_ALLOW_NESTED_WRITES: true,
      API_ALLOW_BATCH: true,
      API_BEFORE_COMMIT_CALLBACK: (all) => {
        changes = all
      },
      ...config,
    })
  test.before(async () => {
    await createTables(db, [issueWith({}), Project, Label])
    const rows = ['a', 'b', 'c', 'hidden'].map((one, i) => ({ id: i + 1, name: one }))
    await insertRows(db, Project, rows)
    await insertRows(db, Label, rows)
  })
  test.before.each(async () => {
    changes = []
    await db.kysely.deleteFrom('issue_labels').execute()
    await db.kysely.deleteFrom('issues').execute()
  })
  const issue = (i: number, labels: readonly number[], more: object = {}) => ({
    name: `issue ${i}`,
    project: { id: (i % 3) + 1 },
    labels: labels.map((one) => ({ id: one })),
    ...more,
  })
  const list = (n: number) => Array.from({ length: n }, (_, i) => issue(i, i % 2 ? [1, 3] : [2]))
  /** The issues with the keys of their labels. */
  const stored = async (): Promise<readonly unknown[]> => {
    const { value } = await get(apiWith({}), '/api/issues?order_by=name&dump=dynamic&limit=100')
    const issues: readonly Row[] = value
    const links = await db.kysely.selectFrom('issue_labels').selectAll().execute()
    return issues.map((one) => [
      one.name,
      one.project_id,
      one.size,
      links
        .filter(({ issue_id }) => Number(issue_id) === Number(one.id))
        .map(({ label_id }) => Number(label_id))
        .sort(),
    ])
  }
  type Ask = (body: unknown, meta: object) => Promise<Answer>
  const upsert: Ask = (body, meta) =>
    send(apiWith(meta), 'POST', '/api/issues?on_conflict=name', { body })
  const inBatch: Ask = async (body, meta) => {
    const operation = { id: 'one', method: 'POST', url: '/api/issues?on_conflict=name', body }
    const operations = [operation]
    const answer = await send(apiWith(meta), 'POST', '/api/batch', { body: { operations } })
    const value = answer.value?.[0]?.value ?? null
    return { ...answer, value }
  }
  const callbacks = {
    add_callback: (one: Row) => ({ ...one, size: 7 }),
    update_callback: (one: Row) => ({ ...one, size: 8 }),
  }

  for (const [where, ask, meta] of [
    ['with callbacks', upsert, callbacks],
    ['in a batch', inBatch, {}],
    ['with callbacks in a batch', inBatch, callbacks],
  ] as const) {
    test(`${where}: as many statements for many records as for few`, async () => {
      const counts: number[] = []
      for (const n of [4, 24]) {
        await db.kysely.deleteFrom('issue_labels').execute()
        await db.kysely.deleteFrom('issues').execute()
        const half = list(n).slice(0, n / 2)
        equal(
          (
            await upsert(
              half.map((one) => ({ ...one, labels: [{ id: 1 }] })),
              {},
            )
          ).status,
          201,
        )
        const { result, statements } = await db.capture(() => ask(list(n), meta))
        ok(result.status < 300, result.text)
        counts.push(statements.length)
      }
      equal(counts[0], counts[1])
      const sizeOf = (i: number) => ('add_callback' in meta ? (i < 12 ? 8 : 7) : null)
      const expected = list(24).map(({ name, project, labels }, i) => [
        name,
        project.id,
        sizeOf(i),
        labels.map((one) => one.id),
      ])
      const byName = ([a]: readonly unknown[], [b]: readonly unknown[]) =>
        String(a) < String(b) ? -1 : 1
      equal(await stored(), expected.sort(byName))
    })
  }

  test('the commit callback receives the links of each record', async () => {
    await upsert([issue(0, [1]), issue(1, [1])], {})
    const { status } = await upsert([issue(0, [1, 2]), issue(1, []), issue(2, [3])], callbacks)
    equal(status, 201)
    equal(
      changes.map(({ action, links }) => [action, links]),
      [
        ['update', { labels: { added: [[2]], removed: [] } }],
        ['update', { labels: { added: [], removed: [[1]] } }],
        ['create', { labels: { added: [[3]], removed: [] } }],
      ],
    )
  })

  test('a statement of a callback finds the links of earlier records', async () => {
    const found: unknown[] = []
    // biome-ignore lint/suspicious/noExplicitAny: tables of the test
    const count = async (one: Row, _: unknown, { db: own }: any) => {
      const { rows } = await own
        .selectFrom('issue_labels')
        .select(own.fn.countAll().as('n'))
        .execute()
        .then((rows: readonly Row[]) => ({ rows }))
      found.push(Number(rows[0].n))
      return one
    }
    const meta = { add_callback: count, update_callback: count }
    equal((await upsert([issue(0, [1]), issue(1, [2])], {})).status, 201)
    for (const ask of [upsert, inBatch]) {
      await ask(
        [issue(0, [1, 2, 3]), issue(5, []), issue(1, []), issue(6, [1]), issue(7, [1])],
        meta,
      )
      await db.kysely.deleteFrom('issue_labels').execute()
      await db.kysely.deleteFrom('issues').execute()
      equal((await upsert([issue(0, [1]), issue(1, [2])], {})).status, 201)
    }
    equal(found.splice(0), [2, 4, 4, 3, 4, 2, 4, 4, 3, 4])
    const lastAlone = (one: Row, model: unknown, args: unknown) =>
      one.name === 'issue 7' ? count(one, model, args) : one
    const last = { add_callback: lastAlone, update_callback: lastAlone }
    await upsert([issue(0, [1, 2, 3]), issue(1, []), issue(6, [1]), issue(7, [1])], last)
    equal(found, [4])
  })

  test('a refused link is not forgotten if a callback catches the error', async () => {
    if (db.name !== 'sqlite') return
    const refusing = `create trigger full_label before insert on issue_labels when new.label_id = 3
      begin select raise(abort, 'The label is full.'); end`
    await db.execScript(refusing)
    try {
      const meta = {
        // biome-ignore lint/suspicious/noExplicitAny: tables of the test
        add_callback: async (one: Row, _: unknown, { db: own }: any) => {
          if (one.name !== 'issue 2') return one
          await own
            .selectFrom('labels')
            .select('id')
            .execute()
            .catch(() => [])
          return one
        },
      }
      const body = [issue(0, [1]), issue(1, [3]), issue(2, [1])]
      ok((await send(apiWith(meta), 'POST', '/api/issues', { body })).status >= 400)
      equal(await stored(), [])
    } finally {
      await db.execScript('drop trigger full_label')
    }
  })

  for (const [mistake, body, path] of [
    ['a hidden label', [issue(0, [1]), issue(1, [2, 4])], '[1].labels[1].id'],
    ['a label that does not exist', [issue(0, [1]), issue(1, [9])], '[1].labels[0].id'],
    ['a hidden project', [issue(0, [1]), issue(3, [1], { project: { id: 4 } })], '[1].project.id'],
  ] as const) {
    test(`${mistake} is named by its path, and nothing is stored`, async () => {
      for (const ask of [upsert, inBatch]) {
        const { status, errors } = await ask(body, callbacks)
        equal(status, 422)
        equal(Object.keys(errors.reason), [path])
        equal(await stored(), [])
      }
    })
  }

  test('the first mistake of the list is named, whichever it is', async () => {
    const meta = {
      add_callback: (one: Row) => {
        if (one.name === 'issue 8') throw apiError(409, 'Conflict', { name: ['Not this one.'] })
        return one
      },
    }
    const missing = issue(1, [9])
    const refused = issue(8, [1])
    const hidden = issue(3, [1], { project: { id: 4 } })
    for (const ask of [upsert, inBatch]) {
      equal(Object.keys((await ask([issue(0, [1]), missing, refused], meta)).errors.reason), [
        '[1].labels[0].id',
      ])
      equal(Object.keys((await ask([issue(0, [1]), refused, missing], meta)).errors.reason), [
        '[1].name',
      ])
      equal(Object.keys((await ask([refused, hidden], meta)).errors.reason), ['[0].name'])
      equal(await stored(), [])
    }
  })

  test('a record that the database refuses is named, and nothing is stored', async () => {
    const body = [...list(5), issue(2, [1], { size: 3 })].map((one) => ({ ...one }))
    for (const meta of [{}, callbacks]) {
      const { status, errors } = await send(apiWith(meta), 'POST', '/api/issues', { body })
      equal([status, Object.keys(errors.reason)], [409, ['[5].name']])
      equal(await stored(), [])
    }
  })
})
