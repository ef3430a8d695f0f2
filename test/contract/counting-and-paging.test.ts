/** Order, pages, counts, links and cursors, following the specification sentence by sentence. */
import { type Api, defineModel } from '@model-api/core'
import { sql } from 'kysely'
import { get, testApi } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { column, read, refuses, succeeds, withMeta } from '../support/expect.ts'
import { createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

eachDatabase('specification: order_by, page and limit', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop, { API_ALLOW_JOIN: true })

  test('order_by: a column name, leading - for descending', async () => {
    equal(await column(api, '/api/books?order_by=title'), [1, 2, 4, 3, 5])
    equal(await column(api, '/api/books?order_by=-title'), [5, 3, 4, 2, 1])
    equal(await column(api, '/api/books?orderby=-title'), [5, 3, 4, 2, 1])
  })

  test('order_by: a comma list, which may repeat', async () => {
    equal(await column(api, '/api/books?order_by=-author_id,-id'), [5, 4, 3, 2, 1])
    equal(await column(api, '/api/books?order_by=-author_id&order_by=-id'), [5, 4, 3, 2, 1])
    await refuses(api, '/api/books?order_by=id&orderby=id', { code: 'conflicting_parameters' })
    await refuses(api, '/api/books?order_by=', { says: ['empty'] })
    await refuses(api, '/api/books?order_by=id,,title')
  })

  test('order_by: unknown columns and types without an order are 400', async () => {
    await refuses(api, '/api/books?order_by=titel', { says: ['"titel"', '"title"'], at: 'titel' })
    await refuses(api, '/api/books?order_by=details', { says: ['json'] })
    equal(await column(api, '/api/books?order_by=in_stock'), [2, 1, 3, 4, 5])
  })

  test('order_by: without a suffix NULLs come last ascending and first descending', async () => {
    equal(await column(api, '/api/books?order_by=price'), [2, 1, 4, 3, 5])
    equal(await column(api, '/api/books?order_by=-price'), [5, 3, 4, 1, 2])
    equal(await column(api, '/api/books?order_by=published_at'), [1, 2, 3, 5, 4])
    equal(await column(api, '/api/books?order_by=-published_at'), [4, 5, 3, 2, 1])
  })

  test('order_by: suffixes .nullsfirst and .nullslast', async () => {
    equal(await column(api, '/api/books?order_by=price.nullsfirst'), [5, 2, 1, 4, 3])
    equal(await column(api, '/api/books?order_by=-price.nullslast'), [3, 4, 1, 2, 5])
    await refuses(api, '/api/books?order_by=price.nullsmiddle')
  })

  test('order_by: the primary key ends the order', async () => {
    equal(await column(api, '/api/books?order_by=in_stock.nullsfirst'), [5, 2, 1, 3, 4])
    equal(await column(api, '/api/order-lines?order_by=-line', 'order_no'), [
      '2024/001',
      '2024/001',
      'A,B',
    ])
  })

  test('order_by: joined to-one columns', async () => {
    equal(await column(api, '/api/books?join=author&order_by=-author.name'), [3, 4, 2, 1])
    equal(
      await column(api, '/api/books?join=author&join_type=left&order_by=-author.name'),
      [5, 3, 4, 2, 1],
    )
  })

  test('order_by: API_ALLOW_ORDER_BY false refuses it', async () => {
    const off = testApi(db, shop, { API_ALLOW_ORDER_BY: false })
    await refuses(off, '/api/books?order_by=id', { says: ['API_ALLOW_ORDER_BY'] })
    await refuses(off, '/api/authors/3/books?orderby=-id', { code: 'feature_disabled' })
    const one = testApi(db, withMeta(shop, 'Book', { allow_order_by: false }))
    await refuses(one, '/api/books?order_by=id', { says: ['API_ALLOW_ORDER_BY'] })
    await refuses(one, '/api/authors?dump=json&books.order_by=id', { at: 'books.order_by=id' })
    equal(await column(one, '/api/tags?order_by=-id'), [3, 2, 1])
  })

  test('page from 1, limit from 1 to the maximum', async () => {
    equal(await column(api, '/api/books?limit=2'), [1, 2])
    equal(await column(api, '/api/books?limit=2&page=2'), [3, 4])
    for (const query of [
      'page=0',
      'page=-1',
      'page=1.5',
      'page=x',
      'page=',
      'limit=0',
      'limit=101',
      'limit=1e1',
      'limit=',
      'page=99999999999',
    ]) {
      const [name = ''] = query.split('=')
      await refuses(api, `/api/books?${query}`, {
        says: [`"${name}"`, 'whole number from 1 to'],
        at: query,
      })
    }
    await refuses(api, '/api/books?page=1&page=2', { code: 'repeated_parameter' })
    // The last row that a page may begin with is 2,147,483,647: larger offsets overflow the integers of some drivers.
    for (const [limit, last] of [
      [1, 2147483648],
      [100, 21474837],
    ] as const) {
      equal(await column(api, `/api/books?limit=${limit}&page=${last}`), [])
      await refuses(api, `/api/books?limit=${limit}&page=${last + 1}`, {
        says: [`from 1 to ${last}.`],
      })
    }
  })

  test('API_PAGINATION_SIZE_DEFAULT and API_PAGINATION_SIZE_MAX', async () => {
    const small = testApi(db, shop, { API_PAGINATION_SIZE_DEFAULT: 2, API_PAGINATION_SIZE_MAX: 3 })
    equal(await column(small, '/api/books'), [1, 2])
    equal(await column(small, '/api/books?limit=3'), [1, 2, 3])
    await refuses(small, '/api/books?limit=4', { says: ['from 1 to 3'] })
    const one = testApi(db, withMeta(shop, 'Book', { pagination_size_default: 1 }))
    equal(await column(one, '/api/books'), [1])
    equal((await read(one, '/api/tags')).length, 3)
  })

  test('a page past the end: 200, an empty list, the true count', async () => {
    const { status, body } = await get(api, '/api/books?limit=2&page=9')
    equal([status, body.value, body.total_count, body.next_url], [200, [], 5, null])
    equal(body.previous_url, '/api/books?limit=2&page=3')
    const none = await succeeds(api, '/api/books?id__lt=0')
    equal([none.value, none.total, none.body.previous_url], [[], 0, null])
  })
})

