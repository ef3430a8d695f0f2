/** Joins: names, join types, paths and distinct base rows, following the specification sentence by sentence. */
import { type AnyModel, belongsTo, defineModel } from '@model-api/core'
import { get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { column, read, refuses, succeeds, withMeta } from '../support/expect.ts'
import { Book, createShop, OrderLine, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

const on = { API_ALLOW_JOIN: true }

eachDatabase('specification: joins', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop, on)

  test('1 disabled by default: join and join_type are ignored', async () => {
    const plain = testApi(db, shop)
    equal(await column(plain, '/api/books?join=author'), [1, 2, 3, 4, 5])
    equal(await column(plain, '/api/books?join=nonsense&join_type=nonsense'), [1, 2, 3, 4, 5])
    await refuses(plain, '/api/books?join=author&author.name__eq=Ann', { code: 'unknown_column' })
    await refuses(plain, '/api/books?join=author&order_by=author.name')
  })

  test('1 enabled by API_ALLOW_JOIN, global or model', async () => {
    equal(await column(api, '/api/books?join=author'), [1, 2, 3, 4])
    const one = testApi(db, withMeta(shop, 'Book', { allow_join: true }))
    equal(await column(one, '/api/books?join=author'), [1, 2, 3, 4])
    equal(await column(one, '/api/authors?join=books'), [1, 2, 3, 4])
  })

  test('2 join is one comma-separated list', async () => {
    equal(await column(api, '/api/books?join=author,editor'), [1, 2, 4])
  })

  test('2 tokens: case, blanks, hyphens, singular and plural do not matter', async () => {
    for (const token of [
      'order_lines',
      'order-lines',
      'ORDER_LINES',
      'Order_Line',
      'order-line',
      '%20order_lines%20',
      '+Order-Lines+',
    ]) {
      equal(await column(api, `/api/books?join=${token}`), [1, 3], token)
    }
    equal(await column(api, '/api/books?join=tag'), [1, 2, 3, 4])
  })

  test('3 a token matches the plural endpoint name, the key in endpoint case, the raw key', async () => {
    equal(await column(api, '/api/order-lines?join=books', 'line'), [1, 2, 1])
    equal(await column(api, '/api/books?join=order-lines'), [1, 3])
    equal(await column(api, '/api/books?join=order_lines'), [1, 3])
    equal(await column(api, '/api/authors?join=pupils'), [1, 2])
  })

  test('4 every token must resolve to a relation of the base model, otherwise 400', async () => {
    await refuses(api, '/api/books?join=publisher', { error: 'Invalid join model: publisher' })
    await refuses(api, '/api/books?join=author,Nonsense', { error: 'Invalid join model: Nonsense' })
    await refuses(api, '/api/books?join=mentor', { error: 'Invalid join model: mentor' })
    await refuses(api, '/api/books?join=audits', { error: 'Invalid join model: audits' })
    await refuses(api, '/api/books?join=autor', { says: ['Did you mean "author"?'], at: 'autor' })
  })

  test('5 join_type: inner is the default, outer is an alias of left', async () => {
    equal(await column(api, '/api/books?join=author&join_type=inner'), [1, 2, 3, 4])
    for (const type of ['left', 'outer']) {
      equal(await column(api, `/api/books?join=author&join_type=${type}`), [1, 2, 3, 4, 5])
    }
  })

  test('5 join_type=right: a row with a partner among entities, a real right join in projections', async () => {
    equal(await column(api, '/api/books?join=author&join_type=right'), [1, 2, 3, 4])
    equal(await read(api, '/api/books?join=author&join_type=right&fields=id,author.id'), [
      { id: 1, 'author.id': 1 },
      { id: 2, 'author.id': 2 },
      { id: 3, 'author.id': 3 },
      { id: 4, 'author.id': 3 },
      { id: null, 'author.id': 4 },
    ])
  })

  test('5 any other join_type gives 400', async () => {
    for (const type of ['full', 'cross', 'INNER', '']) {
      await refuses(api, `/api/books?join=author&join_type=${type}`, {
        says: [`"${type}"`, 'inner, left, outer or right'],
        code: 'invalid_join_type',
      })
    }
    await refuses(api, '/api/books?join_type=sideways')
  })

  test('6 limit and total_count count distinct base rows', async () => {
    const { value, total } = await succeeds(api, '/api/books?join=order_lines,tags&limit=1')
    equal([value.length, value[0].id, total], [1, 1, 2])
    const all = await succeeds(api, '/api/authors?join=books')
    equal([all.value.map((a: { id: number }) => a.id), all.total], [[1, 2, 3], 3])
  })

  test('6 with a projection the rows are the joined rows, and counted so', async () => {
    const { value, total } = await succeeds(api, '/api/books?join=order_lines&fields=id')
    equal([value, total], [[{ id: 1 }, { id: 1 }, { id: 3 }], 3])
  })

  test('7 a join alone does not embed', async () => {
    const [book] = await read(api, '/api/books?join=author&limit=1')
    equal(book.author, '/api/books/1/author')
  })
})

