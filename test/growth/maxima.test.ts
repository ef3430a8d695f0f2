/**
 * Every term that a client can repeat, as often as the settings allow by default: the request is served in bounded time and
 * little memory of the database, and one more is refused by the limit that docs/inside/security.md names.
 */
import { belongsTo, defineModel, hasMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, match, ok } from '../support/assert.ts'
import { connectionMeter } from '../support/connection-meter.ts'
import { eachDatabase, runsOn } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

runsOn('one server of each engine')

const number = { type: 'integer' } as const
const columns = Array.from({ length: 101 }, (_, i) => `x${i}`)
const kinds = Array.from({ length: 9 }, (_, i) => `kind${i}`)

const Root = defineModel('Root', {
  columns: {
    id: { ...number, primaryKey: true },
    parent_id: { ...number, nullable: true },
    title: { type: 'text' },
    ...Object.fromEntries(columns.map((name) => [name, number])),
    ...Object.fromEntries(kinds.map((name) => [`${name}_id`, number])),
  },
  relations: {
    parent: belongsTo('Root', 'parent_id'),
    as: hasMany('Leaf', 'root_id'),
    bs: hasMany('Bud', 'root_id'),
    ...Object.fromEntries(kinds.map((name) => [name, belongsTo('Kind', `${name}_id`)])),
  },
  meta: {},
})
const Kind = defineModel('Kind', {
  columns: { id: { ...number, primaryKey: true }, x: number },
  meta: {},
})
const ofRoot = {
  columns: { id: { ...number, primaryKey: true }, root_id: number, x: number },
  relations: { root: belongsTo('Root', 'root_id') },
  meta: {},
}
const Leaf = defineModel('Leaf', ofRoot)
const Bud = defineModel('Bud', ofRoot)
const models = [Root, Kind, Leaf, Bud]

const each = (n: number, term: (i: number) => string, glue = '&'): string =>
  Array.from({ length: n }, (_, i) => term(i)).join(glue)

/** In MiB. MariaDB reserves up to two for each look-up of related rows in alternatives, of which there are 96 in the rows and in their number. */
const mostMemory = 384

interface Repetition {
  readonly what: string
  /** The most that the default settings allow. */
  readonly most: number
  readonly query: (n: number) => string
  /** What the refusal of one more names. */
  readonly says: string
  /** Requests the page after the first by its cursor. */
  readonly next?: true
}

const conditions = { most: 100, says: 'API_MAX_CONDITIONS' }

