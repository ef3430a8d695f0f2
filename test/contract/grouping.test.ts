/** Grouping and aggregation: spellings, labels, HAVING, buckets and exact sums, following the specification sentence by sentence. */
import { defineModel } from '@model-api/core'
import { testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { read, refuses, succeeds, withMeta } from '../support/expect.ts'
import { createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const on = { API_ALLOW_JOIN: true, API_ALLOW_GROUPBY: true, API_ALLOW_AGGREGATION: true }

eachDatabase('specification: grouping and aggregation', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop, on)

  test('1 both are off by default, and each is enabled on its own, globally or per model', async () => {
    const off = testApi(db, shop)
    await refuses(off, '/api/books?groupby=author_id', { says: ['API_ALLOW_GROUPBY'] })
    await refuses(off, '/api/books?id__count=1', { says: ['API_ALLOW_AGGREGATION'] })
    const grouping = testApi(db, shop, { API_ALLOW_GROUPBY: true })
    equal((await read(grouping, '/api/books?groupby=format')).length, 4)
    await refuses(grouping, '/api/books?groupby=format&id__count=1')
    const one = testApi(db, withMeta(shop, 'Tag', { allow_aggregation: true }))
    equal(await read(one, '/api/tags?id__count=1'), [{ id_count: 3 }])
    await refuses(one, '/api/books?id__count=1')
  })

  test('2 <column>|<label>__<function>=<placeholder>; the placeholder is ignored', async () => {
    for (const placeholder of ['1', '', 'x', '(1,2)']) {
      equal(await read(api, `/api/books?price|total__sum=${placeholder}`), [{ total: '56.25' }])
    }
  })

  test('2 sum, count, avg, min, max', async () => {
    const url =
      '/api/books?rating|s__sum=1&rating|c__count=1&rating|a__avg=1&rating|lo__min=1&rating|hi__max=1'
    equal(await read(api, url), [{ s: 14.5, c: 4, a: 3.625, lo: 2, hi: 4.75 }])
  })

  test('2 the label is optional and defaults to <column>_<function>', async () => {
    equal(await read(api, '/api/books?price__max=1&id__count=1'), [
      { price_max: '20.00', id_count: 5 },
    ])
    equal(await read(api, '/api/books?join=author&author.id__count=1'), [{ id_count: 4 }])
  })

  test('2 the column is qualified when grouping across joins', async () => {
    const url =
      '/api/authors?join=books&groupby=authors.name&books.price|total__sum=1&order_by=-total'
    equal(await read(api, url), [
      { name: 'Čapek, Karel', total: '35.75' },
      { name: 'Ann Archer', total: '12.50' },
      { name: 'bob Baker', total: '8.00' },
    ])
  })

  test('the total is the number of groups, on every page', async () => {
    const all = (await read(api, '/api/books?groupby=format&id|n__count=1')).length
    for (const [page, rows] of [
      [1, 2],
      [2, all - 2],
      [9, 0],
    ] as const) {
      for (const count of ['exact', 'capped']) {
        const url = `/api/books?groupby=format&id|n__count=1&limit=2&page=${page}&count=${count}`
        const { value, total } = await succeeds(api, url)
        equal([(value as unknown[]).length, total], [rows, all], url)
      }
    }
    const none = await succeeds(api, '/api/books?groupby=format&id|n__count=1&n__gt=99')
    equal([none.value, none.total], [[], 0])
    // Without `groupby`, all rows are one group.
    equal((await succeeds(api, '/api/books?id|n__count=1')).total, 1)
    equal((await succeeds(api, '/api/books?id|n__count=1&n__gt=99')).total, 0)
  })

  test('3 without aggregates, groupby returns the unique combinations', async () => {
    equal(await read(api, '/api/books?groupby=in_stock,format'), [
      { in_stock: false, format: 'paperback' },
      { in_stock: true, format: 'ebook' },
      { in_stock: true, format: 'hardcover' },
      { in_stock: true, format: 'paperback' },
      { in_stock: null, format: null },
    ])
  })

  test('3 fields selects returned columns and never changes the grouping', async () => {
    const { value, total } = await succeeds(api, '/api/books?groupby=in_stock,format&fields=format')
    equal(
      value.map((row: { format: string }) => row.format),
      ['paperback', 'ebook', 'hardcover', 'paperback', null],
    )
    equal([Object.keys(value[0]), total], [['format'], 5])
    equal(await read(api, '/api/books?groupby=format&id|n__count=1&fields=n&limit=1'), [{ n: 1 }])
    const joined = '/api/books?join=author&groupby=author.name,id|n__count=1&limit=1'
    equal(await read(api, `${joined}&fields=author.name`), [{ name: 'Ann Archer' }])
    equal(await read(api, `${joined}&fields=n,authors.name`), [{ n: 1, name: 'Ann Archer' }])
  })

  test('4 each result holds the grouping columns and one scalar per label', async () => {
    const [first] = await read(api, '/api/books?groupby=author_id&price|total__sum=1&id__count=1')
    equal(first, { author_id: 1, total: '12.50', id_count: 1 })
  })

  test('5 filters narrow rows before aggregation', async () => {
    equal(await read(api, '/api/books?in_stock__eq=true&price|total__sum=1'), [{ total: '48.25' }])
    equal(
      await read(api, '/api/books?join=tags&tags.name__eq=classic&groupby=tags.name,id|n__count=1'),
      [{ name: 'classic', n: 2 }],
    )
  })

  test('5 order_by names grouping columns or labels', async () => {
    const by = async (order: string): Promise<unknown[]> => {
      const rows = await read(api, `/api/books?groupby=author_id&id|n__count=1&order_by=${order}`)
      return rows.map((row: { author_id: number | null }) => row.author_id)
    }
    equal(await by('-n'), [3, 1, 2, null])
    equal(await by('-author_id'), [null, 3, 2, 1])
    equal(await by('n,-author_id.nullslast'), [2, 1, null, 3])
    await refuses(api, '/api/books?groupby=author_id&order_by=title', {
      says: ['title', 'grouping column'],
    })
  })
})

