/** The same requests on every database: equal bytes. */
import { equal } from '../support/assert.ts'
import { get, testApi } from '../support/api.ts'
import { everyDatabase } from '../support/databases.ts'
import { createShop, shop } from '../support/shop.ts'
import { suite } from '../support/suite.ts'

const config = { API_ALLOW_JOIN: true, API_ALLOW_GROUPBY: true, API_ALLOW_AGGREGATION: true }
suite('smoke', (test) => {
  test('all', async () => {
    const dbs = everyDatabase().filter((db) => db.missing === undefined)
    for (const db of dbs) await createShop(db)
    const apis = dbs.map((db) => testApi(db, shop, config))
    for (const url of urls) {
      const answers = []
      for (const [i, api] of apis.entries()) {
        const { result, statements } = await (dbs[i] as any).capture(() => get(api, url))
        answers.push(result)
        if (process.env.SHOW) console.log(dbs[i]?.name, statements.map((s: any) => s.sql).join('\n   '))
      }
      if (process.env.SHOW) console.log(url, answers[0]?.text)
      for (const a of answers) equal(a.text, answers[0]?.text, url)
      if (answers[0]?.status === 500) throw new Error(url)
    }
    for (const db of dbs) await db.close()
  })
})
const urls = [
  '/api/books', '/api/books/1', '/api/books?limit=2&page=2', '/api/books?order_by=title', '/api/books?order_by=-published_at',
  '/api/authors?name__ilike=ČAPEK', '/api/authors?order_by=name', '/api/books?dump=json', '/api/books?dump=hybrid', '/api/authors?dump=json',
  '/api/books?join=author&author.name__like=Ann', '/api/books?join=tags', '/api/books?join=tags&order_by=author.name&join=author&join_type=left', '/api/books?join=tags&fields=title,tags.name',
  '/api/books?groupby=author_id&id__count=1&price__sum=1&price__avg=1&rating__avg=1&sold__sum=1&rating__sum=1', '/api/books?join=author&groupby=author.country&price|p__max=1&order_by=-p&p__gt=10',
  '/api/books?groupby=month(published_at)&id|n__count=1', '/api/books?groupby=title', '/api/books?groupby=price&order_by=-price', '/api/authors?exists(books.price__gt=10)', '/api/authors?missing(books)', '/api/books?missing(tags)', '/api/books?exists(tags.name__eq=classic)',
  '/api/authors/3/books', '/api/books/1/author', '/api/books/3/tags', '/api/books/5/author', '/api/order-lines/2024%2F001,2', '/api/order-lines', '/api/order-lines/A%2CB,1/book',
  '/api/books?paging=cursor&limit=2', '/api/books?paging=cursor&limit=2&order_by=-price', '/api/authors?dump=json&books.limit=1&books.order_by=-price', '/api/authors?dump=json&books[price__gt=10]', '/api/authors?order_by=-mentor_id', '/api/authors?initial__eq=A',
  '/api/books?price__in=(12.50,8)', '/api/books?price__between=(8,15.75)', '/api/books?sold__eq=9007199254740993', '/api/books?published_at__eq=2024-01-15T10:00:00Z', '/api/books?format__eq=ebook', '/api/books?not[format__eq=ebook]', '/api/books?in_stock__eq=true', '/api/books?title__startswith=B', '/api/books?title__like=100%25', '/api/books?count=capped', '/api/books?count=none&limit=2',
  '/api/books?join=author.mentor&author.mentor.name__eq=Ann%20Archer&dump=dynamic', '/api/authors?join=books&fields=name,books.title&join_type=right', '/api/tags?dump=json', '/api/books/1?dump=json', '/api/books?titel__eq=1', '/api/books?author.name__eq=1', '/api/nothing',
]
