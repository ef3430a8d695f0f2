/** Five hundred models of twenty columns and ten relations, with cycles: all are served and documented. */
import { createApi } from '@model-api/core'
import { manyModels, scale, tablesOf } from '../../bench/scale-models.ts'
import { equal } from '../support/assert.ts'
import { everyDatabase } from '../support/databases.ts'
import { suite } from '../support/suite.ts'

const [db] = everyDatabase()
if (db === undefined) throw new Error('no database')

suite('many models', (test) => {
  const models = manyModels()
  // Every column with every operator would make the document a hundred times as large.
  const config = { API_ALLOW_JOIN: true, API_ALLOW_FILTERS: false }
  const api = createApi({ db: db.kysely, models, config })
  test.before(() => db.execScript([...tablesOf(models)].join(';\n')))
  test.after(() => db.close())

  test('every model is a resource with all of its relations', () => {
    const { resources } = api.registry
    equal(resources.length, scale.models)
    for (const { columns, relations } of resources) {
      equal([columns.size, relations.size], [scale.columns, scale.relations])
    }
  })

  test('the document has a path for every collection, record and relation, and a schema for every record', async () => {
    const { paths, components } = await api.openapi()
    equal(Object.keys(paths ?? {}).length, 1 + scale.models * (2 + scale.relations))
    const records = api.registry.resources.filter(({ name }) => components?.schemas?.[name])
    equal(records.length, scale.models)
  })

  test('the first and the last respond, embedded in each other', async () => {
    const paths = api.registry.resources.map((resource) => resource.paths[0])
    // Not by the helpers that check the response against the document, because the schemas of all records refer to each other.
    const list = async (url: string) => {
      const { status, body } = await api.handle<Record<string, unknown>[]>({ method: 'GET', url })
      return { status, total: body?.total_count, rows: body?.value ?? [] }
    }
    const first = await list(`/api/${paths[0]}?limit=5&dump=json`)
    equal([first.status, first.total, first.rows.length], [200, 20, 5])
    equal([first.rows[0]?.way_0, first.rows[0]?.back_4], [null, []])
    const last = await list(`/api/${paths.at(-1)}?join=way_0.way_1`)
    equal(last, { status: 200, total: 0, rows: [] })
  })
})
