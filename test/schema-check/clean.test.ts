/** Schemas that match their models: the comparison reports nothing. */
import { createApi } from '@model-api/core'
import { introspect } from '@model-api/core/introspect'
import { openLibrary } from '../../examples/library/library.ts'
import { equal } from '../support/assert.ts'
import { eachChinook } from '../support/chinook.ts'
import { shop } from '../support/shop.ts'
import { eachDatabase, suite } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const config = { API_SCHEMA_CHECK: 'off' } as const
const onWarning = (): void => {}

eachChinook('schema check: Chinook', (test, db) => {
  test('does not differ from its models', async () => {
    const { models } = await introspect(db.kysely)
    const published = models.map((model) => ({ ...model, meta: {} }))
    const api = createApi({ db: db.kysely, models: published, config, onWarning })
    equal(await api.schemaDifferences(), [])
  })
})

eachDatabase('schema check: the shop of the tests', (test, db) => {
  test.before(() => createTables(db, shop))

  test('lacks the foreign keys of its junction table only', async () => {
    const api = createApi({ db: db.kysely, models: shop, config, onWarning })
    const differences = await api.schemaDifferences()
    equal(
      differences.map(({ kind, table, column }) => `${kind} ${table}.${column}`),
      ['foreign key books.tags', 'foreign key books.tags'],
    )
  })
})

suite('schema check: the library', (test) => {
  test('does not differ from its models', async () => {
    const { api, close } = await openLibrary()
    try {
      equal(await api.schemaDifferences(), [])
    } finally {
      await close()
    }
  })
})
