/** Pages far from the first one: the same rows in the same order, whatever form the statement has. */
import { type AnyModel, defineModel } from '@model-api/core'
import { get, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const size = 600

const columns = {
  room: { type: 'integer', primaryKey: true },
  seat: { type: 'integer', primaryKey: true },
  price: { type: 'decimal', precision: 8, scale: 2, nullable: true },
} as const

const Seat = defineModel('Seat', { columns, meta: {} })
const Cheap = defineModel('Cheap', {
  table: 'seats',
  columns,
  meta: {
    access_policy: {
      // biome-ignore lint/suspicious/noExplicitAny: the query builder of any database
      scope_query: (query: any) => query.where('room', '<', 20),
    },
  },
} as never)

interface Place {
  readonly room: number
  readonly seat: number
  readonly price: string | null
}

/** Twenty seats in each of thirty rooms; every seventh has no price. */
const places: readonly Place[] = Array.from({ length: size }, (_, i) => ({
  room: Math.floor(i / 20),
  seat: i % 20,
  price: i % 7 === 0 ? null : `${(i * 37) % 50}.50`,
}))

eachDatabase('far pages', (test, db) => {
  test.before(() =>
    db.execScript(`create table seats (room integer, seat integer, price decimal(8, 2), primary key (room, seat));
      insert into seats values ${places.map(({ room, seat, price }) => `(${room}, ${seat}, ${price})`).join(',')};`),
  )
  const api = testApi(db, [Seat, Cheap] as readonly AnyModel[])
  const pages = async (path: string, query: string, from: number): Promise<Place[]> => {
    const rows: Place[] = []
    for (let page = from; ; page++) {
      const { status, value, total } = await get(api, `${path}?${query}limit=50&page=${page}`)
      equal(status, 200)
      rows.push(...value)
      if (page * 50 >= total) return rows
    }
  }

  test('by the key of two columns', async () => {
    equal(await pages('/api/seats', '', 5), places.slice(200))
  })

  test('by a column with nulls and equal values, descending, with a condition', async () => {
    const cents = ({ price }: Place): number => (price === null ? 1e9 : Number(price))
    const expected = places
      .filter(({ seat }) => seat !== 3)
      .sort((a, b) => cents(b) - cents(a) || a.room - b.room || a.seat - b.seat)
    equal(await pages('/api/seats', 'seat__ne=3&order_by=-price&', 5), expected.slice(200))
  })

  test('within the rows of a policy', async () => {
    const rows = await pages('/api/cheaps', '', 5)
    ok(rows.length > 0)
    equal(rows, places.filter(({ room }) => room < 20).slice(200))
  })

  test('a page past the end is empty, and has the total', async () => {
    const { value, total } = await get(api, '/api/seats?limit=50&page=100')
    equal([value, total], [[], size])
  })
})
