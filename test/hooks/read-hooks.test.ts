/** The callbacks of a read: their order, whether config or meta declares them, their arguments, and the use of their results. */
import { type AnyModel, type ApiConfig, apiError, defineModel } from '@model-api/core'
import { get, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { way } from '../support/path.ts'
import { Author, Book, createShop, OrderLine, Profile, Tag } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

/** The shop with other meta on books. */
function withBookMeta(meta: object): readonly AnyModel[] {
  const book = defineModel('Book', { ...Book, meta } as never) as unknown as AnyModel
  return [Author, Profile, book, Tag, OrderLine]
}

eachDatabase('read callbacks', (test, db) => {
  test.before(() => createShop(db))
  const shop: readonly AnyModel[] = [Author, Profile, Book, Tag, OrderLine]

  test('run in the documented order', async () => {
    const order: string[] = []
    const config: ApiConfig = {
      API_SETUP_CALLBACK: () => void order.push('setup'),
      API_FILTER_CALLBACK: (query) => {
        order.push('filter')
        return query
      },
      API_DUMP_CALLBACK: (data) => {
        order.push('dump')
        return data
      },
      API_RETURN_CALLBACK: (result) => {
        order.push('return')
        return result
      },
      API_FINAL_CALLBACK: (body) => {
        order.push('final')
        return body
      },
    }
    equal((await get(testApi(db, shop, config), '/api/books/1')).status, 200)
    const ofBatch = way === 'batch' ? ['final'] : []
    equal(order, ['setup', 'filter', 'dump', 'return', 'final', ...ofBatch])
  })

  test('dump receives every object, embedded ones with their own model', async () => {
    const models: string[] = []
    const config: ApiConfig = {
      API_DUMP_CALLBACK: async (data, { model, many, relation_name }) => {
        models.push(`${model.name} ${many} ${relation_name}`)
        return { ...data, seen: model.name }
      },
    }
    const { value } = await get(testApi(db, shop, config), '/api/books/1?dump=json')
    equal(models.sort(), [
      'Author false author',
      'Author false editor',
      'Book false null',
      'OrderLine true order_lines',
      'OrderLine true order_lines',
      'Tag true tags',
    ])
    equal([value.seen, value.author.seen, value.tags[0].seen], ['Book', 'Author', 'Tag'])
    const one = (await get(testApi(db, shop, config), '/api/profiles/1?dump=json')).value
    equal([one.seen, one.author.seen], ['Profile', 'Author'])
  })

  test('dump receives projections and groups, so that it can hide the same values there', async () => {
    const config: ApiConfig = {
      API_ALLOW_GROUPBY: true,
      API_DUMP_CALLBACK: ({ title: _, ...rest }) => rest,
    }
    const api = testApi(db, shop, config)
    equal((await get(api, '/api/books?fields=id,title&limit=1')).value, [{ id: 1 }])
    equal((await get(api, '/api/books?groupby=title,id&limit=1')).value.length, 1)
    ok(!('title' in (await get(api, '/api/books?groupby=title,id&limit=1')).value[0]))
  })

  test('meta for a method takes precedence over meta, and meta over config', async () => {
    const config: ApiConfig = { API_RETURN_CALLBACK: () => 'config' }
    const meta = { return_callback: () => 'meta' }
    const method = { ...meta, get_return_callback: () => 'method' }
    equal((await get(testApi(db, shop, config), '/api/books')).value, 'config')
    equal((await get(testApi(db, withBookMeta(meta), config), '/api/books')).value, 'meta')
    equal((await get(testApi(db, withBookMeta(method), config), '/api/books')).value, 'method')
    equal((await get(testApi(db, withBookMeta(method), config), '/api/tags')).value, 'config')
  })

  test('filter restricts the rows, their count and their pages, by parameters of the host', async () => {
    const config: ApiConfig = {
      API_ADDITIONAL_QUERY_PARAMS: ['cheap'],
      API_FILTER_CALLBACK: (query, model, params) =>
        model.name === 'Book' && params.cheap === 'yes' ? query.where('price', '<', 13) : query,
    }
    const api = testApi(db, shop, config)
    const { value, total, body } = await get(api, '/api/books?cheap=yes&limit=1')
    equal([value.map((book: { id: number }) => book.id), total], [[1], 2])
    equal(body.next_url, '/api/books?cheap=yes&limit=1&page=2')
    equal((await get(api, '/api/books')).total, 5)
    equal((await get(api, '/api/books/3?cheap=yes')).status, 404)
  })

  test('run for each request, also for a query whose plan is cached', async () => {
    const callbacks: Record<string, ApiConfig> = {
      filter: { API_FILTER_CALLBACK: (query) => query.where('id', '=', 2) },
      dump: { API_DUMP_CALLBACK: ({ title: _, ...rest }) => rest },
      return: { API_RETURN_CALLBACK: (value) => ({ returned: value }) },
      final: { API_FINAL_CALLBACK: (body) => ({ ...(body as object), signed: true }) },
    }
    for (const [name, config] of Object.entries(callbacks)) {
      for (const url of ['/api/books?fields=id,title', '/api/books/2', '/api/books?dump=json']) {
        const [plain, api] = [testApi(db, shop), testApi(db, shop, config)]
        const first = await get(api, url)
        for (let times = 0; times < 3; times++) {
          equal((await get(api, url)).text, first.text, `${name} ${url}`)
        }
        // In a batch, final changes the body of the batch, too, of which `get` returns one value.
        if ((!url.endsWith('/2') || name !== 'filter') && (way !== 'batch' || name !== 'final'))
          ok(first.text !== (await get(plain, url)).text)
      }
    }
  })

  test('an apiError is the response, any other error is 500 and is logged', async () => {
    const log: unknown[] = []
    const options = { onError: (error: unknown) => void log.push(error) }
    const refusing = testApi(db, shop, {
      API_SETUP_CALLBACK: () => {
        throw apiError(418, 'Teapot', 'No books today.')
      },
    })
    const refused = await get(refusing, '/api/books')
    equal([refused.status, refused.errors], [418, { error: 'Teapot', reason: 'No books today.' }])
    const failing = testApi(db, shop, { API_DUMP_CALLBACK: () => undefined as never }, options)
    const failed = await get(failing, '/api/books')
    equal([failed.status, failed.errors.reason], [500, 'Request test'])
    ok(String(log[0]).includes('dump callback of Book returned undefined'), String(log[0]))
  })

  test('a value that is not JSON is 500, and the log names the callback that returned it', async () => {
    const loop: Record<string, unknown> = {}
    loop.self = loop
    const of = (name: string, wrong: unknown, config: ApiConfig = {}): ApiConfig => ({
      ...config,
      API_DUMP_CALLBACK: (data, { model }) =>
        (model.name === name
          ? typeof wrong === 'function'
            ? wrong
            : { ...data, wrong }
          : data) as never,
    })
    const keep: ApiConfig = { API_RETURN_CALLBACK: (value) => value }
    const cases: readonly (readonly [string, ApiConfig, string])[] = [
      [
        '/api/books',
        of('Book', 1n),
        'dump callback of Book returned a value that is not JSON: a bigint at',
      ],
      [
        '/api/books/1',
        of('Book', loop),
        'dump callback of Book returned a value that is not JSON: an object',
      ],
      [
        '/api/books',
        of('Book', () => 1),
        'dump callback of Book returned a value that is not JSON: a function.',
      ],
      [
        '/api/books?dump=json',
        of('Author', 1n),
        'dump callback of Author returned a value that is not JSON: a bigint at',
      ],
      [
        '/api/books/1?dump=json',
        of('Tag', 1n),
        'dump callback of Tag returned a value that is not JSON: a bigint at',
      ],
      [
        '/api/books',
        of('Book', 1n, keep),
        'dump callback of Book returned a value that is not JSON: a bigint at',
      ],
      [
        '/api/books',
        { API_RETURN_CALLBACK: () => [1n] as never },
        'return callback of Book returned a value that is not JSON: a bigint at [0].',
      ],
      [
        '/api/books/1',
        { API_RETURN_CALLBACK: () => (() => 1) as never },
        'return callback of Book returned a value that is not JSON: a function.',
      ],
    ]
    for (const [url, config, message] of cases) {
      const log: string[] = []
      const api = testApi(db, shop, config, { onError: (error) => void log.push(String(error)) })
      for (let times = 0; times < 3; times++) {
        equal((await get(api, url)).status, 500, message)
        equal((await api.handle({ method: 'GET', url, headers: {} })).status, 500, message)
      }
      equal(log.length, 6)
      for (const one of log) ok(one.includes(message), `${one} (${message})`)
    }
  })

  test('error is called for every failure, and final may replace the body', async () => {
    const failures: unknown[] = []
    const config: ApiConfig = {
      API_ERROR_CALLBACK: (error) => void failures.push((error as Error).message),
      API_FINAL_CALLBACK: (body) => ({ ...(body as object), signed: true }),
    }
    const api = testApi(db, shop, config)
    const { status, body } = await get(api, '/api/books?nope=1')
    equal([status, body.signed, failures.length], [400, true, 1])
    equal((await get(api, '/api/nothing')).status, 404)
    equal(failures.length, 2)
  })
})
