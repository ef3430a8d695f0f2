/** The cost of a write grows with the number of its records: twice as many cost at most three times as much. */
import {
  type Api,
  belongsTo,
  createApi,
  defineModel,
  hasMany,
  hasOne,
  manyToMany,
} from '@model-api/core'
import { type Kysely, sql } from 'kysely'
import type { ResolvedRelation } from '../../packages/core/src/model/registry/resource.ts'
import { equal, ok } from '../support/assert.ts'
import type { TestDatabase } from '../support/databases.ts'
import { type Meter, meterOf } from '../support/row-meter.ts'
import { eachDatabase, runsOn } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

runsOn('one server of each engine')

const id = { type: 'integer', primaryKey: true } as const
const whole = { type: 'integer', nullable: true } as const

const Shelf = defineModel('Shelf', {
  columns: { id },
  relations: { items: hasMany('Item', 'shelf_id') },
  meta: {},
})
const Item = defineModel('Item', {
  columns: {
    id,
    batch: whole,
    amount: whole,
    shelf_id: whole,
    previous_id: whole,
    code: { type: 'integer', nullable: true, unique: true },
  },
  relations: {
    shelf: belongsTo('Shelf', 'shelf_id'),
    previous: belongsTo('Item', 'previous_id'),
    next: hasMany('Item', 'previous_id'),
    note: hasOne('Note', 'item_id'),
    labels: manyToMany('Label', { through: 'item_labels', from: 'item_id', to: 'label_id' }),
  },
  meta: {},
})
const Note = defineModel('Note', {
  columns: { id, item_id: { type: 'integer', nullable: true, unique: true } },
  relations: { item: belongsTo('Item', 'item_id') },
  meta: {},
})
const Label = defineModel('Label', {
  columns: { id },
  relations: {
    items: manyToMany('Item', { through: 'item_labels', from: 'label_id', to: 'item_id' }),
  },
  meta: {},
})
const Draft = defineModel('Draft', {
  columns: { id, batch: whole, deleted: { type: 'boolean' } },
  meta: {
    soft_delete: true,
    soft_delete_attribute: 'deleted',
    soft_delete_values: [false, true],
  },
})
const Slot = defineModel('Slot', {
  columns: {
    day: { type: 'date', primaryKey: true },
    place: { ...whole, nullable: false, primaryKey: true },
    amount: whole,
  },
  relations: { visits: hasMany('Visit', ['day', 'place']) },
  meta: {},
})
const Visit = defineModel('Visit', {
  columns: { id, day: { type: 'date' }, place: { type: 'integer' } },
  relations: { slot: belongsTo('Slot', ['day', 'place']) },
  meta: {},
})
const models = [Shelf, Item, Note, Label, Draft, Slot, Visit]

// biome-ignore lint/suspicious/noExplicitAny: the tables are the test's
const apiOn = (kysely: Kysely<any>): Api =>
  createApi({
    db: kysely,
    models,
    config: {
      API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'],
      API_ALLOW_BULK: true,
      API_ALLOW_NESTED_WRITES: true,
      API_ALLOW_CASCADE_DELETE: true,
      API_MAX_BULK: 10_000,
      API_STATEMENT_TIMEOUT: 20_000,
    },
    onWarning: () => {},
  })

/** Provides numbers that no row has yet. */
interface World {
  readonly db: TestDatabase
  /** Returns the first of `count` unused numbers. */
  fresh(count: number): number
}

interface Ask {
  readonly method: string
  readonly url: string
  readonly body?: unknown
}

/** Prepares the tables for a write of n records, and returns the request. */
type Shape = (world: World, n: number) => Promise<Ask>

const numbers = (first: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => first + i)

/** Adds n items in a batch of their own. */
async function items(
  { db, fresh }: World,
  n: number,
  more: (i: number, first: number) => object = () => ({}),
): Promise<{ readonly batch: number; readonly ids: readonly number[] }> {
  const batch = fresh(1)
  const first = fresh(n)
  const ids = numbers(first, n)
  const none = { amount: 1, shelf_id: null, previous_id: null, code: null }
  const rows = ids.map((each, i) => ({ id: each, batch, ...none, ...more(i, first) }))
  await insertRows(db, Item, rows)
  return { batch, ids }
}

