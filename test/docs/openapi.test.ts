/** The example of routes of the host in docs/reference/openapi.md: its route is in the document, in both versions, and on the page. */
import { readFileSync } from 'node:fs'
import { type AnyModel, createApi, defineModel, type OpenApiCallback } from '@model-api/core'
import { equal, match, ok } from '../support/assert.ts'
import { compiled } from '../support/compile.ts'
import { openDatabases, type TestDatabase } from '../support/databases.ts'
import { suite } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const page = readFileSync(new URL('../../docs/reference/openapi.md', import.meta.url), 'utf8')
const section = /^## Routes of your own\n.*?(?=^## )/ms.exec(page)?.[0] ?? ''
const example = /^```ts\n(.*?)\n```/ms.exec(section)?.[1] ?? ''

const Book = defineModel('Book', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    title: { type: 'string', maxLength: 200 },
  },
  meta: { role_map: { GET: true, ALL: 'editor' } },
})

suite('routes of the host in the page on OpenAPI', (test) => {
  const [db] = openDatabases() as [TestDatabase]
  test.after(() => db.close())

  test('are in the document and on the documentation page', async () => {
    await createTables(db, [Book])
    const [callback = '', call = ''] = example.split(/\n\n(?=const api)/)
    match(call, 'API_OPENAPI_CALLBACK: withImport')
    const { withImport } = (await compiled(
      `import type { OpenApiCallback } from '@model-api/core'\nexport ${callback}`,
    )) as { withImport: OpenApiCallback }
    const models: readonly AnyModel[] = [Book]
    const config = {
      API_OPENAPI_CALLBACK: withImport,
      API_AUTHENTICATE_METHOD: ['custom'],
      API_CUSTOM_AUTH: () => null,
    } as const
    const api = createApi({ db: db.kysely, models, config, onWarning: () => {} })
    await api.ready
    for (const version of ['3.1', '3.2'] as const) {
      const document = version === '3.1' ? api.openapi() : api.openapi({ version: '3.2' })
      equal(document.paths?.['/import']?.post?.operationId, 'importBooks')
      ok(document.components?.schemas?.NewBook !== undefined, version)
    }
    const { body } = await api.handle<string>({ method: 'GET', url: '/docs' })
    match(String(body), '<code>/import</code> <span>Import books</span>')
    match(String(body), '<h2>Import</h2>')
  })
})
