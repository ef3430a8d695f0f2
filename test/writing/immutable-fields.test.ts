/** Columns that clients set in a new record only: `immutable: true`, and a `write` function that refuses changes. */
import { type ApiConfig, belongsTo, defineModel, type HookArgs, hasMany } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const

const Project = defineModel('Project', {
  columns: { id, name: { type: 'string', maxLength: 20 } },
  relations: { tasks: hasMany('Task', 'project_id') },
  meta: {},
})

/** `source` is set in new records because its `write` function says so; its answer may depend on the request. */
const Task = defineModel('Task', {
  columns: {
    id,
    number: { type: 'integer', unique: true },
    title: { type: 'string', maxLength: 20, default: 'untitled' },
    origin: { type: 'string', maxLength: 20, immutable: true },
    amount: { type: 'decimal', precision: 8, scale: 2, nullable: true, immutable: true },
    source: {
      type: 'string',
      maxLength: 20,
      default: 'web',
      write: async ({ action }: HookArgs) => action === 'POST',
    },
    project_id: { type: 'integer', nullable: true, immutable: true },
  },
  relations: { project: belongsTo('Project', 'project_id') },
  meta: { allowed_methods: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] },
})

const models = [Project, Task] as const

const setOnce = 'This field is set only in a new record.'
const notStored = 'This field cannot be changed here.'