async function shelf({ db, fresh }: World): Promise<number> {
  const own = fresh(1)
  await insertRows(db, Shelf, [{ id: own }])
  return own
}

async function labels({ db, fresh }: World, n: number): Promise<readonly number[]> {
  const ids = numbers(fresh(n), n)
  await insertRows(
    db,
    Label,
    ids.map((each) => ({ id: each })),
  )
  return ids
}

/** Adds n slots. */
async function slots({ db, fresh }: World, n: number) {
  const keys = numbers(fresh(n), n).map((place) => ({ day: '2024-05-14', place }))
  await insertRows(
    db,
    Slot,
    keys.map((key) => ({ ...key, amount: 1 })),
  )
  return keys
}

const chain = (i: number, first: number) => ({ previous_id: i === 0 ? null : first + i - 1 })
const chainBackwards = (n: number) => (i: number, first: number) => ({
  id: first + n - 1 - i,
  previous_id: i === 0 ? null : first + n - i,
})

/** Writes of nested records, by the kind of their relation. */
const nested: Readonly<Record<ResolvedRelation['kind'], Readonly<Record<string, Shape>>>> = {
  belongsTo: {
    'POST of records, each with a new record that it refers to': async ({ fresh }, n) => ({
      method: 'POST',
      url: '/items',
      body: numbers(fresh(n), n).map((each) => ({ id: each, shelf: { id: fresh(1) } })),
    }),
    'POST of records, each with a new record that has new records': async ({ fresh }, n) => ({
      method: 'POST',
      url: '/notes',
      body: numbers(fresh(n), n).map((each) => ({
        id: each,
        item: { id: fresh(1), labels: numbers(fresh(2), 2).map((label) => ({ id: label })) },
      })),
    }),
    'POST of records that refer to stored ones by composite keys': async (world, n) => {
      const keys = await slots(world, n)
      const first = world.fresh(n)
      return {
        method: 'POST',
        url: '/visits',
        body: keys.map((slot, i) => ({ id: first + i, slot })),
      }
    },
    'POST of records that refer to the same one': async (world, n) => {
      const to = await shelf(world)
      const all = numbers(world.fresh(n), n)
      return {
        method: 'POST',
        url: '/items',
        body: all.map((each) => ({ id: each, shelf: { id: to } })),
      }
    },
  },
  hasOne: {
    'POST of records, each with a new record that refers to it': async ({ fresh }, n) => ({
      method: 'POST',
      url: '/items',
      body: numbers(fresh(n), n).map((each) => ({ id: each, note: { id: fresh(1) } })),
    }),
  },
  hasMany: {
    'POST with a list of new records': async ({ fresh }, n) => ({
      method: 'POST',
      url: '/shelves',
      body: { id: fresh(1), items: numbers(fresh(n), n).map((each) => ({ id: each })) },
    }),
    'POST of a list, each record with a list of new records': async ({ fresh }, n) => ({
      method: 'POST',
      url: '/shelves',
      body: numbers(fresh(n), n).map((each) => ({
        id: each,
        items: numbers(fresh(2), 2).map((item) => ({ id: item })),
      })),
    }),
    'POST with a list of stored records': async (world, n) => {
      const { ids } = await items(world, n)
      return {
        method: 'POST',
        url: '/shelves',
        body: { id: world.fresh(1), items: ids.map((each) => ({ id: each })) },
      }
    },
  },
  manyToMany: {
    'PATCH with a list of links': async (world, n) => {
      const { ids } = await items(world, 1)
      const all = await labels(world, n)
      return {
        method: 'PATCH',
        url: `/items/${ids[0]}`,
        body: { labels: all.map((each) => ({ id: each })) },
      }
    },
    'POST of a list, each record with a list of links to new records': async ({ fresh }, n) => ({
      method: 'POST',
      url: '/items',
      body: numbers(fresh(n), n).map((each) => ({
        id: each,
        labels: numbers(fresh(2), 2).map((label) => ({ id: label })),
      })),
    }),
    'PATCH with a list of other links': async (world, n) => {
      const { ids } = await items(world, 1)
      const before = await labels(world, n)
      const after = await labels(world, n)
      const rows = before.map((label_id) => ({ item_id: ids[0], label_id }))
      await world.db.kysely.insertInto('item_labels').values(rows).execute()
      return {
        method: 'PATCH',
        url: `/items/${ids[0]}`,
        body: { labels: after.map((each) => ({ id: each })) },
      }
    },
  },
}

