/** API_OPENAPI_CALLBACK: the host adds its own routes to the document and the page. */
import { type Api, type ApiConfig, createApi, type OpenApiCallback } from '@model-api/core'
import { equal, fail, match, ok, rejects, throws } from '../support/assert.ts'
import { everyDatabase } from '../support/databases.ts'
import { shop } from '../support/shop.ts'
import { suite } from '../support/suite.ts'

type OpenAPIObject = Parameters<OpenApiCallback>[0]

function apiWith(callback: unknown, settings: ApiConfig = {}): Api {
  const [db] = everyDatabase()
  if (db === undefined) return fail('no database')
  const config = { API_TITLE: 'Shop', API_OPENAPI_CALLBACK: callback as never, ...settings }
  return createApi({
    db: db.kysely,
    models: shop,
    config: { ...config, API_SCHEMA_CHECK: 'off' },
    env: {},
    onWarning: () => {},
    onError: () => {},
  })
}

const importBooks = {
  operationId: 'importBooks',
  summary: 'Import books from a file',
  tags: ['Imports'],
  requestBody: { content: { 'text/csv': { schema: { $ref: '#/components/schemas/Csv' } } } },
  responses: { 204: { description: 'Imported' } },
}

/** Adds a route with a tag and a schema, by changing the document that it gets. */
function withImport(document: OpenAPIObject): OpenAPIObject {
  document.paths = { ...document.paths, '/import': { post: importBooks } }
  document.tags?.push({ name: 'Imports', description: 'Files of *publishers*.' })
  const schemas = document.components?.schemas
  if (schemas !== undefined) schemas.Csv = { type: 'string', description: 'Lines of books.' }
  return document
}

async function ask(api: Api, url: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await api.handle({ method: 'GET', url, headers })
  // biome-ignore lint/suspicious/noExplicitAny: tests look where they expect something
  return { ...response, body: response.body as any }
}

