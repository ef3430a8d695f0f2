/** PostgreSQL: a cursor at a value without a JSON form, such as `NaN` or `infinity`, lost rows or never ended. */
import { type Api, type Column, createApi, defineModel } from '@model-api/core'
import { preparedPg } from '@model-api/core/drivers'
import { Kysely, PostgresDialect } from 'kysely'
import { equal } from '../support/assert.ts'
import { compareValues, type Value } from '../support/reference/values.ts'
import { eachDatabase } from '../support/suite.ts'

const nullable = { nullable: true } as const

const columns = {
  id: { type: 'integer', primaryKey: true },
  weight: { type: 'float', ...nullable },
  single: { type: 'float', ...nullable },
  price: { type: 'decimal', ...nullable },
  /** The column of the database has no precision, so it stores infinities. */
  rounded: { type: 'decimal', precision: 12, scale: 2, ...nullable },
  narrow: { type: 'decimal', precision: 12, scale: 2, ...nullable },
  valid_to: { type: 'datetime', ...nullable },
  local: { type: 'datetime', ...nullable },
  day: { type: 'date', ...nullable },
  clock: { type: 'time', ...nullable },
} as const satisfies Readonly<Record<string, Column>>

type Name = keyof typeof columns
const names = Object.keys(columns).filter((name) => name !== 'id') as Name[]

const Rate = defineModel('Rate', { columns, meta: {} })

/** Stored values, which are also values of the reference, by the keys of their rows. */
const numbers = ['NaN', 'Infinity', '-Infinity', 1.5, 'NaN', null, 0, 0, 'Infinity', -2.25, 'NaN']
const finite = numbers.map((value) => (/inf/i.test(String(value)) ? 7 : value))
const datetimes = [
  ...[
    'infinity',
    '-infinity',
    '2024-01-01T00:00:00.000Z',
    'infinity',
    null,
    '2024-05-14T10:30:00.123Z',
  ],
  ...['infinity', null, '-infinity', '0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'],
]
const days = datetimes.map((value) => (value?.endsWith('Z') ? value.slice(0, 10) : value))
const times = [
  ...['24:00:00', '00:00:00', '23:59:59', '24:00:00', null, '10:00:00'],
  ...['10:00:01', '24:00:00', '00:00:00', '09:59:59', null],
]

const stored: Readonly<Record<Exclude<Name, 'id'>, readonly (string | number | null)[]>> = {
  weight: numbers,
  single: numbers,
  price: numbers,
  rounded: numbers,
  narrow: finite,
  valid_to: datetimes,
  local: datetimes,
  day: days,
  clock: times,
}

const ids = numbers.map((_, i) => i)

const valueAt = (name: Name, id: number): Value => stored[name as keyof typeof stored][id] ?? null

/** The order of two rows: NULLs come first or last, and rows with equal values are in the order of their keys. */
function ordered(terms: readonly (readonly [Name, 'asc' | 'desc', 'first' | 'last'])[]): number[] {
  return [...ids].sort((one, other) => {
    for (const [name, direction, nulls] of terms) {
      const [a, b] = [valueAt(name, one), valueAt(name, other)]
      const order =
        a === null || b === null
          ? (Number(a === null) - Number(b === null)) * (nulls === 'last' ? 1 : -1)
          : compareValues(columns[name], a, b) * (direction === 'asc' ? 1 : -1)
      if (order !== 0) return order
    }
    return one - other
  })
}

eachDatabase('a cursor at a value without a JSON form', (test, db) => {
  if (db.name !== 'postgres') {
    test('exists in PostgreSQL only', () => {})
    return
  }
  const rows = ids.map((id) => ({
    id,
    ...Object.fromEntries(names.map((name) => [name, valueAt(name, id)])),
  }))
  test.before(async () => {
    await db.execScript(`
      create table rates (id int primary key, weight float8, single real, price numeric, rounded numeric, narrow numeric(12, 2),
        valid_to timestamptz, local timestamp, day date, clock time)`)
    await db.kysely.insertInto('rates').values(rows).execute()
  })

  const drivers = ['pg', 'preparedPg'] as const

  async function withApi(driver: (typeof drivers)[number], run: (api: Api) => Promise<void>) {
    const { default: pg } = await import('pg')
    const pool = new pg.Pool({ connectionString: db.url, max: 1 })
    pool.on('error', () => {})
    const own = driver === 'pg' ? pool : preparedPg(pool as never)
    const kysely = new Kysely<Record<string, never>>({
      dialect: new PostgresDialect({ pool: own }),
    })
    try {
      await run(
        createApi({
          db: kysely,
          models: [Rate],
          config: { API_SCHEMA_CHECK: 'off' },
          onWarning: () => {},
        }),
      )
    } finally {
      await kysely.destroy()
    }
  }

  interface Page {
    readonly value: readonly { readonly id: number }[]
    readonly next_url: string | null
    readonly previous_url: string | null
  }

  async function pageOf(api: Api, url: string): Promise<Page> {
    const { status, text } = await api.answer({ method: 'GET', url, headers: {} })
    equal(status, 200, `${url}: ${text}`)
    return JSON.parse(text ?? '')
  }

  const idsOf = ({ value }: Page): number[] => value.map(({ id }) => id)

  /** The pages from the first to the last, and back. */
  async function follow(api: Api, order: string, size: number) {
    let page = await pageOf(api, `/api/rates?order_by=${order}&limit=${size}&paging=cursor`)
    const forwards = idsOf(page)
    while (page.next_url !== null && forwards.length <= ids.length) {
      page = await pageOf(api, page.next_url)
      forwards.push(...idsOf(page))
    }
    const backwards = idsOf(page)
    while (page.previous_url !== null && backwards.length <= ids.length) {
      page = await pageOf(api, page.previous_url)
      backwards.unshift(...idsOf(page))
    }
    return { forwards, backwards }
  }

  for (const driver of drivers) {
    for (const name of names) {
      test(`${name}, by ${driver}`, () =>
        withApi(driver, async (api) => {
          const other: Name = name === 'weight' ? 'valid_to' : 'weight'
          const orders = [
            [name, [[name, 'asc', 'last']]],
            [`-${name}`, [[name, 'desc', 'first']]],
            [`${name}.nullsfirst`, [[name, 'asc', 'first']]],
            [`-${name}.nullslast`, [[name, 'desc', 'last']]],
            [
              `-${other},${name}`,
              [
                [other, 'desc', 'first'],
                [name, 'asc', 'last'],
              ],
            ],
          ] as const
          for (const [order, terms] of orders) {
            const all = ordered(terms as never)
            equal(idsOf(await pageOf(api, `/api/rates?order_by=${order}`)), all, order)
            for (const size of [1, 2]) {
              const { forwards, backwards } = await follow(api, order, size)
              equal(forwards, all, `${order}, forwards by ${size}`)
              equal(backwards, all, `${order}, backwards by ${size}`)
            }
          }
        }))
    }
  }
})
