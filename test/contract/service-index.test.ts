/** The index and the HTML pages: what they show to each caller, that every link and example works, and when a response is a page. */
import { type ApiConfig, belongsTo, count, defineModel, hasMany, max } from '@model-api/core'
import { get, send, testApi } from '../support/api.ts'
import { equal, match, ok } from '../support/assert.ts'
import { withMeta } from '../support/expect.ts'
import { createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const open: ApiConfig = {
  API_TITLE: 'Shop',
  API_ALLOW_JOIN: true,
  API_ALLOW_GROUPBY: true,
  API_ALLOW_AGGREGATION: true,
}

// biome-ignore lint/suspicious/noExplicitAny: tests look where they expect something
const namesIn = (value: any): string[] => value.resources.map(({ name }: { name: string }) => name)

/** The targets of the links of a page. */
const linksIn = (html: string): string[] =>
  [...html.matchAll(/ href="([^"]*)"/g)]
    .map(([, url = '']) => url.replaceAll('&amp;', '&'))
    .filter((url) => url !== 'data:,')

/** The URL to which a link on a page leads, as browsers resolve it. */
function followedFrom(page: string, link: string): string {
  const { pathname, search } = new URL(link, `http://localhost${page}`)
  return pathname + search
}

eachDatabase('the index', (test, db) => {
  test.before(() => createShop(db))

  test('names what is published, with URL, methods and the documentation', async () => {
    const { status, value, total } = await get(testApi(db, shop, open), '/api')
    equal([status, total], [200, 1])
    equal(namesIn(value), ['Author', 'Profile', 'Book', 'Tag', 'OrderLine'])
    equal(value.resources[4], {
      name: 'OrderLine',
      url: '/api/order-lines',
      description: null,
      size: null,
      methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    })
    equal(
      [value.title, value.documentation, value.openapi],
      ['Shop', '/docs', '/docs/apispec.json'],
    )
  })

  test('omits a model whose URLs are left to the host, and names the endpoint that is served', async () => {
    const meta = { register_canonical_routes: false }
    const own = testApi(db, withMeta(shop, 'Tag', meta), open)
    equal(namesIn((await get(own, '/api')).value), ['Author', 'Profile', 'Book', 'OrderLine'])
    const moved = testApi(db, withMeta(shop, 'Tag', { ...meta, endpoint: 'v1/topics' }), open)
    equal((await get(moved, '/api')).value.resources[3].url, '/api/v1/topics')
  })

  test('shows the size that a model states, without a column of sizes if none does', async () => {
    const api = testApi(db, withMeta(shop, 'Tag', { size: 'about 40 <rows>' }), open)
    const { value } = await get(api, '/api')
    const sizes = value.resources.map(({ size }: { size: string | null }) => size)
    equal(sizes, [null, null, null, 'about 40 <rows>', null])
    const page = async (of: typeof api) =>
      (await of.answer({ method: 'GET', url: '/api', headers: { accept: browser } })).text ?? ''
    match(await page(api), '<td class="meta">about 40 &lt;rows&gt;</td>')
    ok(!(await page(testApi(db, shop, open))).includes('<td class="meta">'))
  })

  test('gives five example requests, each of which succeeds, whatever is allowed', async () => {
    const settings: readonly ApiConfig[] = [
      open,
      {},
      { API_ALLOW_FILTERS: false, API_ALLOW_ORDER_BY: false },
      { API_ADD_RELATIONS: false, API_COUNT: 'none' },
      { API_SERIALIZATION_DEPTH: 0, API_ALLOW_SELECT_FIELDS: false },
    ]
    for (const config of settings) {
      const api = testApi(db, shop, config)
      const { value } = await get(api, '/api')
      equal(value.examples.length, 5, JSON.stringify(config))
      for (const { url } of value.examples) {
        equal((await get(api, url)).status, 200, url)
        // Only characters that need no escaping in a URL.
        match(url, /^[\w.~!$&'()*+,;=:@/?%-]+$/)
      }
    }
  })

  test('is also at the root if the request reaches the API, but adapters leave the root to the host', async () => {
    const api = testApi(db, shop, open)
    const { status, body } = await api.handle({ method: 'GET', url: '/' })
    equal([status, body?.value], [200, (await get(api, '/api')).value])
    equal([api.owns('/'), api.owns('/api')], [false, true])
    const moved = testApi(db, shop, { API_PREFIX: '/shop/v2' })
    equal((await get(moved, '/shop/v2')).value.resources[0].url, '/shop/v2/authors')
    equal((await get(moved, '/api')).status, 404)
  })

  test('allows only GET, and counts against the rate limit', async () => {
    const api = testApi(db, shop, { API_RATE_LIMIT: '2 per minute' })
    for (const method of ['POST', 'PATCH', 'DELETE', 'QUERY']) {
      const { status, headers } = await send(api, method, '/api')
      equal([status, headers.allow], [405, 'GET, HEAD, OPTIONS'], method)
    }
    equal((await send(api, 'OPTIONS', '/api')).status, 204)
    const asked = [await get(api, '/api'), await get(api, '/api'), await get(api, '/api')]
    equal(
      asked.map(({ status }) => status),
      [200, 200, 429],
    )
  })

  test('is a page for browsers, at the prefix and at the root, and all of its links work', async () => {
    const api = testApi(db, shop, open)
    for (const url of ['/api', '/', '/%61pi']) {
      const page = await api.answer({ method: 'GET', url, headers: { accept: browser } })
      equal([page.status, page.headers['content-type']], [200, 'text/html; charset=utf-8'], url)
      const links = linksIn(page.text ?? '')
      ok(links.length > 12, String(links.length))
      for (const link of links) {
        const followed = await api.answer({
          method: 'GET',
          url: link,
          headers: { accept: browser },
        })
        equal(followed.status, 200, link)
      }
    }
  })

  test('of a list shows its records, and all links of its pages work', async () => {
    const api = testApi(db, shop, open)
    const seen = new Set<string>(['/api'])
    for (const url of seen) {
      const { status, headers, text } = await api.answer({
        method: 'GET',
        url,
        headers: { accept: browser },
      })
      // A to-one relation without a record is 404, which is also a page.
      equal(status, status === 404 && url.endsWith('/profile') ? 404 : 200, url)
      if (headers['content-type']?.startsWith('text/html')) {
        for (const link of linksIn(text ?? '')) seen.add(followedFrom(url, link))
      }
    }
    ok(seen.has('/api/books/1/author'), 'relations are links')
    ok(seen.has('/api/order-lines/A%2CB,1'), 'records of composite keys are links')
    ok(seen.size > 60, String(seen.size))
  })

  test('of a record whose key is no segment of a URL has no link', async () => {
    const Region = defineModel('Region', {
      columns: { name: { type: 'string', primaryKey: true, maxLength: 20 } },
      meta: {},
    })
    await createTables(db, [Region])
    const keys = ['', '.', '..', 'a/b']
    await insertRows(
      db,
      Region,
      keys.map((name) => ({ name })),
    )
    const api = testApi(db, [Region], {})
    const { text } = await api.answer({
      method: 'GET',
      url: '/api/regions',
      headers: { accept: browser },
    })
    const links = linksIn(text ?? '').filter((link) => link.startsWith('/api/regions/'))
    equal(links, ['/api/regions/a%2Fb'])
  })

  test('of a list aligns numbers to the right, also those of aggregates', async () => {
    const api = testApi(db, shop, open)
    const url = '/api/books?groupby=in_stock&id|many__count=1&price|mean__avg=1&title__min=1'
    const { text = '' } = await api.answer({ method: 'GET', url, headers: { accept: browser } })
    const heads = [...text.matchAll(/<th( class="number")?>(\w+)<\/th>/g)]
    const right = heads.map(([, aligned, name]) => [name, aligned !== undefined])
    equal(Object.fromEntries(right), {
      in_stock: false,
      many: true,
      mean: true,
      title_min: false,
    })
  })

  test('of lists and records show declared aggregates as the columns they are', async () => {
    const declaring = shop.map((model) =>
      model.name === 'Author'
        ? {
            ...model,
            aggregates: {
              book_count: count('books'),
              dearest: max('books.price'),
              last_title: max('books.title'),
              unsent: count('books', {}, { sent: false }),
            },
          }
        : model,
    )
    const api = testApi(db, declaring, open)
    const pageOf = async (url: string) => {
      const { text = '' } = await api.answer({ method: 'GET', url, headers: { accept: browser } })
      return text.split('<details>')[0] ?? ''
    }
    const list = await pageOf('/api/authors?id__eq=3')
    const heads = [...list.matchAll(/<th( class="number")?>(\w+)<\/th>/g)]
    const right = Object.fromEntries(
      heads.map(([, aligned, name]) => [name, aligned !== undefined]),
    )
    equal(
      [right.book_count, right.dearest, right.last_title, 'unsent' in right],
      [true, true, false, false],
    )
    for (const value of ['2', '20.00', 'Robots']) match(list, `>${value}</`)
    const record = await pageOf('/api/authors/3')
    match(record, '<tr><th>book_count</th><td><div>2</div></td></tr>')
    match(record, '<tr><th>last_title</th><td><div>Robots</div></td></tr>')
    match(await pageOf('/api/authors/3?fields=unsent'), '<tr><th>unsent</th><td><div>2</div>')
  })
})

eachDatabase('the form of a response', (test, db) => {
  test.before(() => createShop(db))
  const typeOf = async (accept: string | undefined, config: ApiConfig = {}, env = {}) => {
    const api = testApi(db, shop, config, { env })
    const headers = accept === undefined ? {} : { accept }
    const { headers: sent } = await api.answer({ method: 'GET', url: '/api/books', headers })
    return [sent['content-type']?.split(';')[0], sent.vary]
  }
  const html = ['text/html', 'Accept']
  const json = ['application/json', 'Accept']

  test('is a page if Accept prefers it, and JSON for every other client', async () => {
    for (const accept of [
      browser,
      'text/html',
      'TEXT/HTML;q=0.5',
      'application/json;q=0.1,text/html',
    ]) {
      equal(await typeOf(accept), html, accept)
    }
    const others = [
      undefined,
      '*/*',
      'application/json',
      'text/*',
      'text/html;q=0',
      'text/html, application/json',
      'application/json, text/plain, */*',
      'text/html;q=0.5, application/json;q=0.9',
      'text/htmlx',
      'text/html;q=x, application/json',
      '',
    ]
    for (const accept of others) equal(await typeOf(accept), json, String(accept))
  })

  test('is JSON in production and in an unknown environment, unless a setting enables pages', async () => {
    const production = { NODE_ENV: 'production' }
    equal(await typeOf(browser, {}, production), ['application/json', undefined])
    equal(await typeOf(browser, { API_HTML_PAGES: true }, production), html)
    equal(await typeOf(browser, { API_HTML_PAGES: false }), ['application/json', undefined])
    equal(await typeOf(browser, {}, { NODE_ENV: 'development' }), html)
  })

  test('of an error is a page with its reason, for resources and for unknown paths, with a way back', async () => {
    const api = testApi(db, shop)
    const pageOf = (url: string, config: ApiConfig = {}, accept = browser) =>
      testApi(db, shop, config).answer({ method: 'GET', url, headers: { accept } })
    const failed = await pageOf('/api/books?titel__eq=1&limit=2')
    equal(
      [failed.status, failed.headers['content-type'], failed.headers.vary],
      [400, 'text/html; charset=utf-8', 'Accept'],
    )
    match(failed.headers['content-security-policy'] ?? '', "default-src 'none'")
    match(failed.text ?? '', '<h1>400 <small>Bad Request</small></h1>')
    match(failed.text ?? '', 'Did you mean &quot;title&quot;?')
    match(failed.text ?? '', '<code>titel__eq=1</code>')
    equal(linksIn(failed.text ?? '').slice(0, 2), ['/api', '/docs'])
    const unknown = await pageOf('/api/boks')
    equal([unknown.status, unknown.headers['content-type']], [404, 'text/html; charset=utf-8'])
    match(unknown.text ?? '', 'Did you mean &quot;/api/books&quot;?')
    const { body } = await api.handle({
      method: 'GET',
      url: '/api/boks',
      headers: { accept: browser },
    })
    match(String(body), '<h1>404 <small>Not Found</small></h1>')
    for (const json of [
      pageOf('/api/boks', { API_HTML_PAGES: false }),
      pageOf('/api/boks', {}, 'text/html, application/json'),
      pageOf('/api/boks', {}, `application/problem+json, ${browser}`),
    ]) {
      match((await json).headers['content-type'] ?? '', /^application\/(?:problem\+)?json/)
    }
  })

  test('of an error shows what the final callback has returned', async () => {
    const answers: readonly [unknown, string][] = [
      [{ errors: { error: 'Sorry', reason: 5 } }, '<h1>400 <small>Sorry</small></h1>'],
      ['hidden', '<h1>400 <small></small></h1>'],
      [{ errors: null }, '<h1>400 <small></small></h1>'],
    ]
    for (const [body, heading] of answers) {
      const api = testApi(db, shop, { API_FINAL_CALLBACK: () => body as never })
      const url = '/api/books?titel=1'
      const { text = '' } = await api.answer({ method: 'GET', url, headers: { accept: browser } })
      match(text, heading)
      ok(!text.includes('titel'), text)
    }
  })

  test('of a write and of QUERY is JSON', async () => {
    const api = testApi(db, shop)
    const headers = { accept: browser }
    const created = await send(api, 'POST', '/api/books', { headers, body: {} })
    equal([created.status, created.errors.error], [400, 'Validation failed'])
    const asked = await send(api, 'QUERY', '/api/tags', {
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'limit=1',
    })
    equal([asked.status, asked.total], [200, 3])
  })

  test('decides about the ETag: a page has none, and is sent to a client with the ETag of the JSON', async () => {
    const api = testApi(db, shop)
    const { headers } = await get(api, '/api/books/1')
    const request = { accept: browser, 'if-none-match': headers.etag ?? '' }
    const page = await api.answer({ method: 'GET', url: '/api/books/1', headers: request })
    equal([page.status, page.headers.etag], [200, undefined])
    match(page.text ?? '', '<h1>Book')
    equal((await get(api, '/api/books/1', { 'if-none-match': headers.etag ?? '' })).status, 304)
  })

  test('applies to handle and HEAD: the page is a string, and has its headers', async () => {
    const api = testApi(db, shop)
    const request = { url: '/api/books/1', headers: { accept: browser } }
    const { body } = await api.handle({ method: 'GET', ...request })
    match(String(body), '<!doctype html>')
    const head = await api.answer({ method: 'HEAD', ...request })
    equal([head.status, head.headers['content-type']], [200, 'text/html; charset=utf-8'])
  })
})

// ---------------------------------------------------------------- callers

const Owner = defineModel('Owner', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 40 },
    codename: { type: 'string', maxLength: 40, read: 'admin' },
  },
  relations: { letters: hasMany('Letter', 'owner_id') },
  meta: {},
})

