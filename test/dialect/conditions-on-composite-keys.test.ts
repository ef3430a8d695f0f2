/** A statement compared all composite keys of a list one by one, which took SQLite half a minute for 4,000 keys, and quadratic time in their number. */
import { belongsTo, defineModel } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase, runsOn } from '../support/suite.ts'

runsOn('one server of each engine')

const integer = { type: 'integer' } as const

const Price = defineModel('Price', {
  columns: {
    shop: { ...integer, primaryKey: true },
    day: { type: 'date', primaryKey: true },
    cents: { ...integer, nullable: true },
  },
  meta: {},
})

const Sale = defineModel('Sale', {
  columns: {
    id: { ...integer, primaryKey: true },
    shop: integer,
    day: { type: 'date' },
  },
  relations: { price: belongsTo('Price', ['shop', 'day']) },
  meta: {},
})

/** On SQLite, dates are compared key by key, at most 500 in a statement; the others take a list of any length. */
const mostDates = { sqlite: 600, postgres: 1200, mysql: 1200 } as const

/** More keys than two statements compare one by one. */
const many = 1200

const keys = Array.from({ length: many }, (_, i) => ({
  shop: i % 3,
  day: new Date(Date.UTC(2000, 0, 1 + i)).toISOString().slice(0, 10),
}))

eachDatabase('conditions on composite keys', (test, db) => {
  test.before(async () => {
    await db.execScript(`
      create table prices (shop integer, day date, cents integer, primary key (shop, day));
      create table sales (id integer primary key, shop integer, day date)`)
    const sales = keys.map((key, i) => ({ id: i, ...key }))
    for (let i = 0; i < many; i += 200) {
      await db.kysely
        .insertInto('prices')
        .values(keys.slice(i, i + 200))
        .execute()
      await db.kysely
        .insertInto('sales')
        .values(sales.slice(i, i + 200))
        .execute()
    }
  })
  const api = testApi(db, [Price, Sale], {
    API_ALLOW_BULK: true,
    API_ALLOW_JOIN: true,
    API_MAX_BULK: many,
    API_PAGINATION_SIZE_MAX: many,
  })

  /** The status of the response, and for each statement, the number of dates in its parameters if it has a condition. */
  const compared = async (
    run: () => ReturnType<typeof send>,
  ): Promise<{ status: number; dates: readonly number[] }> => {
    const { result, statements } = await db.capture(run)
    const dates = statements.map(
      ({ sql, parameters }) =>
        new Set(sql.includes('where') ? JSON.stringify(parameters).match(/\d{4}-\d\d-\d\d/g) : []),
    )
    return { status: result.status, dates: dates.map(({ size }) => size) }
  }

  for (const [title, changed] of [
    ['equal values', () => 1],
    ['different values', (i: number) => i],
  ] as const) {
    test(`a PATCH of a list with ${title} writes all of them`, async () => {
      const body = keys.map((key, i) => ({ ...key, cents: changed(i) }))
      const { status, dates } = await compared(() => send(api, 'PATCH', '/api/prices', { body }))
      equal([status, dates.filter((count) => count > mostDates[db.name])], [200, []])
      const stored = await db.kysely.selectFrom('prices').select('cents').orderBy('day').execute()
      equal(
        stored.map(({ cents }) => Number(cents)),
        keys.map((_, i) => changed(i)),
      )
    })
  }

  test('an embed reads all of them, too', async () => {
    const url = `/api/sales?limit=${many}&join=price&join_type=left&dump=json`
    const { status, dates } = await compared(() => send(api, 'GET', url))
    equal([status, dates.filter((count) => count > mostDates[db.name])], [200, []])
  })
})
