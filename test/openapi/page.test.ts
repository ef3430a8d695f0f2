/** The documentation page: served as configured, and opened in a browser that can reach only this machine. */
import { writeFileSync } from 'node:fs'
import { type Api, type ApiConfig, type ApiRequest, createApi, defineModel } from '@model-api/core'
import { createServer } from '@model-api/http-node'
import { equal, fail, match, ok, throws } from '../support/assert.ts'
import { chromiumPath, type Visit, visit } from '../support/chromium.ts'
import { everyDatabase } from '../support/databases.ts'
import { shop } from '../support/shop.ts'
import { notRun, suite } from '../support/suite.ts'

function served(settings: ApiConfig = {}): Api {
  const [db] = everyDatabase()
  if (db === undefined) return fail('no database')
  const config = { API_TITLE: 'Shop', API_ALLOW_JOIN: true, ...settings }
  return createApi({ db: db.kysely, models: shop, config, env: {}, onWarning: () => {} })
}

// biome-ignore lint/suspicious/noExplicitAny: tests look where they expect something
type Anything = any

const asset = async () => ({ text: 'console.log("redoc")', module: true })

async function ask(api: Api, url: string, more: Partial<ApiRequest> = {}) {
  const response = await api.handle({ method: 'GET', url, ...more })
  // biome-ignore lint/suspicious/noExplicitAny: tests look where they expect something
  return { ...response, body: response.body as any }
}