eachDatabase('contract: links', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop, { API_ALLOW_JOIN: true })
  const links = async (url: string) => {
    const { body } = await succeeds(api, url)
    return [body.previous_url, body.next_url]
  }

  test('next_url and previous_url carry limit and page', async () => {
    equal(await links('/api/books?limit=2'), [null, '/api/books?limit=2&page=2'])
    equal(await links('/api/books?limit=2&page=2'), [
      '/api/books?limit=2&page=1',
      '/api/books?limit=2&page=3',
    ])
    equal(await links('/api/books?limit=5'), [null, null])
  })

  test('the last partial page is linked', async () => {
    equal(await links('/api/books?limit=3'), [null, '/api/books?limit=3&page=2'])
    equal(await links('/api/books?limit=3&page=2'), ['/api/books?limit=3&page=1', null])
  })

  test('the parameters of the client keep their spelling', async () => {
    const query =
      'or[id__in=(1,2),title__ilike=%4E]&order_by=-title&join=+AUTHOR&join_type=left&dump=url'
    equal(await links(`/api/books?page=1&${query}&limit=1`), [
      null,
      `/api/books?${query}&limit=1&page=2`,
    ])
    equal(await links('/api/books?title__in=("Robots",Newts)&limit=1'), [
      null,
      '/api/books?title__in=("Robots",Newts)&limit=1&page=2',
    ])
  })

  test('the links lead through the whole set, each row once', async () => {
    for (const order of [
      '',
      '&order_by=-price',
      '&order_by=in_stock',
      '&order_by=author_id.nullsfirst,-title',
    ]) {
      equal(
        await walk(api, `/api/books?limit=2&fields=id${order}`),
        await read(api, `/api/books?fields=id${order}`),
      )
    }
  })

  test('links of a relation route and under a mount prefix', async () => {
    equal(await links('/api/authors/3/books?limit=1'), [
      null,
      '/api/authors/3/books?limit=1&page=2',
    ])
    const { body } = await api.handle({ method: 'GET', url: '/api/books?limit=4', baseUrl: '/v1' })
    equal(body?.next_url, '/v1/api/books?limit=4&page=2')
  })
})

