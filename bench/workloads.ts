/** The workloads: what is asked, and what each request of a run is filled in with. */
import { sizes } from './data.ts'

/** One request; `url` is without host. */
export interface Ask {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly url: string
  readonly body?: string
}

/** Numbers from 0 up to, not including, `below`. */
export type Next = (below: number) => number

export interface Workload {
  readonly name: string
  readonly title: string
  /** As a client of model-api asks. */
  readonly api: (next: Next) => Ask
  /** The same of a server written for it: `/<name>/<argument>…`. */
  readonly own: (next: Next) => Ask
  readonly writes?: true
}

const get = (url: string): Ask => ({ method: 'GET', url })
const page = 20
const flat = 'dump_relationships=false'

/** Both forms of one question draw the same numbers. */
const read =
  (name: string, title: string, api: (...args: number[]) => string, ...below: number[]) =>
  (): Workload => ({
    name,
    title,
    api: (next) => get(api(...below.map((most) => 1 + next(most)))),
    own: (next) => get(`/${[name, ...below.map((most) => 1 + next(most))].join('/')}`),
  })

const one = read('W1', 'one book by id', (id) => `/api/books/${id}?${flat}`, sizes.books)

const reads: readonly Workload[] = [
  one(),
  read('W2', 'first 20 books, total of 100,000', () => `/api/books?limit=${page}&${flat}`)(),
  read('W2n', 'first 20 books, no total', () => `/api/books?limit=${page}&count=none&${flat}`)(),
  read(
    'W3',
    'two filters, order, page 3, total',
    (publisher, author) =>
      `/api/books?publisher_id__le=${500 + publisher}&author_id__le=${author + 20}&order_by=-published_on,id&page=3&limit=${page}&${flat}`,
    200,
    10,
  )(),
  read(
    'W4',
    '20 books of a publisher with author, total',
    (publisher) =>
      `/api/books?publisher_id__eq=${publisher}&join=author&join_type=left&limit=${page}`,
    sizes.publishers,
  )(),
  read(
    'W5',
    '20 authors with their books, total',
    () => `/api/authors?join=books&join_type=left&limit=${page}`,
  )(),
  read(
    'W5p',
    'the same at a random page',
    (number) => `/api/authors?join=books&join_type=left&limit=${page}&page=${number}`,
    500,
  )(),
  read(
    'W6',
    '10 authors with books with reviews, total',
    () => '/api/authors?join=books.reviews&join_type=left&limit=10',
  )(),
  read(
    'W7',
    'books of 30 publishers by country: average, number',
    (publisher) =>
      `/api/books?publisher_id__le=${20 + publisher}&join=publisher&groupby=publisher.country&price|average__avg=1&id|books__count=1&limit=100`,
    20,
  )(),
  read(
    'W10',
    '100 books of a publisher, total',
    (publisher) => `/api/books?publisher_id__eq=${publisher}&limit=100&${flat}`,
    sizes.publishers,
  )(),
  read(
    'W11',
    'a page around 2,000 by number, total',
    (number) => `/api/books?limit=${page}&page=${1_950 + number}&${flat}`,
    100,
  )(),
  read(
    'W11n',
    'a page around 2,000 by number, no total',
    (number) => `/api/books?limit=${page}&page=${1_950 + number}&count=none&${flat}`,
    100,
  )(),
]

const reviewer = (next: Next): string =>
  JSON.stringify({
    book_id: 1 + next(sizes.books),
    rating: 1 + next(5),
    reviewer: 'quiet reader',
    body: 'a bridge over the river, and the lantern of an amber garden in winter',
    created_at: '2024-06-01T10:20:30.000Z',
  })

const writes: readonly Workload[] = [
  {
    name: 'W8',
    title: 'insert a review',
    writes: true,
    api: (next) => ({ method: 'POST', url: '/api/reviews', body: reviewer(next) }),
    own: (next) => ({ method: 'POST', url: '/W8', body: reviewer(next) }),
  },
  {
    name: 'W9',
    title: 'change a book',
    writes: true,
    api: (next) => ({
      method: 'PATCH',
      url: `/api/books/${1 + next(sizes.books)}`,
      body: `{"pages":${60 + next(900)}}`,
    }),
    own: (next) => ({
      method: 'PATCH',
      url: `/W9/${1 + next(sizes.books)}`,
      body: `{"pages":${60 + next(900)}}`,
    }),
  },
]

/** Writes come last, so that reads see what was filled. */
export const workloads: readonly Workload[] = [...reads, ...writes]
