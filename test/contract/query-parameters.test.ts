/** Query parameters of a collection and the parsing of query strings, following the specification sentence by sentence. */
import { get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { column, read, refuses, succeeds, withMeta } from '../support/expect.ts'
import { createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

const on = { API_ALLOW_JOIN: true, API_ALLOW_GROUPBY: true, API_ALLOW_AGGREGATION: true }

eachDatabase('contract: fields', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop, on)

  test('exactly these columns, in the requested order, and no relations', async () => {
    const [book] = await read(api, '/api/books?fields=title,id')
    equal(Object.entries(book), [
      ['title', 'Arrows'],
      ['id', 1],
    ])
    equal(Object.keys(await read(api, '/api/books/1?fields=price&dump=url')), ['price'])
  })

  test('exclude a dump that embeds relations, unless it is the default', async () => {
    for (const query of ['fields=price', 'groupby=price&id__count=1', 'id__count=1']) {
      for (const dump of ['json', 'hybrid', 'dynamic']) {
        await refuses(api, `/api/books?${query}&dump=${dump}`, {
          at: `dump=${dump}`,
          says: ['together with fields, groupby or aggregates'],
        })
      }
      await succeeds(api, `/api/books?${query}&dump=url`)
    }
    const embedding = testApi(db, shop, { ...on, API_SERIALIZATION_TYPE: 'json' })
    await succeeds(embedding, '/api/books?fields=price&dump=json')
  })

  test('may repeat, and a column twice is one member', async () => {
    equal(await read(api, '/api/books?fields=id&fields=title,id&limit=1'), [
      { id: 1, title: 'Arrows' },
    ])
    for (const fields of ['id,title,id', 'id,books.title,title,books.id']) {
      const { text } = await succeeds(api, `/api/books?fields=${fields}&limit=1`)
      equal(text.includes('"value":[{"id":1,"title":"Arrows"}]'), true, text)
    }
  })

  test('joined ones as table.column; keys are column names', async () => {
    equal(await read(api, '/api/books?join=author&fields=title,author.name&limit=1'), [
      { title: 'Arrows', name: 'Ann Archer' },
    ])
  })

  test('where two names would collide, the keys are the client’s text', async () => {
    equal(await read(api, '/api/books?join=author,tags&fields=id,author.name,tags.name&limit=1'), [
      { id: 1, 'author.name': 'Ann Archer', 'tags.name': 'classic' },
    ])
    equal(await read(api, '/api/books?join=author&fields=books.id,authors.id&limit=1'), [
      { 'books.id': 1, 'authors.id': 1 },
    ])
  })

  test('rows are joined rows, total_count counts them, and their order ends with the key of every to-many join', async () => {
    const url = '/api/books?join=tags,order_lines&fields=id,tags.id,order_lines.order_no'
    const { value, total } = await succeeds(api, url)
    equal(total, 4)
    equal(
      value.map((row: Record<string, unknown>) => Object.values(row)),
      [
        [1, 1, '2024/001'],
        [1, 1, 'A,B'],
        [3, 1, '2024/001'],
        [3, 3, '2024/001'],
      ],
    )
    const pages = []
    for (let page = 1; page <= 4; page++)
      pages.push(...(await read(api, `${url}&limit=1&page=${page}`)))
    equal(pages, value)
  })

  test('unknown columns are named', async () => {
    await refuses(api, '/api/books?fields=id,titel', { says: ['"titel"', '"title"'], at: 'titel' })
    await refuses(api, '/api/books?fields=', { says: ['empty'] })
    const says = ['It is a relation: its columns are written "author.<column>".']
    await refuses(api, '/api/books?fields=author', { code: 'unknown_column', says })
    await refuses(api, '/api/books?fields=**')
  })

  test('a to-many column on a single object is refused because it has many values', async () => {
    await refuses(api, '/api/books/1?join=tags&fields=id,tags.name', {
      says: ['tags.name', 'many values'],
    })
  })

  test('API_ALLOW_SELECT_FIELDS false refuses them', async () => {
    const off = testApi(db, withMeta(shop, 'Book', { allow_select_fields: false }), on)
    await refuses(off, '/api/books?fields=id', { says: ['API_ALLOW_SELECT_FIELDS'] })
    await refuses(off, '/api/books/1?fields=id')
    await refuses(off, '/api/books?groupby=format,id|n__count=1&fields=n')
    equal(await column(off, '/api/tags?fields=id'), [1, 2, 3])
  })
})

