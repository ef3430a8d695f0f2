/** The number of statements for a write, including begin and commit: for one record, and how it grows with the number of records. */
import type { AccessPolicy, Api, ApiConfig, ApiRequest } from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal } from '../support/assert.ts'
import { costTable, expectedCosts, growth } from '../support/costs.ts'
import { withMeta } from '../support/expect.ts'
import { insertAuthors } from '../support/many-authors.ts'
import { shop } from '../support/shop.ts'
import { eachDatabase } from '../support/suite.ts'
import { createTables } from '../support/tables.ts'

const table = costTable(`
  request                                   | sqlite | postgres | mariadb | mysql
  one record
  POST a tag                                |      1 |        1 |       1 |      2
  POST a tag, with a key for repeats        |      7 |        7 |       8 |      8
  POST a tag, repeated with that key        |      2 |        2 |       2 |      2
  POST a tag or change it, new              |      5 |        5 |       6 |      6
  POST a tag or change it, known            |      4 |        4 |       6 |      6
  POST a book of an author                  |      1 |        1 |       1 |      2
  POST a book with a new author             |      5 |        5 |       6 |      6
  POST a book linked to an author           |      5 |        5 |       6 |      6
  PATCH a book                              |      1 |        1 |       2 |      2
  PATCH a book, if it matches               |      5 |        5 |       6 |      6
  PATCH the author of a book                |      1 |        1 |       2 |      2
  PUT a book                                |      1 |        1 |       2 |      2
  DELETE a book                             |      6 |        6 |       7 |      7
  DELETE an author                          |      8 |        8 |       9 |      9
  one record, with a callback on the response
  POST a tag, returned by a callback        |      3 |        3 |       3 |      4
  PATCH a book, dumped by a callback        |      3 |        3 |       4 |      4
  PATCH a book, returned by a callback      |      3 |        3 |       4 |      4
  one record, with a hook of the policy
  POST a tag, with can_update               |      1 |        1 |       1 |      2
  PATCH a book, with can_create             |      1 |        1 |       2 |      2
  PATCH a book, with can_update             |      5 |        5 |       6 |      6
  n records
  POST n tags                               |      3 |        3 |       4 |      6
  POST n tags or change them, new           |      4 |        4 |       5 |      7
  POST n tags or change them, known         |      4 |        4 |       6 |      6
  POST n tags or change them, by id         |      4 |        4 |       6 |      6
  POST an author with n new books           |      5 |        5 |       7 |      7
  POST a book with n new tags               |      6 |        6 |       8 |      8
  POST a book linked to n tags              |      6 |        6 |       7 |      7
  PATCH a book with n links for n others    |      8 |        8 |       9 |      9
  PATCH n books by a filter                 |      5 |        7 |       8 |      8
  PATCH a list of n books                   |      4 |        4 |       5 |      5
  n records, each with nested ones
  POST n books, each with a new author      |      5 |        5 |       8 |      8
  POST n books, each linked to an author    |      5 |        5 |       7 |      7
  POST n books, each with two new tags      |      6 |        6 |       9 |      9
  POST n books, each linked to two tags     |      6 |        6 |       8 |      8
  POST n authors, each with books with tags |      7 |        7 |      11 |     11
  POST n books or change them, with tags    |      9 |        9 |      11 |     11
  PATCH a list of n books, each with links  |      8 |        8 |       9 |      9
  PATCH a list of n books, with new authors |      6 |        6 |       8 |      8
  n records that are removed
  DELETE n tags by a filter                 |      5 |        7 |       8 |      8
  DELETE an author with n books             |     11 |       11 |      12 |     12
  refused
  POST a tag that is invalid                |      0 |        0 |       0 |      0
  POST a tag that is taken                  |      2 |        3 |       4 |      4
  PATCH a book that is not there            |      4 |        4 |       5 |      5
  DELETE an author who has books            |      7 |        7 |       8 |      8
`)

const config: ApiConfig = {
  API_ALLOW_NESTED_WRITES: true,
  API_ALLOW_BULK: true,
  API_ALLOW_CASCADE_DELETE: true,
}

/** A request and its expected status. */
interface Write extends ApiRequest {
  readonly status: number
  /** The API to use, if not the default one. */
  readonly by?: Api
}

