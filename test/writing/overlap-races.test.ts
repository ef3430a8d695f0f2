/** Rules against overlaps (`exclude`) of two models with the same parents, in the opposite order, under concurrent writes of every kind. */
import { type AnyModel, belongsTo, defineModel, hasMany } from '@model-api/core'
import { type Answer, send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const key = { type: 'integer', primaryKey: true } as const
const id = { ...key, generated: true } as const
const meta = { soft_delete: true, soft_delete_attribute: 'gone' } as const
const gone = { type: 'boolean' } as const
const stays = hasMany('Stay', 'room_id', { on_delete: 'null' })

const Room = defineModel('Room', { columns: { id: key, gone }, relations: { stays }, meta })
const Guest = defineModel('Guest', { columns: { id: key, gone }, meta })
const Stay = defineModel('Stay', {
  columns: {
    id,
    room_id: { type: 'integer', nullable: true },
    guest_id: { type: 'integer', nullable: true },
    night_from: { type: 'integer' },
    night_until: { type: 'integer' },
    gone,
  },
  relations: { room: belongsTo('Room', 'room_id'), guest: belongsTo('Guest', 'guest_id') },
  exclude: [
    { room_id: 'equal', period: ['night_from', 'night_until'] },
    { guest_id: 'equal', period: ['night_from', 'night_until'] },
  ],
  meta,
})
const Visit = defineModel('Visit', {
  columns: {
    id,
    guest_id: { type: 'integer' },
    room_id: { type: 'integer' },
    night_from: { type: 'integer' },
    night_until: { type: 'integer' },
  },
  relations: { guest: belongsTo('Guest', 'guest_id'), room: belongsTo('Room', 'room_id') },
  exclude: [
    { guest_id: 'equal', period: ['night_from', 'night_until'] },
    { room_id: 'equal', period: ['night_from', 'night_until'] },
  ],
  meta: {},
})

const models: readonly AnyModel[] = [Room, Guest, Stay, Visit]
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1)
const nights = { night_from: 1, night_until: 3 }
/** One of the nine pairs of a room and a guest. */
const pair = (n: number) => ({ room_id: 1 + (n % 3), guest_id: 1 + ((n >> 1) % 3), ...nights })

interface Row {
  readonly id: number
  readonly room_id: number | null
  readonly guest_id: number | null
  readonly night_from: number
  readonly night_until: number
}

eachDatabase('concurrent writes under several rules against overlaps', (test, db) => {
  const api = testApi(db, models, { API_ALLOW_BATCH: true, API_ALLOW_BULK: true })
  test.before(() => createTables(db, models))
  const reset = async (): Promise<void> => {
    for (const { table } of [Visit, Stay, Guest, Room]) await db.kysely.deleteFrom(table).execute()
    for (const model of [Room, Guest]) {
      await insertRows(
        db,
        model,
        upTo(3).map((n) => ({ id: n, gone: false })),
      )
    }
  }
  const rows = async (endpoint: string): Promise<readonly Row[]> =>
    (await send(api, 'GET', `/api/${endpoint}?limit=100`)).value
  /** Checks that the answers are these, and that no two stored records overlap. */
  const areRight = async (
    answers: readonly Answer[],
    known: readonly (readonly [number, string | undefined])[],
  ): Promise<void> => {
    for (const { status, errors } of answers) {
      const isKnown = known.some(([code, text]) => code === status && text === errors?.code)
      ok(isKnown, `${status} ${errors?.code}`)
    }
    for (const list of [await rows('stays'), await rows('visits')]) {
      const overlapping = list.filter((one) =>
        list.some(
          (other) =>
            other.id !== one.id &&
            other.night_from < one.night_until &&
            one.night_from < other.night_until &&
            ((one.room_id !== null && other.room_id === one.room_id) ||
              (one.guest_id !== null && other.guest_id === one.guest_id)),
        ),
      )
      equal(overlapping, [])
    }
  }

  test('of two models, in opposite orders', async () => {
    await reset()
    const answers = await Promise.all(
      upTo(20).map((n) => {
        const operations = [
          { method: 'POST', url: '/api/stays', body: pair(n) },
          { method: 'POST', url: '/api/visits', body: pair(n >> 1) },
        ]
        if (n % 2 === 0) operations.reverse()
        return send(api, 'POST', '/api/batch', { body: { operations } })
      }),
    )
    await areRight(answers, [
      [200, undefined],
      [409, 'overlap'],
    ])
    ok((await rows('stays')).length > 0)
  })

  test('that restore, move and create records', async () => {
    await reset()
    const stored = upTo(20).map((n) => {
      const isGone = n % 2 === 1
      return { id: 100 + n, room_id: isGone ? 1 : null, guest_id: null, ...nights, gone: isGone }
    })
    await insertRows(db, Stay, stored)
    const answers = await Promise.all([
      ...stored.map((row) =>
        row.gone
          ? send(api, 'POST', `/api/stays/${row.id}/restore`)
          : send(api, 'PATCH', `/api/stays/${row.id}`, { body: { room_id: 1 } }),
      ),
      ...upTo(10).map(() =>
        send(api, 'POST', '/api/stays', { body: { room_id: 1, guest_id: null, ...nights } }),
      ),
    ])
    await areRight(answers, [
      [200, undefined],
      [201, undefined],
      [409, 'overlap'],
    ])
    equal((await rows('stays')).filter(({ room_id }) => room_id === 1).length, 1)
  })

  test('while their parent is deleted, and they lose the reference to it', async () => {
    await reset()
    const stay = (n: number) => ({
      ...{ id: 100 + n, room_id: 1, guest_id: n, night_from: n * 10, night_until: n * 10 + 2 },
      gone: false,
    })
    await insertRows(db, Stay, [stay(1), stay(2)])
    const answers = await Promise.all([
      ...upTo(8).map((n) =>
        send(api, 'POST', '/api/stays', { body: { ...nights, room_id: 1, guest_id: 3 - (n % 2) } }),
      ),
      send(api, 'DELETE', '/api/rooms/1'),
      ...upTo(8).map((n) =>
        send(api, 'PATCH', `/api/stays/${101 + (n % 2)}`, { body: { ...nights, room_id: 1 } }),
      ),
    ])
    await areRight(answers, [
      [200, undefined],
      [201, undefined],
      [409, 'overlap'],
      [422, 'missing_reference'],
    ])
    equal((await send(api, 'GET', '/api/rooms/1')).status, 404)
    equal((await rows('stays')).filter(({ room_id }) => room_id === 1).length, 0)
  })
})