suite('API_OPENAPI_CALLBACK', (test) => {
  test('its routes, tags and schemas are in the document, in every form', async () => {
    const api = apiWith(withImport)
    const plain = apiWith(undefined)
    await api.ready
    for (const query of ['', '?openapi=3.2']) {
      const { status, body } = await ask(api, `/openapi.json${query}`)
      equal([status, body.paths['/import'].post], [200, importBooks])
      equal(body.tags.at(-1).name, 'Imports')
      equal(body.components.schemas.Csv.type, 'string')
      const { body: without } = await ask(plain, `/openapi.json${query}`)
      equal(Object.keys(body.paths), [...Object.keys(without.paths), '/import'])
      equal(body.paths['/api/books'], without.paths['/api/books'])
    }
    equal(api.openapi().paths?.['/import'], { post: importBooks })
    equal(api.openapi({ version: '3.2' }).openapi, '3.2.0')
    equal((await ask(api, '/docs/apispec.json')).body, api.openapi())
  })

  test('is called once for each version, however often and however the document is built', async () => {
    const versions: string[] = []
    const api = apiWith((document: OpenAPIObject) => {
      versions.push(document.openapi)
      return document
    })
    equal(versions, [])
    await Promise.all([api.ready, ask(api, '/openapi.json'), ask(api, '/docs'), api.openapi()])
    await Promise.all([api.ready, ask(api, '/openapi.json?openapi=3.2')])
    equal(versions.toSorted(), ['3.1.0', '3.2.0'])
  })

  test('changes of its argument, and of its result afterwards, have no other effect', async () => {
    let kept: OpenAPIObject | undefined
    const api = apiWith((document: OpenAPIObject) => {
      // Built documents share parts; in the copy, each is separate.
      const { get } = document.paths?.['/api/books'] ?? {}
      Object.assign(get?.responses?.default ?? {}, { $ref: '#/changed' })
      kept = document
      return document
    })
    const { body } = await ask(api, '/openapi.json')
    equal(body.paths['/api/books'].get.responses.default, { $ref: '#/changed' })
    ok(body.paths['/api/books/{id}'].get.responses.default.$ref !== '#/changed')
    Object.assign(kept?.info ?? {}, { title: 'Later' })
    equal((await ask(api, '/openapi.json')).body.info.title, 'Shop')
  })

  test('the ETag follows the result', async () => {
    const [plain, api, other] = [
      apiWith(undefined),
      apiWith(withImport),
      apiWith((document: OpenAPIObject) => ({ ...document, 'x-more': 1 })),
    ]
    const tags = await Promise.all(
      [plain, api, other].map(async (one) => (await ask(one, '/openapi.json')).headers.etag ?? ''),
    )
    equal(new Set(tags).size, 3)
    const [own = '', changed = ''] = tags
    const status = async (tag: string) =>
      (await ask(api, '/openapi.json', { 'if-none-match': tag })).status
    equal([await status(changed), await status(own)], [304, 200])
  })

  test('the versions stay apart if it gives both the same number', async () => {
    const api = apiWith((document: OpenAPIObject) => ({ ...document, openapi: '3.1.1' }))
    const text = async (url: string) => (await api.answer({ method: 'GET', url })).text
    ok((await text('/openapi.json')) !== (await text('/openapi.json?openapi=3.2')))
  })

  test('its servers hold for every mount', async () => {
    const url = 'https://api.example.org'
    const api = apiWith((document: OpenAPIObject) => ({ ...document, servers: [{ url }] }))
    const request = { method: 'GET', url: '/openapi.json', baseUrl: '/shop' } as const
    const serversOf = async (one: Api) =>
      ((await one.handle(request)).body as unknown as OpenAPIObject).servers
    equal(await serversOf(api), [{ url }])
    equal(await serversOf(apiWith(withImport)), [{ url: './' }])
  })

  test('the page shows its routes, also without a tag or with one that the document does not list', async () => {
    const api = apiWith((document: OpenAPIObject) => ({
      ...withImport(document),
      paths: {
        ...document.paths,
        '/import': { post: importBooks },
        '/sign-in/{door}': {
          parameters: [{ name: 'door', in: 'path', schema: { type: 'string' } }],
          post: { summary: 'Sign in', tags: ['Sessions'], responses: {} },
        },
        '/ping': { options: { summary: 'Ping', parameters: [{ $ref: '#/components/missing' }] } },
      },
    }))
    const { status, body } = await ask(api, '/docs')
    equal(status, 200)
    for (const shown of [
      '<code>/import</code> <span>Import books from a file</span>',
      '<h3>Body</h3><p><a href="#schema-Csv">Csv</a></p>',
      '<h2>Imports</h2>',
      '<h2>Sessions</h2>',
      '<td><code>door</code>',
      '<h2>Other routes</h2>',
      '<code>/ping</code> <span>Ping</span>',
    ]) {
      ok(body.includes(shown), shown)
    }
    ok(!(await ask(apiWith(undefined), '/docs')).body.includes('Other routes'))
  })

  const mistakes: readonly (readonly [what: string, callback: unknown, says: string])[] = [
    ['nothing', () => undefined, 'must return the document, returned undefined'],
    ['null', () => null, 'must return the document, returned null'],
    ['a list', () => [], 'must return the document, returned a list'],
    ['a promise', async (document: OpenAPIObject) => document, 'returned a promise'],
    ['a promise that rejects', () => Promise.reject(new Error('x')), 'returned a promise'],
    ['only paths', ({ paths }: OpenAPIObject) => ({ paths }), 'openapi must be a version'],
    [
      'no paths',
      ({ openapi, info }: OpenAPIObject) => ({ openapi, info }),
      'paths must be an object',
    ],
    [
      'no title',
      (document: OpenAPIObject) => ({ ...document, info: {} }),
      'info must be an object with title and version',
    ],
    ['a bigint', (document: OpenAPIObject) => ({ ...document, 'x-n': 1n }), 'a bigint at .x-n'],
    [
      'an error',
      () => {
        throw new Error('no file')
      },
      'failed: no file',
    ],
  ]
  for (const [what, callback, says] of mistakes) {
    test(`${what}: ready rejects, and no document is served`, async () => {
      const api = apiWith(callback)
      const error = await api.ready.then(
        () => fail('ready'),
        (one: unknown) => String(one),
      )
      match(error, 'config.API_OPENAPI_CALLBACK')
      match(error, says)
      equal((await ask(api, '/openapi.json')).status, 500)
      throws(() => api.openapi(), 'API_OPENAPI_CALLBACK')
    })
  }

  test('is also called where no document is served', async () => {
    await rejects(
      apiWith(() => null, { API_CREATE_DOCS: false }).ready,
      'config.API_OPENAPI_CALLBACK must return the document',
    )
  })
})
