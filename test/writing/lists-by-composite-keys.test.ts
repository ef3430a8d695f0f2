/** Lists by keys of several columns: exactly the records with these keys are changed and embedded, whichever values the keys share. */
import { type AnyModel, belongsTo, type ColumnType, defineModel, hasMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

/** Three values of each type. */
const samples = {
  integer: [1, 2, 3],
  string: ['a', 'b', 'a,b'],
  date: ['2030-01-01', '2030-01-02', '2031-01-01'],
  datetime: ['2030-01-01T00:00:00Z', '2030-01-01T00:00:01Z', '2030-01-01T00:00:00.5Z'],
  uuid: [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`),
} satisfies Partial<Record<ColumnType, readonly (string | number)[]>>

type Sample = keyof typeof samples

type Place = readonly [a: number, b: number, c: number]

/** The indexes of the values of 27 keys. */
const grid: readonly Place[] = [0, 1, 2].flatMap((a) =>
  [0, 1, 2].flatMap((b) => [0, 1, 2].map((c): Place => [a, b, c])),
)

const keyOf = ({ a, b, c }: { a: unknown; b: unknown; c: unknown }): string =>
  JSON.stringify([a, b, c])

/** The types of the key's columns. */
const keys: readonly (readonly [Sample, Sample, Sample])[] = [
  ['integer', 'string', 'date'],
  ['date', 'uuid', 'integer'],
  ['string', 'datetime', 'string'],
]

/** Which of the 27 keys a list has. */
const choices: Readonly<Record<string, (a: number, b: number, c: number) => boolean>> = {
  'no two values alike': (a, b, c) => a === b && b === c,
  'the first value alike': (a) => a === 1,
  'the first two values alike': (a, b) => a === 1 && b === 2,
  'the last two values alike': (_, b, c) => b === 0 && c === 1,
  'every other key': (a, b, c) => (a + b + c) % 2 === 0,
  'every key': () => true,
}

for (const types of keys) {
  eachDatabase(`lists by keys of ${types.join(', ')}`, (test, db) => {
    const part = (i: 0 | 1 | 2) =>
      types[i] === 'string' ? ({ type: 'string', maxLength: 40 } as const) : { type: types[i] }
    const own = ['a', 'b', 'c'] as const
    const models: readonly AnyModel[] = [
      defineModel('Slot', {
        columns: {
          a: { ...part(0), primaryKey: true },
          b: { ...part(1), primaryKey: true },
          c: { ...part(2), primaryKey: true },
          note: { type: 'string', maxLength: 40, nullable: true },
        },
        relations: { visits: hasMany('Visit', own) },
        meta: {},
      }),
      defineModel('Visit', {
        columns: {
          id: { type: 'integer', primaryKey: true, generated: true },
          a: part(0),
          b: part(1),
          c: part(2),
          number: { type: 'integer' },
        },
        relations: { slot: belongsTo('Slot', own) },
        meta: {},
      }),
    ]
    const slots = grid.map((at) => {
      const [a, b, c] = at.map((n, i) => samples[types[i as 0 | 1 | 2]][n])
      return { a, b, c }
    })
    const api = testApi(db, models, { API_ALLOW_BULK: true, API_ALLOW_JOIN: true })
    test.before(async () => {
      await createTables(db, models)
      await insertRows(
        db,
        models[0] as AnyModel,
        slots.map((slot) => ({ ...slot, note: 'as before' })),
      )
      await insertRows(
        db,
        models[1] as AnyModel,
        slots.flatMap((slot, number) => [
          { ...slot, number },
          { ...slot, number },
        ]),
      )
      await api.ready
    })

    for (const [name, isChosen] of Object.entries(choices)) {
      test(`${name}: changed`, async () => {
        const chosen = slots.filter((_, i) => isChosen(...(grid[i] as Place)))
        const body = chosen.map((slot) => ({ ...slot, note: name }))
        const answer = await send(api, 'PATCH', '/api/slots', { body })
        equal(answer.status, 200, JSON.stringify(answer.errors))
        const rows = await db.kysely.selectFrom('slots').select('note').execute()
        equal(rows.filter(({ note }) => note === name).length, chosen.length)
        const stored = await send(
          api,
          'GET',
          `/api/slots?dump=json&limit=100&note__eq=${encodeURIComponent(name)}`,
        )
        equal(stored.value.map(keyOf).sort(), answer.value.map(keyOf).sort())
        equal(stored.value.length, chosen.length)
      })

      test(`${name}: embedded`, async () => {
        const chosen = slots.map((_, i) => i).filter((i) => isChosen(...(grid[i] as Place)))
        const numbers = `(${chosen.join()})`
        const url = `/api/visits?dump=json&limit=100&number__in=${numbers}`
        const { value: visits } = await send(api, 'GET', url)
        equal(visits.length, 2 * chosen.length)
        for (const visit of visits) equal(keyOf(visit.slot), keyOf(visit))
      })
    }

    test('records embed the lists of their keys', async () => {
      const { value } = await send(api, 'GET', '/api/slots?dump=json&limit=100')
      equal(value.length, slots.length)
      for (const slot of value) {
        equal(slot.visits.length, 2)
        for (const visit of slot.visits) equal(keyOf(visit), keyOf(slot))
      }
    })
  })
}
