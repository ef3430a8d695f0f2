/** Filters: operators, values, NULLs, groups of conditions and relation filters, following the specification sentence by sentence. */
import { get, send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { column, read, refuses, withMeta } from '../support/expect.ts'
import { createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

eachDatabase('specification: filtering', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop, { API_ALLOW_JOIN: true })

  test('1 filtering is enabled by default', async () => {
    equal(await column(testApi(db, shop), '/api/books?title__eq=Robots'), [3])
  })

  test('1 API_ALLOW_FILTERS false disables it, globally or per model', async () => {
    const off = testApi(db, shop, { API_ALLOW_FILTERS: false })
    await refuses(off, '/api/books?title__eq=Robots', {
      says: ['Filtering is not enabled here', 'API_ALLOW_FILTERS'],
      at: 'title__eq=Robots',
    })
    const one = testApi(db, withMeta(shop, 'Book', { allow_filters: false }))
    await refuses(one, '/api/books?title__eq=Robots')
    await refuses(one, '/api/books?exists(tags)')
    equal(await column(one, '/api/tags?name__eq=food'), [2])
    const back = testApi(db, withMeta(shop, 'Book', { allow_filters: true }), {
      API_ALLOW_FILTERS: false,
    })
    equal(await column(back, '/api/books?title__eq=Robots'), [3])
  })

  test('1 a model that disables filters, orders or fields does so in requests to other models too', async () => {
    const config = {
      API_ALLOW_JOIN: true,
      API_ALLOW_GROUPBY: true,
      API_ALLOW_AGGREGATION: true,
      API_ALLOW_BULK: true,
    }
    const on = testApi(db, shop, config)
    const closed = (meta: object, base = 'Author') =>
      testApi(db, withMeta(shop, base, meta), config)
    const of = 'of "authors" is not enabled here'
    const refused: readonly (readonly [object, string, readonly string[]])[] = [
      [
        { allow_filters: false },
        'API_ALLOW_FILTERS',
        [
          '/api/books?join=author&author.name__like=a',
          '/api/books?join=author&or[title__eq=x,not[author.name__like=a]]',
          '/api/books?exists(author.name__like=a)',
          '/api/books?missing(author.name__like=a)',
          '/api/tags?exists(books.author.name__like=a)',
          '/api/tags?join=books.author&books.author.name__like=a',
          '/api/tags?dump=json&books[exists(author.name__like=a)]',
          '/api/authors/1/books?exists(author.name__like=a)',
          // A group of one record has the record's own value as its largest.
          '/api/books?join=author&groupby=id&author.name|n__max=1&n__ge=B',
        ],
      ],
      [
        { allow_order_by: false },
        'API_ALLOW_ORDER_BY',
        [
          '/api/books?join=author&order_by=author.name',
          '/api/books?join=author&order_by=title,-author.name&fields=title,author.name',
          '/api/books?join=author&groupby=author.name&order_by=author.name',
          '/api/books?join=author&groupby=id&author.name|n__max=1&order_by=-n',
        ],
      ],
      [
        { allow_select_fields: false },
        'API_ALLOW_SELECT_FIELDS',
        ['/api/books?join=author&fields=title,author.name'],
      ],
    ]
    for (const [meta, setting, urls] of refused) {
      for (const url of urls) {
        equal([url, (await get(on, url)).status], [url, 200])
        await refuses(closed(meta), url, { says: [of, setting] })
      }
    }
    const filtered = '/api/books?exists(author.name__like=a)'
    const body = { title: 'x' }
    equal((await send(closed({ allow_filters: false }), 'PATCH', filtered, { body })).status, 400)

    // What uses no column of the author stays allowed, and so do columns of other models.
    const without = closed({
      allow_filters: false,
      allow_order_by: false,
      allow_select_fields: false,
    })
    for (const url of [
      '/api/books?join=author',
      '/api/books?exists(author)&title__like=o&order_by=title&fields=title',
      '/api/books?exists(tags.name__like=o)',
      '/api/books?join=author&groupby=title&author.id|n__count=1&n__gt=0&order_by=-n',
      '/api/books?join=author&groupby=title&author.name|n__max=1&order_by=title',
      '/api/authors/1/books?title__like=a&order_by=title',
    ]) {
      equal([url, (await get(without, url)).status], [url, 200])
    }
  })

  test('2 eq: equals', async () => {
    equal(await column(api, '/api/books?id__eq=2'), [2])
    equal(await column(api, '/api/books?title__eq=robots'), [])
    equal(await column(api, '/api/books?title__eq='), [])
  })

  test('2 ge: greater than or equal', async () => {
    equal(await column(api, '/api/books?price__ge=15.75'), [3, 4])
  })

  test('2 in and nin take comma-separated values in parentheses', async () => {
    equal(await column(api, '/api/books?id__in=(1,3,9)'), [1, 3])
    equal(await column(api, '/api/books?id__nin=(1,3,9)'), [2, 4, 5])
    await refuses(api, '/api/books?id__in=1,3', { says: ['list in parentheses', '(1,2,3)'] })
  })

  test('2 like: case-sensitive substring', async () => {
    equal(await column(api, '/api/books?title__like=ewt'), [4])
    equal(await column(api, '/api/books?title__like=EWT'), [])
  })

  test('2 ilike: case-insensitive substring', async () => {
    equal(await column(api, '/api/books?title__ilike=EWT'), [4])
    equal(await column(api, '/api/books?title__ilike=a'), [1, 2, 5])
  })

  test('2 like and ilike wrap the value: %, _ and \\ of the value are plain characters', async () => {
    equal(await column(api, '/api/books?title__like=100%25'), [2])
    equal(await column(api, '/api/books?title__like=%25'), [2])
    equal(await column(api, '/api/books?title__like=_'), [])
    equal(await column(api, '/api/books?title__ilike=%5C'), [])
    equal(await column(api, '/api/books?title__ilike=.'), [])
    equal(await column(api, '/api/books?title__ilike=%5B'), [])
  })

  test('3 not equal, less than, less than or equal, greater than', async () => {
    for (const ne of ['ne', 'neq']) equal(await column(api, `/api/books?id__${ne}=3`), [1, 2, 4, 5])
    equal(await column(api, '/api/books?id__lt=3'), [1, 2])
    for (const le of ['le', 'lte']) equal(await column(api, `/api/books?id__${le}=3`), [1, 2, 3])
    equal(await column(api, '/api/books?id__gt=3'), [4, 5])
    for (const ge of ['ge', 'gte']) equal(await column(api, `/api/books?id__${ge}=3`), [3, 4, 5])
  })

  test('4 filters compose with joins, order_by, page and limit, and dump modes', async () => {
    const url =
      '/api/books?join=author&author.country__eq=CZ&price__gt=1&order_by=-price&page=1&limit=1&dump=json'
    const { value, body } = await get(api, url)
    equal([value.length, value[0].title, value[0].author.name], [1, 'Robots', 'Čapek, Karel'])
    equal(body.total_count, 2)
  })

  test('query parameters: repeated filters combine with AND', async () => {
    equal(await column(api, '/api/books?id__gt=1&id__gt=2&title__like=o'), [3, 5])
  })

  test('query parameters: conditions inside or[…] combine with OR, the group with AND', async () => {
    equal(await column(api, '/api/books?or[id__eq=1,id__eq=2]&in_stock__eq=false'), [2])
    equal(await column(api, '/api/books?or[id__eq=1,id__eq=2]&or[id__eq=2,id__eq=3]'), [2])
  })

  test('query parameters: a joined filter is used together with join', async () => {
    equal(await column(api, '/api/books?join=author&author.name__eq=Ann%20Archer'), [1])
    equal(await column(api, '/api/books?join=editor&authors.name__eq=Ann%20Archer'), [2])
    await refuses(api, '/api/books?author.name__eq=Ann', { says: ['author.name', 'join'] })
  })
})