eachDatabase('fields of new records', (test, db) => {
  const config: ApiConfig = {
    API_ALLOW_BULK: true,
    API_ALLOW_NESTED_WRITES: true,
    API_ADD_RELATIONS: false,
  }
  const api = testApi(db, models, config)
  const stored = {
    id: 1,
    number: 1,
    title: 'First',
    origin: 'import',
    amount: '10.50',
    source: 'mail',
    project_id: 1,
  }
  test.before(async () => {
    await createTables(db, models)
    if (db.name === 'postgres')
      await db.execScript(
        'alter table tasks alter column id restart with 100; alter table projects alter column id restart with 100',
      )
  })
  test.before.each(async () => {
    await db.kysely.deleteFrom('tasks').execute()
    await db.kysely.deleteFrom('projects').execute()
    await insertRows(db, Project, [
      { id: 1, name: 'One' },
      { id: 2, name: 'Two' },
    ])
    await insertRows(db, Task, [stored])
  })
  const write = async (method: string, url: string, body: unknown) => {
    const { status, value, errors } = await send(api, method, url, { body })
    return [status, value ?? errors?.reason]
  }
  const first = async () => (await get(api, '/api/tasks/1')).value

  test('are stored by POST', async () => {
    const body = { number: 2, origin: 'form', amount: '1.00', source: 'phone', project_id: 2 }
    const [status, value] = await write('POST', '/api/tasks', body)
    equal(status, 201)
    equal({ ...value, id: 0 }, { id: 0, title: 'untitled', ...body })
  })

  test('are required in new records only', async () => {
    equal(await write('POST', '/api/tasks', { number: 2 }), [
      400,
      { origin: ['This field is required.'] },
    ])
    equal((await write('PUT', '/api/tasks/1', { number: 1 }))[0], 200)
  })

  test('keep their value in a PATCH, which may repeat it', async () => {
    const changed = { origin: 'form', amount: '10.51', project_id: 2, source: 'phone' }
    equal(await write('PATCH', '/api/tasks/1', changed), [
      400,
      {
        origin: [setOnce],
        amount: [setOnce],
        project_id: [setOnce],
        source: ['This field is read-only.'],
      },
    ])
    equal(await write('PATCH', '/api/tasks/1', { amount: null }), [400, { amount: [setOnce] }])
    equal(await first(), stored)
    equal(await write('PATCH', '/api/tasks/1', { ...stored, amount: '10.5', title: 'Again' }), [
      200,
      { ...stored, title: 'Again' },
    ])
  })

  test('keep their value in a PUT, which resets the others', async () => {
    equal(await write('PUT', '/api/tasks/1', { number: 7 }), [
      200,
      { ...stored, number: 7, title: 'untitled' },
    ])
    equal(await write('PUT', '/api/tasks/1', { number: 7, origin: 'form' }), [
      400,
      { origin: [setOnce] },
    ])
  })

  test('keep their value in PATCH of many', async () => {
    equal(await write('PATCH', '/api/tasks?number__eq=1', { origin: 'form' }), [
      400,
      { origin: [setOnce] },
    ])
    equal(await write('PATCH', '/api/tasks', [{ id: 1, origin: 'form' }]), [
      400,
      { '[0].origin': [setOnce] },
    ])
    equal((await write('PATCH', '/api/tasks', [{ id: 1, origin: 'import', title: 'B' }]))[0], 200)
    equal(await first(), { ...stored, title: 'B' })
  })

  test('are stored by an upsert that creates, and kept by one that changes', async () => {
    const { id: _, ...same } = stored
    const fresh = { number: 2, origin: 'form', amount: null, source: 'phone', project_id: 2 }
    const upsert = (body: unknown) => write('POST', '/api/tasks?on_conflict=number', body)
    for (const changed of [
      { origin: 'form' },
      { amount: '2.00' },
      { project_id: 2 },
      { source: 'phone' },
    ]) {
      const [name = ''] = Object.keys(changed)
      const message = name === 'source' ? notStored : setOnce
      for (const body of [
        [{ ...same, ...changed }, fresh],
        [fresh, { ...same, ...changed }],
      ]) {
        const at = body.indexOf(fresh) === 0 ? 1 : 0
        equal(await upsert(body), [400, { [`[${at}].${name}`]: [message] }])
      }
      equal(await upsert({ ...same, ...changed }), [400, { [name]: [message] }])
    }
    equal((await get(api, '/api/tasks')).value.length, 1)
    const [status, value] = await upsert([{ ...same, title: 'Again' }, fresh])
    equal(status, 201)
    equal(
      value.map((task: object) => ({ ...task, id: 0 })),
      [
        { ...stored, id: 0, title: 'Again' },
        { id: 0, title: 'untitled', ...fresh },
      ],
    )
    equal(
      (await upsert({ number: 1, title: 'Once more' }))[0],
      200,
      'required in new records alone',
    )
  })

  test('may be the unique column of an upsert', async () => {
    const Part = defineModel('Part', {
      table: 'tasks',
      columns: {
        id,
        number: { type: 'integer', unique: true, immutable: true },
        title: { type: 'string', maxLength: 20 },
        origin: { type: 'string', maxLength: 20, default: 'import' },
        source: { type: 'string', maxLength: 20, default: 'web' },
      },
      meta: {},
    })
    const parts = testApi(db, [Part], config)
    const body = [
      { number: 1, title: 'B' },
      { number: 2, title: 'C' },
    ]
    const { status, value } = await send(parts, 'POST', '/api/parts?on_conflict=number', { body })
    equal(status, 201)
    equal(
      value.map(({ number, title }: { number: number; title: string }) => ({ number, title })),
      body,
    )
  })

  test('are set by a nested record of POST, and not by one of PATCH', async () => {
    const body = { number: 2, origin: 'form', project: { id: 2 } }
    const [status, value] = await write('POST', '/api/tasks', body)
    equal([status, value.project_id], [201, 2])
    const reason = { project: ['This relation is set only in a new record.'] }
    equal(await write('PATCH', '/api/tasks/1', { project: { id: 2 } }), [400, reason])
    const project = { name: 'Three', tasks: [{ number: 3, origin: 'form' }] }
    equal((await write('POST', '/api/projects', project))[0], 201)
  })

  test('are changed by an update callback', async () => {
    const own = testApi(db, models, {
      ...config,
      API_UPDATE_CALLBACK: (record) => ({ ...record, origin: 'callback' }),
    })
    const { status, value } = await send(own, 'PATCH', '/api/tasks/1', { body: { title: 'B' } })
    equal([status, value.origin], [200, 'callback'])
  })

  test('are kept by an upsert where a write function refuses', async () => {
    const Moved = defineModel('Moved', {
      table: 'tasks',
      columns: {
        id,
        number: { type: 'integer', unique: true },
        title: { type: 'string', maxLength: 20, default: 'untitled' },
        origin: { type: 'string', maxLength: 20, default: 'import' },
        source: { type: 'string', maxLength: 20, default: 'web' },
        project_id: {
          type: 'integer',
          nullable: true,
          write: ({ action }: HookArgs) => action === 'POST',
        },
      },
      relations: { project: belongsTo('Project', 'project_id') },
      meta: { endpoint: 'moved' },
    })
    const Owner = defineModel('Project', { columns: Project.columns, meta: {} })
    const own = testApi(db, [Owner, Moved], config)
    const upsert = (body: unknown) => send(own, 'POST', '/api/moved?on_conflict=number', { body })
    const { status, errors } = await upsert({ number: 1, project: { id: 2 } })
    equal(
      [status, errors?.reason],
      [400, { project: ['This relation is read-only in a stored record.'] }],
    )
    const plain = await upsert({ number: 1, project_id: 2 })
    equal([plain.status, plain.errors?.reason], [400, { project_id: [notStored] }])
    equal((await upsert({ number: 1, project_id: 1 })).status, 200)
    equal((await upsert({ number: 5, project_id: 2 })).status, 201)
  })

  test('an upsert asks a write function about new and about stored records', async () => {
    const asked: string[] = []
    const Noted = defineModel('Noted', {
      table: 'tasks',
      columns: {
        id,
        number: { type: 'integer', unique: true },
        origin: { type: 'string', maxLength: 20, default: 'import' },
        title: {
          type: 'string',
          maxLength: 20,
          default: 'untitled',
          write: ({ action, many }: HookArgs) => {
            asked.push(`${action} ${many}`)
            return action === 'PATCH'
          },
        },
        source: { type: 'string', maxLength: 20, default: 'web' },
      },
      meta: { endpoint: 'noted' },
    })
    const noted = testApi(db, [Noted], config)
    const upsert = (body: unknown) => send(noted, 'POST', '/api/noted?on_conflict=number', { body })
    const changed = await upsert([{ number: 1, title: 'B' }])
    equal(
      [changed.status, changed.errors?.reason],
      [400, { '[0].title': ['This field is read-only.'] }],
    )
    equal(asked, ['POST true', 'PATCH true'])
    asked.length = 0
    await send(noted, 'POST', '/api/noted', { body: { number: 9 } })
    equal(asked, ['POST false'])
  })
})

