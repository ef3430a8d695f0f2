/**
 * The document in the form of OpenAPI 3.2: the query as one parameter, QUERY, shared descriptions, roles, its size, and where
 * it is served.
 */
import { type AnyModel, type Api, createApi } from '@model-api/core'
import { Validator } from '@seriousme/openapi-schema-validator'
import { manyModels } from '../../bench/scale-models.ts'
import { wideModels } from '../../bench/wide-models.ts'
import { config, openLibrary } from '../../examples/library/library.ts'
import { filterOperators } from '../../packages/core/src/model/query-words/operators.ts'
import type { MethodName } from '../../packages/core/src/model/settings/config.ts'
import { catalogue } from '../../packages/core/src/openapi/error-catalogue.ts'
import { equal, fail, match, ok } from '../support/assert.ts'
import { everyDatabase } from '../support/databases.ts'
import { compileSchema } from '../support/json-schema.ts'
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

  /** The members of a schema and of its parts; patterns of names separately. */
  const members = (schema: Anything): { names: string[]; patterns: string[] } => {
    if (schema.$ref !== undefined) return members(at(schema.$ref))
    const parts = (schema.allOf ?? []).map(members)
    return {
      names: [...parts.flatMap((one: Anything) => one.names), ...keys(schema.properties)],
      patterns: [
        ...parts.flatMap((one: Anything) => one.patterns),
        ...keys(schema.patternProperties),
      ],
    }
  }
  const keys = (members: object = {}): string[] => Object.keys(members)
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
        const { names: named, patterns } = members(query[0].content[form].schema)
        const isFilter = (name: string): boolean => /^\w+__[a-z]+$/.test(name)
        const isFree = (name: string): boolean => /\W/.test(name)
        const plain = names.filter((name: string) => !isFilter(name) && !isFree(name))
        equal([...named].sort(), plain.sort(), operationId)
        equal(patterns.filter(isFreePattern).sort(), names.filter(isFree).sort(), operationId)
        const filters = patterns.filter((one) => one.startsWith('^(') && !isFreePattern(one))
        const all = names.filter(isFilter)
        const columns = new Set(all.map((name: string) => name.slice(0, name.lastIndexOf('__'))))
        const possible = [...columns].flatMap((column) =>
          Object.keys(filterOperators).map((operator) => `${column}__${operator}`),
        )
        const matched = possible.filter((name) => filters.some((one) => RegExp(one).test(name)))
        equal(matched.sort(), all.filter((name: string) => !takesTheSame(name)).sort(), operationId)
        const rest = all.filter((name: string) => !patterns.some((one) => RegExp(one).test(name)))
        equal(rest, [], operationId)
        compared++
      }
    }
    ok(compared > 50, `${compared} operations`)
  })

  /** Filters whose value has the same form for all columns: a list, or whether it is null. */
  const takesTheSame = (name: string): boolean => {
    const operator = name.slice(name.lastIndexOf('__') + 2) as keyof typeof filterOperators
    return operator === 'isnull' || filterOperators[operator].takes === 'list'
  }

  /** Groups, relation filters and similar parameters, whose names clients compose. */
  const isFreePattern = (one: string): boolean => /\\\[|\\\(|\\\.|A-Z/.test(one)
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

  test('describes the values of each operator in filters', () => {
    const { schemas } = document.components
    const wrong = (query: object): boolean =>
      compileSchema(schemas)(schemas.BookListQuery)(query) !== undefined
    const right = [
      { price__ge: '30', id__in: '(1,2)', id__isnull: true, in_stock__eq: false, pages__lt: 300 },
      { title__ilike: 'emma', original_title__isnull: false, 'or[id__eq=1,id__eq=2]': '' },
      {
        limit: 5,
        order_by: ['-price'],
        fields: ['title'],
        join: ['author'],
        groupby: ['language'],
      },
    ]
    for (const query of right) ok(!wrong(query), JSON.stringify(query))
    const refused = [
      { price__ge: 'much' },
      { id__in: 1 },
      { id__isnull: 'no' },
      { pages__lt: 'many' },
      { id__in: true },
      { limit: 1000 },
      { dump: 'xml' },
    ]
    for (const query of refused) ok(wrong(query), JSON.stringify(query))
  })

  test('describes bodies like the 3.1 form', () => {
    const before: Anything = library.api.openapi()
    const problem = (whole: Anything, name: string, body: object): boolean =>
      compileSchema(whole.components.schemas)(whole.components.schemas[name])(body) !== undefined
    const book = {
      title: 'Emma',
      first_published: 1815,
      language: 'en',
      pages: 474,
      price: '12.50',
      in_stock: true,
    }
    const { title: _, ...untitled } = book
    const bodies = [
      book,
      untitled,
      {},
      { ...book, author: { name: 'Jane' }, reviews: [{ id: 1 }], categories: [] },
      { ...book, price: 'much' },
      { ...book, title: 'e'.repeat(201) },
      { ...book, reviews: [1] },
    ]
    for (const name of ['NewBook', 'PatchBook']) {
      for (const body of bodies) {
        equal(problem(document, name, body), problem(before, name, body), JSON.stringify(body))
      }
    }
  })

  test('describes the responses and the errors', async () => {
    const { schemas, responses } = document.components
    const check = async (url: string, name: string): Promise<void> => {
      const { text } = await library.api.answer({ method: 'GET', url })
      const { schema } = responses[name].content['application/json']
      equal(compileSchema(schemas)(schema)(JSON.parse(text ?? '')), undefined, url)
    }
    await check('/api/books', 'BookList')
    await check('/api/books?fields=title,author.name&join=author', 'BookList')
    await check('/api/books/1?dump=json', 'BookRecord')
    await check('/api/authors/1/books', 'BookList')
    await check('/api/books?page=0', 'Failure')
    await check('/api/books/0', 'Failure')
    const { enum: codes } = schemas.Failure.properties.errors.properties.code
    for (const { error } of catalogue) ok(codes.includes(error.body.code), error.body.code)
  })

  test('has QUERY on lists, whose responses match the document', async () => {
    const { get, query } = document.paths['/api/books']
    equal(query.operationId, 'queryBooks')
    const body = query.requestBody.content[form].schema
    equal(body, at(get.parameters[0].$ref).content[form].schema)
    for (const [path, item] of Object.entries<Anything>(document.paths)) {
      const { headers } = await library.api.handle({
        method: 'OPTIONS',
        url: path.replace(/\{[^}]*\}/g, '1'),
      })
      const isCollection = item.get?.operationId.startsWith('list') && !path.includes('{')
      ok(item.query === undefined || /\bQUERY\b/.test(headers.allow ?? ''), path)
      equal(item.query !== undefined, isCollection === true, path)
    }
    const answer = await library.api.handle({
      method: 'QUERY',
      url: '/api/books',
      headers: { 'content-type': form },
      body: 'price__ge=30&limit=2',
    })
    equal(answer.status, 200)
  })

  test('names components after their content', () => {
    const { schemas, parameters } = document.components
    for (const name of ['BookListQuery', 'RecordQuery', 'CreateQuery', 'BookBulkUpdatedQuery']) {
      ok(name in schemas && name in parameters, name)
    }
    ok('BookFilters' in schemas)
    const numbered = Object.keys(schemas).filter((name) => /[a-z]\d+$/i.test(name))
    equal(numbered, [])
  })

  test('names the roles of an operation with its security', () => {
    const {
      get,
      post,
      delete: removal,
    } = { ...document.paths['/api/books'], ...document.paths['/api/books/{id}'] }
    equal(document.security, [{}, { jwt: [] }])
    equal(
      [get.security, post.security, removal.security],
      [undefined, [{ jwt: ['editor'] }], [{ jwt: ['admin'] }]],
    )
  })

  test('describes headers and their statuses once', () => {
    const { info, components, paths } = document
    for (const header of ['ETag', 'If-Match', 'If-None-Match', 'Prefer', 'Idempotency-Key'])
      match(info.description, `\`${header}`)
    equal(
      Object.values<Anything>(components.parameters).filter((one) => one.in === 'header'),
      [],
    )
    const statuses = Object.values<Anything>(paths)
      .flatMap((item) => Object.values<Anything>(item))
      .flatMap(({ responses = {} }) => Object.keys(responses))
    equal([...new Set(statuses)].sort(), ['200', '2XX', 'default'])
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

  const tables = (models: readonly AnyModel[], methods: readonly MethodName[]): Api => {
    const [db] = everyDatabase()
    const config = {
      API_ALLOW_JOIN: true,
      API_ALLOW_GROUPBY: true,
      API_ALLOW_AGGREGATION: true,
      API_ALLOWED_METHODS: [...methods],
    }
    const kysely = db?.kysely ?? fail('no database')
    return createApi({ db: kysely, models, config, env: {}, onWarning: () => {} })
  }
  /** The first of many models, without relations to the others. */
  const some = (count: number): AnyModel[] => {
    const models = manyModels().slice(0, count)
    const names = new Set(models.map(({ name }) => name))
    return models.map((model) => ({
      ...model,
      relations: Object.fromEntries(
        Object.entries(model.relations).filter(([, { target }]) => names.has(target)),
      ),
    }))
  }
  const written = ['GET', 'POST', 'PATCH', 'DELETE'] as const

  const sizeOf = (one: object): number => new TextEncoder().encode(JSON.stringify(one)).length

  // Most of the size is records, bodies and names of operations, which both forms have.
  for (const [name, most, open] of [
    ['the library with bulk writes', 0.23, () => library.api],
    ['10 tables', 0.3, () => tables(some(10), written)],
    ['100 tables', 0.4, () => tables(some(100), written)],
    ['371 tables', 0.38, () => tables(wideModels(371), ['GET'])],
  ] as const) {
    test(`is at most ${most} of the size of the 3.1 form: ${name}`, () => {
      const api = open()
      const part = sizeOf(api.openapi({ version: '3.2' })) / sizeOf(api.openapi())
      ok(part <= most, `${part} of it`)
    })
  }

  test('of the demo has at most 67 kB', async () => {
    const demo = await openLibrary()
    try {
      const size = sizeOf(demo.api.openapi({ version: '3.2' }))
      ok(size <= 67_000, `${size} bytes`)
    } finally {
      await demo.close()
    }
  })
})
