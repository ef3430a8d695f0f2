/** The SQL of a request grows in proportion to the terms that a client repeats: twice the terms give at most 2.2 times the text. */
import { belongsTo, defineModel, hasMany } from '@model-api/core'
import { get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

/** Columns of a table, and the largest number of terms; MariaDB takes 1,017 columns. */
const most = 320
const names = Array.from({ length: most }, (_, i) => `c${i}`)
const columns = {
  id: { type: 'integer', primaryKey: true },
  owner_id: { type: 'integer', nullable: true },
  day: { type: 'date', nullable: true },
  ...Object.fromEntries(names.map((name) => [name, { type: 'integer', nullable: true } as const])),
} as const

const Owner = defineModel('Owner', {
  columns,
  relations: { things: hasMany('Thing', 'owner_id') },
  meta: {},
})
const Thing = defineModel('Thing', {
  columns,
  relations: { owner: belongsTo('Owner', 'owner_id') },
  meta: {},
})

const list = (count: number, term: (name: string, i: number) => string, between = ','): string =>
  names.slice(0, count).map(term).join(between)

/** Requests with `count` repeated terms. */
const repetitions: Readonly<Record<string, (count: number) => string>> = {
  fields: (n) => `things?fields=${list(n, (name) => name)}`,
  'order terms': (n) => `things?fields=id&order_by=${list(n, (name) => `-${name}.nullslast`)}`,
  'order terms of a join': (n) =>
    `things?fields=id&join=owner&order_by=${list(n, (name) => `owner.${name}`)}`,
  'order terms of a join, by cursor': (n) =>
    `things?fields=id&join=owner&join_type=left&paging=cursor&limit=1&order_by=${list(n, (name, i) => `${i % 2 ? '-' : ''}owner.${name}`)}`,
  'order terms of an embed': (n) =>
    `owners?dump=json&things.fields=id&things.order_by=${list(n, (name) => name)}`,
  'order terms of an embed with a limit': (n) =>
    `owners?dump=json&things.fields=id&things.limit=2&things.order_by=${list(n, (name) => `-${name}`)}`,
  'order terms of whole records': (n) =>
    `things?limit=1&page=2&order_by=${list(n, (name) => name)}`,
  'grouping keys': (n) => `things?groupby=${list(n, (name) => name)}`,
  'grouping keys under labels': (n) => `things?groupby=${list(n, (_, i) => `year(day)|k${i}`)}`,
  'grouping keys, ordered by each': (n) =>
    `things?groupby=${list(n, (name) => name)}&order_by=${list(n, (name) => `-${name}`)}`,
  aggregates: (n) => `things?${list(n, (name) => `${name}__sum=1`, '&')}`,
  'conditions on aggregates': (n) =>
    `things?groupby=day&aggregate=c0|n__sum&${list(n, (_, i) => `n__gt=${i}`, '&')}`,
  conditions: (n) => `things?${list(n, (name) => `${name}__eq=1`, '&')}`,
  'conditions in a group': (n) => `things?or[${list(n, (name) => `${name}__ne=1`)}]`,
  'groups in groups': (n) => `things?or[${list(n, (name) => `and[${name}__ne=1,not[id__eq=1]]`)}]`,
  'conditions of a join': (n) =>
    `owners?join=things&${list(n, (name) => `things.${name}__ge=0`, '&')}`,
  'groups on one join': (n) =>
    `owners?join=things&${list(n, (name) => `or[things.${name}__ge=0,things.id__eq=1]`, '&')}`,
  'groups on one join and the base': (n) =>
    `owners?join=things&${list(n, (name) => `or[things.${name}__ge=0,${name}__eq=1]`, '&')}`,
  'conditions of an embed': (n) => `owners?dump=json&things[${list(n, (name) => `${name}__ge=0`)}]`,
  'conditions of a relation filter': (n) =>
    `owners?exists(things.${list(n, (name) => `${name}__ge=0`)})`,
}

eachDatabase('the SQL of repeated terms', (test, db) => {
  const api = testApi(db, [Owner, Thing], {
    API_ALLOW_JOIN: true,
    API_ALLOW_GROUPBY: true,
    API_ALLOW_AGGREGATION: true,
    API_MAX_CONDITIONS: 1000,
    API_MAX_URL_LENGTH: 1_000_000,
    API_SCHEMA_CHECK: 'off',
  })
  test.before(async () => {
    await createTables(db, [Owner, Thing])
    await insertRows(db, Owner, [{ id: 1, c0: 1 }])
    await insertRows(
      db,
      Thing,
      [1, 2, 3].map((id) => ({ id, owner_id: 1, c0: 1 })),
    )
    await get(api, '/api/owners')
  })

  const sizeOf = async (path: string): Promise<number> => {
    const sizes: number[] = []
    // The second page of a list by cursor, for which the cursor of the first one is needed.
    let url: string | null = `/api/${path}`
    for (const _ of path.includes('paging=cursor') ? [1, 2] : [1]) {
      const { result, statements } = await db.capture(() => get(api, url ?? ''))
      equal(result.status, 200, `${path.slice(0, 100)}: ${JSON.stringify(result.errors)}`)
      sizes.push(statements.reduce((sum, { sql }) => sum + sql.length, 0))
      url = result.body.next_url
    }
    return sizes.at(-1) ?? 0
  }

  for (const [what, queryOf] of Object.entries(repetitions)) {
    test(what, async () => {
      const sizes: number[] = []
      for (const count of [most / 4, most / 2, most]) sizes.push(await sizeOf(queryOf(count)))
      const [small = 0, middle = 0, large = 0] = sizes
      equal(middle <= 2.2 * small && large <= 2.2 * middle, true, `${what}: ${sizes}`)
    })
  }
})
