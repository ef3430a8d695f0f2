/** A right join over a many-to-many relation keeps records without links. */
import { get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { Author, Book, createShop, OrderLine, Profile, shop, Tag } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'
import { insertRows } from '../support/tables.ts'

eachDatabase('right join over a junction', (test, db) => {
  test.before(async () => {
    await createShop(db)
    await insertRows(db, Tag, [{ id: 4, name: 'unused' }])
  })

  const open = { API_ALLOW_JOIN: true, API_ALLOW_GROUPBY: true, API_ALLOW_AGGREGATION: true }
  const value = async (url: string): Promise<unknown> => {
    const answer = await get(testApi(db, shop, open), url)
    return answer.value ?? answer.errors
  }

  test('in a projection', async () => {
    equal(
      await value('/api/books?join=tags&join_type=right&fields=title,tags.name&tags.id__ge=3'),
      [
        { title: 'Robots', name: 'science fiction' },
        { title: 'Newts', name: 'science fiction' },
        { title: null, name: 'unused' },
      ],
    )
  })

  test('in groups', async () => {
    equal(await value('/api/books?join=tags&join_type=right&groupby=tags.name&id__count=1'), [
      { name: 'classic', id_count: 2 },
      { name: 'food', id_count: 1 },
      { name: 'science fiction', id_count: 2 },
      { name: 'unused', id_count: 0 },
    ])
  })

  test('behind another join', async () => {
    const url = '/api/order-lines?join=book.tags&join_type=right&fields=line,book.title,tags.name'
    equal(await value(`${url}&tags.id__ge=3`), [
      { line: 2, title: 'Robots', name: 'science fiction' },
      { line: null, title: 'Newts', name: 'science fiction' },
      { line: null, title: null, name: 'unused' },
    ])
  })

  test('a record whose links all lead to hidden records is returned, once', async () => {
    const narrow = testApi(db, [Author, Profile, Book, Tag, OrderLine], {
      ...open,
      // biome-ignore lint/suspicious/noExplicitAny: a query of any database
      API_FILTER_CALLBACK: (query: any) => query.where('id', '=', 3),
    })
    const url = '/api/books?join=tags&join_type=right&fields=title,tags.name'
    const answer = await get(narrow, url)
    equal(answer.value, [
      { title: 'Robots', name: 'classic' },
      { title: 'Robots', name: 'science fiction' },
      { title: null, name: 'food' },
      { title: null, name: 'unused' },
    ])
  })
})
