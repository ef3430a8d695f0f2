/** A write that changes the links of a record sets its `managed: 'updated'` columns, so that the ETag changes. */
import {
  type AnyModel,
  type ApiConfig,
  belongsTo,
  type Change,
  defineModel,
  type HookRecord,
  manyToMany,
} from '@model-api/core'
import { frozenClock, get, send, testApi } from '../support/api.ts'
import { equal, notEqual } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertLinks, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const title = { type: 'string', maxLength: 20, unique: true } as const
const updated = { type: 'datetime', managed: 'updated', nullable: true } as const
const labels = (through: string, from: string) =>
  manyToMany('Label', { through, from, to: 'label_id' })

const modelsWith = (meta: object = {}): readonly AnyModel[] => [
  defineModel('Issue', {
    columns: { id, title, updated },
    relations: {
      labels: labels('issue_labels', 'issue_id'),
      watchers: manyToMany('Person', { through: 'watches', from: 'issue_id', to: 'person_id' }),
    },
    meta: { allowed_methods: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'], ...meta },
  }),
  defineModel('Label', { columns: { id, name: title, updated }, meta: {} }),
  defineModel('Person', { columns: { id, name: title }, meta: {} }),
  defineModel('Watch', {
    columns: {
      issue_id: { type: 'integer', primaryKey: true },
      person_id: { type: 'integer', primaryKey: true },
    },
    relations: { issue: belongsTo('Issue', 'issue_id'), person: belongsTo('Person', 'person_id') },
    meta: {},
  }),
  // Without an `updated` column.
  defineModel('Note', {
    columns: { id, title },
    relations: { labels: labels('note_labels', 'note_id') },
    meta: {},
  }),
]

const start = '2026-01-02T03:04:05.678Z'
const later = '2026-01-02T03:04:06.678Z'

eachDatabase('changed links', (test, db) => {
  let clock = frozenClock(start)
  const apiWith = (config: ApiConfig = {}, meta: object = {}) =>
    testApi(
      db,
      modelsWith(meta),
      { API_ALLOW_NESTED_WRITES: true, API_ALLOW_BULK: true, ...config },
      { clock },
    )
  test.before(async () => {
    await createTables(db, modelsWith())
    if (db.name !== 'postgres') return
    // The rows are inserted with their keys.
    for (const table of ['issues', 'labels', 'people'])
      await db.execScript(`alter table ${table} alter column id restart with 100`)
  })
  test.before.each(async () => {
    clock = frozenClock(start)
    const tables = ['issue_labels', 'note_labels', 'watches', 'issues', 'notes', 'labels', 'people']
    for (const table of tables) await db.kysely.deleteFrom(table).execute()
    const [Issue, Label, Person, Watch, Note] = modelsWith() as AnyModel[]
    const rows = (name: 'title' | 'name', more: object) =>
      [1, 2, 3].map((one) => ({ id: one, [name]: `${name} ${one}`, ...more }))
    await insertRows(db, Issue as AnyModel, rows('title', { updated: start }))
    await insertRows(db, Note as AnyModel, rows('title', {}))
    await insertRows(db, Label as AnyModel, rows('name', { updated: start }))
    await insertRows(db, Person as AnyModel, rows('name', {}))
    await insertRows(
      db,
      Watch as AnyModel,
      [1, 2, 3].map((one) => ({ issue_id: one, person_id: 1 })),
    )
    await insertLinks(
      db,
      'issue_labels',
      [1, 2, 3].map((one) => ({ issue_id: one, label_id: 1 })),
    )
    await insertLinks(db, 'note_labels', [{ note_id: 1, label_id: 1 }])
    clock.tick(1000)
  })
  const timesOf = async (table = 'issues'): Promise<readonly string[]> => {
    const { value } = await get(apiWith(), `/api/${table}?order_by=id`)
    return value.map((record: { updated: string }) => record.updated)
  }
  const updates = (statements: readonly { readonly sql: string }[]) =>
    statements.filter(({ sql }) => sql.startsWith('update')).length

  for (const list of ['labels', 'watchers']) {
    test(`a second PATCH of ${list} with the old ETag is 412, and the first one's links stay`, async () => {
      const api = apiWith()
      const before = (await get(api, '/api/issues/1')).headers.etag ?? ''
      const patch = (ids: readonly number[]) =>
        send(api, 'PATCH', '/api/issues/1', {
          body: { [list]: ids.map((one) => ({ id: one })) },
          headers: { 'if-match': before },
        })
      const first = await patch([1, 2])
      equal([first.status, first.value.updated], [200, later])
      equal((await get(api, '/api/issues/1')).headers.etag, first.headers.etag)
      notEqual(first.headers.etag, before)
      equal((await patch([1, 3])).status, 412)
      const { value } = await get(api, `/api/issues/1/${list}?order_by=id`)
      equal(
        value.map((linked: { id: number }) => linked.id),
        [1, 2],
      )
    })

    test(`adding, removing and creating ${list} sets the column of the record with the list alone`, async () => {
      const api = apiWith()
      let now = Date.parse(later)
      for (const linked of [
        [{ id: 1 }, { id: 2 }],
        [{ id: 2 }],
        [{ id: 2 }, { name: 'new' }],
        [],
      ]) {
        clock.tick(1000)
        now += 1000
        const { status, value } = await send(api, 'PATCH', '/api/issues/1', {
          body: { [list]: linked },
        })
        equal([status, value.updated], [200, new Date(now).toISOString()])
      }
      equal((await timesOf()).slice(1), [start, start])
      equal((await timesOf('labels')).slice(0, 3), [start, start, start])
    })

    test(`sending the ${list} that are linked already changes nothing`, async () => {
      const api = apiWith()
      const etag = (await get(api, '/api/issues/1')).headers.etag
      const { result, statements } = await db.capture(() =>
        send(api, 'PATCH', '/api/issues/1', { body: { [list]: [{ id: 1 }, { id: 1 }] } }),
      )
      equal([result.status, result.value.updated, result.headers.etag], [200, start, etag])
      equal(updates(statements), 0)
    })
  }

  test('of eight concurrent PATCHes with one ETag, one is stored', async () => {
    const api = apiWith()
    const etag = (await get(api, '/api/issues/1')).headers.etag ?? ''
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        send(api, 'PATCH', '/api/issues/1', {
          body: { labels: [{ name: `label of ${n}` }] },
          headers: { 'if-match': etag },
        }),
      ),
    )
    equal(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(412)])
  })

  test('one UPDATE sets the column of all records of a list whose links have changed', async () => {
    const body = [1, 2, 3].map((one) => ({ id: one, labels: [{ id: one === 2 ? 1 : 2 }] }))
    const { result, statements } = await db.capture(() =>
      send(apiWith(), 'PATCH', '/api/issues', { body }),
    )
    equal([result.status, updates(statements)], [200, 1])
    equal(await timesOf(), [later, start, later])
    clock.tick(1000)
    await send(apiWith(), 'PATCH', '/api/issues?id__le=2', { body: { watchers: [{ id: 2 }] } })
    const last = '2026-01-02T03:04:07.678Z'
    equal(await timesOf(), [last, last, later])
  })

  test('PUT, and POST with on_conflict', async () => {
    const body = { title: 'title 1', labels: [{ id: 2 }] }
    equal((await send(apiWith(), 'PUT', '/api/issues/1', { body })).value.updated, later)
    const upsert = { title: 'title 2', labels: [{ id: 2 }] }
    await send(apiWith(), 'POST', '/api/issues?on_conflict=title', { body: upsert })
    equal(await timesOf(), [later, later, start])
  })

  test('a write that sets the column for its values sets it once, a new record needs no UPDATE', async () => {
    const write = async (method: string, url: string, body: unknown) => {
      const { result, statements } = await db.capture(() => send(apiWith(), method, url, { body }))
      return [result.status, updates(statements)]
    }
    const changed = { title: 'changed', labels: [{ id: 2 }] }
    equal(await write('PATCH', '/api/issues/1', changed), [200, 1])
    const both = [2, 3].map((one) => ({ id: one, title: `both ${one}`, labels: [{ id: 2 }] }))
    equal(await write('PATCH', '/api/issues', both), [200, 1])
    equal(await timesOf(), [later, later, later])
    equal(await write('POST', '/api/issues', { title: 'made', labels: [{ id: 1 }] }), [201, 0])
  })

  test('what an update callback sets stays', async () => {
    const own = '2030-01-01T00:00:00.000Z'
    const given: HookRecord[] = []
    const api = apiWith(
      {},
      {
        update_callback: (object: HookRecord) => {
          given.push({ ...object })
          return { ...object, updated: own }
        },
      },
    )
    const body = { labels: [{ id: 2 }] }
    equal((await send(api, 'PATCH', '/api/issues/1', { body })).value.updated, own)
    equal(given, [{ id: 1, title: 'title 1', updated: start }])
  })

  test('what an add callback leaves out stays NULL', async () => {
    const api = apiWith({}, { add_callback: ({ updated: _, ...object }: HookRecord) => object })
    const body = { title: 'made', labels: [{ id: 2 }] }
    const { status, value } = await send(api, 'POST', '/api/issues', { body })
    equal([status, value.updated], [201, null])
  })

  test('a record that has the time of the write already takes no UPDATE', async () => {
    const api = apiWith()
    const patch = (labels: object[]) =>
      db.capture(() => send(api, 'PATCH', '/api/issues/1', { body: { labels } }))
    const [first, second] = [await patch([{ id: 2 }]), await patch([{ id: 3 }])]
    equal([updates(first.statements), updates(second.statements)], [1, 0])
    equal([second.result.status, second.result.value.updated], [200, later])
  })

  test('two columns are set unless both have the time of the write already', async () => {
    const Task = defineModel('Task', {
      columns: { id, seen: updated, updated },
      relations: { labels: labels('task_labels', 'task_id') },
      meta: {},
    })
    const models = [Task, ...modelsWith().filter(({ name }) => name === 'Label')]
    await createTables(db, [Task])
    await db.execScript('create table task_labels (task_id integer, label_id integer)')
    await insertRows(db, Task, [{ id: 1, seen: later, updated: start }])
    const api = testApi(db, models, { API_ALLOW_NESTED_WRITES: true }, { clock })
    const body = { labels: [{ id: 2 }] }
    const { status, value } = await send(api, 'PATCH', '/api/tasks/1', { body })
    equal([status, value.seen, value.updated], [200, later, later])
  })

  test('the change has the old value before and the new one after', async () => {
    const calls: (readonly Change[])[] = []
    const api = apiWith({ API_BEFORE_COMMIT_CALLBACK: (changes) => void calls.push(changes) })
    await send(api, 'PATCH', '/api/issues/1', { body: { labels: [{ id: 2 }] } })
    await send(api, 'PATCH', '/api/issues', { body: [{ id: 2, labels: [] }] })
    const shown = calls.splice(0).flatMap((changes) =>
      changes.map(({ action, model, before, after, links }) => {
        return [action, model.name, before?.updated, after?.updated, links?.labels]
      }),
    )
    equal(shown, [
      ['update', 'Issue', start, later, { added: [[2]], removed: [[1]] }],
      ['update', 'Issue', start, later, { added: [], removed: [[1]] }],
    ])
    // With a published junction, the links are changes of their own, beside that of the record.
    await send(api, 'PATCH', '/api/issues/3', { body: { watchers: [] } })
    const [watched = []] = calls
    equal(
      watched.map(({ action, model, before, after }) => {
        return [action, model.name, before?.updated, after?.updated]
      }),
      [
        ['delete', 'Watch', undefined, undefined],
        ['update', 'Issue', start, later],
      ],
    )
    equal(watched[1]?.before?.title, 'title 3')
  })

  test('without such a column, links are no part of the ETag', async () => {
    const api = apiWith()
    const etag = (await get(api, '/api/notes/1')).headers.etag ?? ''
    const { result, statements } = await db.capture(() =>
      send(api, 'PATCH', '/api/notes/1', {
        body: { labels: [{ id: 2 }] },
        headers: { 'if-match': etag },
      }),
    )
    equal([result.status, result.headers.etag, updates(statements)], [200, etag, 0])
  })
})
