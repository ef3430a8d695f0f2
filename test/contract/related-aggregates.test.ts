/** Counts, sums, averages, minima and maxima of related records, as fields, filters and order (contract §4, "Aggregates of relations"). */
import type { Api } from '@model-api/core'
import { type Answer, send, testApi } from '../support/api.ts'
import { equal, match } from '../support/assert.ts'
import { column, read, refuses, succeeds, withMeta } from '../support/expect.ts'
import { createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

const on = { API_ALLOW_AGGREGATION: true, API_ALLOW_JOIN: true, API_ALLOW_GROUPBY: true }

eachDatabase('aggregates of related records', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop, on)
  const authors = (query: string) => read(api, `/api/authors?${query}`)

  test('fields: each function of related rows, empty ones included', async () => {
    const fields =
      'id,count(books),sum(books.price),avg(books.price),min(books.price),max(books.price)'
    equal(await authors(`fields=${fields}`), [
      {
        id: 1,
        books_count: 1,
        books_price_sum: '12.50',
        books_price_avg: '12.500000',
        books_price_min: '12.50',
        books_price_max: '12.50',
      },
      {
        id: 2,
        books_count: 1,
        books_price_sum: '8.00',
        books_price_avg: '8.000000',
        books_price_min: '8.00',
        books_price_max: '8.00',
      },
      {
        id: 3,
        books_count: 2,
        books_price_sum: '35.75',
        books_price_avg: '17.875000',
        books_price_min: '15.75',
        books_price_max: '20.00',
      },
      {
        id: 4,
        books_count: 0,
        books_price_sum: null,
        books_price_avg: null,
        books_price_min: null,
        books_price_max: null,
      },
    ])
  })

  test('sums and averages are exact by type, as those of groups', async () => {
    const fields = [
      'id',
      'sum(books.sold)|s',
      'avg(books.sold)|a',
      'sum(books.rating)|r',
      'avg(books.rating)|ra',
      'max(books.published_at)|last',
      'min(books.title)|first',
      'sum(books.id)|i',
      'avg(books.id)|ia',
    ]
    equal((await authors(`fields=${fields.join(',')}`)).slice(0, 3), [
      {
        id: 1,
        s: '9007199254740993',
        a: '9007199254740993.0000',
        r: 4.5,
        ra: 4.5,
        last: '2024-01-15T10:00:00.000Z',
        first: 'Arrows',
        i: 1,
        ia: 1,
      },
      {
        id: 2,
        s: '10',
        a: '10.0000',
        r: 3.25,
        ra: 3.25,
        last: '2024-02-20T10:00:00.000Z',
        first: 'Bread, 100% rye',
        i: 2,
        ia: 2,
      },
      {
        id: 3,
        s: '250',
        a: '250.0000',
        r: 4.75,
        ra: 4.75,
        last: '2024-02-29T10:00:00.000Z',
        first: 'Newts',
        i: 7,
        ia: 3.5,
      },
    ])
  })

  test('conditions in brackets choose the rows, with groups and relation filters', async () => {
    const counts = async (cond: string) =>
      (await authors(`fields=count(books[${cond}])|n`)).map(({ n }: { n: number }) => n)
    equal(await counts('price__gt=15'), [0, 0, 2, 0])
    equal(await counts('price__gt=15,title__eq=Robots'), [0, 0, 1, 0])
    equal(await counts('or[price__lt=10,rating__gt=4]'), [1, 1, 1, 0])
    equal(await counts('not[in_stock__eq=true]'), [0, 1, 0, 0])
    equal(await counts('exists(tags.name__eq=science fiction)'), [0, 0, 2, 0])
    equal(await counts('id__in=(1,4)'), [1, 0, 1, 0])
    equal(await counts('title__eq="Bread, 100%25 rye"'), [0, 1, 0, 0])
    equal(await counts('count(order_lines)__ge=1'), [1, 0, 1, 0])
    equal(await counts('sum(order_lines[quantity__gt=1].quantity)__eq=7'), [1, 0, 0, 0])
  })

  test('a column of conditions comes after the brackets, and may be a path into a json column', async () => {
    equal(await column(api, '/api/authors?fields=max(books[in_stock__eq=true].price)|m', 'm'), [
      '12.50',
      null,
      '20.00',
      null,
    ])
    const pages = [120, null, null, null]
    equal(await column(api, '/api/authors?fields=max(books.details.pages)|m', 'm'), pages)
    const label = 'books_details_pages_max'
    equal(await column(api, '/api/authors?fields=max(books[id__gt=0].details.pages)', label), pages)
  })

  test('brackets and parentheses may be percent-encoded, as URLSearchParams does', async () => {
    const query = new URLSearchParams({
      fields: 'id,count(books[price__gt=10,in_stock__eq=true])|n',
      n__ge: '1',
      order_by: '-count(books)',
    })
    equal(await authors(String(query)), [
      { id: 3, n: 2 },
      { id: 1, n: 1 },
    ])
    const filter = new URLSearchParams({ 'count(books[price__gt=10])__ge': '2' })
    equal(await column(api, `/api/authors?${filter}`), [3])
  })

  test('paths of several relations count each row once per way to it', async () => {
    // Through a to-one relation.
    equal(await read(api, '/api/books?fields=id,count(author.books)'), [
      { id: 1, author_books_count: 1 },
      { id: 2, author_books_count: 1 },
      { id: 3, author_books_count: 2 },
      { id: 4, author_books_count: 2 },
      { id: 5, author_books_count: 0 },
    ])
    // Through to-many and many-to-many: Robots has two tags, so both ways count.
    equal(await column(api, '/api/authors?fields=count(books.tags)|n', 'n'), [1, 1, 3, 0])
    equal(await column(api, '/api/tags?fields=count(books)|n', 'n'), [2, 1, 2])
    equal(await column(api, '/api/tags?fields=count(books.tags)|n', 'n'), [3, 1, 3])
    equal(await column(api, '/api/tags?fields=sum(books.order_lines.quantity)|n', 'n'), [
      8,
      null,
      1,
    ])
    equal(await column(api, '/api/authors?fields=count(pupils.pupils)|n', 'n'), [1, 0, 0, 0])
  })

  test('a path that leads to one record is refused, with what to write instead', async () => {
    await refuses(api, '/api/books?fields=count(author)', {
      says: ['at most', 'exists(author)'],
    })
    await refuses(api, '/api/books?fields=max(author.mentor.name)', {
      says: ['join=author.mentor&fields=author.mentor.name'],
    })
    await refuses(api, '/api/authors?count(profile)__ge=1', { says: ['exists(profile)'] })
  })

  test('`*` is all that is sent without fields, `-x` all but a column or relation', async () => {
    const all = await authors('')
    equal(await authors('fields=*'), all)
    const [first] = await authors('fields=*,count(books)')
    const { books, mentor, pupils, profile, ...columns } = all[0]
    const relations = { books, mentor, pupils, profile }
    const withCount = { ...columns, books_count: 1, ...relations }
    equal(JSON.stringify(first), JSON.stringify(withCount))
    const { country: _, ...withoutCountry } = withCount
    equal((await authors('fields=-country,count(books)'))[0], withoutCountry)
    const [fewer] = await authors('fields=*,-country,-books,-id')
    equal(
      Object.keys(fewer).sort(),
      Object.keys(withoutCountry)
        .filter((name) => !['id', 'books', 'books_count'].includes(name))
        .sort(),
    )
    equal(fewer.pupils, pupils)
    equal(await read(api, '/api/authors/1?fields=*,count(books)'), withCount)
    const tagged = await succeeds(api, '/api/authors/1?fields=-country,count(books)|n')
    // The first half of the ETag is that of the record, so it fits If-Match.
    const recordTag = ({ headers }: Answer) => headers.etag?.split('.')[0]
    equal(recordTag(tagged), recordTag(await succeeds(api, '/api/authors/1')))
    await refuses(api, '/api/authors?fields=name,-country', { says: ['"*"', 'name'] })
    await refuses(api, '/api/authors?fields=-secret', { says: ['Unknown column "secret"'] })
    await refuses(api, '/api/authors?fields=-nmae', { says: ['Unknown column "nmae"', '"name"'] })
  })

  test('`*` with columns of a joined to-one relation; of a to-many it is refused', async () => {
    const [first] = await read(api, '/api/books?join=author&fields=*,author.name,author.id')
    equal([first.id, first.name, first['author.id']], [1, 'Ann Archer', 1])
    await refuses(api, '/api/authors?join=books&fields=*,books.title', { says: ['many values'] })
  })

  test('embedded relations have aggregates in their fields, conditions and order', async () => {
    const url = '/api/books?dump=dynamic&join=author&author.fields=name,count(books)'
    const [first] = await read(api, url)
    equal(first.author, { name: 'Ann Archer', books_count: 1 })
    const json = '/api/authors/1?dump=json'
    const pupils = `${json}&pupils.fields=id,count(books)|n&pupils.order_by=-n`
    equal((await read(api, pupils)).pupils, [
      { id: 3, n: 2 },
      { id: 2, n: 1 },
    ])
    equal((await read(api, `${pupils}&pupils.limit=1`)).pupils, [{ id: 3, n: 2 }])
    equal((await read(api, `${pupils}&pupils[count(books)__ge=2]`)).pupils, [{ id: 3, n: 2 }])
    equal((await read(api, `${pupils}&pupils[n__lt=2]`)).pupils, [{ id: 2, n: 1 }])
    const all = await read(api, `${json}&pupils.fields=*,-country,count(books)`)
    equal(
      [all.pupils[0].books_count, 'country' in all.pupils[0], all.pupils[0].name],
      [1, false, 'bob Baker'],
    )
  })

  test('filters take an expression or a label, with all operators of the type', async () => {
    const ids = (query: string) => column(api, `/api/authors?${query}`)
    equal(await ids('count(books)__ge=1'), [1, 2, 3])
    equal(await ids('count(books)__eq=0'), [4])
    equal(await ids('count(books)__in=(0,2)'), [3, 4])
    equal(await ids('count(books)__between=(1,2)'), [1, 2, 3])
    equal(await ids('sum(books.price)__gt=12'), [1, 3])
    equal(await ids('sum(books.price)__eq=35.75'), [3])
    equal(await ids('avg(books.price)__eq=17.875'), [3])
    equal(await ids('sum(books.sold)__gt=9007199254740992'), [1])
    equal(await ids('max(books.published_at)__lt=2024-02-01'), [1])
    equal(await ids('min(books.title)__ilike=new'), [3])
    equal(await ids('max(books.price)__isnull=true'), [4])
    equal(await ids('fields=id,count(books)|n&n__gt=1'), [3])
    equal(await ids('fields=id,count(books)&books_count__gt=1'), [3])
    equal(await ids('or[count(books)__eq=0,country__eq=GB]'), [1, 4])
    equal(await ids('not[count(books)__eq=1]'), [3, 4])
    equal(await ids('fields=id,count(books)|n&or[n__eq=0,not[n__le=1]]'), [3, 4])
    const { total } = await succeeds(api, '/api/authors?count(books)__ge=1&limit=1')
    equal(total, 3)
    await refuses(api, '/api/authors?count(books)__like=1', { says: ['like', 'integer'] })
    await refuses(api, '/api/authors?count(books)__ge=many', { says: ['many'] })
  })

  test('conditions of relation filters may be aggregates of the rows that are related to theirs', async () => {
    const ids = (query: string) => column(api, `/api/authors?${query}`)
    // Only "Robots", of author 3, has two tags.
    equal(await ids('exists(books.count(tags)__ge=2)'), [3])
    equal(await ids('missing(books.count(tags)__ge=2)'), [1, 2, 4])
    equal(await ids('exists(books,count(tags)__eq=1)'), [1, 2, 3])
    // All conditions hold for the same book.
    equal(await ids('exists(books.title__eq=Robots,count(tags)__eq=1)'), [])
    equal(await ids('exists(books.title__eq=Robots,count(tags)__eq=2)'), [3])
    equal(await ids('exists(books.sum(order_lines[quantity__gt=1].quantity)__eq=7)'), [1])
    equal(await ids('exists(books.max(order_lines.quantity)__isnull=true)'), [2, 3])
    equal(await ids('or[exists(books.count(tags)__ge=2),id__eq=1]'), [1, 3])
    equal(await ids('count(pupils[exists(books.count(tags)__ge=2)])__eq=1'), [1])
    // Through relations whose rows are looked up once for all rows.
    equal(await column(api, '/api/books?exists(tags.count(books)__ge=2)'), [1, 3, 4])
    equal(await column(api, '/api/books?exists(author.books.count(tags)__ge=2)'), [3, 4])
    await refuses(api, '/api/authors?exists(books.count(author)__ge=1)', { says: ['at most'] })
    await refuses(api, '/api/authors?exists(books.count(secret)__ge=1)', { says: ['"secret"'] })
    await refuses(testApi(db, shop), '/api/authors?exists(books.count(tags)__ge=1)', {
      says: ['API_ALLOW_AGGREGATION'],
    })
  })

  test('the same query with other values gives other rows', async () => {
    for (const [n, ids] of [
      [2, [3]],
      [1, [1, 2, 3]],
      [2, [3]],
      [0, [1, 2, 3, 4]],
    ] as const) {
      const query = `fields=id,count(books[price__gt=5])|n&n__ge=${n}&order_by=id`
      equal(await column(api, `/api/authors?${query}`), ids)
      equal(await column(api, `/api/authors?count(books[price__gt=5])__ge=${n}`), ids)
    }
  })

  test('order takes an expression or a label, with nulls as of columns', async () => {
    const ids = (query: string) => column(api, `/api/authors?${query}`)
    equal(await ids('order_by=-count(books)'), [3, 1, 2, 4])
    equal(await ids('order_by=count(books),-id'), [4, 2, 1, 3])
    equal(await ids('order_by=max(books.price)'), [2, 1, 3, 4])
    equal(await ids('order_by=-max(books.price)'), [4, 3, 1, 2])
    equal(await ids('order_by=-max(books.price).nullslast'), [3, 1, 2, 4])
    equal(await ids('fields=id,count(books[price__gt=10])|n&order_by=-n'), [3, 1, 2, 4])
    equal(await ids('order_by=-count(books[price__gt=10,id__gt=0]),id&limit=1&page=2'), [1])
    equal(await ids('fields=id,count(books)&order_by=-books_count&limit=2&page=2'), [2, 4])
  })

  test('whole tables and rows in a scope have the same order and totals, by whatever plan', async () => {
    // With a policy, no database joins the related rows in groups.
    const scope = { id: { ge: 0 } }
    const scoped = ['Author', 'Book', 'Tag', 'OrderLine'].reduce(
      (models, name) =>
        withMeta(models, name, {
          access_policy: { scope: name === 'OrderLine' ? { line: { ge: 0 } } : scope },
        }),
      shop,
    )
    const narrowed = testApi(db, scoped, on)
    for (const url of [
      '/api/authors?order_by=-count(books)',
      '/api/authors?order_by=max(books.price),-count(pupils)&limit=3&page=2',
      '/api/authors?order_by=-min(books[price__gt=10].title).nullslast,-id',
      '/api/authors?fields=id,count(books)|n&n__ge=1&order_by=-n',
      '/api/authors?fields=*,sum(books.sold)|s&order_by=-s&limit=2',
      '/api/authors?count(books[exists(tags)])__ge=1&limit=1',
      '/api/authors?or[count(books)__eq=0,sum(books.price)__gt=30]&limit=1',
      '/api/authors?not[count(pupils)__ge=1]&order_by=avg(books.rating),name',
      '/api/authors?max(books.price)__isnull=true&limit=1',
      '/api/authors?order_by=-count(books.tags),-sum(books.order_lines.quantity)',
      '/api/authors?count(books[count(tags)__ge=2])__ge=1&order_by=-count(books)',
      '/api/tags?order_by=-count(books),name&count=capped',
      '/api/tags?order_by=-count(books.tags),-max(books.published_at)',
      '/api/books?order_by=-count(author.books),title&count(tags)__ge=1',
      '/api/books?fields=id,count(order_lines)|n&order_by=-n,id',
      '/api/order-lines?order_by=-count(book.tags),quantity',
    ]) {
      const [whole, some] = await Promise.all([succeeds(api, url), succeeds(narrowed, url)])
      equal([whole.total, whole.value], [some.total, some.value], url)
    }
  })

  test('pages compute the values of their own rows, wherever they begin', async () => {
    for (const order of ['id', '-name', 'country,-id', '-count(books)']) {
      const all = await authors(`fields=*,count(books)|n&order_by=${order}`)
      for (const page of [1, 2, 3, 4]) {
        const url = `fields=*,count(books)|n&order_by=${order}&limit=1&page=${page}`
        equal(await authors(url), [all[page - 1]], url)
      }
    }
  })

  test('cursors page lists with aggregates, but no order by one', async () => {
    const url = '/api/authors?fields=id,count(books)|n&paging=cursor&limit=3'
    const { value, body } = await succeeds(api, `${url}&order_by=-name`)
    const next = await read(api, body.next_url)
    equal(
      [...value, ...next].map(({ n }: { n: number }) => n),
      [2, 1, 0, 1],
    )
    await refuses(api, `${url}&order_by=-n`, { says: ['cursor', 'page and limit'] })
  })

  test('embeds, their limits and conditions, joins and other aggregates change nothing', async () => {
    const url = '/api/authors?fields=*,count(books)|n,max(books.price)|m&order_by=id'
    const values = (rows: { n: number; m: string | null }[]) => rows.map(({ n, m }) => [n, m])
    const expected = values(await read(api, url))
    for (const extra of [
      'dump=json&books.limit=1',
      'dump=json&books[price__gt=100]',
      'join=books&join_type=left',
      'join=books,pupils&join_type=left',
      'count(pupils)__ge=0',
    ]) {
      equal(values(await read(api, `${url}&${extra}`)), expected, extra)
    }
    const inner = await read(api, `${url}&join=books&books.price__gt=16`)
    equal(values(inner), [[2, '20.00']])
    // A projection of joined rows repeats the value of the base row.
    const rows = await read(api, '/api/authors?join=books&fields=books.id,count(books)|n')
    equal(
      rows.map(({ n }: { n: number }) => n),
      [1, 1, 2, 2],
    )
  })

  test('a label that is a field or is used twice is refused', async () => {
    await refuses(api, '/api/authors?fields=count(books)|name', {
      says: ['"name" is also a column'],
    })
    await refuses(api, '/api/authors?fields=count(books)|books', { says: ['also a relation'] })
    await refuses(api, '/api/authors?fields=count(books)|n,count(pupils)|n', {
      says: ['given twice'],
    })
    await refuses(api, '/api/authors?fields=count(books),count(books[id__gt=1])', {
      says: ['"books_count" is given twice'],
    })
    await refuses(api, '/api/authors?fields=count(books)|a-b', { says: ['not a label'] })
    await refuses(api, '/api/authors?fields=name|n', { says: ['label'] })
    // A hidden column has no name that a label could have.
    equal((await authors('fields=id,count(books)|secret'))[2], { id: 3, secret: 2 })
  })

  test('groups: aggregates choose rows, and are neither columns nor order', async () => {
    const url = '/api/authors?groupby=country,id|n__count=1'
    equal(await read(api, `${url}&count(books)__ge=2`), [{ country: 'CZ', n: 1 }])
    await refuses(api, `${url}&order_by=count(books)`, { says: ['single rows'] })
    await refuses(api, `${url}&fields=country,count(books)`, { says: ['groups'] })
  })

  test('relation routes, one record, QUERY and batches', async () => {
    equal(await read(api, '/api/authors/1/pupils?fields=id,count(books)|n&order_by=-n'), [
      { id: 3, n: 2 },
      { id: 2, n: 1 },
    ])
    equal(await read(api, '/api/books/3/author?fields=name,count(books)'), {
      name: 'Čapek, Karel',
      books_count: 2,
    })
    equal(await read(api, '/api/authors/3?fields=max(books.price)|m'), { m: '20.00' })
    await refuses(api, '/api/authors/3?count(books)__ge=1', { says: ['collection'] })
    const query = 'fields=id,count(books[price__gt=5,id__gt=0])|n&n__ge=2'
    const answer = await send(api, 'QUERY', '/api/authors', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: query,
    })
    equal([answer.status, answer.value], [200, [{ id: 3, n: 2 }]])
    const inBatch = testApi(db, shop, { ...on, API_ALLOW_BATCH: true })
    const operations = [
      { id: 'list', method: 'GET', url: `/api/authors?${query}` },
      { id: 'wrong', method: 'GET', url: '/api/authors?fields=count(bookz)' },
    ]
    const listed = await send(inBatch, 'POST', '/api/batch', {
      body: { operations: operations.slice(0, 1) },
    })
    equal([listed.status, listed.value[0].value], [200, [{ id: 3, n: 2 }]])
    const refused = await send(inBatch, 'POST', '/api/batch', { body: { operations } })
    equal(refused.status, 400)
  })

  test('mistakes: a 400 that names the place', async () => {
    for (const [query, says] of [
      ['fields=count()', 'count(books)'],
      ['fields=sum(books)', 'has no column'],
      ['fields=sum(books[id__gt=1])', 'has no column'],
      ['fields=count(books.price)', 'is a column'],
      ['fields=count(books[id__gt=1].price)', 'counts rows'],
      ['fields=count(boks)', '"books"'],
      ['fields=COUNT(books)', 'Did you mean "count"?'],
      ['fields=pupils.count(books)', 'count(pupils.books)'],
      ['groupby=count(books)', 'count(books)__ge=3'],
      ['fields=count(distinct%20books)', '"distinct books" is not a relation'],
      ['fields=max(books.prize)', '"prize"'],
      ['fields=max(books.in_stock)', 'boolean'],
      ['fields=sum(books.title)', 'string'],
      ['fields=count(books', 'not closed'],
      ['fields=count(books[id__gt=1)', 'expected "," or "]"'],
      ['fields=count(books))', '","'],
      ['fields=count(books[])', 'empty'],
      ['fields=count(books[secret__eq=1])', 'Unknown column "secret"'],
      ['fields=max(pupils.secret)', 'Unknown column "secret"'],
      ['order_by=count(books)x', '.nullslast'],
      ['count(books)=3', 'operator'],
      ['count(books)__gee=3', 'gee'],
      ['count(books)__sum=3', 'an operator and a value'],
      ['fields=count(books.tags.books.tags.books)', 'API_MAX_DEPTH'],
    ]) {
      await refuses(api, `/api/authors?${query}`, { says: [says as string] })
    }
  })

  test('a default label that "fields" does not have: a 400 that names the aggregate', async () => {
    for (const [query, says] of [
      ['order_by=-books_count', 'Did you mean "count(books)"?'],
      ['fields=name,books_count', 'Did you mean "count(books)"?'],
      ['books_price_max__gt=1', 'Did you mean "max(books.price)"?'],
      ['exists(pupils.books_count__ge=1)', 'Did you mean "count(books)"?'],
    ]) {
      await refuses(api, `/api/authors?${query}`, { says: [says as string] })
    }
    const reason = async (api: Api, query: string) =>
      String((await refuses(api, `/api/authors?${query}`)).errors.reason)
    // Neither a hidden column, nor one record, nor what is switched off is suggested.
    for (const query of ['order_by=pupils_secret_max', 'order_by=mentor_count']) {
      equal(/pupils\.|mentor\)/.test(await reason(api, query)), false, query)
    }
    equal((await reason(testApi(db, shop), 'order_by=books_count')).includes('count('), false)
  })

  test('API_MAX_AGGREGATES: aggregates of the whole query, which are conditions too', async () => {
    const many = (n: number) =>
      Array.from({ length: n }, (_, i) => `count(books[id__gt=${i}])|n${i}`).join(',')
    equal((await authors(`fields=${many(8)}`)).length, 4)
    await refuses(api, `/api/authors?fields=${many(8)}&count(books)__ge=1`, {
      at: 'count(books)',
      says: ['API_MAX_AGGREGATES', '8'],
    })
    const two = testApi(db, withMeta(shop, 'Author', { max_aggregates: 2 }), on)
    equal((await read(two, `/api/authors?fields=${many(2)}`)).length, 4)
    await refuses(
      two,
      `/api/authors?fields=count(books[count(tags)__ge=1])&order_by=count(pupils)`,
      {
        at: 'count(pupils)',
        says: ['API_MAX_AGGREGATES', '2'],
      },
    )
    const three = testApi(db, shop, { ...on, API_MAX_CONDITIONS: 3 })
    equal((await read(three, '/api/authors?fields=count(books[id__gt=0]),count(pupils)')).length, 4)
    await refuses(three, '/api/authors?fields=count(books[id__gt=0]),count(pupils)&id__gt=0', {
      says: ['API_MAX_CONDITIONS'],
    })
  })

  test('the policy and soft delete of the related model apply', async () => {
    const counts = async (meta: object, more = '') => {
      const limited = testApi(db, withMeta(shop, 'Book', meta), on)
      const rows = await read(limited, `/api/authors?fields=id,count(books)|n${more}`)
      return rows.map((row: object) => Object.values(row))
    }
    const rows = (...counts: number[]) => counts.map((n, i) => [i + 1, n])
    equal(await counts({}), rows(1, 1, 2, 0))
    const scoped = { access_policy: { scope: { id: { gt: 2 } } } }
    equal(await counts(scoped), rows(0, 0, 2, 0))
    equal(await counts(scoped, '&n__ge=1&order_by=-n'), [[3, 2]])
    equal(await counts(scoped, ',max(books[id__le=2].title)|t&count(books)__ge=1'), [[3, 2, null]])
    const deleted = {
      soft_delete: true,
      soft_delete_attribute: 'in_stock',
      soft_delete_values: [true, false],
    }
    equal(await counts(deleted), rows(1, 0, 2, 0))
    equal(await counts(deleted, '&include_deleted=true'), rows(1, 1, 2, 0))
  })

  test('records that the caller may not list are a 403, and columns that it may not read are unknown', async () => {
    const closed = testApi(db, withMeta(shop, 'Tag', { role_map: { GET_MANY: 'staff' } }), on)
    for (const query of [
      'fields=count(tags)',
      'count(tags)__ge=0',
      'order_by=-count(tags)',
      'fields=count(author.books[exists(tags)])',
      'fields=count(order_lines.book.tags)',
      'dump=json&author.fields=count(books.tags)',
    ]) {
      await refuses(closed, `/api/books?${query}`, { status: 403 })
    }
    const guarded = shop.map((model) =>
      model.name === 'Book'
        ? {
            ...model,
            columns: { ...model.columns, price: { ...model.columns.price, read: 'staff' } },
          }
        : model,
    ) as typeof shop
    for (const query of [
      'fields=max(books.price)',
      'sum(books.price)__gt=1',
      'order_by=min(books.price)',
      'fields=count(books[price__gt=1])',
    ]) {
      const api = testApi(db, guarded, on)
      await refuses(api, `/api/authors?${query}`, { says: ['Unknown column "price"'] })
    }
  })

  test('what is switched off is refused', async () => {
    await refuses(testApi(db, shop), '/api/authors?fields=count(books)', {
      says: ['API_ALLOW_AGGREGATION'],
    })
    const books = (meta: object) => testApi(db, withMeta(shop, 'Book', meta), on)
    await refuses(books({ allow_aggregation: false }), '/api/authors?count(books)__ge=1', {
      says: ['Aggregation of "books"'],
    })
    const noFields = books({ allow_select_fields: false })
    await refuses(noFields, '/api/authors?fields=max(books.price)', { says: ['fields of "books"'] })
    equal((await read(noFields, '/api/authors?fields=count(books)')).length, 4)
    await refuses(books({ allow_filters: false }), '/api/authors?fields=count(books[id__gt=1])', {
      says: ['API_ALLOW_FILTERS'],
    })
    await refuses(books({ allow_order_by: false }), '/api/authors?order_by=max(books.price)', {
      says: ['API_ALLOW_ORDER_BY'],
    })
    const none = testApi(db, shop, { ...on, API_ALLOW_SELECT_FIELDS: false })
    await refuses(none, '/api/authors?fields=*', { says: ['API_ALLOW_SELECT_FIELDS'] })
    match((await succeeds(none, '/api/authors?order_by=-count(books)')).text, /Ann/)
  })
})