eachDatabase('contract: operators', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop)

  test('nlike and nilike are the negations; NULL is neither', async () => {
    equal(await column(api, '/api/books?title__nlike=o'), [2, 4])
    equal(await column(api, '/api/books?title__nilike=A'), [3, 4])
    equal(await column(api, '/api/authors?country__nlike=Z'), [1, 2])
  })

  test('startswith, istartswith, endswith, iendswith', async () => {
    equal(await column(api, '/api/books?title__startswith=A'), [1])
    equal(await column(api, '/api/books?title__istartswith=A'), [1, 5])
    equal(await column(api, '/api/books?title__endswith=s'), [1, 3, 4, 5])
    equal(await column(api, '/api/books?title__endswith=S'), [])
    equal(await column(api, '/api/books?title__iendswith=RYE'), [2])
  })

  test('between is inclusive, and empty where low is above high', async () => {
    equal(await column(api, '/api/books?price__between=(8,12.50)'), [1, 2])
    equal(await column(api, '/api/books?price__between=(12.5,8)'), [])
    await refuses(api, '/api/books?price__between=(1)', { says: ['two values in parentheses'] })
    await refuses(api, '/api/books?price__between=(1,2,3)', { says: ['two values'] })
    await refuses(api, '/api/books?price__between=1')
  })

  test('isnull takes a boolean and is the only test for NULL', async () => {
    equal(await column(api, '/api/books?format__isnull=true'), [5])
    equal(await column(api, '/api/books?format__isnull=0'), [1, 2, 3, 4])
    equal(await column(api, '/api/authors?country__eq=null'), [])
    await refuses(api, '/api/books?format__isnull=perhaps', {
      says: ['"perhaps"', 'true or false'],
      at: 'format__isnull=perhaps',
    })
  })

  test('lt, le, gt, ge and between are not for boolean, json and binary', async () => {
    for (const operator of ['lt', 'le', 'gt', 'ge']) {
      await refuses(api, `/api/books?in_stock__${operator}=true`, {
        says: [`"${operator}"`, 'in_stock', 'boolean', 'eq, ne, in, nin, isnull'],
        code: 'operator_not_for_type',
      })
    }
    await refuses(api, '/api/books?in_stock__between=(false,true)')
  })

  test('the like family is for string, text and enum', async () => {
    equal(await column(api, '/api/books?format__like=back'), [2, 4])
    equal(await column(api, '/api/profiles?motto__istartswith=write'), [1])
    for (const operator of ['like', 'ilike', 'nlike', 'startswith', 'iendswith']) {
      await refuses(api, `/api/books?id__${operator}=1`, { says: ['integer', 'Operators for it'] })
    }
    await refuses(api, '/api/books?published_at__like=2024')
  })

  test('json takes isnull only', async () => {
    equal(await column(api, '/api/books?details__isnull=true'), [2, 5])
    for (const filter of ['eq=1', 'ne=1', 'in=(1)', 'like=a']) {
      await refuses(api, `/api/books?details__${filter}`, { says: ['json', 'isnull'] })
    }
  })

  test('ne and nin follow SQL: NULL is not unequal', async () => {
    equal(await column(api, '/api/books?author_id__ne=3'), [1, 2])
    equal(await column(api, '/api/books?author_id__nin=(3)'), [1, 2])
  })

  test('nin=() is every row, in=() none', async () => {
    equal(await column(api, '/api/books?author_id__nin=()'), [1, 2, 3, 4, 5])
    equal(await column(api, '/api/books?author_id__in=()'), [])
    equal(await column(api, '/api/books?not[author_id__in=()]'), [1, 2, 3, 4, 5])
  })

  test('("") is one empty text', async () => {
    equal(await column(api, '/api/books?title__nin=("")'), [1, 2, 3, 4, 5])
    equal(await column(api, '/api/books?title__in=("")'), [])
  })

  test('blanks around unquoted items are trimmed, quoted items stand as they are', async () => {
    equal(await column(api, '/api/books?title__in=(%20Robots%20,+Newts)'), [3, 4])
    equal(await column(api, '/api/books?title__in=("%20Robots%20")'), [])
    equal(await column(api, '/api/books?title__in=("Bread,%20100%25%20rye")'), [2])
  })

  test('a value that begins with a quote is a quoted string everywhere', async () => {
    equal(await column(api, '/api/books?title__eq="Robots"'), [3])
    equal(await column(api, '/api/books?or[title__eq="Bread,%20100%25%20rye",id__eq=1]'), [1, 2])
    await refuses(api, '/api/books?title__eq="Robots', { says: ['no closing quote'] })
  })

  test('ilike folds case by simple Unicode folding on every database', async () => {
    equal(await column(api, '/api/authors?name__ilike=%C4%8CAPEK'), [3])
    equal(await column(api, '/api/authors?name__ilike=ZO%C3%8B'), [4])
    equal(await column(api, '/api/authors?name__ilike=zoe'), [])
  })

  test('text is compared by code point: case, accents and trailing blanks count', async () => {
    equal(await column(api, '/api/authors?name__eq=zo%C3%AB'), [])
    equal(await column(api, '/api/authors?name__eq=Zoe'), [])
    equal(await column(api, '/api/authors?name__eq=Zo%C3%AB%20'), [])
    equal(await column(api, '/api/books?title__gt=a'), [5])
    equal(await column(api, '/api/books?title__in=(robots,NEWTS)'), [])
  })

  test('an unknown operator is named', async () => {
    await refuses(api, '/api/books?title__includes=x', {
      says: ['"includes"', 'startswith'],
      at: 'title__includes=x',
      code: 'unknown_operator',
    })
  })

  test('contains and overlaps are for lists; text is searched by like', async () => {
    await refuses(api, '/api/books?title__contains=x', {
      says: ['a list in parentheses', 'A text is searched by like.'],
    })
    for (const operator of ['contains', 'overlaps']) {
      await refuses(api, `/api/books?title__${operator}=(x)`, {
        says: [`"${operator}" cannot be used on title, which is of type string.`, ' like, '],
        code: 'operator_not_for_type',
      })
    }
  })
})

