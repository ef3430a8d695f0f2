/**
 * SQLite stores any value in any column: a value that does not fit the type of its column failed the whole list, or was
 * returned as null.
 */
import { defineModel } from '@model-api/core'
import { testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'

const Thing = defineModel('Thing', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    at: { type: 'datetime', nullable: true },
    day: { type: 'date', nullable: true },
    opens: { type: 'time', nullable: true },
    code: { type: 'uuid', nullable: true },
    active: { type: 'boolean', nullable: true },
    price: { type: 'decimal', precision: 12, scale: 2, nullable: true },
    size: { type: 'integer', nullable: true },
    weight: { type: 'float', nullable: true },
    big: { type: 'bigint', nullable: true },
    kind: { type: 'enum', enum: ['a', 'b'], nullable: true },
  },
  meta: {},
})

/** The stored value, and the returned value. */
const values: Readonly<Record<string, readonly (readonly [stored: unknown, served: unknown])[]>> = {
  at: [
    ['', ''],
    ['02/01/2024', '02/01/2024'],
    ['2024-01-05 10:00:00', '2024-01-05T10:00:00.000Z'],
    [1700000000, '1700000000'],
    ['2024-01-05T10:00:00+99:00', '2024-01-05T10:00:00+99:00'],
    ['0000-00-00 00:00:00', '0000-00-00 00:00:00'],
    ['soon', 'soon'],
    ['2024-13-45', '2024-13-45'],
    ['infinity', 'infinity'],
  ],
  day: [
    ['', ''],
    ['02/01/2024', '02/01/2024'],
    ['2024-01-05', '2024-01-05'],
    [20240105, '20240105'],
    ['2024-01-05x', '2024-01-05x'],
  ],
  opens: [
    ['', ''],
    ['10am', '10am'],
    ['10:00:00', '10:00:00'],
    [36000, '36000'],
    ['10:00:00x', '10:00:00x'],
  ],
  code: [
    ['', ''],
    ['{A}', '{A}'],
    ['3F2B8C1E-0D4A-4B7E-9A52-6C1D8E7F9A01', '3f2b8c1e-0d4a-4b7e-9a52-6c1d8e7f9a01'],
  ],
  active: [
    ['', ''],
    ['t', true],
    ['maybe', 'maybe'],
    [0, false],
    ['false', false],
    [2, true],
  ],
  price: [
    ['', ''],
    ['cheap', 'cheap'],
    ['12.5', '12.50'],
    ['12.5x', '12.5x'],
    [-3, '-3.00'],
  ],
  size: [
    ['', ''],
    ['abc', 'abc'],
    [12, 12],
    [1.5, 1.5],
  ],
  weight: [
    ['', ''],
    ['heavy', 'heavy'],
    [1.5, 1.5],
  ],
  big: [
    ['', ''],
    ['abc', 'abc'],
    ['9007199254740993', '9007199254740993'],
    [-1.5, '-1.5'],
  ],
  kind: [
    ['', ''],
    ['c', 'c'],
    ['a', 'a'],
  ],
}
const names = Object.keys(values)

interface Body {
  readonly value: Record<string, unknown>[]
  readonly total_count: number
  readonly next_url: string | null
  readonly previous_url: string | null
}

for (const indexed of [false, true]) {
  eachDatabase(`values that are not of the type${indexed ? ', with indexes' : ''}`, (test, db) => {
    if (db.name !== 'sqlite') {
      test('are stored by SQLite only', () => {})
      return
    }
    const api = testApi(db, [Thing], { API_ALLOW_GROUPBY: true, API_ALLOW_AGGREGATION: true })
    // Without the check against the OpenAPI document, which describes only values of the type.
    const ask = async (url: string): Promise<Body> => {
      const { status, body } = await api.handle({ method: 'GET', url, headers: {} })
      equal(status, 200, `${url}: ${JSON.stringify(body)}`)
      return body as unknown as Body
    }
    const idsOf = ({ value }: Body): unknown[] => value.map(({ id }) => id)

    test.before(async () => {
      await db.execScript(`create table things (id integer primary key, at, day, opens, code text,
        active boolean, price decimal(12, 2), size integer, weight real, big bigint, kind text)`)
      if (indexed) {
        for (const name of names) await db.execScript(`create index of_${name} on things (${name})`)
      }
      let id = 0
      for (const name of names) {
        for (const [stored] of values[name] ?? []) {
          id += 1
          await db.kysely
            .insertInto('things')
            .values({ id, [name]: stored })
            .execute()
        }
      }
    })

    test('are served as the stored text', async () => {
      const { value } = await ask('/api/things?limit=100')
      for (const name of names) {
        equal(
          value.map((row) => row[name]).filter((one) => one !== null),
          (values[name] ?? []).map(([, served]) => served),
          name,
        )
      }
    })

    for (const name of names) {
      const rows = values[name] ?? []
      test(`${name}: each counts as one row in isnull, groups, order and cursors`, async () => {
        const held = await ask(`/api/things?${name}__isnull=false&limit=100`)
        equal(held.total_count, rows.length)
        const groups = await ask(
          `/api/things?groupby=${name}&aggregate=id__count&${name}__isnull=false`,
        )
        equal(
          new Set(groups.value.map((row) => row[name])),
          new Set(rows.map(([, served]) => served)),
        )
        for (const order of [name, `-${name}`, `${name}.nullsfirst`]) {
          const all = idsOf(await ask(`/api/things?order_by=${order}&limit=100`))
          const seen: unknown[] = []
          let url: string | null = `/api/things?order_by=${order}&limit=1&paging=cursor`
          let back: string | null = null
          while (url !== null && seen.length <= all.length) {
            const page: Body = await ask(url)
            seen.push(...idsOf(page))
            url = page.next_url
            back = page.previous_url
          }
          equal(seen, all, order)
          equal(idsOf(await ask(back ?? '')), [all.at(-2)])
        }
      })

      test(`${name}: comparisons with a value of the type include those of the type once`, async () => {
        const of = { at: '2024-01-05T10:00:00Z', day: '2024-01-05', opens: '10:00:00' }
        const value = { ...of, price: '12.50', size: 12, weight: 1.5, big: '9007199254740993' }[
          name
        ]
        if (value === undefined) return
        const count = async (operator: string): Promise<number> =>
          (await ask(`/api/things?${name}__${operator}=${value}&limit=100`)).total_count
        equal(await count('eq'), 1)
        equal(await count('ne'), rows.length - 1)
        const compared = (await count('lt')) + (await count('ge'))
        equal((await count('le')) + (await count('gt')), compared)
        equal((await count('lt')) + 1, await count('le'))
        for (const operator of ['lt', 'gt']) {
          const url = `/api/things?${name}__${operator}=${value}&limit=100`
          const found = (await ask(url)).value.map((row: Record<string, unknown>) => row[name])
          equal(
            found.filter((one: unknown) => !/^[-\d]/.test(String(one))),
            [],
            operator,
          )
        }
      })
    }

    test('sums and averages ignore them', async () => {
      const { value } = await ask(
        '/api/things?aggregate=price__sum,price__avg,size__sum,price__count',
      )
      equal(value[0], {
        price_sum: '9.50',
        price_avg: '4.750000',
        size_sum: 13,
        price_count: 5,
      })
    })
  })
}
