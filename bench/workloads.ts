/** The workloads: their requests in the form of each measured system, and the random values that each request contains. */
import {
  type Ask,
  bookChange,
  drawCursor,
  type Form,
  farPages,
  get,
  newReview,
  pageSize as page,
  type Rival,
  send,
} from './ask.ts'
import type { RivalAsks } from './asks/rival.ts'
import { rivals } from './asks/rivals.ts'
import { sizes } from './data.ts'

export type { Ask, Next } from './ask.ts'

/** Its members by the names of rivals are their requests; undefined if the rival has no such request. */
export interface Workload extends Readonly<Record<Rival, Form | undefined>> {
  readonly name: string
  readonly title: string
  /** The request to model-api. */
  readonly api: Form
  /** The request to a server written for this benchmark: `/<name>/<argument>…`. */
  readonly own: Form
  readonly writes?: true
}

const ofRivals = (
  form: (asks: RivalAsks) => Form | undefined,
): Record<Rival, Form | undefined> => ({
  platformatic: form(rivals.platformatic),
  zenstack: form(rivals.zenstack),
  feathers: form(rivals.feathers),
  'supabase-lite': form(rivals['supabase-lite']),
})

const flat = 'dump_relationships=false'

/** Makes a workload of reads. Its requests to all systems contain the same random numbers. */
function read(
  name: string,
  title: string,
  api: (...args: number[]) => string,
  ...below: number[]
): Workload {
  const drawn = (form: ((...args: number[]) => Ask) | undefined): Form | undefined =>
    form && ((next) => form(...below.map((most) => 1 + next(most))))
  return {
    name,
    title,
    api: (next) => get(api(...below.map((most) => 1 + next(most)))),
    own: (next) => get(`/${[name, ...below.map((most) => 1 + next(most))].join('/')}`),
    ...ofRivals(({ reads }) => drawn(reads[name])),
  }
}

const other = (
  workload: Pick<Workload, 'name' | 'title' | 'api' | 'own' | 'writes'>,
): Workload => ({
  ...workload,
  ...ofRivals(({ others }) => others[workload.name]),
})

const reads: readonly Workload[] = [
  read('W1', 'one book by id', (id) => `/api/books/${id}?${flat}`, sizes.books),
  read('W2', 'first 20 books, total of 100,000', () => `/api/books?limit=${page}&${flat}`),
  read('W2n', 'first 20 books, no total', () => `/api/books?limit=${page}&count=none&${flat}`),
  read(
    'W3',
    'two filters, order, page 3, total',
    (publisher, author) =>
      `/api/books?publisher_id__le=${500 + publisher}&author_id__le=${author + 20}&order_by=-published_on,id&page=3&limit=${page}&${flat}`,
    200,
    10,
  ),
  read(
    'W4',
    '20 books of a publisher with author, total',
    (publisher) =>
      `/api/books?publisher_id__eq=${publisher}&join=author&join_type=left&limit=${page}`,
    sizes.publishers,
  ),
  read(
    'W5',
    '20 authors with their books, total',
    () => `/api/authors?join=books&join_type=left&limit=${page}`,
  ),
  read(
    'W5p',
    'the same at a random page',
    (number) => `/api/authors?join=books&join_type=left&limit=${page}&page=${number}`,
    500,
  ),
  read(
    'W6',
    '10 authors with books with reviews, total',
    () => '/api/authors?join=books.reviews&join_type=left&limit=10',
  ),
  read(
    'W7',
    'books of 30 publishers by country: average, number',
    (publisher) =>
      `/api/books?publisher_id__le=${20 + publisher}&join=publisher&groupby=publisher.country&price|average__avg=1&id|books__count=1&limit=100`,
    20,
  ),
  read(
    'W10',
    '100 books of a publisher, total',
    (publisher) => `/api/books?publisher_id__eq=${publisher}&limit=100&${flat}`,
    sizes.publishers,
  ),
  read(
    'W11',
    'a page around 2,000 by number, total',
    (number) => `/api/books?limit=${page}&page=${farPages.after + number}&${flat}`,
    farPages.count,
  ),
  read(
    'W11n',
    'a page around 2,000 by number, no total',
    (number) => `/api/books?limit=${page}&page=${farPages.after + number}&count=none&${flat}`,
    farPages.count,
  ),
  read(
    'W16',
    '20 authors with the number of their books, no total',
    (id) => `/api/authors?fields=id,name,count(books)|n&id__gt=${id}&limit=${page}&count=none`,
    9_000,
  ),
  read(
    'W17',
    '20 publishers by the number of their books, no total',
    () => `/api/publishers?fields=id,name,count(books)|n&order_by=-n,id&limit=${page}&count=none`,
  ),
  other({
    name: 'W12',
    title: 'the same pages as W11n by cursor, no total',
    api: (next, cursors) =>
      get(
        `/api/books?paging=cursor&limit=${page}&count=none&${flat}&after=${drawCursor(next, cursors)}`,
      ),
    own: (next) => get(`/W12/${1 + next(farPages.count)}`),
  }),
]

const writes: readonly Workload[] = [
  other({
    name: 'W8',
    title: 'insert a review',
    writes: true,
    api: (next) => send('POST', '/api/reviews', newReview(next)),
    own: (next) => send('POST', '/W8', newReview(next)),
  }),
  other({
    name: 'W9',
    title: 'change a book',
    writes: true,
    api: (next) => {
      const { id, pages } = bookChange(next)
      return send('PATCH', `/api/books/${id}`, { pages })
    },
    own: (next) => {
      const { id, pages } = bookChange(next)
      return send('PATCH', `/W9/${id}`, { pages })
    },
  }),
]

/** Writes come last, so that reads see the original rows. */
export const workloads: readonly Workload[] = [...reads, ...writes]