const shapes: Readonly<Record<string, Shape>> = {
  ...Object.assign({}, ...Object.values(nested)),
  'POST of a list': async ({ fresh }, n) => ({
    method: 'POST',
    url: '/items',
    body: numbers(fresh(n), n).map((each) => ({ id: each, code: each })),
  }),
  'POST of a list, all stored already': async (world, n) => {
    const { ids } = await items(world, n, (i, first) => ({ code: first + i }))
    return {
      method: 'POST',
      url: '/items?on_conflict=code',
      body: ids.map((each) => ({ id: each, code: each, amount: 3 })),
    }
  },
  'POST of a list, none stored yet': async ({ fresh }, n) => ({
    method: 'POST',
    url: '/items?on_conflict=code',
    body: numbers(fresh(n), n).map((each) => ({ id: each, code: each })),
  }),
  'PATCH by a filter': async (world, n) => {
    const { batch } = await items(world, n)
    return { method: 'PATCH', url: `/items?batch__eq=${batch}`, body: { amount: 4 } }
  },
  'PATCH by related rows': async (world, n) => {
    const to = await shelf(world)
    await items(world, n, () => ({ shelf_id: to }))
    return {
      method: 'PATCH',
      url: `/items?exists(shelf.items.shelf_id__eq=${to})`,
      body: { amount: 4 },
    }
  },
  'PATCH of a list by composite keys': async (world, n) => {
    const keys = await slots(world, n)
    return { method: 'PATCH', url: '/slots', body: keys.map((key) => ({ ...key, amount: 4 })) }
  },
  'POST of a list by composite keys, each record with a list of new records': async (
    { fresh },
    n,
  ) => ({
    method: 'POST',
    url: '/slots',
    body: numbers(fresh(n), n).map((place) => ({
      ...{ day: '2024-05-14', place },
      visits: numbers(fresh(2), 2).map((each) => ({ id: each })),
    })),
  }),
  'DELETE by a filter': async (world, n) => {
    const { batch } = await items(world, n)
    return { method: 'DELETE', url: `/items?batch__eq=${batch}` }
  },
  'DELETE of records that are marked': async ({ db, fresh }, n) => {
    const batch = fresh(1)
    const rows = numbers(fresh(n), n).map((each) => ({ id: each, batch, deleted: false }))
    await insertRows(db, Draft, rows)
    return { method: 'DELETE', url: `/drafts?batch__eq=${batch}` }
  },
  'DELETE of a chain, each record named by the next': async (world, n) => {
    const { batch } = await items(world, n, chain)
    return { method: 'DELETE', url: `/items?batch__eq=${batch}` }
  },
  'DELETE of a chain, each record naming the next': async (world, n) => {
    const { batch } = await items(world, n, chainBackwards(n))
    return { method: 'DELETE', url: `/items?batch__eq=${batch}` }
  },
  'DELETE of a chain with dependents': async (world, n) => {
    const { batch } = await items(world, n, chain)
    return { method: 'DELETE', url: `/items?batch__eq=${batch}&cascade_delete=1` }
  },
  'DELETE of a record with its dependents, one after the other': async (world, n) => {
    const { ids } = await items(world, n, chain)
    return { method: 'DELETE', url: `/items/${ids[0]}?cascade_delete=1` }
  },
  'DELETE of a record with its dependents and theirs': async (world, n) => {
    const to = await shelf(world)
    const { ids } = await items(world, n, () => ({ shelf_id: to }))
    const rows = ids.map((item_id) => ({ id: world.fresh(1), item_id }))
    await insertRows(world.db, Note, rows)
    return { method: 'DELETE', url: `/shelves/${to}?cascade_delete=1` }
  },
}