eachDatabase('contract: counts', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop, { API_ALLOW_JOIN: true })

  test('total_count is the number of matching records', async () => {
    equal((await succeeds(api, '/api/books?limit=1')).total, 5)
    equal((await succeeds(api, '/api/books?limit=1&in_stock__eq=true')).total, 3)
    equal((await succeeds(api, '/api/authors?join=books&limit=1')).total, 3)
    equal((await succeeds(api, '/api/books?join=tags&fields=id&limit=1')).total, 5)
    equal((await succeeds(api, '/api/books/1')).total, 1)
    equal((await succeeds(api, '/api/authors/3/books')).total, 2)
  })

  test('count=none: the member is omitted, next_url by reading one row more', async () => {
    const first = await succeeds(api, '/api/books?count=none&limit=3')
    equal('total_count' in first.body, false)
    equal(first.body.next_url, '/api/books?count=none&limit=3&page=2')
    const last = await succeeds(api, '/api/books?count=none&limit=3&page=2')
    equal([last.value.length, last.body.next_url], [2, null])
    equal(last.body.previous_url, '/api/books?count=none&limit=3&page=1')
    equal((await succeeds(api, '/api/books?count=none&limit=5')).body.next_url, null)
  })

  test('count=capped is exact for small sets', async () => {
    const { total, headers } = await succeeds(api, '/api/books?count=capped&limit=2')
    equal([total, headers['x-total-count-capped']], [5, undefined])
  })

  test('API_COUNT is the most expensive count that is allowed', async () => {
    const capped = testApi(db, shop, { API_COUNT: 'capped' })
    equal((await succeeds(capped, '/api/books')).total, 5)
    equal('total_count' in (await succeeds(capped, '/api/books?count=none')).body, false)
    await refuses(capped, '/api/books?count=exact', { says: ['API_COUNT'], at: 'count=exact' })
    const none = testApi(db, withMeta(shop, 'Book', { count: 'none' }))
    equal('total_count' in (await succeeds(none, '/api/books')).body, false)
    equal((await succeeds(none, '/api/tags')).total, 3)
    await refuses(none, '/api/books?count=capped')
    await refuses(api, '/api/books?count=all', { says: ['exact, capped, none'] })
  })

  test('the count is skipped when the page proves it', async () => {
    const statements = async (url: string) =>
      (await db.capture(() => succeeds(api, url))).statements.length
    equal(await statements('/api/books?limit=10'), 1)
    equal(await statements('/api/books?limit=3&page=2'), 1)
    equal(await statements('/api/books?limit=2&count=none'), 1)
  })
})

/** Reads every page of a list by following its links. */
async function walk(api: Api, start: string, name: 'next_url' | 'previous_url' = 'next_url') {
  const rows: unknown[] = []
  let url: string | null = start
  for (let pages = 0; url !== null; pages++) {
    if (pages > 40) throw new Error(`${start}: the links do not end`)
    const { body } = await succeeds(api, url)
    if (name === 'next_url') rows.push(...body.value)
    else rows.unshift(...body.value)
    url = body[name]
  }
  return rows
}

const Event = defineModel('Event', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    at: { type: 'datetime', nullable: true },
    kind: { type: 'string', maxLength: 20, nullable: true },
    amount: { type: 'decimal', precision: 10, scale: 3, nullable: true },
    score: { type: 'float', nullable: true },
    big: { type: 'bigint', nullable: true },
    label: { type: 'string', maxLength: 20, nullable: true, collation: 'database' },
  },
  meta: {},
})

const events = Array.from({ length: 24 }, (_, i) => ({
  id: i + 1,
  kind: i % 5 === 0 ? null : (['b', 'B', 'ä', 'a '][i % 4] as string),
  amount: i % 7 === 0 ? null : `${(i % 3) - 1}.00${i % 4}`,
  score: i % 6 === 0 ? null : 0.1 * (i % 3),
  big: i % 4 === 0 ? null : `${9007199254740993n + BigInt(i % 3)}`,
  label: 'x',
}))

