/** The document in the form of OpenAPI 3.2: the query as one parameter, QUERY, its size, and where it is served. */
import { createApi } from '@model-api/core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { wideModels } from '../../bench/wide-models.ts'
import { config, openLibrary } from '../../examples/library/library.ts'
import { equal, fail, match, ok } from '../support/assert.ts'
import { everyDatabase } from '../support/databases.ts'
import { suite } from '../support/suite.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look where they expect something
type Anything = any

suite('the OpenAPI 3.2 form', (test) => {
  let library: Awaited<ReturnType<typeof openLibrary>>
  let document: Anything
  test.before(async () => {
    const settings = { ...config, API_ALLOW_BULK: true, API_ALLOW_CASCADE_DELETE: true }
    library = await openLibrary(() => {}, settings)
    document = library.api.openapi({ version: '3.2' })
  })
  test.after(() => library.close())

  /** The members of a schema, those of its parts too. */
  const members = (schema: Anything): Anything => {
    if (schema.$ref !== undefined) return members(at(schema.$ref))
    const parts = (schema.allOf ?? []).map(members)
    return Object.assign({}, ...parts, schema.properties, schema.patternProperties)
  }
  const at = (ref: string): Anything =>
    ref
      .split('/')
      .slice(1)
      .reduce((part: Anything, name) => part[name], document)
  const form = 'application/x-www-form-urlencoded'

  test('is valid by the schema of OpenAPI 3.2', async () => {
    equal(document.openapi, '3.2.0')
    const result = await new Validator().validate(document)
    ok(result.valid, JSON.stringify(result))
  })

  test('has every operation of the 3.1 form, with the same members of its query', () => {
    const before: Anything = library.api.openapi()
    let compared = 0
    for (const [path, item] of Object.entries<Anything>(before.paths)) {
      for (const [method, { operationId, parameters = [] }] of Object.entries<Anything>(item)) {
        if (operationId === undefined) continue
        const now = document.paths[path][method]
        equal(now.operationId, operationId)
        const asked = parameters
          .map((one: Anything) => (one.$ref === undefined ? one : find(before, one.$ref)))
          .filter((one: Anything) => one.in === 'query')
        const refs = (now.parameters ?? []).map((one: Anything) => at(one.$ref))
        const query = refs.filter((one: Anything) => one.in === 'querystring')
        equal(query.length, asked.length === 0 ? 0 : 1, operationId)
        if (query.length === 0) continue
        const names = asked.flatMap(({ name, schema }: Anything) =>
          schema.type === 'object' ? Object.keys(inside(before, schema)) : [name],
        )
        const { schema } = query[0].content[form]
        equal(Object.keys(members(schema)).sort(), names.sort(), operationId)
        compared++
      }
    }
    ok(compared > 50, `${compared} operations`)
  })

  const find = (whole: Anything, ref: string): Anything =>
    ref
      .split('/')
      .slice(1)
      .reduce((part: Anything, name) => part[name], whole)
  const inside = (whole: Anything, schema: Anything): Anything =>
    schema.$ref !== undefined
      ? inside(whole, find(whole, schema.$ref))
      : Object.assign(
          {},
          ...(schema.allOf ?? []).map((part: Anything) => inside(whole, part)),
          schema.properties,
          schema.patternProperties,
        )

  test('has QUERY where lists take it, which answers as the document says', async () => {
    const { get, query } = document.paths['/api/books']
    equal(query.operationId, 'queryBooks')
    const body = at(query.requestBody.$ref).content[form].schema
    equal(body, at(get.parameters[0].$ref).content[form].schema)
    for (const [path, item] of Object.entries<Anything>(document.paths)) {
      const { headers } = await library.api.handle({
        method: 'OPTIONS',
        url: path.replace(/\{[^}]*\}/g, '1'),
      })
      const lists = item.get?.operationId.startsWith('list') === true
      equal(item.query !== undefined, lists && /\bQUERY\b/.test(headers.allow ?? ''), path)
    }
    const answer = await library.api.handle({
      method: 'QUERY',
      url: '/api/books',
      headers: { 'content-type': form },
      body: 'price__ge=30&limit=2',
    })
    equal(answer.status, 200)
  })

  test('names components by what they are about', () => {
    const { schemas, parameters } = document.components
    for (const name of ['BookListQuery', 'BookRecordQuery', 'BulkDeleteBooksQuery']) {
      ok(name in schemas && name in parameters, name)
    }
    const numbered = Object.keys(schemas).filter((name) => /[a-z]\d+$/i.test(name))
    equal(numbered, [])
  })

  for (const url of ['/openapi.json', '/docs/apispec.json']) {
    test(`is served by ${url}?openapi=3.2`, async () => {
      const ask = (query: string) => library.api.answer({ method: 'GET', url: `${url}${query}` })
      const [first, second] = [await ask(''), await ask('?openapi=3.2')]
      equal(JSON.parse(second.text ?? ''), JSON.parse(JSON.stringify(document)))
      equal((await ask('?openapi=3.1')).text, first.text)
      ok(first.headers.etag !== second.headers.etag)
      const refused = await ask('?openapi=3.0')
      equal(refused.status, 400)
      match(refused.text ?? '', 'expected 3.1 or 3.2')
      equal((await ask('?openapi=3.1&openapi=3.2')).status, 400)
    })
  }

  test('is smaller: 371 tables', () => {
    const [db] = everyDatabase()
    const options = {
      db: db?.kysely ?? fail('no database'),
      models: wideModels(371),
      config: {
        API_ALLOW_JOIN: true,
        API_ALLOW_GROUPBY: true,
        API_ALLOW_AGGREGATION: true,
        API_ALLOWED_METHODS: ['GET'],
      } as const,
    }
    const api = createApi({ ...options, env: {}, onWarning: () => {} })
    const { length } = JSON.stringify(api.openapi({ version: '3.2' }))
    ok(length <= 4_100_000, `${length} bytes`)
  })
})
