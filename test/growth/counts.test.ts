/**
 * What one more of anything that a client can repeat adds to the statements of a request: always the same comparisons and tables,
 * and as much text as the one before.
 */
import { belongsTo, defineModel, hasMany } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { eachDatabase, runsOn } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

runsOn('one server of each engine')

const columns = Array.from({ length: 24 }, (_, i) => `x${i}`)
const number = { type: 'integer' } as const

const Leaf = defineModel('Leaf', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    root_id: number,
    day: { type: 'date', nullable: true },
    ...Object.fromEntries(columns.map((name) => [name, number])),
  },
  relations: { root: belongsTo('Root', 'root_id') },
  meta: {},
})
const kinds = Array.from({ length: 8 }, (_, i) => `kind${i}`)
const Root = defineModel('Root', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    ...Object.fromEntries(columns.map((name) => [name, number])),
    ...Object.fromEntries(kinds.map((name) => [`${name}_id`, { ...number, nullable: true }])),
    title: { type: 'string', maxLength: 40 },
  },
  relations: {
    leaves: hasMany('Leaf', 'root_id'),
    twigs: hasMany('Twig', 'root_id'),
    ...Object.fromEntries(kinds.map((name) => [name, belongsTo('Kind', `${name}_id`)])),
  },
  meta: {},
})
const Twig = defineModel('Twig', {
  columns: { id: { type: 'integer', primaryKey: true }, root_id: number, x: number },
  relations: { root: belongsTo('Root', 'root_id') },
  meta: {},
})
const Slot = defineModel('Slot', {
  columns: {
    shelf: { ...number, primaryKey: true },
    place: { ...number, primaryKey: true },
    note: { type: 'string', maxLength: 40, nullable: true },
  },
  relations: { boxes: hasMany('Box', ['shelf', 'place']) },
  meta: { pagination_size_max: 1000 },
})
const Box = defineModel('Box', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    shelf: number,
    place: number,
  },
  relations: { slot: belongsTo('Slot', ['shelf', 'place']) },
  meta: { pagination_size_max: 1000 },
})
const Kind = defineModel('Kind', {
  columns: { id: { type: 'integer', primaryKey: true }, x: number },
  meta: {},
})

const models = [Root, Leaf, Twig, Kind, Slot, Box]

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i)
const each = (n: number, one: (i: number) => string, separator = '&'): string =>
  range(n).map(one).join(separator)

interface Count {
  readonly what: string
  /** Where it is, if a row counts in several places. */
  readonly where?: string
  /** Numbers of units to compare; the third is as far from the second as the second from the first. */
  readonly sizes: readonly [number, number, number]
  /** A query with n units. */
  readonly query: (n: number) => string
  /** The list that is asked for. Default: `roots`. */
  readonly of?: 'leaves'
  /** The comparisons and tables that each unit adds to the statement. Not set if the databases have different SQL for a unit. */
  readonly adds?: readonly [comparisons: number, tables: number]
  /** Requests the page after the first by its cursor. */
  readonly next?: true
}

const [conditions, columnsOfAll] = [
  [10, 40, 70],
  [6, 12, 18],
] as const

