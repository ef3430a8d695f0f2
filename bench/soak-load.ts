/**
 * The mixed load of a soak test: the requests, how often each is sent, and which responses are correct. Hardly any request occurs
 * twice.
 */
import { type Ask, bookChange, get, type Next, newReview, send } from './ask.ts'
import type { Answer } from './client.ts'
import { sizes } from './data.ts'

export interface Kind {
  readonly name: string
  /** How many of a hundred requests are of this kind. */
  readonly weight: number
  readonly statuses: readonly number[]
  readonly ask: (next: Next) => Ask
  /** Makes the next request on the same connection from the response. */
  readonly follow?: (answer: Answer) => Ask | undefined
}

export const account = { username: 'soak', password: 'a long enough password' }

const id = (next: Next, of: keyof typeof sizes): number => 1 + next(sizes[of])
const text = (next: Next): string => next(2 ** 31).toString(36)
const one = <T>(next: Next, list: readonly T[]): T => list[next(list.length)] as T
const several = <T>(next: Next, list: readonly T[], most: number): T[] =>
  list.filter(() => next(list.length) < most)

const columns = 'id title isbn price pages in_print published_on created_at author_id'.split(' ')
const words = 'amber bridge candle ember forest garden island lantern meadow quiet river'.split(' ')

/** Conditions with random values. */
const conditions: readonly ((next: Next) => string)[] = [
  (next) => `price__${one(next, ['ge', 'lt', 'ne'])}=${next(60)}.${10 + next(90)}`,
  (next) => `pages__between=(${next(300)},${300 + next(700)})`,
  (next) => `title__${one(next, ['ilike', 'nlike', 'istartswith'])}=${one(next, words)}`,
  (next) =>
    `published_on__${one(next, ['gt', 'le'])}=${1950 + next(70)}-0${1 + next(9)}-1${next(9)}`,
  (next) => `created_at__lt=20${10 + next(14)}-06-01T10:20:${10 + next(50)}Z`,
  (next) => `in_print__eq=${one(next, ['true', 'false'])}`,
  (next) => `isbn__nin=(${Array.from({ length: 1 + next(12) }, () => text(next))})`,
]

/**
 * Makes a request for a list whose combination of parameters hardly ever occurred before. An index serves the list, so that the
 * database has time for the other requests.
 */
function newShape(next: Next): string {
  const filters = several(next, conditions, 3).map((condition) => condition(next))
  const group = several(next, conditions, 3).map((condition) => condition(next))
  const order = several(next, columns, 2).map((column) => `${one(next, ['', '-'])}${column}`)
  const fields = several(next, columns, 5)
  return [
    `author_id__in=(${Array.from({ length: 1 + next(20) }, () => id(next, 'authors'))})`,
    ...filters,
    ...(group.length === 0 ? [] : [`${one(next, ['or', 'and', 'not'])}[${group}]`]),
    ...(order.length === 0 ? [] : [`order_by=${order}`]),
    ...(fields.length === 0 ? [] : [`fields=${fields}`]),
    ...(next(2) === 0 ? ['count=none'] : []),
    `limit=${1 + next(50)}`,
  ].join('&')
}

const parsed = ({ body }: Answer): { next_url?: string; value?: Record<string, unknown> } =>
  JSON.parse(body.toString())

const reads: readonly Kind[] = [
  {
    name: 'one by id',
    weight: 20,
    statuses: [200],
    ask: (next) => get(`/api/books/${id(next, 'books')}`),
  },
  {
    name: 'list by a foreign key',
    weight: 14,
    statuses: [200],
    ask: (next) => get(`/api/books?publisher_id__eq=${id(next, 'publishers')}&limit=20`),
  },
  {
    name: 'list of a new shape',
    weight: 16,
    statuses: [200],
    ask: (next) => get(`/api/books?${newShape(next)}`),
  },
  {
    name: 'page by cursor, and the next one',
    weight: 4,
    statuses: [200],
    ask: (next) =>
      get(`/api/books?paging=cursor&author_id__ge=${id(next, 'authors')}&count=none&limit=10`),
    follow: (answer) => {
      const { next_url: url } = parsed(answer)
      return url ? get(url) : undefined
    },
  },
  {
    name: 'books with their author',
    weight: 8,
    statuses: [200],
    ask: (next) =>
      get(
        `/api/books?publisher_id__eq=${id(next, 'publishers')}&join=author&join_type=left&limit=10`,
      ),
  },
  {
    name: 'authors with books and reviews',
    weight: 4,
    statuses: [200],
    ask: (next) =>
      get(`/api/authors?id__eq=${id(next, 'authors')}&join=books.reviews&join_type=left`),
  },
  {
    name: 'groups',
    weight: 3,
    statuses: [200],
    ask: (next) =>
      get(
        `/api/books?publisher_id__eq=${id(next, 'publishers')}&groupby=in_print&price|average__avg=1`,
      ),
  },
]

const mistakes: readonly Kind[] = [
  {
    name: '400: a column that is not there',
    weight: 5,
    statuses: [400],
    ask: (next) => get(`/api/books?${text(next)}__eq=${text(next)}`),
  },
  {
    name: '404: a path that is not there',
    weight: 4,
    statuses: [404],
    ask: (next) => get(`/api/${text(next)}/${text(next)}`),
  },
  {
    name: '404: a record that is not there',
    weight: 3,
    statuses: [404],
    ask: (next) => get(`/api/books/${sizes.books + 1 + next(10 ** 6)}`),
  },
  {
    name: '400: no JSON',
    weight: 2,
    statuses: [400],
    ask: (next) => ({ method: 'POST', url: '/api/reviews', body: `{"${text(next)}": ` }),
  },
  {
    name: '400: values that do not fit',
    weight: 2,
    statuses: [400],
    ask: (next) =>
      send('POST', '/api/reviews', { ...newReview(next), rating: text(next), other: text(next) }),
  },
]

const writes: readonly Kind[] = [
  {
    name: 'insert a review, and delete it',
    weight: 6,
    statuses: [201, 200],
    ask: (next) => send('POST', '/api/reviews', { ...newReview(next), reviewer: text(next) }),
    follow: (answer) => ({ method: 'DELETE', url: `/api/reviews/${parsed(answer).value?.id}` }),
  },
  {
    name: 'change a book',
    weight: 6,
    statuses: [200],
    ask: (next) => {
      const { id: book, pages } = bookChange(next)
      return send('PATCH', `/api/books/${book}`, { pages })
    },
  },
]

const logins: readonly Kind[] = [
  {
    name: 'log in, and refresh',
    weight: 2,
    statuses: [200],
    ask: () => send('POST', '/auth/login', account),
    follow: (answer) => send('POST', '/auth/refresh', parsed(answer).value),
  },
  {
    name: '401: log in as somebody unknown',
    weight: 1,
    statuses: [401],
    ask: (next) => send('POST', '/auth/login', { username: text(next), password: text(next) }),
  },
]

export const kinds: readonly Kind[] = [...reads, ...mistakes, ...writes, ...logins]

const tickets = kinds.flatMap((kind) => Array.from({ length: kind.weight }, () => kind))

/** Draws a kind of request, by weight. */
export const draw = (next: Next): Kind => one(next, tickets)