eachDatabase('contract: groups', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop, on)

  test('aggregates are given as pairs, as items of groupby, and as aggregate=', async () => {
    const expected = await read(api, '/api/books?groupby=format&price|total__sum=1&id__count=1')
    equal(expected[0], { format: 'ebook', total: '20.00', id_count: 1 })
    for (const query of [
      'groupby=format,price|total__sum=1,id__count=1',
      'groupby=format,price|total__sum,id__count',
      'groupby=format&aggregate=price|total__sum,id__count',
      'groupby=format&aggregate=price|total__sum&aggregate=id__count=1',
      'aggregate=price|total__sum&groupby=format&id__count=1',
    ]) {
      equal(await read(api, `/api/books?${query}`), expected, query)
    }
  })

  test('year, month and day group dates in UTC; the key is the client’s text or its label', async () => {
    equal(await read(api, '/api/books?groupby=year(published_at)'), [
      { 'year(published_at)': 2024 },
      { 'year(published_at)': null },
    ])
    equal(await read(api, '/api/books?groupby=month(published_at)|m,id|n__count=1'), [
      { m: '2024-01', n: 1 },
      { m: '2024-02', n: 2 },
      { m: '2024-12', n: 1 },
      { m: null, n: 1 },
    ])
    equal(await read(api, '/api/authors?groupby=day(bornOn)&bornOn__lt=1950-01-01'), [
      { 'day(bornOn)': '1890-01-09' },
    ])
    equal((await read(api, '/api/authors?groupby=year(bornOn)|y&order_by=-y'))[1], { y: 1999 })
  })

  test('order_by and fields name year, month and day as the client wrote them', async () => {
    const by = '/api/books?groupby=month(published_at),format&id|n__count=1'
    const months = async (query: string) =>
      (await read(api, `${by}&${query}`)).map((group: object) => Object.values(group)[0])
    const [january, february, december] = ['2024-01', '2024-02', '2024-12']
    const fields = 'fields=month(published_at)'
    equal(await months(`${fields}&order_by=month(published_at)`), [
      january,
      february,
      february,
      december,
      null,
    ])
    equal(await months(`${fields}&order_by=-month(published_at).nullslast`), [
      december,
      february,
      february,
      january,
      null,
    ])
    equal(await months(`${fields},n&order_by=-n,%2Dmonth%28published_at%29`), [
      null,
      december,
      february,
      february,
      january,
    ])
    for (const query of [
      'order_by=month(published_at)',
      'fields=month(published_at)',
      'groupby=month(published_at)|m&order_by=month(published_at)',
      'groupby=month(published_at)&fields=day(published_at)',
    ]) {
      await refuses(api, `/api/books?${query}`, { says: ['Unknown column', '(published_at)'] })
    }
  })

  test('a label of a bucket can be filtered, before the grouping', async () => {
    const url = '/api/books?groupby=month(published_at)|m,id|n__count=1&m__eq=2024-02'
    equal(await read(api, url), [{ m: '2024-02', n: 2 }])
  })

  test('labels are [A-Za-z_][A-Za-z0-9_]{0,62}', async () => {
    const longest = 'a'.repeat(63)
    equal(await read(api, `/api/tags?id|${longest}__count=1`), [{ [longest]: 3 }])
    for (const label of ['9x', 'a-b', 'a.b', 'é', `${longest}a`]) {
      await refuses(api, `/api/tags?id|${label}__count=1`)
    }
    for (const label of ['__proto__', 'constructor', 'prototype']) {
      await refuses(api, `/api/tags?id|${label}__count=1`, { says: [label] })
    }
  })

  test('equal labels, and labels equal to a column or grouping key, are 400', async () => {
    await refuses(api, '/api/books?price|x__sum=1&price|x__avg=1', { says: ['"x"', 'twice'] })
    await refuses(api, '/api/books?price__sum=1&price__sum=1', { says: ['price_sum'] })
    await refuses(api, '/api/books?price|title__sum=1', { says: ['title', 'column'] })
    await refuses(api, '/api/books?groupby=year(published_at)|y&price|y__sum=1', { says: ['"y"'] })
    await refuses(api, '/api/books?groupby=author_id,author_id')
  })

  test('a label that equals a hidden column does not reveal it', async () => {
    equal(await read(api, '/api/authors?id|secret__count=1'), [{ secret: 4 }])
  })

  test('two grouping columns of one name keep the client’s text', async () => {
    const [first] = await read(api, '/api/books?join=author&groupby=id,author.id')
    equal(first, { id: 1, 'author.id': 1 })
  })

  test('a filter on a label is HAVING', async () => {
    equal(await read(api, '/api/books?groupby=author_id&price|total__sum=1&total__gt=12.50'), [
      { author_id: 3, total: '35.75' },
    ])
    equal(await read(api, '/api/books?groupby=author_id&id|n__count=1&or[n__ge=2,n__lt=1]'), [
      { author_id: 3, n: 2 },
    ])
    equal(await read(api, '/api/books?groupby=author_id&price|total__sum=1&total__isnull=true'), [
      { author_id: null, total: null },
    ])
    await refuses(api, '/api/books?groupby=author_id&price|total__sum=1&total__gt=much')
  })

  test('mixed with conditions on rows inside one group: 400', async () => {
    const url = '/api/books?groupby=author_id&price|total__sum=1&or[total__gt=1,title__eq=x]'
    await refuses(api, url, { says: ['rows', 'aggregates'], at: 'or[total__gt=1,title__eq=x]' })
  })

  test('aggregates without groupby give one row, also for an empty set', async () => {
    const url = '/api/books?id__lt=0&price|s__sum=1&price|a__avg=1&id|c__count=1&title|m__min=1'
    const { value, total } = await succeeds(api, url)
    equal([value, total], [[{ s: null, a: null, c: 0, m: null }], 1])
    equal((await succeeds(api, '/api/books?id__lt=0&groupby=format,id__count=1')).value, [])
  })

  test('NULLs form one group, last ascending', async () => {
    equal((await read(api, '/api/books?groupby=author_id')).at(-1), { author_id: null })
  })

  test('count counts values, not NULLs', async () => {
    equal(await read(api, '/api/books?price|p__count=1&details|d__count=1'), [{ p: 4, d: 3 }])
  })

  test('count is an integer, sum a number or a string by type, avg with four digits more', async () => {
    equal(await read(api, '/api/books?sold|s__sum=1&sold|a__avg=1'), [
      { s: '9007199254741253', a: '2251799813685313.2500' },
    ])
    equal(await read(api, '/api/books?price|s__sum=1&price|a__avg=1'), [
      { s: '56.25', a: '14.062500' },
    ])
    equal(await read(api, '/api/order-lines?quantity|s__sum=1&quantity|a__avg=1'), [
      { s: 8, a: 8 / 3 },
    ])
  })

  test('min and max are of the type of the column', async () => {
    const url =
      '/api/books?title|t__min=1&sold|s__max=1&published_at|p__max=1&format|f__min=1&price|d__min=1'
    equal(await read(api, url), [
      { t: 'Arrows', s: '9007199254740993', p: '2024-12-31T10:00:00.000Z', f: 'ebook', d: '8.00' },
    ])
  })

  test('a function that makes no sense for a type is 400', async () => {
    for (const [aggregate, type] of [
      ['title__sum', 'string'],
      ['published_at__avg', 'datetime'],
      ['in_stock__max', 'boolean'],
      ['details__min', 'json'],
    ] as const) {
      await refuses(api, `/api/books?${aggregate}=1`, {
        says: [type],
        code: 'operator_not_for_type',
      })
    }
    await refuses(api, '/api/books?groupby=details')
    await refuses(api, '/api/books?groupby=year(title)', { says: ['date'] })
    await refuses(api, '/api/books?price|x__median=1', { says: ['median'] })
    await refuses(api, '/api/books?groupby=decade(published_at)', { says: ['decade'] })
  })

  test('over to-many joins aggregates count joined rows, as SQL does', async () => {
    equal(await read(api, '/api/books?join=order_lines&id|n__count=1'), [{ n: 3 }])
    equal(await read(api, '/api/books?join=order_lines&groupby=id&price|p__sum=1'), [
      { id: 1, p: '25.00' },
      { id: 3, p: '20.00' },
    ])
  })

  test('left and right joins in groups', async () => {
    const url =
      '/api/books?join=author&groupby=author.name,id|n__count=1&order_by=author.name&join_type='
    equal((await read(api, `${url}left`)).at(-1), { name: null, n: 1 })
    equal(await read(api, `${url}right`), [
      { name: 'Ann Archer', n: 1 },
      { name: 'Zoë', n: 0 },
      { name: 'bob Baker', n: 1 },
      { name: 'Čapek, Karel', n: 2 },
    ])
  })

  test('pages and total_count are of groups', async () => {
    const { value, body } = await succeeds(api, '/api/books?groupby=author_id&limit=3&page=2')
    equal([value, body.total_count], [[{ author_id: null }], 4])
    const having = await succeeds(api, '/api/books?groupby=author_id&id|n__count=1&n__eq=1&limit=2')
    equal(
      [having.total, having.body.next_url],
      [3, '/api/books?groupby=author_id&id|n__count=1&n__eq=1&limit=2&page=2'],
    )
  })

  test('on a relation route', async () => {
    equal(await read(api, '/api/authors/3/books?price|total__sum=1'), [{ total: '35.75' }])
  })
})