const counts: readonly Count[] = [
  {
    what: 'condition',
    adds: [1, 0],
    sizes: conditions,
    query: (n) => each(n, (i) => `x${i % 24}__lt=${i + 100}`),
  },
  {
    what: 'alternative of an `or[…]`',
    adds: [1, 0],
    sizes: conditions,
    query: (n) => `or[${each(n, (i) => `x${i % 24}__lt=${i + 100}`, ',')}]`,
  },
  {
    what: 'condition on a joined relation',
    adds: [1, 0],
    sizes: [10, 20, 30],
    query: (n) => `join=kind0&${each(n, (i) => `kind0.x__lt=${i + 100}`)}`,
  },
  {
    what: 'condition inside `exists(…)`',
    adds: [1, 0],
    sizes: conditions,
    query: (n) => `exists(leaves.${each(n, (i) => `x${i % 24}__lt=${i + 100}`, ',')})`,
  },
  {
    what: 'item of `order_by`',
    adds: [0, 0],
    sizes: columnsOfAll,
    query: (n) => `order_by=${each(n, (i) => `${i % 2 ? '-' : ''}x${i}`, ',')}`,
  },
  {
    what: 'item of `order_by`, after a cursor',
    adds: [2, 0],
    sizes: columnsOfAll,
    query: (n) =>
      `paging=cursor&limit=1&order_by=${each(n, (i) => `${i % 2 ? '-' : ''}x${i}`, ',')}`,
    next: true,
  },
  {
    what: 'item of `fields`',
    adds: [0, 0],
    sizes: columnsOfAll,
    query: (n) => `fields=${each(n, (i) => `x${i}`, ',')}`,
  },
  {
    what: 'item of `groupby`',
    adds: [0, 0],
    sizes: columnsOfAll,
    query: (n) => `groupby=${each(n, (i) => `x${i}`, ',')}`,
  },
  {
    what: 'aggregate',
    adds: [0, 0],
    sizes: columnsOfAll,
    query: (n) => `groupby=title&${each(n, (i) => `x${i}|m${i}__max=1`)}`,
  },
  {
    what: 'joined relation',
    adds: [1, 1],
    sizes: [2, 4, 6],
    query: (n) => `join=${each(n, (i) => `kind${i}`, ',')}`,
  },
  {
    what: 'condition',
    where: 'on a sum',
    sizes: columnsOfAll,
    query: (n) => `groupby=title&aggregate=x0|n__sum&${each(n, (i) => `n__lt=${i + 100}`)}`,
  },
  {
    what: 'condition',
    where: 'of an embedded relation',
    adds: [1, 0],
    sizes: conditions,
    query: (n) => `dump=json&leaves[${each(n, (i) => `x${i % 24}__lt=${i + 100}`, ',')}]`,
  },
  {
    what: 'condition on a joined relation',
    where: 'of many rows',
    adds: [1, 0],
    sizes: [10, 20, 30],
    query: (n) => `join=leaves&${each(n, (i) => `leaves.x${i % 24}__le=${i + 100}`)}`,
  },
  {
    what: '`or[…]` of two conditions',
    where: 'in a group',
    adds: [2, 0],
    sizes: [10, 20, 30],
    query: (n) => `or[${each(n, (i) => `and[x${i % 24}__lt=${i + 100},not[id__eq=1]]`, ',')}]`,
  },
  {
    what: '`or[…]` of two conditions',
    where: 'on one joined relation',
    adds: [2, 0],
    sizes: [10, 20, 30],
    query: (n) => `join=leaves&${each(n, (i) => `or[leaves.x${i % 24}__le=100,leaves.id__eq=1]`)}`,
  },
  {
    what: '`or[…]` of two conditions',
    where: 'on a joined relation and the base',
    adds: [2, 0],
    sizes: [10, 20, 30],
    query: (n) => `join=leaves&${each(n, (i) => `or[leaves.x${i % 24}__le=100,x${i % 24}__eq=1]`)}`,
  },
  {
    what: 'item of `order_by`',
    where: 'with NULL at its end',
    adds: [0, 0],
    sizes: columnsOfAll,
    query: (n) => `fields=id&order_by=${each(n, (i) => `-x${i}.nullslast`, ',')}`,
  },
  {
    what: 'item of `order_by`',
    where: 'of a joined relation',
    adds: [0, 0],
    sizes: columnsOfAll,
    of: 'leaves',
    query: (n) => `fields=id&join=root&order_by=${each(n, (i) => `root.x${i}`, ',')}`,
  },
  {
    what: 'item of `order_by`',
    where: 'of an embedded relation',
    adds: [0, 0],
    sizes: columnsOfAll,
    query: (n) => `dump=json&leaves.fields=id&leaves.order_by=${each(n, (i) => `x${i}`, ',')}`,
  },
  {
    what: 'item of `order_by`',
    where: 'of an embedded relation with a limit',
    adds: [0, 0],
    sizes: columnsOfAll,
    query: (n) =>
      `dump=json&leaves.fields=id&leaves.limit=2&leaves.order_by=${each(n, (i) => `-x${i}`, ',')}`,
  },
  {
    what: 'item of `order_by`',
    where: 'of a later page',
    adds: [0, 0],
    sizes: columnsOfAll,
    query: (n) => `limit=1&page=2&order_by=${each(n, (i) => `x${i}`, ',')}`,
  },
  {
    what: 'item of `order_by`',
    where: 'of groups',
    adds: [0, 0],
    sizes: columnsOfAll,
    query: (n) =>
      `groupby=${each(24, (i) => `x${i}`, ',')}&order_by=${each(n, (i) => `-x${i}`, ',')}`,
  },
  {
    what: 'item of `order_by`, after a cursor',
    where: 'of a left-joined relation',
    sizes: columnsOfAll,
    of: 'leaves',
    query: (n) =>
      `fields=id&join=root&join_type=left&paging=cursor&limit=1&order_by=${each(n, (i) => `${i % 2 ? '-' : ''}root.x${i}`, ',')}`,
    next: true,
  },
  {
    what: 'item of `groupby`',
    where: 'that is the year of a date',
    sizes: columnsOfAll,
    of: 'leaves',
    query: (n) => `groupby=${each(n, (i) => `year(day)|k${i}`, ',')}`,
  },
  {
    what: 'value of a list',
    adds: [0, 0],
    sizes: [20, 40, 60],
    query: (n) => `x0__in=(${each(n, String, ',')})`,
  },
]

/** What the text of statements contains. */
interface Terms {
  readonly comparisons: number
  readonly tables: number
  readonly characters: number
}

