/** The change of a deleted record has the links that the API has removed with it. */
import {
  type AnyModel,
  type ApiConfig,
  belongsTo,
  type Change,
  defineModel,
  hasMany,
  manyToMany,
} from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertLinks, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const name = { type: 'string', maxLength: 20 } as const

const Project = defineModel('Project', {
  columns: { id, name },
  relations: { issues: hasMany('Issue', 'project_id') },
  meta: {},
})
const Issue = defineModel('Issue', {
  columns: { id, name, project_id: { type: 'integer', nullable: true } },
  relations: {
    project: belongsTo('Project', 'project_id'),
    labels: manyToMany('Label', { through: 'issue_labels', from: 'issue_id', to: 'label' }),
    rooms: manyToMany('Room', {
      through: 'issue_rooms',
      from: 'issue_id',
      to: ['house', 'number'],
    }),
    blocks: manyToMany('Issue', { through: 'blocks', from: 'blocker', to: 'blocked' }),
    watchers: manyToMany('Person', { through: 'watches', from: 'issue_id', to: 'person_id' }),
  },
  meta: {},
})
/** Declares no relation over its links. */
const Label = defineModel('Label', {
  columns: { code: { ...name, primaryKey: true } },
  meta: {},
})
const Room = defineModel('Room', {
  columns: {
    house: { ...name, primaryKey: true },
    number: { type: 'bigint', primaryKey: true },
    deleted: { type: 'boolean', default: false },
  },
  relations: {
    issues: manyToMany('Issue', {
      through: 'issue_rooms',
      from: ['house', 'number'],
      to: 'issue_id',
    }),
  },
  meta: {},
})
const Person = defineModel('Person', { columns: { id, name }, meta: {} })
const Watch = defineModel('Watch', {
  columns: {
    issue_id: { type: 'integer', primaryKey: true },
    person_id: { type: 'integer', primaryKey: true },
  },
  relations: { issue: belongsTo('Issue', 'issue_id'), person: belongsTo('Person', 'person_id') },
  meta: {},
})
const models: readonly AnyModel[] = [Project, Issue, Label, Room, Person, Watch]
const unpublished = ['issue_labels', 'issue_rooms', 'blocks']
const junctions = [...unpublished, 'watches']