eachDatabase('contract: cursors', (test, db) => {
  test.before(async () => {
    await createTables(db, [Event])
    await insertRows(db, Event, events)
    // Points in time that differ by less than a millisecond, and ties.
    for (let id = 1; id <= 24; id++) {
      const micros = String(id % 6).padStart(6, '0')
      const zone = db.name === 'postgres' ? '+00' : ''
      const text = `2024-05-01 10:00:00.${micros}${zone}`
      if (id % 8 !== 0)
        await sql`update events set at = ${text} where id = ${id}`.execute(db.kysely)
    }
  })
  const api = testApi(db, [Event])

  for (const order of [
    'id',
    '-id',
    'kind',
    '-kind',
    '-kind.nullslast,amount.nullsfirst',
    'at',
    '-at',
    '-at.nullslast,-kind',
    'amount,-score',
    '-score',
    'big',
    '-big.nullslast,at',
  ]) {
    test(`lead forwards and backwards through every row ordered by ${order}`, async () => {
      const url = `/api/events?fields=id&order_by=${order}`
      const whole = await read(api, `${url}&limit=100`)
      equal(whole.length, 24)
      equal(await walk(api, `${url}&paging=cursor&limit=5`), whole)
      let last = await succeeds(api, `${url}&paging=cursor&limit=5`)
      while (last.body.next_url !== null) last = await succeeds(api, last.body.next_url)
      const before = await walk(api, last.body.previous_url, 'previous_url')
      equal([...before, ...last.value], whole)
    })
  }

  test('paging=cursor makes the links keyset links', async () => {
    const { body } = await succeeds(api, '/api/events?paging=cursor&limit=5&kind__isnull=false')
    match(
      body.next_url,
      /^\/api\/events\?paging=cursor&kind__isnull=false&limit=5&after=[A-Za-z0-9_-]+$/,
    )
    equal([body.previous_url, body.total_count], [null, 19])
    const second = await succeeds(api, body.next_url)
    match(second.body.previous_url, /&before=[A-Za-z0-9_-]+$/)
    equal((await succeeds(api, second.body.previous_url)).value, body.value)
  })

  test('neither skip nor repeat rows while rows are inserted and removed', async () => {
    const first = await succeeds(
      api,
      '/api/events?paging=cursor&limit=5&order_by=id&fields=id&id__gt=0',
    )
    await insertRows(db, Event, [{ id: -1 }, { id: 1000 }])
    try {
      const second = await succeeds(api, first.body.next_url)
      equal(
        second.value.map((row: { id: number }) => row.id),
        [6, 7, 8, 9, 10],
      )
    } finally {
      await db.kysely.deleteFrom('events').where('id', 'in', [-1, 1000]).execute()
    }
  })

  test('together with page: 400, except for the first, which is the default', async () => {
    const { body } = await succeeds(api, '/api/events?paging=cursor&limit=5')
    await refuses(api, `${body.next_url}&page=2`, { code: 'conflicting_parameters' })
    await refuses(api, '/api/events?paging=cursor&page=2')
    for (const url of ['/api/events?paging=cursor&limit=5', body.next_url]) {
      const alone = await succeeds(api, url)
      const beside = await succeeds(api, `${url}&page=1`)
      equal([beside.value, beside.body.next_url], [alone.value, alone.body.next_url])
    }
    await refuses(api, `${body.next_url}&before=x`, { says: ['"after"', '"before"'] })
  })

  test('bound to the order', async () => {
    const { body } = await succeeds(api, '/api/events?paging=cursor&limit=5&order_by=kind')
    const other = body.next_url.replace('order_by=kind', 'order_by=-kind')
    await refuses(api, other, { says: ['a cursor of the same order_by'] })
  })

  test('opaque: an invalid cursor is 400', async () => {
    for (const cursor of ['x', '', 'bnVsbA', 'WyJhIl0', '%22']) {
      await refuses(api, `/api/events?after=${cursor}`, { says: ['"after"'] })
    }
    await refuses(api, '/api/events?paging=forever', { says: ['cursor or page'] })
  })

  test('a changed value of a cursor does not become SQL', async () => {
    const text = Buffer.from(JSON.stringify(['Event events.id+l', "1' or 1=1"])).toString(
      'base64url',
    )
    await refuses(api, `/api/events?after=${text}`)
  })

  test("columns under the database's own collation, where many are equal", async () => {
    const rows = await walk(api, '/api/events?paging=cursor&order_by=label&limit=7')
    equal(rows, await read(api, '/api/events?order_by=label&limit=30'))
  })
})

eachDatabase('contract: cursors over joins', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop, { API_ALLOW_JOIN: true, API_ALLOW_GROUPBY: true })

  test('to-one columns, also under a to-many join', async () => {
    for (const query of [
      'join=author&order_by=-author.name',
      'join=author,tags&order_by=author.country,-id',
      'join=author&join_type=left&order_by=-author.country',
      'join=author.mentor&join_type=left&order_by=author.mentor.name.nullsfirst',
    ]) {
      const url = `/api/books?${query}`
      const ids = (rows: unknown[]) => rows.map((row) => (row as { id: number }).id)
      equal(ids(await walk(api, `${url}&paging=cursor&limit=1`)), await column(api, url), query)
    }
  })

  test('composite keys', async () => {
    const url = '/api/order-lines?fields=order_no,line'
    equal(await walk(api, `${url}&paging=cursor&limit=1`), await read(api, url))
  })

  test('groups, to-many columns and right joins are 400', async () => {
    await refuses(api, '/api/books?paging=cursor&groupby=format', { says: ['Groups'] })
    await refuses(api, '/api/books?paging=cursor&join=tags&fields=id,tags.name')
    await refuses(api, '/api/books?paging=cursor&join=author&join_type=right&fields=id')
  })

  test('API_COUNT none and cursors: constant time, no count', async () => {
    const quick = testApi(db, shop, { API_COUNT: 'none' })
    await quick.ready
    const { result, statements } = await db.capture(() =>
      succeeds(quick, '/api/books?paging=cursor&limit=2'),
    )
    equal([statements.length, 'total_count' in result.body], [1, false])
    equal((await walk(quick, '/api/books?paging=cursor&limit=2')).length, 5)
  })
})
