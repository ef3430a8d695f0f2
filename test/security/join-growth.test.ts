/** Conditions on the rows of several to-many joins never combine the rows: twice the rows cost at most three times as much. */
import {
  type AnyModel,
  type Api,
  belongsTo,
  createApi,
  defineModel,
  hasMany,
} from '@model-api/core'
import { CompiledQuery, sql } from 'kysely'
import { get, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { refuses } from '../support/expect.ts'
import { type Meter, meterOf } from '../support/row-meter.ts'
import { eachDatabase, runsOn } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

runsOn('one server of each engine')

const id = { type: 'integer', primaryKey: true } as const
const number = { type: 'integer' } as const

const Root = defineModel('Root', {
  columns: { id, x: number },
  relations: {
    as: hasMany('Ay', 'root_id'),
    bs: hasMany('Bee', 'root_id'),
    cs: hasMany('Cee', 'root_id'),
  },
  meta: {},
})
const child = (name: string): AnyModel =>
  defineModel(name, {
    columns: { id, root_id: number, x: number },
    relations: { root: belongsTo('Root', 'root_id') },
    meta: {},
  })
const Ay = child('Ay')
const Bee = child('Bee')
const Cee = child('Cee')
const models = [Root, Ay, Bee, Cee]

const config = { API_ALLOW_JOIN: true }
const roots = 2

/** Adds children until each root has `to` of each kind. */
async function grow(db: TestDatabase, from: number, to: number): Promise<void> {
  for (const model of [Ay, Bee, Cee]) {
    const rows = Array.from({ length: (to - from) * roots }, (_, i) => {
      const key = from * roots + i + 1
      return { id: key, root_id: 1 + (key % roots), x: key % 10 }
    })
    await insertRows(db, model, rows)
  }
  if (db.name === 'postgres') await sql`analyze`.execute(db.kysely)
  if (db.name === 'mysql') await sql`analyze table roots, ays, bees, cees`.execute(db.kysely)
}

async function create(db: TestDatabase): Promise<void> {
  await createTables(db, models)
  for (const table of ['ays', 'bees', 'cees']) {
    await sql`create index ${sql.id(`of_${table}`)} on ${sql.table(table)} (root_id)`.execute(
      db.kysely,
    )
  }
  await insertRows(
    db,
    Root,
    Array.from({ length: roots }, (_, i) => ({ id: i + 1, x: i })),
  )
}

/** `or[as.x__eq=1,bs.x__eq=1,cs.x__eq=1]` for each of the numbers. */
const onAll = (numbers: readonly number[]): string =>
  numbers.map((n) => `or[as.x__eq=${n},bs.x__eq=${n},cs.x__eq=${n}]`).join('&')
/** `or[as.x__ge=100,bs.x__eq=1]` with `count` values that no row has. */
const onTwo = (count: number): string =>
  Array.from({ length: count }, (_, i) => `or[as.x__eq=${100 + i},bs.x__eq=${200 + i}]`).join('&')

const attacks: readonly (readonly [query: string, status: number])[] = [
  // No three rows meet four groups, so every combination of rows would have to be tried.
  [`join=as,bs,cs&${onAll([1, 2, 3, 4])}`, 400],
  [`join=as,bs,cs&join_type=left&${onAll([1, 2, 3, 4])}`, 400],
  [`join=as,bs,cs&${onAll([1, 2, 3])}`, 200],
  [`join=as,bs,cs&${onAll([1, 1, 1, 1])}`, 200],
  [`join=as,bs,cs&not[and[as.x__eq=1,bs.x__eq=1],cs.x__eq=2]&${onAll([1, 2])}`, 200],
  [`join=as,bs&${onTwo(5)}`, 200],
  [`join=as,bs&${onTwo(6)}`, 400],
  [`join=as,bs,cs&join_type=left&as.x__isnull=true&bs.x__isnull=true&cs.x__isnull=true`, 200],
  // One to-many relation: its rows are combined with nothing.
  [
    `join=as&${Array.from({ length: 8 }, (_, i) => `or[x__eq=${100 + i},as.x__eq=${100 + i}]`).join('&')}`,
    200,
  ],
]

eachDatabase('growth with rows of several to-many joins', (test, db) => {
  const costs = new Map<number, readonly number[]>()
  const apiOn = (kysely: TestDatabase['kysely']): Api =>
    createApi({ db: kysely, models, config, onWarning: () => {} })
  let meter: Meter
  test.before(async () => {
    await create(db)
    meter = await meterOf(db, apiOn)
  })
  test.after(() => meter.close())

  const isTimed = db.name === 'sqlite'
  const sizes = isTimed ? [25, 100] : [20, 40, 80]
  const most = isTimed ? 3 * 3 : 3
  const times = isTimed ? 3 : 1

  for (const [i, size] of sizes.entries()) {
    test(`every request is answered or refused with ${size} children`, async () => {
      await grow(db, sizes[i - 1] ?? 0, size)
      const measured: number[] = []
      for (const [query, expected] of attacks) {
        const ask = async (): Promise<void> => {
          const request = { method: 'GET', url: `/api/roots?${query}`, headers: {} }
          const { status, text } = await meter.api.answer(request)
          ok(status === expected, `${query}: ${status} ${text?.slice(0, 300)}`)
        }
        const runs: number[] = []
        while (runs.length < times) runs.push(await meter.cost(ask))
        measured.push(Math.min(...runs))
      }
      costs.set(size, measured)
    })
  }

  test('the cost grows no faster than the number of rows', () => {
    const grown = attacks.flatMap(([query], i) => {
      const series = sizes.map((size) => (costs.get(size)?.[i] ?? Number.NaN) + meter.floor)
      const [before = 0, last = Number.NaN] = series.slice(-2)
      return last <= most * before ? [] : [`${query}: ${series.map(Math.round).join(', ')}`]
    })
    equal(grown, [])
  })
})

eachDatabase('conditions that multiply out', (test, db) => {
  test.before(async () => {
    await create(db)
    await grow(db, 0, 4)
  })
  const api = testApi(db, models, { ...config, API_ALLOW_BULK: true })

  test('are refused above 32 alternatives, before any statement', async () => {
    await get(api, '/api/roots')
    for (const shape of ['', '&count=none', '&dump=json', '&order_by=x']) {
      const { statements } = await db.capture(() =>
        refuses(api, `/api/roots?join=as,bs&${onTwo(6)}${shape}`, {
          code: 'too_many_alternatives',
          says: ['32 alternatives', 'relation filters'],
          at: 'join',
        }),
      )
      equal(statements.length, 0)
    }
    await refuses(api, `DELETE /api/roots?join=as,bs&${onTwo(6)}`, {
      code: 'too_many_alternatives',
    })
    await refuses(api, `/api/roots?join=as,bs&page=2&${onTwo(6)}`, {
      code: 'too_many_alternatives',
    })
    equal((await get(api, `/api/roots?join=as,bs&${onTwo(5)}`)).status, 200)
  })

  test('count an equal group once, and relations that no condition connects separately', async () => {
    const five = onTwo(5)
    equal((await get(api, `/api/roots?join=as,bs&${five}&${five}`)).status, 200)
    const { statements } = await db.capture(() =>
      get(api, `/api/roots?count=none&join=as,bs&${five}`),
    )
    const twice = await db.capture(() =>
      get(api, `/api/roots?count=none&join=as,bs&${five}&${five}`),
    )
    ok(twice.statements[0]?.sql === statements[0]?.sql, 'the groups are written twice')
    // Two alternatives for as and bs, and two for cs and the root, instead of their product.
    const apart = await db.capture(() =>
      get(
        api,
        '/api/roots?count=none&join=as,bs,cs&or[as.x__eq=1,bs.x__eq=2]&or[cs.x__eq=1,x__eq=2]',
      ),
    )
    equal(apart.statements[0]?.sql.split(/ from .?ays/).length, 3)
  })

  test('still mean one joined row where several conditions name the same relation', async () => {
    const ids = async (query: string): Promise<unknown> =>
      ((await get(api, `/api/roots?${query}`)).value as { id: number }[]).map((root) => root.id)
    // Root 1 has the children 2, 4, 6, 8; root 2 has 1, 3, 5, 7. The key of a child is its number.
    equal(await ids('join=as,bs&or[as.x__eq=2,bs.x__eq=100]&or[as.x__eq=4,bs.x__eq=101]'), [])
    equal(await ids('join=as,bs&or[as.x__eq=2,bs.x__eq=100]&or[as.x__eq=100,bs.x__eq=4]'), [1])
    equal(await ids('join=as,bs&or[as.x__eq=2,bs.x__eq=100]&or[as.x__ge=2,bs.x__eq=101]'), [1])
    const many = Array.from({ length: 8 }, (_, i) => `or[x__eq=${i + 50},as.x__ge=${i - 4}]`)
    equal(await ids(`join=as&${many.join('&')}`), [1, 2])
    equal(await ids(`join=as&${many.join('&')}&as.x__eq=3`), [2])
  })

  test('keep their values apart when the query is repeated with others', async () => {
    const ids = async (x: number): Promise<unknown> =>
      (
        (await get(api, `/api/roots?join=as,bs&as.x__eq=${x}&or[as.x__eq=1,bs.x__eq=2]`)).value as {
          id: number
        }[]
      ).map((root) => root.id)
    // The second request fills the cache, with two conditions whose values are equal.
    for (const _ of [1, 2, 3]) equal(await ids(1), [2])
    equal(await ids(2), [1])
    equal(await ids(3), [])
  })
})

eachDatabase(
  'combinations of joined rows',
  (test, db) => {
    const api = testApi(db, models, {
      ...config,
      API_ALLOW_GROUPBY: true,
      API_ALLOW_AGGREGATION: true,
    })
    const children = (model: AnyModel, root: number, count: number, first = 1): Promise<void> =>
      insertRows(
        db,
        model,
        Array.from({ length: count }, (_, i) => ({ id: first + i, root_id: root, x: i })),
      )
    test.before(async () => {
      await create(db)
      await children(Ay, 1, 50)
      await children(Bee, 1, 50)
      await children(Cee, 1, 80)
    })
    const all = '/api/roots?join=as,bs,cs'
    const projection = `${all}&fields=id,as.id,bs.id,cs.id&limit=1`
    const refusal = { code: 'too_many_combinations', says: ['200000 combinations'], at: 'join' }

    test('are shown, counted and grouped up to 200,000', async () => {
      equal((await get(api, projection)).total, 200_000)
      const groups = await get(api, `${all}&groupby=x&aggregate=id|n__count`)
      equal(groups.value, [{ x: 0, n: 200_000 }])
      equal((await get(api, `${all}&join_type=left&fields=id&count=none&limit=1`)).status, 400)
    })

    test('are refused above that, by one statement that combines nothing', async () => {
      for (const model of [Ay, Bee, Cee]) await children(model, 2, 1, 1000)
      for (const query of [
        projection,
        `${all}&fields=id`,
        `${all}&groupby=as.x,bs.x&aggregate=cs.x__sum`,
        `${projection}&join_type=right&id__eq=2`,
        `${projection}&count=none&as.x__eq=-1&${onAll([1, 2])}`,
      ]) {
        const { statements } = await db.capture(() => refuses(api, query, refusal))
        equal(statements.length, 1, query)
      }
    })

    test('count conditions on the base, and relations of which one is to-many are free', async () => {
      equal((await get(api, `${projection}&id__eq=2`)).value, [
        { id: 2, 'as.id': 1000, 'bs.id': 1000, 'cs.id': 1000 },
      ])
      for (const _ of [1, 2, 3]) {
        equal((await get(api, `${projection}&id__eq=2`)).status, 200)
        equal((await get(api, `${projection}&id__le=2`)).status, 400)
      }
      const { statements } = await db.capture(() =>
        get(api, '/api/roots?join=cs&fields=id,cs.id&count=none'),
      )
      equal(statements.length, 1)
    })
  },
  { only: 'sqlite' },
)

/** Joins whose rows have far more combinations than there are rows: in a chain, beside each other, and both. */
const combining: readonly string[] = [
  '/api/ays?join=root.as.root.as',
  '/api/ays?join=root.as.root.bs,root.cs&join_type=left',
  '/api/roots?join=as,bs,cs',
  '/api/roots?join=as.root.bs,bs.root.cs',
  '/api/ays?join=root.as.root.as&join_type=right',
]

eachDatabase(
  'growth of the number of combinations',
  (test, db) => {
    const apiOn = (kysely: TestDatabase['kysely']): Api =>
      createApi({ db: kysely, models, config, onWarning: () => {} })
    const sizes = [60, 240]
    let meter: Meter
    test.before(async () => {
      await create(db)
      meter = await meterOf(db, apiOn)
    })
    test.after(() => meter.close())

    test('counting them takes no longer than reading the rows', async () => {
      const costs = new Map<string, number[]>(combining.map((url) => [url, []]))
      for (const [i, size] of sizes.entries()) {
        await grow(db, sizes[i - 1] ?? 0, size)
        for (const [url, measured] of costs) {
          const runs: number[] = []
          while (runs.length < 3) {
            runs.push(
              await meter.cost(() =>
                refuses(meter.api, `${url}&fields=id&count=none&limit=1`, {
                  code: 'too_many_combinations',
                }),
              ),
            )
          }
          measured.push(Math.min(...runs) + meter.floor)
        }
      }
      const grown = [...costs].flatMap(([url, [before = 0, last = Number.NaN]]) =>
        last <= 3 * 3 * before ? [] : [`${url}: ${Math.round(before)}, ${Math.round(last)}`],
      )
      equal(grown, [])
    })
  },
  { only: 'sqlite' },
)

eachDatabase(
  'the number of combinations',
  (test, db) => {
    const api = testApi(db, models, config)
    test.before(async () => {
      await create(db)
      await get(api, '/api/roots')
      await grow(db, 0, 3)
      // The roots have different numbers of rows, and one has none of one kind.
      await insertRows(db, Root, [{ id: 3, x: 3 }])
      await insertRows(db, Ay, [
        { id: 100, root_id: 1, x: 1 },
        { id: 101, root_id: 3, x: 1 },
      ])
      await insertRows(db, Cee, [{ id: 100, root_id: 3, x: 1 }])
    })

    for (const url of combining.filter((one) => !one.includes('right'))) {
      for (const where of ['', '&id__le=2', '&id__gt=1000']) {
        test(`is that of the rows of ${url}${where}`, async () => {
          const { result, statements } = await db.capture(() =>
            get(api, `${url}${where}&fields=id&count=exact&limit=1`),
          )
          const [counting] = statements
          ok(counting !== undefined)
          const { rows } = await db.kysely.executeQuery<{ total: number | null }>(
            CompiledQuery.raw(counting.sql, [...counting.parameters]),
          )
          equal(rows[0]?.total ?? 0, result.total)
        })
      }
    }
  },
  { only: 'sqlite' },
)