/** Numbers at the limits of what databases can store. */
const Amount = defineModel('Amount', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    kind: { type: 'string', maxLength: 10, nullable: true },
    cents: { type: 'decimal', precision: 12, scale: 2 },
    big: { type: 'bigint' },
    rate: { type: 'float' },
  },
  meta: {},
})

eachDatabase('contract: exact arithmetic', (test, db) => {
  test.before(async () => {
    await createTables(db, [Amount])
    await insertRows(db, Amount, [
      { id: 1, kind: 'a', cents: '0.10', big: '9223372036854775807', rate: 0.1 },
      { id: 2, kind: 'a', cents: '0.20', big: '9223372036854775807', rate: 0.2 },
      { id: 3, kind: 'A', cents: '-0.05', big: '-3', rate: 1e300 },
      { id: 4, kind: 'a ', cents: '9999999999.99', big: '2', rate: 0.3 },
      { id: 5, kind: 'ä', cents: '0.01', big: '0', rate: 0.7 },
      { id: 6, kind: null, cents: '0.01', big: '1', rate: 0 },
    ])
  })
  const api = testApi(db, [Amount], on)

  test('sums of decimals are exact', async () => {
    equal(await read(api, '/api/amounts?cents|s__sum=1'), [{ s: '10000000000.26' }])
  })

  test('sums of bigints are exact beyond 64 bits', async () => {
    equal(await read(api, '/api/amounts?big|s__sum=1&id__in=(1,2)'), [
      { s: '18446744073709551614' },
    ])
  })

  test('averages round half up, away from zero alike', async () => {
    equal(await read(api, '/api/amounts?cents|a__avg=1&id__in=(5,6,3)'), [{ a: '-0.010000' }])
    equal(await read(api, '/api/amounts?big|a__avg=1&id__in=(3,4,5)'), [{ a: '-0.3333' }])
    equal(await read(api, '/api/amounts?big|a__avg=1&id__in=(4,5,6)'), [{ a: '1.0000' }])
  })

  test('float sums and averages have twelve significant digits', async () => {
    equal(await read(api, '/api/amounts?rate|s__sum=1&rate|a__avg=1&id__in=(1,2,4)'), [
      { s: 0.6, a: 0.2 },
    ])
  })

  test('text is grouped by code point: case, accents and trailing blanks count', async () => {
    equal(await read(api, '/api/amounts?groupby=kind,id|n__count=1'), [
      { kind: 'A', n: 1 },
      { kind: 'a', n: 2 },
      { kind: 'a ', n: 1 },
      { kind: 'ä', n: 1 },
      { kind: null, n: 1 },
    ])
  })

  test('HAVING compares exactly', async () => {
    equal(await read(api, '/api/amounts?groupby=kind,cents|s__sum=1&s__eq=0.3'), [
      { kind: 'a', s: '0.30' },
    ])
    const url = '/api/amounts?id__ne=2&groupby=kind,big|s__sum=1&s__gt=9223372036854775806'
    equal(await read(api, url), [{ kind: 'a', s: '9223372036854775807' }])
  })

  test('groups are ordered by exact sums', async () => {
    const rows = await read(api, '/api/amounts?id__ne=2&groupby=kind,big|s__sum=1&order_by=-s')
    equal(
      rows.map((row: { s: string }) => row.s),
      ['9223372036854775807', '2', '1', '0', '-3'],
    )
  })
})
