/**
 * With high limits of joins and depth, SQLite and MariaDB refused statements with too many tables or levels: 500. The largest
 * value of each limit is what all databases accept.
 */
import { belongsTo, defineModel, hasMany, manyToMany } from '@model-api/core'
import { settingTable } from '../../packages/core/src/model/settings/setting-table.ts'
import { maxGroupDepth } from '../../packages/core/src/query/parse/limits.ts'
import { testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { switchJitOff } from '../support/jit.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true } as const
const scoped = {
  access_policy: {
    scope_query: (query: { where(name: string, operator: '>', value: number): unknown }) =>
      query.where('id', '>', 0),
  },
}
const node = {
  columns: { id, parent_id: { type: 'integer', nullable: true } },
  relations: {
    parent: belongsTo('Node', 'parent_id'),
    children: hasMany('Node', 'parent_id'),
    tags: manyToMany('Tag', { through: 'links', from: 'node_id', to: 'tag_id' }),
  },
  meta: scoped,
} as const
const Node = defineModel('Node', node as never)
const Tag = defineModel('Tag', {
  columns: { id },
  relations: { nodes: manyToMany('Node', { through: 'links', from: 'tag_id', to: 'node_id' }) },
  meta: scoped,
} as never)
const Link = defineModel('Link', {
  columns: {
    node_id: { type: 'integer', primaryKey: true },
    tag_id: { type: 'integer', primaryKey: true },
  },
  table: 'links',
  relations: { node: belongsTo('Node', 'node_id'), tag: belongsTo('Tag', 'tag_id') },
  meta: {
    access_policy: { scope_query: (query) => query.where('tag_id', '>', 0) },
  },
})

/** The largest value that the table of settings accepts. */
function largest(key: keyof typeof settingTable): number {
  let value = 1
  while (settingTable[key].check(value + 1) === undefined) value += 1
  return value
}

eachDatabase('joins and relation filters at the largest limits', (test, db) => {
  const [joins, depth, relations] = [
    largest('API_MAX_JOINS'),
    largest('API_MAX_DEPTH'),
    largest('API_MAX_RELATION_FILTERS'),
  ]
  test.before(async () => {
    if (db.name === 'postgres') {
      await db.execScript(
        "do $$ begin execute format('alter database %I set statement_timeout = 500', current_database()); end $$",
      )
    }
    await switchJitOff(db)
    await createTables(db, [Node, Tag, Link])
    await insertRows(db, Node, [
      { id: 1, parent_id: null },
      { id: 2, parent_id: 1 },
    ])
    await insertRows(db, Tag, [{ id: 1 }])
    await insertRows(db, Link, [{ node_id: 1, tag_id: 1 }])
  })
  const config = {
    API_ALLOW_JOIN: true,
    API_ALLOW_GROUPBY: true,
    API_ALLOW_AGGREGATION: true,
    API_MAX_JOINS: joins,
    API_MAX_DEPTH: depth,
    API_MAX_RELATION_FILTERS: relations,
    API_MAX_CONDITIONS: 200,
    API_STATEMENT_TIMEOUT: 500,
  }
  const api = testApi(db, [Node, Tag, Link], config, { onError: () => {} })

  // Planning such a statement may exceed API_STATEMENT_TIMEOUT, which is 503; the database must not refuse it.
  const answers = async (query: string): Promise<void> => {
    const { status, body } = await api.handle({
      method: 'GET',
      url: `/api/nodes?${query}`,
      headers: {},
    })
    equal(
      [query, status === 503 ? 200 : status, status >= 400 && status !== 503 ? body : ''],
      [query, 200, ''],
    )
  }

  const path = (steps: readonly string[], length: number): string =>
    Array.from({ length }, (_, i) => steps[i % steps.length]).join('.')
  const kinds: Readonly<Record<string, readonly string[]>> = {
    'to one': ['parent'],
    'to many': ['children'],
    'many to many': ['tags', 'nodes'],
    'of every kind': ['parent', 'children', 'tags', 'nodes'],
  }

  for (const [kind, steps] of Object.entries(kinds)) {
    // One path of the maximum depth, and as many others as may be joined, which start at its end.
    const longest = path(steps, depth)
    const others = ['parent', 'children', 'tags', 'tags.nodes', 'tags.nodes.parent', 'parent.tags']
    const join = [longest, ...others].join()
    for (const type of ['inner', 'left', 'right']) {
      test(`${type} joins ${kind}`, async () => {
        const tokens = join.split(',')
        let joined = ''
        // As many tokens as the limit allows.
        for (const token of tokens) {
          const next = joined === '' ? token : `${joined},${token}`
          const sources = new Set(
            next
              .split(',')
              .flatMap((one) => one.split('.').map((_, i, all) => all.slice(0, i + 1).join('.'))),
          )
          if (sources.size <= joins) joined = next
        }
        const query = `join=${joined}&join_type=${type}`
        await answers(query)
        await answers(`${query}&fields=id,${longest}.id`)
        await answers(`${query}&groupby=id&id__count=1`)
        await answers(`${query}&${longest}.id__gt=0&or[id__eq=1,${longest}.id__lt=9]`)
      })
    }
    for (const word of ['exists', 'missing']) {
      test(`${word} ${kind}`, async () => {
        const long = `${word}(${longest}.id__gt=0)`
        const short = `${word}(${path(steps, 1)}.id__gt=0)`
        const many = (each: string, size: number): string =>
          Array.from({ length: Math.floor(relations / size) }, () => each).join()
        await answers(`${many(short, 1).replaceAll(',', '&')}`)
        await answers(`${many(long, depth).replaceAll(',', '&')}`)
        const [open, close] = ['or[not['.repeat(maxGroupDepth / 2), ']'.repeat(maxGroupDepth)]
        await answers(`${open}${long}${close}`)
        await answers(`or[${many(short, 1)},id__eq=1]`)
        await answers(`or[${many(long, depth)},id__eq=1]`)
      })
    }
  }
})