eachDatabase('contract: reading a query', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop, on)

  test('parameters are exact names', async () => {
    for (const name of ['Page', 'LIMIT', 'order-by', 'sort', 'offset', 'filter', 'q']) {
      await refuses(api, `/api/books?${name}=1`, {
        says: [`"${name}"`],
        at: `${name}=1`,
        code: 'unknown_parameter',
      })
    }
  })

  test('the error for an unknown parameter suggests the nearest name', async () => {
    await refuses(api, '/api/books?limt=1', { says: ['Did you mean "limit"?'] })
    await refuses(api, '/api/books?dmp=json', { says: ['"dump"'] })
    await refuses(api, '/api/books?title=Robots', { says: ['title__eq=Robots'] })
  })

  test('the error for an invalid value of a parameter lists the valid ones and suggests the nearest', async () => {
    for (const [pair, expected, meant] of [
      ['dump=jsno', 'one of url, json, dynamic, hybrid', 'json'],
      ['count=exat', 'one of exact, capped, none', 'exact'],
      ['paging=cursr', 'cursor or page', 'cursor'],
    ] as const) {
      const [name = '', value = ''] = pair.split('=')
      await refuses(api, `/api/books?${pair}`, {
        says: [
          `"${value}" is not a value of "${name}": expected ${expected}. Did you mean "${meant}"?`,
        ],
        at: pair,
      })
      await refuses(api, `/api/books?${name}=`, { says: [`expected ${expected}.`], at: `${name}=` })
    }
    for (const [query, unknown, meant] of [
      ['join=author&join_type=lft', 'lft', 'left'],
      ['aggregate=price__smu', 'smu', 'sum'],
      ['groupby=yaer(published_at)', 'yaer', 'year'],
      ['title__lik=x', 'lik', 'like'],
    ] as const) {
      const says = [`"${unknown}"`, `Did you mean "${meant}"?`]
      await refuses(api, `/api/books?${query}`, { says })
    }
  })

  test('a repeated single-valued parameter is 400', async () => {
    for (const pair of [
      'page=1',
      'limit=1',
      'dump=url',
      'dump_relationships=true',
      'include_deleted=true',
      'join_type=left',
      'count=exact',
      'paging=cursor',
      'after=x',
      'before=x',
      'search=x',
      'cascade_delete=1',
      'max_affected=1',
      'on_conflict=id',
    ]) {
      await refuses(api, `/api/books?${pair}&${pair}`, { code: 'repeated_parameter', at: pair })
    }
  })

  test('join, fields, groupby, order_by and aggregate may repeat and are concatenated', async () => {
    equal(
      await read(api, '/api/books?join=author&join=editor&fields=id&fields=author.id&limit=1'),
      [{ id: 1, 'author.id': 1 }],
    )
    equal(
      await read(
        api,
        '/api/books?groupby=in_stock&groupby=format&aggregate=id|n__count&aggregate=id|m__max&order_by=-in_stock&order_by=format&limit=2',
      ),
      [
        { in_stock: null, format: null, n: 1, m: 5 },
        { in_stock: true, format: 'ebook', n: 1, m: 3 },
      ],
    )
  })

  test('x__op= is always a filter, also on columns called like parameters', async () => {
    await refuses(api, '/api/books?page__eq=1', { says: ['Unknown column "page"'] })
    await refuses(api, '/api/books?limit__gt=1', { says: ['Unknown column "limit"'] })
  })

  test('each leaf is percent-decoded once', async () => {
    equal(await column(api, '/api/books?title__eq=Bread%2C%20100%25%20rye'), [2])
    equal(await column(api, '/api/books?title__eq=Bread%252C%20100%25%20rye'), [])
    equal(await column(api, '/api/books?t%69tle__e%71=Rob%6Fts'), [3])
  })

  test('+ is a blank', async () => {
    equal(await column(api, '/api/books?title__eq=anonymous+letters'), [5])
    equal(await column(api, '/api/books?title__eq=anonymous%2Bletters'), [])
  })

  test('empty pairs are ignored', async () => {
    equal(await column(api, '/api/books?&&id__eq=1&'), [1])
    equal((await read(api, '/api/books?')).length, 5)
  })

  test('a fragment is not part of the query', async () => {
    equal(await column(api, '/api/books?id__eq=1#id__eq=2'), [1])
  })

  test('API_ADDITIONAL_QUERY_PARAMS are the host’s own and otherwise ignored', async () => {
    const host = testApi(db, shop, { API_ADDITIONAL_QUERY_PARAMS: ['lang', 'utm_source'] })
    equal(await column(host, '/api/books?id__eq=1&lang=de&utm_source=a&utm_source=b'), [1])
    await refuses(host, '/api/books?language=de')
    equal(
      (await get(host, '/api/books?lang=de&limit=2')).body.next_url,
      '/api/books?lang=de&limit=2&page=2',
    )
    // The parameters of a model replace those of the API; a relation route has those of its target.
    const models = withMeta(shop, 'Tag', { additional_query_params: ['shade'] })
    const one = testApi(db, models, { API_ADDITIONAL_QUERY_PARAMS: ['lang'] })
    equal(await column(one, '/api/books/1/tags?shade=dark'), [1])
    equal((await get(one, '/api/tags/1?shade=dark')).status, 200)
    await refuses(one, '/api/tags?lang=de', { code: 'unknown_parameter' })
    await refuses(one, '/api/books/1?shade=dark', { code: 'unknown_parameter' })
    equal((await get(one, '/api/books/1?lang=de')).status, 200)
  })

  test('parameters of writes are refused on reads', async () => {
    for (const parameter of ['cascade_delete=1', 'max_affected=1', 'on_conflict=id']) {
      await refuses(api, `/api/books?${parameter}`, { at: parameter })
      await refuses(api, `/api/books/1?${parameter}`, { at: parameter })
      await refuses(api, `/api/books/1/tags?${parameter}`, { at: parameter })
    }
  })
})