suite('the routes of the documentation', (test) => {
  const api = served()

  test('serve the page, the document at both paths, and the script', async () => {
    const page = await ask(api, '/docs', { asset })
    equal([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8'])
    match(page.body, '<redoc spec-url="./docs/apispec.json"')
    match(page.body, '<script type="module" src="./docs/redoc.js">')
    for (const url of ['/docs/apispec.json', '/openapi.json']) {
      const { status, headers, body } = await ask(api, url)
      equal([status, headers['content-type']], [200, 'application/json; charset=utf-8'])
      equal(body, await api.openapi())
    }
    const script = await ask(api, '/docs/redoc.js', { asset })
    equal(script.headers['content-type'], 'text/javascript; charset=utf-8')
    equal(script.body, 'console.log("redoc")')
  })

  test('load a script of Redoc 2 as a classic script', async () => {
    const older = async () => ({ text: '', module: false })
    match((await ask(api, '/docs', { asset: older })).body, '<script defer src=')
  })

  test('serve a list of the operations if the host has no Redoc', async () => {
    const page = await ask(api, '/docs')
    match(page.body, '<h1>Shop')
    match(page.body, '<a href="./docs/apispec.json">OpenAPI document</a>')
    const rows = [
      ...page.body.matchAll(
        /<tr><td><span class="method">(.+)<\/span><\/td><td><code>(.+)<\/code><\/td><td>(.*)<\/td><\/tr>/g,
      ),
    ].map(([, method, path, summary]) => `${method} ${path}: ${summary}`.replaceAll('&#39;', "'"))
    ok(rows.includes('GET /api/books: List books'), `${rows}`)
    const operations = Object.entries<Anything>((await api.openapi()).paths ?? {}).flatMap(
      ([path, item]) =>
        Object.entries<Anything>(item).flatMap(([method, { summary }]) =>
          method.startsWith('x-') ? [] : `${method.toUpperCase()} ${path}: ${summary}`,
        ),
    )
    equal(rows.sort(), operations.sort())
    ok(!/<script/.test(page.body))
    match(page.headers['content-security-policy'] ?? '', /^default-src 'none'; style-src 'sha256-/)
    equal((await ask(api, '/docs/redoc.js')).status, 404)
  })

  test('escape strings of models and settings', async () => {
    const evil = '<script>alert("1")</script>'
    const page = await ask(served({ API_TITLE: evil, API_DESCRIPTION: evil }), '/docs')
    ok(!page.body.includes('<script'))
  })

  test('belong to the API for adapters, and allow GET only', async () => {
    for (const url of ['/docs', '/docs/apispec.json', '/docs/redoc.js', '/openapi.json?x=1']) {
      ok(api.owns(url), url)
      equal((await ask(api, url, { method: 'POST' })).status, 405)
    }
    const { status, headers } = await ask(api, '/docs', { method: 'OPTIONS' })
    equal([status, headers.allow], [204, 'GET, HEAD, OPTIONS'])
    ok(!api.owns('/docs/other'))
  })

  test('follow their settings, and do not exist if disabled', async () => {
    const moved = served({ API_DOCUMENTATION_URL: '/help', API_DOCS_SPEC_ROUTE: '/help/api.json' })
    match((await ask(moved, '/help', { asset })).body, 'spec-url="./help/api.json"')
    equal((await ask(moved, '/help/api.json')).status, 200)
    match((await ask(moved, '/help', { asset })).body, 'src="./help/redoc.js"')
    equal((await ask(moved, '/help/redoc.js', { asset })).status, 200)
    equal((await ask(moved, '/docs/redoc.js', { asset })).status, 404)
    equal((await ask(moved, '/openapi.json')).status, 200)
    equal((await ask(moved, '/docs')).status, 404)
    const off = served({ API_CREATE_DOCS: false })
    for (const url of ['/docs', '/docs/apispec.json', '/openapi.json']) {
      equal((await ask(off, url)).status, 404)
      ok(!off.owns(url))
    }
    equal((await off.openapi()).info.title, 'Shop')
  })

  test('are linked relative to each other, so that they hold below a mount', async () => {
    const { body } = await ask(api, '/docs/apispec.json', { baseUrl: '/v1' })
    equal(body.servers, [{ url: '../' }])
    match((await ask(api, '/docs', { baseUrl: '/v1', asset })).body, 'src="./docs/redoc.js"')
  })

  test('allow the logo in their Content-Security-Policy', async () => {
    const logo = served({ API_LOGO_URL: 'https://img.example.org/a.svg' })
    const { headers } = await ask(logo, '/docs', { asset })
    match(headers['content-security-policy'] ?? '', "img-src 'self' data: https://img.example.org;")
  })

  test('need authentication if it is configured', async () => {
    const guarded = served({
      API_DOCUMENTATION_REQUIRE_AUTH: true,
      API_AUTHENTICATE_METHOD: ['custom'],
      API_CUSTOM_AUTH: ({ headers }) => headers?.['x-key'] === 'right',
    })
    for (const url of ['/docs', '/docs/apispec.json', '/openapi.json', '/docs/redoc.js']) {
      equal((await ask(guarded, url, { asset })).status, 401, url)
      const let_in = await ask(guarded, url, { asset, headers: { 'x-key': 'right' } })
      equal([let_in.status, let_in.headers['cache-control']], [200, 'private, no-cache'], url)
    }
  })

  test('cannot need authentication without a strategy, nor use the path of a resource', () => {
    throws(
      () => served({ API_DOCUMENTATION_REQUIRE_AUTH: true }),
      /config\.API_DOCUMENTATION_REQUIRE_AUTH: .*API_AUTHENTICATE_METHOD/,
    )
    throws(
      () => served({ API_DOCUMENTATION_URL: '/api/books' }),
      /config\.API_DOCUMENTATION_URL: "\/api\/books" is already/,
    )
    throws(
      () => served({ API_DOCS_SPEC_ROUTE: '/docs' }),
      /config\.API_DOCS_SPEC_ROUTE: "\/docs" is already/,
    )
  })
})

const localOnly = (seen: Visit, url: string): void => {
  equal(seen.errors, [])
  const away = seen.requests.filter((one) => !one.startsWith(url) && !one.startsWith('data:'))
  equal(away, [], 'no request leaves the machine')
}

if (chromiumPath() === undefined) {
  notRun('the documentation page in a browser', 'no chromium; its path can be in CHROMIUM')
} else {
  suite('the documentation page in a browser', (test) => {
    test('is rendered by Redoc, without an error and without requests to other hosts', async () => {
      const server = createServer(served())
      const url = await server.listen(0)
      try {
        const seen = await visit(`${url}/docs`, `document.body.innerText.includes('/api/books')`)
        equal(seen.title, 'Shop')
        localOnly(seen, url)
        for (const { name, meta } of shop) equal(seen.text.includes(name), meta !== undefined, name)
        match(seen.text, '/api/authors')
        keep('redoc', seen)
      } finally {
        await server.close()
      }
    })

    test('has common parameters before the filters, which are collapsed and grouped by column', async () => {
      const api = served()
      const server = createServer(api)
      const url = await server.listen(0)
      try {
        const operation = pressed(`text === '/api/books'`)
        const ready = `document.body.innerText.includes('order_by')`
        const folded = await visit(`${url}/docs`, `${operation} && ${ready}`)
        const query = folded.text.slice(folded.text.indexOf('\nQuery\n'))
        const names = [
          'page',
          'limit',
          'order_by',
          'fields',
          'join',
          'dump',
          'filters',
          'conditions',
        ]
        const places = names.map((name) => query.indexOf(`\n${name}\n`))
        ok(!places.includes(-1), `${places}`)
        equal(
          places,
          places.toSorted((a, b) => a - b),
        )
        ok(!/__(eq|ge|isnull)\n/.test(query), 'filters are folded')
        // The members in the order in which Redoc expands them.
        const { parameters = {}, schemas = {} }: Anything = (await api.openapi()).components
        const columns = parameters['Book.filters'].schema.allOf.map(({ $ref }: Anything) =>
          Object.keys(schemas[$ref.split('/').at(-1)].properties).map((one) => one.split('__')[0]),
        )
        const shown = /\nfilters\n[\s\S]{1,200}Show (\d+) properties/.exec(query)?.[1]
        equal(shown, `${columns.flat().length}`)
        for (const names of columns) equal(new Set(names).size, 1, `${names}`)
        equal(new Set(columns.map(([first]: string[]) => first)).size, columns.length)
        keep('filters', folded)
      } finally {
        await server.close()
      }
    })

    test('is a list without Redoc', async () => {
      const api = served()
      const answer: Api['answer'] = (request) =>
        api.answer({ ...request, asset: async () => undefined })
      const server = createServer({ ...api, answer })
      const url = await server.listen(0)
      try {
        const styled = `getComputedStyle(document.querySelector('.method')).borderStyle === 'solid'`
        const seen = await visit(`${url}/docs`, styled)
        localOnly(seen, url)
        match(seen.text, 'List books')
        keep('list', seen)
      } finally {
        await server.close()
      }
    })
  })

  suite('the pages of the index and of records in a browser', (test) => {
    test('have a box that finds resources if they are many, below the examples', async () => {
      const [db] = everyDatabase()
      if (db === undefined) return fail('no database')
      const columns = { id: { type: 'integer', primaryKey: true } } as const
      const names = Array.from('ABCDEFGHIJKLMNO', (letter) => `${letter}${letter.toLowerCase()}x`)
      const models = names.map((name) => defineModel(name, { columns, meta: {} }))
      const server = createServer(createApi({ db: db.kysely, models, onWarning: () => {} }))
      const url = await server.listen(0)
      try {
        const typed = `(() => {
          const box = document.querySelector('input:not([hidden])')
          if (box === null) return false
          box.value = 'CCX '
          box.dispatchEvent(new Event('input'))
          return true
        })()`
        const seen = await visit(url, typed)
        localOnly(seen, url)
        const [examples = '', resources = ''] = seen.text.split('What is served')
        match(examples, 'Worth trying')
        match(resources, 'Ccx')
        ok(!resources.includes('Ddx'), resources)
        keep('index-search', seen)
      } finally {
        await server.close()
      }
    })

    test('are styled, without an error and without requests to other hosts', async () => {
      const server = createServer(served())
      const url = await server.listen(0)
      try {
        const style = `getComputedStyle(document.querySelector('header')).display === 'flex'`
        const index = await visit(url, style)
        equal([index.title, index.requests], ['Shop', [`${url}/`]])
        localOnly(index, url)
        match(index.text, 'Worth trying')
        keep('index', index)
      } finally {
        await server.close()
      }
    })
  })
}

/** An expression of the page: clicks the first element with such a text once; true afterwards. */
const pressed = (condition: string): string =>
  `(window.pressed ||= [...document.querySelectorAll('*')].filter((one) => {
    const text = one.textContent.trim()
    return one.children.length === 0 && (${condition})
  }).slice(0, 1).map((one) => one.click()).length > 0)`

/** Saves a screenshot in the folder SCREENSHOTS, if it is set. */
function keep(name: string, { screenshot }: Visit): void {
  const folder = process.env.SCREENSHOTS
  if (folder !== undefined) writeFileSync(`${folder}/docs-${name}.png`, screenshot)
}