eachDatabase('links of deleted records', (test, db) => {
  const calls: (readonly Change[])[] = []
  const config: ApiConfig = {
    API_ALLOW_BULK: true,
    API_ALLOW_BATCH: true,
    API_ALLOW_NESTED_WRITES: true,
    API_ALLOW_CASCADE_DELETE: true,
  }
  const plain = testApi(db, models, config)
  const api = testApi(db, models, {
    ...config,
    API_BEFORE_COMMIT_CALLBACK: (changes) => void calls.push(changes),
  })
  const removal = async (url: string, served = api) => {
    const { result, statements } = await db.capture(() => send(served, 'DELETE', url))
    equal(result.status, 200)
    const reads = statements.filter(
      ({ sql }) => sql.startsWith('select') && unpublished.some((table) => sql.includes(table)),
    )
    return { changes: calls.splice(0).flat().map(shown), reads: reads.length }
  }
  const removed = (...keys: (string | number)[][]) => ({ added: [], removed: keys })
  const shown = ({ action, model, key, links }: Change) => {
    const lists = Object.entries(links ?? {}).map(([relation, list]) => {
      return [relation, { ...list, removed: [...list.removed].sort() }]
    })
    return [`${action} ${model.name} ${key}`, Object.fromEntries(lists)]
  }

  test.before(() => createTables(db, models))
  test.before.each(async () => {
    calls.splice(0)
    for (const table of [...junctions, 'issues', 'projects', 'labels', 'rooms', 'people'])
      await db.kysely.deleteFrom(table).execute()
    await insertRows(db, Project, [{ id: 1, name: 'project' }])
    const issues = [1, 2, 3].map((one) => ({ id: one, name: `issue ${one}` }))
    await insertRows(
      db,
      Issue,
      issues.map((one) => ({ ...one, project_id: one.id < 3 ? 1 : null })),
    )
    await insertRows(db, Label, [{ code: 'a' }, { code: 'b' }])
    await insertRows(db, Room, [{ house: 'x,y', number: 7, deleted: false }])
    await insertRows(db, Person, [{ id: 1, name: 'Ann' }])
    await insertLinks(db, 'issue_labels', [
      { issue_id: 1, label: 'a' },
      { issue_id: 1, label: 'b' },
      { issue_id: 2, label: 'b' },
    ])
    await insertLinks(db, 'issue_rooms', [{ issue_id: 1, house: 'x,y', number: 7 }])
    await insertLinks(db, 'blocks', [
      { blocker: 1, blocked: 2 },
      { blocker: 2, blocked: 3 },
    ])
  })

  const first = {
    labels: removed(['a'], ['b']),
    rooms: removed(['x,y', '7']),
    blocks: removed([2]),
  }
  const second = {
    labels: removed(['b']),
    blocks: removed([3]),
    'Issue.blocks': removed([1]),
  }

  test('by relation, each linked record by its key', async () => {
    equal((await removal('/api/issues/1')).changes, [['delete Issue 1', first]])
  })

  test('by model and relation, where only the model at the other end declares a relation', async () => {
    const label = ['delete Label b', { 'Issue.labels': removed([1], [2]) }]
    equal((await removal('/api/labels/b')).changes, [label])
  })

  test('between records of one model, in both directions', async () => {
    equal((await removal('/api/issues/2')).changes, [['delete Issue 2', second]])
  })

  test('of several records, with one statement for each junction and direction', async () => {
    const { changes, reads } = await removal('/api/issues?id__ge=1')
    equal(changes, [
      ['delete Issue 1', first],
      ['delete Issue 2', second],
      ['delete Issue 3', { 'Issue.blocks': removed([2]) }],
    ])
    equal(reads, 4)
  })

  test('of dependents that a cascade deletes', async () => {
    const { changes } = await removal('/api/projects/1?cascade_delete=1')
    equal(changes, [
      ['delete Issue 1', first],
      ['delete Issue 2', second],
      ['delete Project 1', {}],
    ])
  })

  test('of a batch that has changed them before', async () => {
    const operations = [
      { id: 'add', method: 'PATCH', url: '/api/issues/2', body: { labels: [{ code: 'a' }] } },
      { id: 'remove', method: 'DELETE', url: '/api/issues/2' },
    ]
    equal((await send(api, 'POST', '/api/batch', { body: { operations } })).status, 200)
    equal(calls.splice(0).flat().map(shown), [['delete Issue 2', second]])
  })

  test('are absent if there are none, and changes of their own if their junction is published', async () => {
    await insertLinks(db, 'watches', [{ issue_id: 3, person_id: 1 }])
    await db.kysely.deleteFrom('blocks').execute()
    await send(api, 'DELETE', '/api/issues/3?cascade_delete=1')
    const changes = calls.splice(0).flat()
    equal(
      changes.map(({ model, links }) => [model.name, links]),
      [
        ['Watch', undefined],
        ['Issue', undefined],
      ],
    )
  })

  test('stay if the record is marked as deleted', async () => {
    const soft = testApi(db, models, {
      ...config,
      API_SOFT_DELETE: true,
      API_SOFT_DELETE_ATTRIBUTE: 'deleted',
      API_BEFORE_COMMIT_CALLBACK: (changes) => void calls.push(changes),
    })
    const { changes, reads } = await removal('/api/rooms/x%2Cy,7', soft)
    equal([changes, reads], [[['delete Room x,y,7', {}]], 0])
    equal((await db.kysely.selectFrom('issue_rooms').selectAll().execute()).length, 1)
  })

  test('are not read unless a callback receives them', async () => {
    const isRead = async (served: typeof api) => {
      const { statements } = await db.capture(() => send(served, 'DELETE', '/api/labels/b'))
      return statements.some(({ sql }) => /^select .*issue_labels/.test(sql))
    }
    equal(await isRead(plain), false)
    await insertRows(db, Label, [{ code: 'b' }])
    equal(await isRead(api), true)
  })
})