const Letter = defineModel('Letter', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    seal: { type: 'string', maxLength: 40, read: ({ user }) => user !== null },
    owner_id: { type: 'integer' },
  },
  relations: { owner: belongsTo('Owner', 'owner_id') },
  meta: { auth_requirements: { '*': true } },
})

const Ledger = defineModel('Ledger', {
  columns: { id: { type: 'integer', primaryKey: true }, sum: { type: 'integer' } },
  meta: { role_map: { '*': 'admin' } },
})

const Refused = defineModel('Refused', {
  columns: { id: { type: 'integer', primaryKey: true } },
  meta: { access_policy: { scope_query: (query, { user }) => (user === null ? false : query) } },
})

const Broken = defineModel('Broken', {
  columns: { id: { type: 'integer', primaryKey: true } },
  meta: {
    access_policy: {
      scope_query: () => {
        throw new Error('broken')
      },
    },
  },
})

const WriteOnly = defineModel('Feedback', {
  columns: { id: { type: 'integer', primaryKey: true, generated: true } },
  meta: { allowed_methods: ['POST'] },
})

const Unpublished = defineModel('Diary', {
  columns: { id: { type: 'integer', primaryKey: true } },
})

const guarded = [Owner, Letter, Ledger, Refused, Broken, WriteOnly, Unpublished]