eachDatabase('growth of writes', (test, db) => {
  const costs = new Map<string, number[]>()
  let meter: Meter
  let last = 0
  const world: World = {
    db,
    fresh: (count) => {
      last += count
      return last - count + 1
    },
  }

  test.before(async () => {
    await createTables(db, models)
    for (const [table, column] of [
      ['items', 'shelf_id'],
      ['items', 'previous_id'],
      ['items', 'batch'],
      ['drafts', 'batch'],
      ['item_labels', 'label_id'],
    ] as const) {
      const index = sql.id(`by_${table}_${column}`)
      await sql`create index ${index} on ${sql.table(table)} (${sql.id(column)})`.execute(db.kysely)
    }
    // PostgreSQL reads all rows of a table of a few thousand rows, where it uses the index of a large one.
    const { ids } = await items(world, 12_000, (i) => ({ batch: -i }))
    const linked = await labels(world, 12_000)
    const links = ids.map((item_id, i) => ({ item_id, label_id: linked[i] }))
    await db.kysely.insertInto('item_labels').values(links).execute()
    const others = numbers(world.fresh(12_000), 12_000)
    await insertRows(
      db,
      Note,
      others.map((each) => ({ id: each, item_id: null })),
    )
    await insertRows(
      db,
      Draft,
      others.map((each) => ({ id: each, batch: -each, deleted: false })),
    )
    await insertRows(
      db,
      Shelf,
      others.map((each) => ({ id: each })),
    )
    await slots(world, 12_000)
    if (db.name === 'postgres') await sql`analyze`.execute(db.kysely)
    if (db.name === 'mysql') {
      await sql`analyze table items, item_labels, notes, drafts, shelves, slots`.execute(db.kysely)
    }
    meter = await meterOf(db, apiOn)
  })
  test.after(() => meter.close())

  const isTimed = db.name === 'sqlite'
  const sizes = isTimed ? [50, 200] : [20, 40, 80]
  const most = isTimed ? 3 * 3 : 3
  const times = isTimed ? 2 : 1

  for (const [at, n] of [sizes[0] ?? 0, ...sizes].entries()) {
    // The first run warms up the service and the database; it is not counted.
    const counts = at > 0
    test(`${counts ? '' : 'before the measurement, '}every write of ${n} records succeeds`, async () => {
      for (const [name, shape] of Object.entries(shapes)) {
        let least = Number.POSITIVE_INFINITY
        for (let time = 0; time < (counts ? times : 1); time++) {
          const { method, url, body } = await shape(world, n)
          const request = {
            method,
            url: `/api${url}`,
            headers: { 'content-type': 'application/json' },
            ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          }
          const ask = async (): Promise<void> => {
            const { status, text } = await meter.api.answer(request)
            ok(status < 300, `${name}: ${status} ${text?.slice(0, 300)}`)
          }
          least = Math.min(least, await meter.cost(ask))
        }
        if (counts) costs.set(name, [...(costs.get(name) ?? []), least])
      }
    })
  }

  test('the cost grows no faster than the number of records', () => {
    const grown = [...costs].flatMap(([name, measured]) => {
      const series = measured.map((cost) => cost + meter.floor)
      const isEven = series.every((cost, i) => i === 0 || cost <= most * (series[i - 1] ?? 0))
      return isEven ? [] : [`${name}: ${series.map(Math.round).join(', ')}`]
    })
    equal([costs.size, grown], [Object.keys(shapes).length, []])
  })
})