eachDatabase('contract: groups of conditions', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop)

  test('groups nest', async () => {
    equal(
      await column(api, '/api/books?or[and[id__gt=1,id__lt=3],not[or[id__lt=5,id__gt=5]]]'),
      [2, 5],
    )
    equal(await column(api, '/api/books?not[not[id__eq=2]]'), [2])
  })

  test('not[a,b] is NOT (a AND b)', async () => {
    equal(await column(api, '/api/books?not[id__ge=2,id__le=4]'), [1, 5])
  })

  test('not is three-valued: what is unknown stays unknown', async () => {
    equal(await column(api, '/api/books?not[format__eq=ebook]'), [1, 2, 4])
    equal(await column(api, '/api/books?not[format__eq=ebook,id__eq=3]'), [1, 2, 4, 5])
    equal(await column(api, '/api/books?or[format__eq=ebook,not[format__eq=ebook]]'), [1, 2, 3, 4])
  })

  test('in=(1,2,3) keeps its commas inside a group', async () => {
    equal(await column(api, '/api/books?or[id__in=(1,2),title__eq=Newts]'), [1, 2, 4])
  })

  test('an encoded comma in a raw group is part of the value', async () => {
    equal(await column(api, '/api/books?or[title__eq=Bread%2C%20100%25%20rye,id__eq=1]'), [1, 2])
  })

  test('a group whose opening bracket is encoded is decoded as a whole', async () => {
    const encoded = new URLSearchParams({ 'or[id__in=(1,2),id__eq=5]': '' })
    equal(await column(api, `/api/books?${encoded}`), [1, 2, 5])
    equal(await column(api, '/api/books?id__in=%281%2C3%29'), [1, 3])
  })

  test('empty groups are 400', async () => {
    for (const kind of ['or', 'and', 'not'])
      await refuses(api, `/api/books?${kind}[]`, { says: ['empty'] })
  })

  test('malformed structure is 400 with the place', async () => {
    for (const query of [
      'or[id__eq=1',
      'or[id__eq=1]]',
      'or[id__eq=1,]',
      'or(id__eq=1)',
      'id__in=(1',
      'or[id]',
    ]) {
      const { errors } = await refuses(api, `/api/books?${query}`)
      equal(typeof errors.at, 'string', query)
    }
  })

  test('malformed encoding, NUL and lone surrogates are 400', async () => {
    await refuses(api, '/api/books?title__eq=%zz', { code: 'malformed_encoding' })
    await refuses(api, '/api/books?title__eq=%ff', { code: 'malformed_encoding' })
    await refuses(api, '/api/books?title__eq=a%00b', { code: 'forbidden_character' })
    await refuses(api, '/api/books?title__eq=%ED%A0%80')
  })
})