const Place = defineModel('Place', {
  columns: { id, name: { type: 'string', maxLength: 20, unique: true } },
  relations: { tickets: hasMany('Ticket', 'place_id') },
  meta: {},
})
const Ticket = defineModel('Ticket', {
  columns: {
    id,
    place_id: { type: 'integer', immutable: true },
    other_id: { type: 'integer', nullable: true, immutable: true },
    number: { type: 'integer' },
    title: { type: 'string', maxLength: 20 },
  },
  relations: { place: belongsTo('Place', 'place_id'), other: belongsTo('Place', 'other_id') },
  unique: [['place_id', 'number']],
  meta: {},
})

eachDatabase('an upsert by a foreign key that is set once', (test, db) => {
  const api = testApi(db, [Place, Ticket], {
    API_ALLOW_BULK: true,
    API_ALLOW_NESTED_WRITES: true,
    API_ADD_RELATIONS: false,
  })
  const tickets = async (): Promise<unknown> => (await get(api, '/api/tickets?order_by=id')).value
  test.before(async () => {
    await createTables(db, [Place, Ticket])
    await insertRows(db, Place, [
      { id: 1, name: 'Hall' },
      { id: 2, name: 'Yard' },
    ])
  })

  const byName = '/api/tickets?on_conflict=place_id,number&place.on_conflict=name'
  const named = (place: string, number: number, title: string) => ({
    number,
    title,
    place: { name: place },
  })

  test('takes it from a nested object, in new and in stored records', async () => {
    const first = { number: 1, title: 'One', place: { id: 1 } }
    const url = '/api/tickets?on_conflict=place_id,number'
    equal((await send(api, 'POST', url, { body: first })).status, 201)
    equal((await send(api, 'POST', url, { body: { ...first, title: 'Once' } })).status, 200)
    const list = [named('Hall', 1, 'One again'), named('Yard', 1, 'Two')]
    equal((await send(api, 'POST', byName, { body: list })).status, 201)
    equal((await send(api, 'POST', byName, { body: list })).status, 200)
    equal(await tickets(), [
      { id: 1, place_id: 1, other_id: null, number: 1, title: 'One again' },
      { id: 2, place_id: 2, other_id: null, number: 1, title: 'Two' },
    ])
  })

  test('takes no other one', async () => {
    const before = await tickets()
    const set = 'This relation is set only in a new record.'
    const other = { ...named('Hall', 1, 'Other'), other: { id: 2 } }
    const { status, errors } = await send(api, 'POST', byName, { body: [other] })
    equal([status, errors?.reason], [400, { '[0].other': [set] }])
    const patched = await send(api, 'PATCH', '/api/tickets/1', { body: { place: { id: 2 } } })
    equal([patched.status, patched.errors?.reason], [400, { place: [set] }])
    const list = await send(api, 'PATCH', '/api/tickets', { body: [{ id: 1, place: { id: 2 } }] })
    equal([list.status, list.errors?.reason], [400, { '[0].place': [set] }])
    equal(await tickets(), before)
  })
})