const users: Readonly<Record<string, unknown>> = {
  ann: { id: 1, roles: ['admin'] },
  bob: { id: 2, roles: [] },
}

eachDatabase('the index for a caller', (test, db) => {
  test.before(() => createTables(db, guarded))
  const errors: unknown[] = []
  const api = () =>
    testApi(
      db,
      guarded,
      {
        API_AUTHENTICATE_METHOD: ['custom'],
        API_CUSTOM_AUTH: ({ headers }) => users[String(headers?.['x-user'])] ?? false,
        API_AUTH_REQUIREMENTS: { '*': false },
        API_DOCUMENTATION_REQUIRE_AUTH: true,
        API_ROLE_MAP: { DELETE: 'admin' },
      },
      { onError: (error) => errors.push(error) },
    )
  const indexFor = async (user?: string) =>
    (await get(api(), '/api', user === undefined ? {} : { 'x-user': user })).value

  test('names what requirements, roles and policies let it list, and no more', async () => {
    equal(namesIn(await indexFor()), ['Owner'])
    equal(namesIn(await indexFor('bob')), ['Owner', 'Letter', 'Refused'])
    equal(namesIn(await indexFor('ann')), ['Owner', 'Letter', 'Ledger', 'Refused'])
    ok(errors.length > 0, 'a broken policy is reported')
  })

  test('names the methods that its roles allow, and the documentation it may read', async () => {
    const [anonymous, bob, ann] = [await indexFor(), await indexFor('bob'), await indexFor('ann')]
    equal(bob.resources[0].methods, ['GET', 'POST', 'PATCH'])
    equal(ann.resources[0].methods, ['GET', 'POST', 'PATCH', 'DELETE'])
    equal([anonymous.documentation, anonymous.openapi], [null, null])
    equal(bob.documentation, '/docs')
  })

  test('gives examples that succeed for this caller, without columns that a rule withholds', async () => {
    for (const user of [undefined, 'bob', 'ann']) {
      const headers = user === undefined ? {} : { 'x-user': user }
      const { examples } = await indexFor(user)
      for (const { url } of examples) equal((await get(api(), url, headers)).status, 200, url)
      ok(!/codename|seal|diary/i.test(JSON.stringify(examples)), JSON.stringify(examples))
      if (user === undefined) ok(!/letter|refused/i.test(JSON.stringify(examples)))
    }
  })

  test('lists the same on its page', async () => {
    const { text } = await api().answer({
      method: 'GET',
      url: '/api',
      headers: { accept: browser },
    })
    match(text ?? '', '>Owner<')
    ok(!/Letter|Ledger|Refused|Broken|Feedback|Diary|codename|href="\/docs"/.test(text ?? ''))
  })
})