eachDatabase('contract: relation filters', (test, db) => {
  test.before(() => createShop(db))
  const api = testApi(db, shop)

  test('they need no join and no API_ALLOW_JOIN', async () => {
    equal(await column(api, '/api/authors?exists(books)'), [1, 2, 3])
    equal(await column(api, '/api/books?exists(author.name__like=Ann)'), [1])
  })

  test('all conditions hold for the same related row, later ones relative to the path’s end', async () => {
    equal(await column(api, '/api/authors?exists(books.price__gt=15,format__eq=ebook)'), [3])
    equal(await column(api, '/api/authors?exists(books.price__gt=18,format__eq=paperback)'), [])
    equal(
      await column(
        api,
        '/api/authors?exists(books.price__gt=18)&exists(books.format__eq=paperback)',
      ),
      [3],
    )
  })

  test('missing(…) negates the whole', async () => {
    equal(await column(api, '/api/authors?missing(books)'), [4])
    equal(await column(api, '/api/authors?missing(books.price__gt=10)'), [2, 4])
    equal(await column(api, '/api/books?missing(author)'), [5])
  })

  test('they nest along paths', async () => {
    equal(await column(api, '/api/authors?exists(books.tags.name__eq=classic)'), [1, 3])
    equal(await column(api, '/api/authors?exists(pupils.books.order_lines.quantity__ge=1)'), [1])
    equal(await column(api, '/api/authors?missing(books.order_lines)'), [2, 4])
    equal(await column(api, '/api/order-lines?exists(book.author.mentor)', 'order_no'), [
      '2024/001',
    ])
  })

  test('they are conditions like any other', async () => {
    equal(await column(api, '/api/authors?not[exists(books)]'), [4])
    equal(
      await column(api, '/api/authors?or[missing(books),exists(profile.motto__like=day)]'),
      [1, 4],
    )
  })

  test('self-references', async () => {
    equal(await column(api, '/api/authors?exists(mentor.name__eq=Ann%20Archer)'), [2, 3])
    equal(await column(api, '/api/authors?exists(pupils.pupils)'), [1])
  })

  test('an unknown relation or column is named', async () => {
    await refuses(api, '/api/authors?exists(boks)', { says: ['"boks"', 'Did you mean "books"?'] })
    await refuses(api, '/api/authors?exists(books.titel__eq=x)', {
      says: ['Unknown column "titel" on books', '"title"'],
    })
  })

  test('a condition names columns at the end of the path, with or without a join', async () => {
    const joins = testApi(db, shop, { API_ALLOW_JOIN: true })
    for (const join of ['', 'join=books.author&']) {
      const { errors } = await refuses(
        joins,
        `/api/authors?${join}exists(books.price__gt=1,author.name__eq=x)`,
      )
      equal(
        errors.reason,
        'Unknown column "author.name" on books. Only its own columns can be named here; related rows are tested by "exists(…)".',
      )
    }
    equal(await column(joins, '/api/authors?exists(books.author.name__like=Ann)'), [1])
  })

  test('hidden columns of related rows give the same response as unknown ones', async () => {
    const hidden = await refuses(api, '/api/books?exists(author.secret__eq=x)')
    const unknown = await refuses(api, '/api/books?exists(author.sxcret__eq=x)')
    equal(hidden.text.replaceAll('secret', 'sxcret'), unknown.text)
  })
})