function termsOf(statements: readonly { readonly sql: string }[]): Terms {
  const text = statements.map(({ sql }) => sql.toLowerCase()).join('\n')
  const found = (pattern: RegExp): number => text.match(pattern)?.length ?? 0
  return {
    comparisons: found(/ (?:=|<>|!=|<|>|<=|>=|in|is|is not|like|between) /g),
    tables: found(/\b(?:from|join) [`"]/g),
    characters: text.length,
  }
}

eachDatabase('what clients repeat', (test, db) => {
  test.before(async () => {
    await createTables(db, models)
    const row = (id: number) => ({ id, ...Object.fromEntries(columns.map((name) => [name, id])) })
    await insertRows(db, Kind, [{ id: 1, x: 1 }])
    await insertRows(
      db,
      Root,
      [1, 2, 3].map((id) => ({
        ...row(id),
        title: `t${id}`,
        ...Object.fromEntries(kinds.map((name) => [`${name}_id`, 1])),
      })),
    )
    await insertRows(
      db,
      Leaf,
      [1, 2].map((id) => ({ ...row(id), root_id: id })),
    )
  })
  const api = testApi(db, models, {
    API_ALLOW_BULK: true,
    API_ALLOW_CASCADE_DELETE: true,
    API_MAX_BULK: 10_000,
    API_ALLOW_JOIN: true,
    API_ALLOW_GROUPBY: true,
    API_ALLOW_AGGREGATION: true,
  })

  test('the first request connects', async () => {
    await api.handle({ method: 'GET', url: '/api/roots', headers: {} })
  })

  /** Checks that the units between the second and the third size add as much as those before. */
  function check({ sizes, adds }: Omit<Count, 'query' | 'what'>, terms: readonly Terms[]): void {
    const [a, b, c] = terms as [Terms, Terms, Terms]
    const units = sizes[1] - sizes[0]
    const per = (name: 'comparisons' | 'tables'): number => (b[name] - a[name]) / units
    equal(
      [c.comparisons - b.comparisons, c.tables - b.tables],
      [b.comparisons - a.comparisons, b.tables - a.tables],
    )
    if (adds !== undefined) equal([per('comparisons'), per('tables')], adds)
    const [first, next] = [b.characters - a.characters, c.characters - b.characters]
    ok(next <= 1.2 * first + 20, `${first} characters, then ${next}`)
  }

  for (const count of counts) {
    const { what, where, sizes, query, of = 'roots', next } = count
    test(`each ${what}${where === undefined ? '' : ` ${where}`} adds the same`, async () => {
      const terms: Terms[] = []
      for (const size of sizes) {
        const ask = async (url: string): Promise<string | null> => {
          const { status, body } = await api.handle({ method: 'GET', url, headers: {} })
          ok(status === 200, `${url}: ${JSON.stringify(body).slice(0, 400)}`)
          return (body as { next_url?: string | null }).next_url ?? null
        }
        const first = `/api/${of}?count=none&${query(size)}`
        const url = next ? await ask(first) : first
        ok(url !== null)
        const { statements } = await db.capture(() => ask(url))
        terms.push(termsOf(statements))
      }
      check(count, terms)
    })
  }

  /** Two joins: the conditions and tables of a statement by the number of groups, each of which is repeated in every alternative that contains it. */
  const alternatives = [
    [1, 2, 5],
    [2, 8, 9],
    [3, 24, 17],
    [4, 64, 33],
    [5, 160, 65],
  ] as const
  for (const [groups, conditions, tables] of alternatives) {
    const what = `${groups} × \`or[leaves.x__eq=1,twigs.x__eq=1]\``
    test(`alternatives repeat conditions: ${what}`, async () => {
      const query = each(groups, (i) => `or[leaves.x${i}__eq=1,twigs.x__eq=${i}]`)
      const { result, statements } = await db.capture(() =>
        api.handle({
          method: 'GET',
          url: `/api/roots?count=none&join=leaves,twigs&${query}`,
          headers: {},
        }),
      )
      equal(result.status, 200)
      const found = statements.flatMap(({ sql }) => sql.match(/[`"]x\d*[`"] = /g) ?? [])
      equal([found.length, termsOf(statements).tables], [conditions, tables])
    })
  }

  const slots = range(900).map((i) => ({ shelf: i, place: 2 * i }))
  const byKeys = {
    'of records to change': (n: number) =>
      [
        'PATCH',
        '/api/slots',
        slots.slice(0, n).map((slot) => ({ ...slot, note: `${n}` })),
      ] as const,
    'of embedded records': (n: number) =>
      ['GET', `/api/boxes?dump=json&count=none&limit=${n}`, undefined] as const,
    'of records with embedded lists': (n: number) =>
      ['GET', `/api/slots?dump=json&count=none&limit=${n}`, undefined] as const,
    'of records to delete': (n: number) =>
      ['DELETE', `/api/slots?cascade_delete=1&shelf__lt=${n}`, undefined] as const,
  }
  for (const [where, request] of Object.entries(byKeys)) {
    test(`each key of several columns ${where} adds the same`, async () => {
      const terms: Terms[] = []
      const sizes = [300, 600, 900] as const
      for (const size of sizes) {
        await insertRows(db, Slot, slots)
        await insertRows(db, Box, slots)
        const [method, url, body] = request(size)
        const { result, statements } = await db.capture(() => send(api, method, url, { body }))
        ok(result.status === 200, JSON.stringify(result.errors))
        terms.push(termsOf(statements))
        for (const table of ['boxes', 'slots']) await db.kysely.deleteFrom(table).execute()
      }
      check({ sizes, adds: [0, 0] }, terms)
    })
  }
})