eachDatabase('contract: joins', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop, on)

  test('an exact relation key takes precedence over other token forms', async () => {
    equal(await column(api, '/api/books?join=editor&editor.id__eq=1'), [2])
  })

  test('a plural that fits two relations is an invalid join model in the client’s own spelling', async () => {
    await refuses(api, '/api/books?join=Authors', {
      error: 'Invalid join model: Authors',
      says: ['"author"', '"editor"'],
    })
  })

  test('conditions over several relations are right, however often they are repeated', async () => {
    const either = 'or[books.title__eq=Newts,books.tags.name__eq=food]'
    const never = 'or[books.title__eq=nowhere,books.tags.name__eq=nowhere]'
    const ids = (conditions: readonly string[]) =>
      column(api, `/api/authors?join=books.tags&${conditions.join('&')}`)
    equal(await ids([either]), [2, 3])
    for (const times of [2, 4, 5, 6, 7]) {
      const all = Array.from({ length: times }, () => either)
      equal(await ids(all), [2, 3])
      equal(await ids([...all, never]), [])
      equal(await ids([...all, `not[${never}]`]), [2, 3])
    }
  })

  test('a repeated join, in any spelling, is one join', async () => {
    const once = await get(api, '/api/books?join=tags&fields=id')
    const thrice = await get(api, '/api/books?join=tags,TAG&join=%20tags&fields=id')
    equal(thrice.value, once.value)
    equal(thrice.total, once.total)
  })

  test('a column named by the end of its path is refused with the whole path', async () => {
    for (const [query, name, path] of [
      ['join=author&fields=title,name', 'name', 'author.name'],
      ['join=author.mentor&fields=id,mentor.name', 'mentor.name', 'author.mentor.name'],
      ['join=author.mentor&mentor.name__eq=Ann', 'mentor.name', 'author.mentor.name'],
      ['join=author.mentor&order_by=-mentor.bornOn', 'mentor.bornOn', 'author.mentor.bornOn'],
    ] as const) {
      await refuses(api, `/api/books?${query}`, {
        says: [`Unknown column "${name}" on books. Did you mean "${path}"?`],
      })
    }
    // Both author and mentor have a name, so neither is suggested.
    const { errors } = await get(api, '/api/books?join=author.mentor&fields=name')
    equal(errors.reason, 'Unknown column "name" on books.')
  })

  test('dotted tokens join every relation along their path', async () => {
    const url = '/api/books?join=author.mentor&fields=id,author.name,author.mentor.name'
    equal(await read(api, url), [
      { id: 2, 'author.name': 'bob Baker', 'author.mentor.name': 'Ann Archer' },
      { id: 3, 'author.name': 'Čapek, Karel', 'author.mentor.name': 'Ann Archer' },
      { id: 4, 'author.name': 'Čapek, Karel', 'author.mentor.name': 'Ann Archer' },
    ])
    await refuses(api, '/api/books?join=author.nonsense', {
      error: 'Invalid join model: author.nonsense',
    })
  })

  test('two relations to one table', async () => {
    const url = '/api/books?join=author,editor&author.country__eq=GB&editor.country__eq=US'
    equal(await column(api, url), [1])
    equal(
      await column(api, '/api/books?join=author,editor&join_type=left&editor.id__isnull=true'),
      [3, 5],
    )
  })

  test('self-joins', async () => {
    equal(await column(api, '/api/authors?join=mentor&mentor.name__eq=Ann%20Archer'), [2, 3])
    equal(await column(api, '/api/authors?join=mentor.mentor'), [4])
    equal(await column(api, '/api/authors?join=mentor,pupils'), [2])
  })

  test('many-to-many, also from the other side', async () => {
    equal(await column(api, '/api/books?join=tags&tags.name__eq=classic'), [1, 3])
    equal(await column(api, '/api/tags?join=books&books.title__eq=Robots'), [1, 3])
    const left = '/api/books?join=tags&join_type=left&fields=id,tags.name'
    equal((await read(api, left)).at(-1), { id: 5, name: null })
  })

  test('base rows are distinct with JSON columns and an order by a joined column', async () => {
    const url = '/api/books?join=tags,author&order_by=-author.name,id'
    equal(await column(api, url), [3, 4, 2, 1])
    equal(await column(api, `${url}&limit=2&page=2`), [2, 1])
  })

  test('ordering entities by a to-many column is refused: there is no single value', async () => {
    await refuses(api, '/api/authors?join=books&order_by=books.title', {
      says: ['books.title', 'many values'],
    })
  })

  test('left keeps base rows without a partner if they match the joined filter', async () => {
    equal(await column(api, '/api/books?join=author&join_type=left&author.id__isnull=true'), [5])
    equal(await column(api, '/api/authors?join=books&join_type=left&books.id__isnull=true'), [4])
  })

  test('or-groups across tables', async () => {
    const url =
      '/api/books?join=author,tags&join_type=left&or[author.name__eq=Ann%20Archer,tags.name__eq=food]'
    equal(await column(api, url), [1, 2])
  })

  test('an inner join without partner on a single object is 404', async () => {
    await refuses(api, '/api/books/5?join=author', { status: 404 })
    equal((await read(api, '/api/books/5?join=author&join_type=left')).id, 5)
    equal((await read(api, '/api/books/1?join=order_lines')).id, 1)
  })

  test('a relation route takes joins of the target', async () => {
    equal(await column(api, '/api/authors/3/books?join=tags&tags.name__eq=classic'), [3])
  })

  test('a join to a resource that may not be listed is 403', async () => {
    const closed = testApi(db, withMeta(shop, 'Author', { allowed_methods: [] }), on)
    await refuses(closed, '/api/books?join=author', { status: 403, error: 'Forbidden' })
  })
})

