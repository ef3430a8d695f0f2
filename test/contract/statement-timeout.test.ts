/** Statement timeouts: set per statement if the server supports that, otherwise the API warns the host. */
import { type AnyModel, createApi, defineModel } from '@model-api/core'
import { get, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { plainOnly } from '../support/path.ts'
import { Author, createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

/** Authors with a computed column that takes two seconds. */
const slow = defineModel('Author', {
  table: 'authors',
  columns: Author.columns,
  computed: {
    // biome-ignore lint/suspicious/noExplicitAny: the expression builder of any database
    nap: { type: 'integer', expression: (eb: any) => eb.fn('sleep', [eb.val(2)]) },
  },
  meta: {},
}) as AnyModel

eachDatabase('statement timeout', (test, db) => {
  test.before(() => createShop(db))

  if (db.name === 'mysql') {
    test('a read over the time limit is cancelled by the database server: 503 with Retry-After', async () => {
      const api = testApi(db, [slow], { API_STATEMENT_TIMEOUT: 50 }, { onError: () => {} })
      const { status, headers } = await get(api, '/api/authors')
      equal([status, headers['retry-after']], [503, '1'])
    })
  }

  test('a pool without a limit, and with jit, is reported to onWarning, once', async () => {
    const warnings: string[] = []
    const api = createApi({
      db: db.kysely,
      models: shop,
      config: { API_SCHEMA_CHECK: 'off' },
      onWarning: (message) => void warnings.push(message),
    })
    await api.ready
    await get(api, '/api/books')
    if (db.name === 'postgres') {
      equal(warnings.length, plainOnly ? 3 : 2)
      ok(warnings[0]?.startsWith('statement_timeout is 0'), warnings[0])
      ok(warnings[1]?.startsWith('jit is on'), warnings[1])
    } else equal(warnings, [])
  })
})
