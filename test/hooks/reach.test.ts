/** Which callbacks a request calls, in which order, and those of which model (docs/guide/hooks.md). */
import type { Api, ApiConfig } from '@model-api/core'
import { bearer, createPeople, jwtKeys, login, peopleApi, post } from '../auth/people.ts'
import { get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { withMeta } from '../support/expect.ts'
import { createWritableShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

/** Every callback, each of which reports its call. */
function telling(tell: (what: string) => void): ApiConfig {
  const passing =
    (what: string) =>
    // biome-ignore lint/suspicious/noExplicitAny: whatever comes goes on
    (thing: any): any => {
      tell(what)
      return thing
    }
  return {
    API_SETUP_CALLBACK: () => tell('setup'),
    API_FILTER_CALLBACK: passing('filter'),
    API_ADD_CALLBACK: passing('add'),
    API_UPDATE_CALLBACK: passing('update'),
    API_REMOVE_CALLBACK: passing('remove'),
    API_DUMP_CALLBACK: passing('dump'),
    API_RETURN_CALLBACK: passing('return'),
    API_FINAL_CALLBACK: passing('final'),
    API_ERROR_CALLBACK: () => tell('error'),
  }
}

/** The same callbacks as meta. */
const inMeta = (config: ApiConfig): object =>
  Object.fromEntries(
    Object.entries(config).map(([key, callback]) => [key.slice(4).toLowerCase(), callback]),
  )

type Row = readonly [request: string, body: unknown, status: number, callbacks: string]

const rows: readonly Row[] = [
  ['GET /api/books/1', undefined, 200, 'setup filter dump return final'],
  ['HEAD /api/books/1', undefined, 200, 'setup filter dump return final'],
  ['GET /api/books?limit=2', undefined, 200, 'setup filter dump dump return final'],
  ['GET /api/books?limit=1&fields=id', undefined, 200, 'setup filter dump return final'],
  ['GET /api/books/4?dump=hybrid', undefined, 200, 'setup filter dump dump dump return final'],
  ['GET /api/books/1/author', undefined, 200, 'setup filter dump return final'],
  ['POST /api/tags', { name: 'new' }, 201, 'setup add filter dump return final'],
  [
    'POST /api/books',
    { title: 'x', author: { name: 'y' } },
    201,
    'setup add add filter dump return final',
  ],
  ['PATCH /api/tags/1', { name: 'other' }, 200, 'setup update filter dump return final'],
  ['DELETE /api/books/5', undefined, 200, 'setup remove return final'],
  ['POST /api/tags', { name: 'new' }, 409, 'setup add error final'],
  ['POST /api/tags', { nam: 'new' }, 400, 'setup error final'],
  ['GET /api/books/99', undefined, 404, 'setup filter error final'],
  ['GET /api/books?nope__eq=1', undefined, 400, 'setup error final'],
  ['GET /api/nothing', undefined, 404, 'error final'],
  ['PUT /api/books/1', {}, 405, 'error final'],
  ['OPTIONS /api/books', undefined, 204, ''],
  ['GET /docs', undefined, 200, ''],
  ['GET /docs/apispec.json', undefined, 200, ''],
]

type Asked = readonly [request: string, status: number, callbacks: string]

/** Sends a request, and returns the callbacks that it called. */
async function ask(api: Api, told: string[], request: string, body?: unknown): Promise<Asked> {
  const [method = '', url = ''] = request.split(' ')
  told.length = 0
  const { status } = await api.handle({ method, url, ...(body === undefined ? {} : { body }) })
  return [request, status, told.join(' ')]
}

eachDatabase('the callbacks that a request calls', (test, db) => {
  const told: string[] = []
  const config: ApiConfig = { API_ALLOW_NESTED_WRITES: true }
  test.before(() => createWritableShop(db))

  test('of the configuration', async () => {
    const api = testApi(db, shop, { ...config, ...telling((what) => void told.push(what)) })
    for (const [request, body, status, callbacks] of rows) {
      equal(await ask(api, told, request, body), [request, status, callbacks])
    }
  })

  test('are those of the requested model; other records call those of their own model', async () => {
    const models = ['Author', 'Book'].reduce((all, name) => {
      const callbacks = telling((what) => void told.push(`${name}.${what}`))
      return withMeta(all, name, inMeta(callbacks))
    }, shop)
    const api = testApi(db, models, config)
    const about = (name: string, callbacks: string): string =>
      callbacks.replace(/[^ ]+/g, (what) => (what.includes('.') ? what : `${name}.${what}`))
    for (const [request, name, callbacks, body] of [
      ['GET /api/authors/2/books', 'Book', 'setup filter dump return final'],
      ['GET /api/books/2/author', 'Author', 'setup filter dump return final'],
      ['GET /api/books/3?dump=json', 'Book', 'setup filter Author.dump dump return final'],
      [
        'POST /api/books',
        'Book',
        'setup Author.add add filter dump return final',
        { title: 'x', author: { name: 'y' } },
      ],
    ] as const) {
      const [, , met] = await ask(api, told, request, body)
      equal([request, met], [request, about(name, callbacks)])
    }
  })

  test('of a method take precedence over those of the model: restore is a POST', async () => {
    const say = (what: string) => (data: object) => {
      told.push(what)
      return data
    }
    const models = withMeta(shop, 'Tag', {
      soft_delete: true,
      soft_delete_attribute: 'name',
      soft_delete_values: ['here', 'gone'],
      dump_callback: say('of the model'),
      post_dump_callback: say('of POST'),
    })
    const api = testApi(db, models, config)
    equal(await ask(api, told, 'GET /api/tags/2'), ['GET /api/tags/2', 200, 'of the model'])
    equal(await ask(api, told, 'DELETE /api/tags/2'), ['DELETE /api/tags/2', 200, ''])
    const restore = 'POST /api/tags/2/restore'
    equal(await ask(api, told, restore), [restore, 200, 'of POST'])
  })
})

eachDatabase('the callbacks that authentication calls', (test, db) => {
  test.before(() => createPeople(db))

  test('setup, error and final of the configuration; filter and dump of the user for the user', async () => {
    const told: string[] = []
    const callbacks = telling((what) => void told.push(what))
    const { api } = peopleApi(db, { ...jwtKeys, ...callbacks })
    const { value } = await login(api, 'ann')
    equal(told.splice(0).join(' '), 'setup final')
    const me = await get(api, '/auth/me', bearer(value.access_token))
    equal([me.status, told.splice(0).join(' ')], [200, 'setup filter dump final'])
    equal((await post(api, '/auth/logout')).status, 200)
    equal(told.splice(0).join(' '), 'setup final')
    equal((await login(api, 'ann', 'a guess')).status, 401)
    equal(told.splice(0).join(' '), 'setup error final')
    equal((await get(api, '/api/books')).status, 401)
    equal(told.splice(0).join(' '), 'setup error final')
  })
})
