/** The limit on embedded rows also applied to to-one relations: the author of a book was null although it existed. */
import { get, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { createShop, shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'

eachDatabase('embedded to-one relations', (test, db) => {
  test.before(() => createShop(db))

  test('are never cut by the limit on embedded rows', async () => {
    const api = testApi(db, shop, { API_MAX_EMBEDDED_ROWS: 1 })
    const { value } = await get(api, '/api/books?dump=hybrid&author_id__isnull=false')
    equal(
      value.map((book: { author: { id: number } | null }) => book.author?.id),
      [1, 2, 3, 3],
    )
  })

  test('are not cut below a to-many relation that has used up the limit', async () => {
    const api = testApi(db, shop, {
      API_MAX_EMBEDDED_ROWS: 4,
      API_ALLOW_JOIN: true,
      API_SERIALIZATION_TYPE: 'dynamic',
    })
    const { value } = await get(api, '/api/authors?join=books.author,books.editor&join_type=left')
    const books = value.flatMap((author: { books: unknown[] }) => author.books)
    equal(
      books.map((book: { author: { id: number }; editor: { id: number } | null }) => [
        book.author.id,
        book.editor?.id ?? null,
      ]),
      [
        [1, 2],
        [2, 1],
        [3, null],
        [3, 2],
      ],
    )
  })

  test('are the same in the error each time the limit is exceeded', async () => {
    const api = testApi(db, shop, { API_MAX_EMBEDDED_ROWS: 6 })
    for (let i = 0; i < 5; i++) {
      const { status, errors } = await get(api, '/api/books?dump=json')
      equal([status, errors.at], [400, 'order_lines'])
    }
  })
})
