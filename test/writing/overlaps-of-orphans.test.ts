/** Rules by which no two records overlap (`exclude`), where the table has no foreign key: a record that the rule is about has its parent. */
import { type AnyModel, belongsTo, defineModel, hasMany } from '@model-api/core'
import { type Answer, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const
const key = { type: 'integer', primaryKey: true } as const

const Room = defineModel('Room', {
  columns: { id: key, name: { type: 'string', maxLength: 40, nullable: true } },
  relations: { stays: hasMany('Stay', 'room_id') },
  meta: {},
})

const Stay = defineModel('Stay', {
  columns: {
    id,
    room_id: { type: 'integer', nullable: true },
    bed: { type: 'integer', nullable: true, default: 1 },
    note: { type: 'string', maxLength: 40, nullable: true },
    night_from: { type: 'integer' },
    night_until: { type: 'integer' },
  },
  relations: { room: belongsTo('Room', 'room_id') },
  exclude: {
    name: 'one guest',
    room_id: 'equal',
    bed: 'equal',
    period: ['night_from', 'night_until'],
    where: { note: { isnull: true } },
  },
  meta: {},
})

/** Parts of a part do not overlap; the parents are of the same model. */
const Part = defineModel('Part', {
  columns: {
    id: key,
    part_id: { type: 'integer', nullable: true },
    begins: { type: 'integer' },
    ends: { type: 'integer' },
  },
  relations: { part: belongsTo('Part', 'part_id') },
  exclude: { part_id: 'equal', period: ['begins', 'ends'] },
  meta: {},
})

const Hall = defineModel('Hall', {
  columns: { id: key, gone: { type: 'boolean' } },
  meta: { soft_delete: true, soft_delete_attribute: 'gone' },
})
const Show = defineModel('Show', {
  columns: {
    id: key,
    hall_id: { type: 'integer' },
    begins: { type: 'integer' },
    ends: { type: 'integer' },
    gone: { type: 'boolean' },
  },
  relations: { hall: belongsTo('Hall', 'hall_id') },
  exclude: { hall_id: 'equal', period: ['begins', 'ends'] },
  meta: { soft_delete: true, soft_delete_attribute: 'gone' },
})

const models: readonly AnyModel[] = [Room, Stay, Part, Hall, Show]
const config = {
  API_ALLOW_BULK: true,
  API_ALLOW_BATCH: true,
  API_ALLOW_NESTED_WRITES: true,
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1)
const stay = (room_id: number | null, more = {}) => ({
  room_id,
  night_from: 3,
  night_until: 5,
  ...more,
})
const statuses = (answers: readonly { readonly status: number }[]): Record<string, number> => {
  const found: Record<string, number> = {}
  for (const { status } of answers) found[status] = (found[status] ?? 0) + 1
  return found
}
const refused = ({ status, errors }: Answer) => [
  status,
  errors?.code,
  (errors?.problems as readonly { path: string }[] | undefined)?.map(({ path }) => path),
]
const orphans = (...paths: string[]) => [422, 'missing_reference', paths]

eachDatabase('records under a rule against overlaps, without a foreign key', (test, db) => {
  const api = testApi(db, models, config)
  test.before(() =>
    // Without relations, the tables have no foreign keys.
    createTables(
      db,
      models.map((model) => ({ ...model, relations: {} }) as AnyModel),
    ),
  )
  const reset = async (): Promise<void> => {
    for (const { table } of models) await db.kysely.deleteFrom(table).execute()
    await insertRows(db, Room, [
      { id: 1, name: null },
      { id: 2, name: null },
    ])
  }
  const post = (body: unknown): Promise<Answer> => send(api, 'POST', '/api/stays', { body })
  const patch = (url: string, body: unknown): Promise<Answer> => send(api, 'PATCH', url, { body })
  const stays = async (): Promise<number> => (await send(api, 'GET', '/api/stays')).total

  test('of 20 writers with a reference to no record, none is stored', async () => {
    await reset()
    const answers = await Promise.all(upTo(20).map(() => post(stay(9))))
    equal(statuses(answers), { 422: 20 })
    equal(refused(answers[0] as Answer), orphans('room_id'))
    equal(await stays(), 0)
  })

  test('of 20 writers that change stored records with a reference to no record, none is stored', async () => {
    await reset()
    const rows = upTo(20).map((n) => ({
      id: n,
      ...stay(9, { bed: 1, note: null, night_from: n * 10, night_until: n * 10 + 1 }),
    }))
    await insertRows(db, Stay, rows)
    const answers = await Promise.all(
      rows.map((row) => patch(`/api/stays/${row.id}`, { night_from: 1, night_until: 2 })),
    )
    equal(statuses(answers), { 422: 20 })
    equal(refused(answers[0] as Answer), orphans('room_id'))
    // What the rule does not compare can be changed, and the record can leave the rule or get a record to refer to.
    equal((await patch('/api/stays/1', { room_id: 9 })).status, 200)
    equal((await patch('/api/stays/1', { note: 'cancelled' })).status, 200)
    equal((await patch('/api/stays/1', { note: null })).status, 422)
    equal((await patch('/api/stays/2', { room_id: 1 })).status, 200)
    equal((await patch('/api/stays/3', { room_id: null })).status, 200)
    equal((await send(api, 'DELETE', '/api/stays/4')).status, 200)
  })

  test('the error names the records of a list that refer to none, before those that overlap', async () => {
    await reset()
    const answer = await post([stay(1), stay(9), stay(1), stay(8)])
    equal(refused(answer), orphans('[1].room_id', '[3].room_id'))
    equal(await stays(), 0)
  })

  test('a record that the rule is not about needs no record to refer to', async () => {
    await reset()
    equal((await post(stay(9, { note: 'cancelled' }))).status, 201)
    equal((await post(stay(9, { bed: null }))).status, 201)
    equal((await post(stay(null))).status, 201)
    equal(await stays(), 3)
  })

  test('a record may refer to one that the same request stores', async () => {
    await reset()
    const { room_id: _, ...free } = stay(null)
    equal((await post({ ...free, room: { id: 3 } })).status, 201)
    const room = { id: 4, stays: [free] }
    equal((await send(api, 'POST', '/api/rooms', { body: room })).status, 201)
    const operations = [
      { method: 'POST', url: '/api/rooms', body: { id: 5 } },
      { method: 'POST', url: '/api/stays', body: stay(5) },
    ]
    equal((await send(api, 'POST', '/api/batch', { body: { operations } })).status, 200)
    const early = { operations: operations.toReversed().map((one) => ({ ...one })) }
    early.operations[0] = { ...operations[1], body: stay(6) } as never
    equal((await send(api, 'POST', '/api/batch', { body: early })).status, 422)
    const parts = [
      { id: 2, part_id: 1, begins: 1, ends: 2 },
      { id: 1, part_id: null, begins: 1, ends: 9 },
      { id: 3, part_id: 1, begins: 2, ends: 3 },
    ]
    equal((await send(api, 'POST', '/api/parts', { body: parts })).status, 201)
    const next = { id: 4, part_id: 4, begins: 2, ends: 3 }
    equal((await send(api, 'POST', '/api/parts', { body: next })).status, 201)
    const wrong = { id: 5, part_id: 6, begins: 2, ends: 3 }
    equal(refused(await send(api, 'POST', '/api/parts', { body: [wrong] })), orphans('[0].part_id'))
  })

  test('a record that is stored while others refer to it makes these wait', async () => {
    // So that, in one of the rounds, it is stored between two statements of another write.
    for (const _ of upTo(10)) {
      await reset()
      const answers = await Promise.all([
        ...upTo(10).map(() => post(stay(7))),
        send(api, 'POST', '/api/rooms', { body: { id: 7 } }),
        ...upTo(10).map(() => post(stay(7))),
      ])
      const { 201: created = 0 } = statuses(answers)
      ok(created <= 2, `${created} created`)
      equal(await stays(), created - 1)
    }
  })

  test('a record that is deleted while others refer to it', async () => {
    await reset()
    const answers = await Promise.all([
      ...upTo(10).map(() => post(stay(1))),
      send(api, 'DELETE', '/api/rooms/1'),
      ...upTo(10).map(() => post(stay(1))),
    ])
    const { 201: created = 0 } = statuses(answers)
    const isDeleted = answers[10]?.status === 200
    equal([created, await stays()], isDeleted ? [0, 0] : [1, 1])
    equal((await post(stay(1))).status, isDeleted ? 422 : 409)
  })

  test('a record with soft delete gets the lock of the rule first, not that of a reference, after which two writes would wait for each other', async () => {
    await reset()
    await insertRows(db, Hall, [{ id: 1, gone: false }])
    const show = (id: number) => ({ id, hall_id: 1, begins: id, ends: id + 1 })
    for (const body of [show(1), [show(2), show(3)]]) {
      const { result, statements } = await db.capture(() =>
        send(api, 'POST', '/api/shows', { body }),
      )
      equal(result.status, 201)
      const locks = statements.flatMap(
        ({ sql }) =>
          / (for (?:no key )?update|for key share|lock in share mode)/.exec(sql)?.[1] ?? [],
      )
      const [first] = locks
      const strong = { sqlite: undefined, postgres: 'for no key update', mysql: 'for update' }
      equal(first, strong[db.name])
    }
  })

  test('a restored record needs the record to which it refers', async () => {
    await reset()
    await insertRows(db, Hall, [{ id: 1, gone: true }])
    await insertRows(db, Show, [
      { id: 1, hall_id: 1, begins: 1, ends: 2, gone: true },
      { id: 2, hall_id: 9, begins: 1, ends: 2, gone: true },
      { id: 3, hall_id: 9, begins: 1, ends: 2, gone: false },
    ])
    const restored = (show: number) => send(api, 'POST', `/api/shows/${show}/restore`)
    equal(refused(await restored(1)), orphans('hall_id'))
    equal(refused(await restored(2)), orphans('hall_id'))
    equal((await send(api, 'DELETE', '/api/shows/3')).status, 200)
    const body = { id: 4, hall_id: 1, begins: 1, ends: 2 }
    equal(refused(await send(api, 'POST', '/api/shows', { body })), orphans('hall_id'))
  })
})