const withoutRelations = (model: AnyModel): AnyModel => ({ ...model, relations: {} })

eachDatabase('contract: paths', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop, on)

  test('the key of a joined relation', async () => {
    equal(await column(api, '/api/books?join=author,editor&author.id__eq=3'), [4])
  })

  test('another token form that names exactly one joined relation', async () => {
    equal(await column(api, '/api/books?join=author&authors.id__eq=3'), [3, 4])
    equal(await column(api, '/api/books?join=order_lines&order-line.quantity__eq=5'), [1])
  })

  test('the base’s own table, endpoint or model', async () => {
    for (const name of ['order_lines', 'order-lines', 'OrderLine']) {
      equal(await column(api, `/api/order-lines?${name}.quantity__eq=5`, 'quantity'), [5], name)
    }
  })

  test('the table of exactly one joined relation', async () => {
    equal(await column(api, '/api/authors?join=pupils&pupils.id__eq=4'), [2])
    equal(await column(api, '/api/order-lines?join=book&books.id__eq=3', 'line'), [2])
  })

  test('table names that differ from model names stand for the base, or the only joined relation', async () => {
    const Novel = { ...Book, name: 'Novel', table: 'books' } as unknown as AnyModel
    const Sale = defineModel('Sale', {
      table: 'order_lines',
      columns: OrderLine.columns,
      relations: { item: belongsTo('Novel', 'book_id'), gift: belongsTo('Novel', 'book_id') },
      meta: {},
    }) as unknown as AnyModel
    const others = shop.filter(({ name }) => name !== 'Book' && name !== 'OrderLine')
    const renamed = testApi(
      db,
      [...others.map(withoutRelations), withoutRelations(Novel), Sale],
      on,
    )
    for (const name of ['books', 'Book', 'BOOKS', 'novels', 'Novel']) {
      equal(await column(renamed, `/api/novels?${name}.title__eq=Robots`), [3], name)
    }
    equal(await column(renamed, '/api/sales?order-lines.quantity__eq=5', 'line'), [1])
    equal(await column(renamed, '/api/sales?join=item&books.title__eq=Robots', 'line'), [2])
    equal(await column(renamed, '/api/sales?join=item&novels.title__eq=Robots', 'line'), [2])
    await refuses(renamed, '/api/sales?join=item,gift&books.title__eq=Robots', {
      says: ['"books"', 'item, gift'],
    })
  })

  test('a token form of one joined relation takes precedence over the base', async () => {
    equal(await column(api, '/api/authors?join=pupils&authors.id__eq=4'), [2])
  })

  test('a token form of several joined relations names the base, where it is its name', async () => {
    equal(await column(api, '/api/authors?join=mentor,pupils&authors.id__eq=2'), [2])
    await refuses(api, '/api/books?join=author,editor&authors.id__eq=2', {
      says: ['author, editor'],
    })
  })

  test('several candidates are 400 and listed', async () => {
    await refuses(api, '/api/books?join=author,editor&authors.id__eq=1', {
      says: ['"authors"', 'author, editor'],
    })
  })

  test('a relation of a relation needs its whole path', async () => {
    equal(await column(api, '/api/books?join=author.mentor&author.mentor.id__eq=1'), [2, 3, 4])
    await refuses(api, '/api/books?join=author&author.mentor.id__eq=1', { code: 'unknown_column' })
  })
})