eachDatabase(
  'contract: the same response for everything that the caller may not see',
  (test, db) => {
    test.before(() => createShop(db))
    const api = testApi(db, shop, {
      API_ALLOW_JOIN: true,
      API_ALLOW_GROUPBY: true,
      API_ALLOW_AGGREGATION: true,
    })
    const places = (name: string): readonly string[] => [
      `${name}__eq=x`,
      `order_by=${name}`,
      `fields=${name}`,
      `groupby=${name}`,
      `${name}__count=1`,
      `aggregate=${name}__max`,
      `or[${name}__eq=1,id__eq=1]`,
      `groupby=id&${name}__gt=1`,
    ]

    test('hidden and unknown columns give the same bytes wherever a column can be named', async () => {
      for (const [i, query] of places('secret').entries()) {
        const hidden = await refuses(api, `/api/authors?${query}`, { code: 'unknown_column' })
        const unknown = await refuses(api, `/api/authors?${places('sxcret')[i]}`)
        equal(hidden.text.replaceAll('secret', 'sxcret'), unknown.text, query)
      }
    })

    test('hidden columns of a joined relation give the same bytes, too', async () => {
      // Without the relation, an error suggests the columns of joined relations that end with the name.
      for (const path of ['author.', '']) {
        for (const [i, query] of places(`${path}secret`).entries()) {
          const hidden = await refuses(api, `/api/books?join=author&${query}`)
          const other = places(`${path}sxcret`)[i]
          const unknown = await refuses(api, `/api/books?join=author&${other}`)
          equal(hidden.text.replaceAll('secret', 'sxcret'), unknown.text, query)
        }
      }
    })

    test('unjoined, unpublished and unknown relations give the same bytes', async () => {
      const unjoined = await refuses(api, '/api/books?author.name__eq=x')
      const unpublished = await refuses(api, '/api/books?audits.name__eq=x')
      const unknown = await refuses(api, '/api/books?aaaaaa.name__eq=x')
      equal(unjoined.text.replaceAll('author', 'aaaaaa'), unknown.text)
      equal(unpublished.text.replaceAll('audits', 'aaaaaa'), unknown.text)
    })

    test('a model without meta has no endpoint', async () => {
      const unpublished = await refuses(api, '/api/audits', { status: 404 })
      const unknown = await refuses(api, '/api/nobody', { status: 404 })
      equal(unpublished.text.replaceAll('audits', 'nobody'), unknown.text)
    })

    test('suggestions come from visible names only', async () => {
      const { errors } = await refuses(api, '/api/authors?secrt__eq=x')
      equal(errors.reason, 'Unknown column "secrt" on authors.')
      equal((await read(api, '/api/authors/1')).secret, undefined)
    })
  },
)