const repetitions: readonly Repetition[] = [
  { what: 'condition', ...conditions, query: (n) => each(n, (i) => `x${i}__gt=-1`) },
  {
    what: 'alternative',
    ...conditions,
    query: (n) => `or[${each(n, (i) => `x${i}__gt=-1`, ',')}]`,
  },
  {
    what: 'condition on a joined relation of many rows',
    ...conditions,
    query: (n) => `join=as&${each(n, (i) => `as.x__ge=${-i}`)}`,
  },
  {
    // The exists itself is one of the 100.
    what: 'condition inside exists',
    ...conditions,
    most: 99,
    query: (n) => `exists(as.${each(n, (i) => `x__ge=${-i}`, ',')})`,
  },
  {
    what: 'condition of an embedded relation',
    ...conditions,
    query: (n) => `dump=json&as[${each(n, (i) => `x__ge=${-i}`, ',')}]`,
  },
  {
    what: 'term of the order',
    ...conditions,
    query: (n) => `order_by=${each(n, (i) => `${i % 2 ? '-' : ''}x${i}`, ',')}`,
  },
  {
    what: 'term of the order, after a cursor',
    ...conditions,
    next: true,
    query: (n) =>
      `paging=cursor&limit=1&fields=id&order_by=${each(n, (i) => `${i % 2 ? '-' : ''}x${i}`, ',')}`,
  },
  {
    what: 'grouping key',
    ...conditions,
    query: (n) => `groupby=${each(n, (i) => `x${i}`, ',')}`,
  },
  {
    what: 'label of one grouping key',
    ...conditions,
    query: (n) => `groupby=${each(n, (i) => `x0|k${i}`, ',')}`,
  },
  {
    what: 'aggregate',
    ...conditions,
    query: (n) => `aggregate=${each(n, (i) => `x${i}|m${i}__max`, ',')}`,
  },
  {
    what: 'value of a list',
    most: 1000,
    says: 'API_MAX_LIST',
    query: (n) => `x0__nin=(${each(n, (i) => `${i + 10}`, ',')})`,
  },
  {
    what: 'name in fields',
    most: 1000,
    says: 'API_MAX_LIST',
    query: (n) => `fields=${each(n, () => 'id', ',')}`,
  },
  {
    what: 'relation of exists',
    most: 10,
    says: 'API_MAX_RELATION_FILTERS',
    query: (n) => each(n, (i) => `exists(${i % 2 ? 'as' : 'bs'}.x__ge=${-i})`),
  },
  {
    what: 'aggregate of related rows',
    most: 8,
    says: 'API_MAX_AGGREGATES',
    query: (n) => each(n, (i) => `count(${i % 2 ? 'as' : 'bs'}[x__ge=${-i}])__ge=0`),
  },
  {
    what: 'aggregate of related rows in fields and order',
    most: 8,
    says: 'API_MAX_AGGREGATES',
    query: (n) =>
      `fields=*,${each(n - 1, (i) => `sum(${i % 2 ? 'as' : 'bs'}[x__ge=${-i}].x)|n${i}`, ',')}&order_by=-count(as),-n0`,
  },
  {
    what: 'aggregate of related rows inside exists',
    most: 8,
    says: 'API_MAX_AGGREGATES',
    query: (n) =>
      `exists(parent,${each(n, (i) => `count(${i % 2 ? 'as' : 'bs'}[x__ge=${-i}])__ge=0`, ',')})`,
  },
  {
    what: 'column of distinct_on',
    ...conditions,
    most: 50,
    query: (n) => {
      const names = each(n, (i) => `x${i}`, ',')
      return `distinct_on=${names}&order_by=${names}`
    },
  },
  {
    what: 'field that is left out',
    most: 999,
    says: 'API_MAX_LIST',
    query: (n) => `fields=*,${each(n, (i) => `-x${i % 100}`, ',')}`,
  },
  {
    what: 'joined relation',
    most: 8,
    says: 'API_MAX_JOINS',
    query: (n) => `join=${each(n, (i) => `kind${i}`, ',')}`,
  },
  {
    what: 'relation in a row',
    most: 4,
    says: 'API_MAX_DEPTH',
    query: (n) => `join=${each(n, () => 'parent', '.')}&join_type=left`,
  },
  {
    what: 'level of groups',
    most: 32,
    says: '32',
    query: (n) => `${'not['.repeat(n)}id__eq=1${']'.repeat(n)}`,
  },
  {
    what: 'group of alternatives on two joined relations',
    most: 5,
    says: 'more than 32 alternatives',
    query: (n) => `join=as,bs&${each(n, (i) => `or[as.x__ge=${-i},bs.x__ge=${-i}]`)}`,
  },
  {
    what: 'group of alternatives on four joined relations',
    most: 2,
    says: 'more than 32 alternatives',
    query: (n) =>
      `join=as,bs,kind0,kind1&${each(n, (i) => `or[as.x__ge=${-i},bs.x__ge=${-i},kind0.x__ge=${-i},kind1.x__ge=${-i}]`)}`,
  },
  {
    what: 'relation in each of two groups of alternatives',
    most: 4,
    says: '96 look-ups of related rows',
    query: (n) => {
      const kindsOf = (i: number): string => each(n - 2, (at) => `kind${at}.x__ge=${-i}`, ',')
      const group = (i: number): string => `or[as.x__ge=${-i},bs.x__ge=${-i},${kindsOf(i)}]`
      return `join=as,bs,${each(n - 2, (at) => `kind${at}`, ',')}&${each(2, group)}`
    },
  },
  {
    what: 'character of a search',
    most: 1000,
    says: '1000',
    query: (n) => `title__ilike=${'t'.repeat(n)}`,
  },
]

eachDatabase('what clients may repeat at most', (test, db) => {
  test.before(async () => {
    await createTables(db, models)
    await insertRows(db, Kind, [{ id: 1, x: 1 }])
    const ids = Array.from({ length: 50 }, (_, i) => i + 1)
    await insertRows(
      db,
      Root,
      ids.map((id) => ({
        id,
        parent_id: id === 1 ? null : 1,
        title: 't'.repeat(2000),
        ...Object.fromEntries(columns.map((name) => [name, 1])),
        ...Object.fromEntries(kinds.map((name) => [`${name}_id`, 1])),
      })),
    )
    for (const model of [Leaf, Bud]) {
      await insertRows(
        db,
        model,
        ids.map((id) => ({ id, root_id: (id % 5) + 1, x: id })),
      )
    }
  })
  const api = testApi(db, models, {
    API_ALLOW_JOIN: true,
    API_ALLOW_GROUPBY: true,
    API_ALLOW_AGGREGATION: true,
    // The longest takes a second of a processor, which may be five on a machine with many other tests.
    API_STATEMENT_TIMEOUT: 20_000,
  })
  // The URL has a limit of its own, which a body of QUERY has not.
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const ask = (body: string) => send(api, 'QUERY', '/api/roots', { headers, body })

  test.before(async () => {
    await ask('limit=1')
  })

  for (const { what, most, query, says, next } of repetitions) {
    test(`${what}: ${most}`, async () => {
      const meter = connectionMeter(db)
      const before = await meter.memory()
      const first = await ask(query(most))
      equal([first.status, first.errors?.reason], [200, undefined])
      if (next === true) {
        const after = new URLSearchParams(String(first.body.next_url).split('?')[1]).get('after')
        ok(after !== null, 'the first page has a cursor')
        const second = await ask(`${query(most)}&after=${encodeURIComponent(after)}`)
        equal([second.status, second.value.length], [200, 1])
      }
      const used = (await meter.memory()) - before
      ok(used < mostMemory, `the database took ${Math.round(used)} MiB`)

      const { status, errors } = await ask(query(most + 1))
      equal(status, 400)
      match(errors.reason, says)
    })
  }
})
