/** What one more of anything that a client can repeat adds to the statements of a request: always the same, as docs/security.md says. */
import { belongsTo, defineModel, hasMany } from '@model-api/core'
import { testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { readSource } from '../support/source.ts'
import { eachDatabase, runsOn } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

runsOn('one server of each engine')

const columns = Array.from({ length: 24 }, (_, i) => `x${i}`)
const number = { type: 'integer' } as const

const Leaf = defineModel('Leaf', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    root_id: number,
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
    ...Object.fromEntries(kinds.map((name) => [name, belongsTo('Kind', `${name}_id`)])),
  },
  meta: {},
})
const Kind = defineModel('Kind', {
  columns: { id: { type: 'integer', primaryKey: true }, x: number },
  meta: {},
})

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i)
const each = (n: number, one: (i: number) => string, separator = '&'): string =>
  range(n).map(one).join(separator)

interface Count {
  /** The row of docs/security.md. */
  readonly what: string
  /** Numbers of units to compare; the third is as far from the second as the second from the first. */
  readonly sizes: readonly [number, number, number]
  /** A query with n units. */
  readonly query: (n: number) => string
  /** Requests the page after the first by its cursor. */
  readonly next?: true
}

const counts: readonly Count[] = [
  {
    what: 'condition',
    sizes: [10, 40, 70],
    query: (n) => each(n, (i) => `x${i % 24}__gt=${-i - 1}`),
  },
  {
    what: 'alternative of an `or[…]`',
    sizes: [10, 40, 70],
    query: (n) => `or[${each(n, (i) => `x${i % 24}__gt=${-i - 1}`, ',')}]`,
  },
  {
    what: 'condition on a joined relation',
    sizes: [10, 20, 30],
    query: (n) => `join=kind0&${each(n, (i) => `kind0.x__gt=${-i - 1}`)}`,
  },
  {
    what: 'condition inside `exists(…)`',
    sizes: [10, 40, 70],
    query: (n) => `exists(leaves.${each(n, (i) => `x${i % 24}__gt=${-i - 1}`, ',')})`,
  },
  {
    what: 'item of `order_by`',
    sizes: [6, 12, 18],
    query: (n) => `order_by=${each(n, (i) => `${i % 2 ? '-' : ''}x${i}`, ',')}`,
  },
  {
    what: 'item of `order_by`, after a cursor',
    sizes: [6, 12, 18],
    query: (n) =>
      `paging=cursor&limit=1&order_by=${each(n, (i) => `${i % 2 ? '-' : ''}x${i}`, ',')}`,
    next: true,
  },
  {
    what: 'item of `fields`',
    sizes: [6, 12, 18],
    query: (n) => `fields=${each(n, (i) => `x${i}`, ',')}`,
  },
  {
    what: 'item of `groupby`',
    sizes: [6, 12, 18],
    query: (n) => `groupby=${each(n, (i) => `x${i}`, ',')}`,
  },
  {
    what: 'aggregate',
    sizes: [6, 12, 18],
    query: (n) => `groupby=title&${each(n, (i) => `x${i}|m${i}__max=1`)}`,
  },
  {
    what: 'joined relation',
    sizes: [2, 4, 6],
    query: (n) => `join=${each(n, (i) => `kind${i}`, ',')}`,
  },
  {
    what: 'value of a list',
    sizes: [20, 40, 60],
    query: (n) => `x0__in=(${each(n, String, ',')})`,
  },
]

/** The numbers of the table in docs/security.md. */
function documented(what: string): readonly number[] {
  const line = readSource('docs/security.md')
    .split('\n')
    .find((row) => row.toLowerCase().startsWith(`| ${what.toLowerCase()} |`))
  ok(line !== undefined, `docs/security.md has no row "${what}"`)
  return line.split('|').slice(2, 4).map(Number)
}

/** What the text of statements contains. */
interface Terms {
  readonly comparisons: number
  readonly tables: number
}

function termsOf(statements: readonly { readonly sql: string }[]): Terms {
  const text = statements.map(({ sql }) => sql.toLowerCase()).join('\n')
  const found = (pattern: RegExp): number => text.match(pattern)?.length ?? 0
  return {
    comparisons: found(/ (?:=|<>|!=|<|>|<=|>=|in|is|is not|like|between) /g),
    tables: found(/\b(?:from|join) [`"]/g),
  }
}

eachDatabase('what clients repeat', (test, db) => {
  test.before(async () => {
    await createTables(db, [Root, Leaf, Kind])
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
    await insertRows(db, Leaf, [{ ...row(1), root_id: 1 }])
  })
  const api = testApi(db, [Root, Leaf, Kind], {
    API_ALLOW_JOIN: true,
    API_ALLOW_GROUPBY: true,
    API_ALLOW_AGGREGATION: true,
  })

  test('the first request connects', async () => {
    await api.handle({ method: 'GET', url: '/api/roots', headers: {} })
  })

  for (const { what, sizes, query, next } of counts) {
    test(`each ${what} adds the same`, async () => {
      const terms: Terms[] = []
      for (const size of sizes) {
        const ask = async (url: string): Promise<string | null> => {
          const { status, body } = await api.handle({ method: 'GET', url, headers: {} })
          ok(status === 200, `${url}: ${JSON.stringify(body).slice(0, 400)}`)
          return (body as { next_url?: string | null }).next_url ?? null
        }
        const first = `/api/roots?count=none&${query(size)}`
        const url = next ? await ask(first) : first
        ok(url !== null)
        const { statements } = await db.capture(() => ask(url))
        terms.push(termsOf(statements))
      }
      const [a, b, c] = terms as [Terms, Terms, Terms]
      const units = sizes[1] - sizes[0]
      const per = (name: keyof Terms): number => (b[name] - a[name]) / units
      equal(
        [c.comparisons - b.comparisons, c.tables - b.tables],
        [b.comparisons - a.comparisons, b.tables - a.tables],
      )
      equal([per('comparisons'), per('tables')], documented(what))
    })
  }
})