eachDatabase('statements of a write', (test, db) => {
  const api = testApi(
    db,
    withMeta(shop, 'Book', { allowed_methods: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] }),
    config,
  )
  const unchanged = <T>(value: T): T => value
  const dumping = testApi(db, shop, { ...config, API_DUMP_CALLBACK: unchanged })
  const returning = testApi(db, shop, { ...config, API_RETURN_CALLBACK: unchanged })
  const always = () => true
  const guarded = (policy: AccessPolicy) =>
    testApi(db, shop, { ...config, API_ACCESS_POLICY: policy })
  const creates = guarded({ can_create: always })
  const updates = guarded({ can_update: always })
  let serial = 0
  const text = (): string => `text ${++serial}`
  const times = <T>(n: number, make: () => T): T[] => Array.from({ length: n }, make)
  const tag = () => ({ name: text() })
  const book = () => ({ title: text() })
  const taggedBook = () => ({ ...book(), tags: times(2, tag) })

  const post = (path: string, body: unknown, status = 201): Write => ({
    method: 'POST',
    url: `/api/${path}`,
    body,
    status,
  })
  const patch = (path: string, body: unknown, status = 200): Write => ({
    ...post(path, body, status),
    method: 'PATCH',
  })
  const remove = (path: string, status = 200): Write => ({
    method: 'DELETE',
    url: `/api/${path}`,
    status,
  })
  const keyed = (): Write => ({
    ...post('tags', tag()),
    headers: { 'idempotency-key': `a-key-of-this-test-${++serial}` },
  })
  /** Writes what a request needs; returns the id, or the ids of a list. */
  // biome-ignore lint/suspicious/noExplicitAny: one or many
  const added = async (path: string, body: unknown): Promise<any> => {
    const { value } = await send(api, 'POST', `/api/${path}`, { body })
    return Array.isArray(value) ? value.map(({ id }) => id) : value.id
  }

  /** The writes of the table, with n records. Each function first writes what its request needs, which is not counted. */
  const writes: Readonly<Record<string, (n: number) => Write | Promise<Write>>> = {
    'POST a tag': () => post('tags', tag()),
    'POST a tag, with a key for repeats': keyed,
    'POST a tag, repeated with that key': async () => {
      const write = keyed()
      await api.handle(write)
      return write
    },
    'POST a tag or change it, new': () => post('tags?on_conflict=name', tag()),
    'POST a tag or change it, known': () => post('tags?on_conflict=name', { name: 'tag 1' }, 200),
    'POST a book of an author': () => post('books', { ...book(), author_id: 1 }),
    'POST a book with a new author': () => post('books', { ...book(), author: { name: text() } }),
    'POST a book linked to an author': () => post('books', { ...book(), author: { id: 1 } }),
    'PATCH a book': () => patch('books/1', book()),
    'PATCH a book, if it matches': async () => {
      const { headers } = await send(api, 'GET', '/api/books/1')
      return { ...patch('books/1', book()), headers: { 'if-match': headers.etag } }
    },
    'PATCH the author of a book': () => patch('books/1', { ...book(), author_id: 1 }),
    'PUT a book': () => ({ ...patch('books/1', { ...book(), author_id: 1 }), method: 'PUT' }),
    'DELETE a book': async () => remove(`books/${await added('books', book())}`),
    'DELETE an author': async () => remove(`authors/${await added('authors', { name: text() })}`),
    'POST a tag, returned by a callback': () => ({ ...post('tags', tag()), by: returning }),
    'PATCH a book, dumped by a callback': () => ({ ...patch('books/1', book()), by: dumping }),
    'PATCH a book, returned by a callback': () => ({ ...patch('books/1', book()), by: returning }),
    'POST a tag, with can_update': () => ({ ...post('tags', tag()), by: updates }),
    'PATCH a book, with can_create': () => ({ ...patch('books/1', book()), by: creates }),
    'PATCH a book, with can_update': () => ({ ...patch('books/1', book()), by: updates }),
    'POST n tags': (n) => post('tags', times(n, tag)),
    'POST n tags or change them, new': (n) => post('tags?on_conflict=name', times(n, tag)),
    'POST n tags or change them, known': async (n) => {
      const tags = times(n, tag)
      await added('tags', tags)
      return post('tags?on_conflict=name', tags, 200)
    },
    'POST n tags or change them, by id': async (n) => {
      const ids: number[] = await added('tags', times(n, tag))
      return post(
        'tags?on_conflict=id',
        ids.map((id) => ({ id, ...tag() })),
        200,
      )
    },
    'POST an author with n new books': (n) =>
      post('authors', { name: text(), books: times(n, book) }),
    'POST a book with n new tags': (n) => post('books', { ...book(), tags: times(n, tag) }),
    'POST a book linked to n tags': async (n) => {
      const ids: number[] = await added('tags', times(n, tag))
      return post('books', { ...book(), tags: ids.map((id) => ({ id })) })
    },
    'PATCH a book with n links for n others': async (n) => {
      const [id] = await added('books', [{ ...book(), tags: times(n, tag) }])
      const ids: number[] = await added('tags', times(n, tag))
      return patch(`books/${id}`, { tags: ids.map((other) => ({ id: other })) })
    },
    'PATCH n books by a filter': async (n) =>
      patch(`books?id__in=(${await added('books', times(n, book))})`, book()),
    'PATCH a list of n books': async (n) => {
      const ids: number[] = await added('books', times(n, book))
      return patch(
        'books',
        ids.map((id) => ({ id, ...book() })),
      )
    },
    'POST n books, each with a new author': (n) =>
      post(
        'books',
        times(n, () => ({ ...book(), author: { name: text() } })),
      ),
    'POST n books, each linked to an author': (n) =>
      post(
        'books',
        times(n, () => ({ ...book(), author: { id: 1 } })),
      ),
    'POST n books, each with two new tags': (n) => post('books', times(n, taggedBook)),
    'POST n books, each linked to two tags': async (n) => {
      const ids: number[] = await added('tags', times(n + 1, tag))
      const linked = times(n, book).map((one, i) => ({
        ...one,
        tags: [{ id: ids[i] }, { id: ids[i + 1] }],
      }))
      return post('books', linked)
    },
    'POST n authors, each with books with tags': (n) =>
      post(
        'authors',
        times(n, () => ({ name: text(), books: times(2, taggedBook) })),
      ),
    'POST n books or change them, with tags': async (n) => {
      const ids: number[] = await added('books', times(n, taggedBook))
      const known = ids.map((id) => ({ id, ...taggedBook() }))
      return post('books?on_conflict=id', known, 200)
    },
    'PATCH a list of n books, each with links': async (n) => {
      const ids: number[] = await added('books', times(n, taggedBook))
      const others: number[] = await added('tags', times(n, tag))
      return patch(
        'books',
        ids.map((id, i) => ({ id, tags: [{ id: others[i] }] })),
      )
    },
    'PATCH a list of n books, with new authors': async (n) => {
      const ids: number[] = await added('books', times(n, book))
      return patch(
        'books',
        ids.map((id) => ({ id, author: { name: text() } })),
      )
    },
    'DELETE n tags by a filter': async (n) =>
      remove(`tags?id__in=(${await added('tags', times(n, tag))})`),
    'DELETE an author with n books': async (n) => {
      const id = await added('authors', { name: text(), books: times(n, book) })
      return remove(`authors/${id}?cascade_delete=1`)
    },
    'POST a tag that is invalid': () => post('tags', { nam: 'x' }, 400),
    'POST a tag that is taken': () => post('tags', { name: 'tag 1' }, 409),
    'PATCH a book that is not there': () => patch('books/999999', book(), 404),
    'DELETE an author who has books': () => remove('authors/1', 409),
  }

  const measured: string[][] = []
  test.before(async () => {
    await createTables(db, shop)
    await insertAuthors(db, 1, 1)
    for (const each of db.name === 'postgres' ? ['authors', 'books', 'tags'] : []) {
      await db.execScript(`alter table ${each} alter column id restart with 1000`)
    }
    await Promise.all([api, dumping, returning, creates, updates].map(({ ready }) => ready))
    // The first key creates the table of keys.
    await api.handle(keyed())
    measured.push(await measure([2, 3]))
    await insertAuthors(db, 100_000, 100)
    measured.push(await measure([2, 3, 6]))
  })

  /** Two counts determine a line; a third one shows that the growth is linear. */
  async function measure(numbers: readonly number[]): Promise<string[]> {
    const lines: string[] = []
    for (const { request: title } of table) {
      const counts: [number, number][] = []
      for (const n of numbers) {
        const write = await writes[title]?.(n)
        if (write === undefined) throw new Error(`What is "${title}"?`)
        const { by = api, status, ...request } = write
        const { result, statements } = await db.capture(() => by.handle(request))
        equal(result.status, status, `${title}: ${JSON.stringify(result.body)}`)
        counts.push([n, statements.length])
      }
      lines.push(`${growth(counts)}: ${title}`)
    }
    return lines
  }

  test('their number depends on the shape of the request and the number of its records', () => {
    equal(measured.at(-1), expectedCosts(table, db.engine))
  })

  test('a hundred authors in the tables take as many statements as one', () => {
    equal(measured[1], measured[0])
  })
})
