/** Attacks on the pages for browsers: markup in names, values, query strings and mounts, and callbacks that remove values. */
import {
  type Api,
  type ApiConfig,
  apiError,
  belongsTo,
  defineModel,
  hasMany,
  max,
} from '@model-api/core'
import { testApi } from '../support/api.ts'
import { equal, match, ok } from '../support/assert.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const markup = `"><img src=x onerror=alert(1)>'</td></div><script>alert(2)</script><!--`

const Card = defineModel('Card', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    text: { type: 'string', maxLength: 200, nullable: true },
    link: { type: 'string', maxLength: 200, nullable: true },
    secret: { type: 'string', maxLength: 40, hidden: true },
    data: { type: 'json', nullable: true },
    box_code: { type: 'string', maxLength: 120, nullable: true },
  },
  relations: { box: belongsTo('Box', 'box_code') },
  meta: { description: markup },
})

const Box = defineModel('Box', {
  columns: { code: { type: 'string', maxLength: 120, primaryKey: true } },
  relations: { cards: hasMany('Card', 'box_code') },
  aggregates: { last_text: max('cards.text') },
  meta: {},
})

const models = [Card, Box]

async function page(api: Api, url: string, baseUrl?: string, expected = 200): Promise<string> {
  const { status, headers, text } = await api.answer({
    method: 'GET',
    url,
    headers: { accept: 'text/html' },
    ...(baseUrl === undefined ? {} : { baseUrl }),
  })
  equal([status, headers['content-type']], [expected, 'text/html; charset=utf-8'], url)
  const policy = headers['content-security-policy'] ?? ''
  const hash = "'sha256-[A-Za-z0-9+/]{43}='"
  match(
    policy,
    new RegExp(`^default-src 'none'; style-src ${hash}; script-src ${hash}; img-src data:;`),
  )
  match(policy, "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
  return text ?? ''
}

/** The elements and attributes of our own pages; anything else came from text. */
const allowed =
  /^<(?:!doctype html|\/?(?:html|head|body|main|header|title|style|h1|h2|p|ol|li|br|code|pre|small|table|thead|tbody|tr|th|td|div|details|summary|span)|html lang="en"|meta [^<>]*|link rel="icon" href="data:,"|a (?:class="title" |rel="(?:next|prev)" )?href="[^"<>]*"|\/a|(?:span|p|div|th|td) class="[a-z ]+")>$/

/** Fails if a page has an element that our templates do not. */
function harmless(html: string): void {
  const strange = (html.match(/<[^>]*>?/g) ?? []).filter((tag) => !allowed.test(tag))
  equal(strange, [])
  const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, url = '']) => url)
  const away = links.filter((url) => url !== 'data:,' && !/^\/(?!\/)/.test(url))
  equal(away, [])
}

eachDatabase('pages', (test, db) => {
  test.before(async () => {
    await createTables(db, models)
    await insertRows(db, Box, [{ code: markup }, { code: '//evil.example/x' }])
    await insertRows(db, Card, [
      {
        id: 1,
        text: markup,
        link: 'javascript:alert(3)',
        secret: 'the-secret',
        data: { [markup]: [markup] },
        box_code: markup,
      },
      { id: 2, text: null, link: 'https://evil.example', secret: 's', data: null, box_code: null },
    ])
  })
  const config: ApiConfig = {
    API_TITLE: markup,
    API_VERSION: markup,
    API_DESCRIPTION: markup,
    API_ALLOW_JOIN: true,
    API_ALLOW_GROUPBY: true,
    API_ALLOW_AGGREGATION: true,
    API_ADDITIONAL_QUERY_PARAMS: ['host'],
  }

  test('contain stored and configured markup as text only', async () => {
    const api = testApi(db, models, config)
    const urls = ['/api', '/', '/api/cards', '/api/cards/1', '/api/cards?dump=json', '/api/boxes']
    for (const url of urls) {
      const html = await page(api, url)
      harmless(html)
      match(html, '&lt;script&gt;alert(2)')
      // A declared aggregate is such a text, too.
      if (url === '/api/boxes') match(html, '<th>last_text</th>')
      ok(!html.includes('the-secret'), url)
    }
  })

  test('of lists show the beginning of a long text, never half a character, and say how long it is', async () => {
    const api = testApi(db, models, config)
    const text = `${'x'.repeat(159)}😀<b>`
    await insertRows(db, Card, [
      { id: 3, text, secret: 's', data: { a: 'y'.repeat(300) } },
      { id: 4, text: 'x'.repeat(160), secret: 's' },
      { id: 5, text: '1\n2\n3\n4', secret: 's' },
    ])
    const html = await page(api, '/api/cards?id__ge=3&order_by=id')
    harmless(html)
    const [table = ''] = html.split('<details>')
    match(table, `>${'x'.repeat(159)}… <small>(163 characters)</small><`)
    match(table, `>${'x'.repeat(160)}</div>`)
    match(table, '>1\n2\n3… <small>(7 characters)</small><')
    match(table, `y… <small>(308 characters)</small></code>`)
    match(await page(api, '/api/cards/3'), `<div>${text.replace('<b>', '&lt;b&gt;')}</div>`)
  })

  test('contain the query as text only, in the heading and in links', async () => {
    const api = testApi(db, models, config)
    const raw = markup.replaceAll('#', '')
    for (const url of [
      `/api/cards?host=${raw}&limit=1`,
      `/api/cards?text__ne=x${raw}&limit=1`,
      `/api/cards?limit=1&host="onmouseover="alert(1)`,
      `/api/cards?groupby=link&id|n__count=1&limit=1&host=<b>`,
    ]) {
      harmless(await page(api, url))
    }
  })

  test('of errors contain the query, the path and the reason of a host as text only', async () => {
    const api = testApi(db, models, {
      ...config,
      API_FILTER_CALLBACK: (query, _model, params) => {
        if (params.host === 'refused') throw apiError(409, markup, markup)
        return query
      },
    })
    const urls: readonly [string, number][] = [
      [`/api/cards?${markup}=1`, 400],
      [`/api/cards?text__eqq=${markup}`, 400],
      [`/api/cards/${markup.replaceAll('/', '')}`, 404],
      [`/api/${markup.replaceAll('/', '')}`, 404],
      ['/api/cards?host=refused', 409],
    ]
    for (const [url, status] of urls) harmless(await page(api, url, undefined, status))
  })

  test('link only to addresses of the API, whatever records and callbacks say', async () => {
    const config: ApiConfig = {
      API_DUMP_CALLBACK: (data) => ({ ...data, box: data.link, cards: '//evil', id: '//evil' }),
    }
    const html = await page(testApi(db, models, config), '/api/cards')
    harmless(html)
    match(html, 'javascript:alert(3)')
  })

  test('contain the mount as text only', async () => {
    const api = testApi(db, models, config)
    harmless(await page(api, '/api/cards', '/"><script>alert(4)</script>'))
  })

  test('show what the final callback returns', async () => {
    const api = testApi(db, models, {
      API_FINAL_CALLBACK: () => ({ value: [{ id: 7 }], next_url: 'https://evil.example' }),
    })
    for (const url of ['/api/cards', '/api']) {
      const html = await page(api, url)
      harmless(html)
      ok(!/Box|javascript|href="[^"]*evil/.test(html), html)
    }
    const replaced = testApi(db, models, { API_FINAL_CALLBACK: () => 'gone' })
    ok(!(await page(replaced, '/api/cards')).includes('alert'))
  })

  test('tell nothing of a column that the caller may not read, not even its type', async () => {
    const withheld = { ...Card.columns, secret: { type: 'integer', read: 'boss' } } as const
    const api = testApi(db, [defineModel('Card', { ...Card, columns: withheld } as never), Box], {
      ...config,
      API_AUTH_REQUIREMENTS: { ALL: false },
      API_DUMP_CALLBACK: (data) => ({ ...data, secret: 'a text of the host' }),
    })
    match(await page(api, '/api/cards?fields=id'), '<th>secret</th>')
  })

  test('grow in proportion to stored JSON, however deep', async () => {
    const depth = 2000
    const deep = JSON.parse('['.repeat(depth) + ']'.repeat(depth))
    const api = testApi(db, models, {
      API_DUMP_CALLBACK: (data) => ({ ...data, data: deep }),
      API_SERIALIZATION_DEPTH: 0,
    })
    const html = await page(api, '/api/cards/1')
    ok(html.length < 400_000, String(html.length))
  })
})
