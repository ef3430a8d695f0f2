/** Names in the document come from models, columns and settings, so that an additional model changes none of the others. */
import { type AnyModel, createApi, defineModel } from '@model-api/core'
import { wideModels } from '../../bench/wide-models.ts'
import { config } from '../../examples/library/library.ts'
import { models } from '../../examples/library/models.ts'
import { equal, fail, ok } from '../support/assert.ts'
import { everyDatabase } from '../support/databases.ts'
import { suite } from '../support/suite.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look where they expect something
type Anything = any

const secrets = {
  ACCESS_SECRET_KEY: 'a secret of more than thirty-two bytes',
  REFRESH_SECRET_KEY: 'another secret, also of more than 32 bytes',
}

async function documentOf(own: readonly AnyModel[], settings = config): Promise<Anything> {
  const [db] = everyDatabase()
  if (db === undefined) return fail('no database')
  const options = { db: db.kysely, models: own, config: settings, env: secrets }
  return await createApi({ ...options, onWarning: () => {} }).openapi()
}

/** A model whose settings and column types differ from those of the others. */
const Shelf = defineModel('Shelf', {
  columns: {
    id: { type: 'uuid', primaryKey: true },
    name: { type: 'enum', enum: ['high', 'low'] },
    price: { type: 'float', nullable: true },
  },
  meta: {
    allow_join: false,
    allow_groupby: false,
    pagination_size_max: 7,
    dump_request_id: true,
    get_final_callback: (body: Anything) => body,
  },
})

/** The settings of an API for a whole database. */
const served = {
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
  API_ALLOWED_METHODS: ['GET'],
} as const

suite('names in the OpenAPI document', (test) => {
  test('have no numbers', async () => {
    const { components } = await documentOf(models)
    const numbered = ['schemas', 'parameters', 'responses'].flatMap((section) =>
      Object.keys(components[section]).filter((name) => /[a-z]\d+$/i.test(name)),
    )
    equal(numbered, [])
  })

  test('of an operation do not change if a model is inserted before the others', async () => {
    const [before, after] = [await documentOf(models), await documentOf([Shelf, ...models])]
    ok(after.components.schemas.Shelf !== undefined)
    for (const [path, item] of Object.entries<Anything>(before.paths)) {
      equal(after.paths[path], item, path)
    }
  })

  test('of components do not change if a model is inserted before the others', async () => {
    const [before, after] = [await documentOf(models), await documentOf([Shelf, ...models])]
    for (const [section, parts] of Object.entries<Anything>(before.components)) {
      const lost = Object.keys(parts).filter((name) => !(name in after.components[section]))
      equal(lost, [], section)
    }
  })

  test('of filters are shared by columns of the same name and type', async () => {
    const { components } = await documentOf(models)
    const filters = components.schemas.IdIntegerFilters.properties
    equal(filters.id__ge, { type: 'integer' })
    const users = Object.values<Anything>(components.parameters).filter(
      ({ schema }) => schema.allOf?.[0]?.$ref === '#/components/schemas/IdIntegerFilters',
    )
    ok(users.length > 5)
  })
})

suite('the size of the OpenAPI document', (test) => {
  for (const [tables, most] of [
    [100, 1_300_000],
    [371, 5_100_000],
  ] as const) {
    test(`of ${tables} tables is at most ${most / 1e6} MB`, async () => {
      const { length } = JSON.stringify(await documentOf(wideModels(tables), served as Anything))
      ok(length <= most, `${length} bytes`)
    })
  }
})
