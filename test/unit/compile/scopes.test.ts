/** Compiling a source whose scope has not been decided throws an error: every part of a plan that reads rows asks for the scope. */
import { type AnyModel, belongsTo, defineModel, hasMany, manyToMany } from '@model-api/core'
import {
  compileCount,
  compileEmbed,
  compileRows,
  parseQuery,
  planList,
  type ReadPlan,
  type Target,
} from '@model-api/core/internals'
import { sql } from 'kysely'
import { sqlite } from '../../../packages/core/src/dialect/sqlite/sqlite-dialect.ts'
import { buildRegistry } from '../../../packages/core/src/model/registry/registry.ts'
import type { Resource } from '../../../packages/core/src/model/registry/resource.ts'
import {
  noScopes,
  scopeDecisions,
  unscoped,
} from '../../../packages/core/src/query/compile/scopes.ts'
import type { EmbedPlan, Source } from '../../../packages/core/src/query/plan/plan.ts'
import { sourcesOf } from '../../../packages/core/src/query/plan/relations/sources.ts'
import { equal, throws } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const id = { type: 'integer', primaryKey: true } as const

const Author = defineModel('Author', {
  columns: { id, name: { type: 'string' } },
  relations: { books: hasMany('Book', 'author_id') },
  meta: {},
})
const Book = defineModel('Book', {
  columns: { id, title: { type: 'string' }, author_id: { type: 'integer' } },
  relations: {
    author: belongsTo('Author', 'author_id'),
    tags: manyToMany('Tag', { through: 'taggings', from: 'book_id', to: 'tag_id' }),
  },
  meta: {},
})
const Tag = defineModel('Tag', { columns: { id, label: { type: 'string' } }, meta: {} })
const Tagging = defineModel('Tagging', {
  columns: {
    book_id: { type: 'integer', primaryKey: true },
    tag_id: { type: 'integer', primaryKey: true },
  },
  meta: {},
})

const models: readonly AnyModel[] = [Author, Book, Tag, Tagging]
const { registry } = buildRegistry({
  models,
  config: { API_ALLOW_JOIN: true, API_ALLOW_GROUPBY: true, API_ALLOW_AGGREGATION: true },
})

// Only its name is used.
const target: Target = { db: {} as never, dialect: sqlite, scopes: noScopes }

const limit = { setting: 'none', value: 100 }
const planOf = (query: string): ReadPlan =>
  planList(
    registry.byName.get('Book') as Resource,
    parseQuery(query, {
      additional: [],
      limits: { conditions: limit, relationFilters: limit, aggregates: limit, list: limit },
    }),
    () => true,
  )

/** Every source that any statement of a plan reads. */
const allSources = ({ rows, embeds }: Pick<ReadPlan, 'rows' | 'embeds'>): readonly Source[] => [
  ...[...sourcesOf(rows)].map(({ source }) => source),
  ...embeds.flatMap((embed) => allSources(embed)),
]

/** Compiles every statement of a plan. */
function compileAll(target: Target, { rows, embeds }: Pick<ReadPlan, 'rows' | 'embeds'>): void {
  const compileEmbeds = (all: readonly EmbedPlan[]): void => {
    for (const embed of all) {
      compileEmbed(target, embed, [[1]], 10)
      compileEmbeds(embed.embeds)
    }
  }
  compileRows(target, rows, { limit: 10, offset: 0 })
  compileCount(target, rows)
  compileEmbeds(embeds)
}

const queries = [
  '',
  'join=author&author.name__eq=a',
  'join=tags&join_type=left&tags.label__eq=a',
  'join=tags&join_type=right',
  'exists(tags.label__eq=a)&missing(author)',
  'or[id__eq=1,not[exists(author.books)]]',
  'dump=json&dump_relationships=true&author.fields=name',
  'groupby=author.name&id__count=n&join=author',
]

suite('scopes', (test) => {
  for (const query of queries) {
    test(`every source of ?${query} needs a scope`, () => {
      const plan = planOf(query)
      const sources = allSources(plan)
      const decideAllBut = (left: Source | undefined): Target => {
        const scopes = scopeDecisions()
        for (const source of sources) if (source !== left) scopes.decide(source, 'all')
        return { ...target, scopes }
      }
      compileAll(decideAllBut(undefined), plan)
      compileAll(unscoped(target), plan)
      throws(() => compileAll(target, plan), 'Nothing was decided')
      for (const source of sources) {
        throws(() => compileAll(decideAllBut(source), plan), `"${source.alias}"`)
      }
    })
  }

  test('narrow as soon as one source is narrowed', () => {
    const [first, second] = allSources(planOf('join=author'))
    const scopes = scopeDecisions()
    scopes.decide(first as Source, 'all')
    equal(scopes.narrowing, false)
    scopes.decide(second as Source, sql`select * from authors where id = 1`)
    equal(scopes.narrowing, true)
  })
})
