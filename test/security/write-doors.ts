/** The doors of writes: every way a write can touch a row or a column, as the requests that try it. */

type Row = Readonly<Record<string, unknown>>

/** A write as a client sends it. */
export interface Write {
  readonly method: string
  readonly url: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export const patch = (url: string, body: unknown, headers = {}): Write => ({
  method: 'PATCH',
  url,
  body,
  headers,
})
export const post = (url: string, body: unknown): Write => ({ method: 'POST', url, body })
const remove = (url: string, headers = {}): Write => ({ method: 'DELETE', url, headers })

export const newBook = (more: Row) => ({
  id: 50,
  title: 'New',
  price: '1.00',
  published: '2020-01-01',
  author_id: null,
  owner_id: 7,
  ...more,
})

/** Keys of what is there, out of scope, deleted, and nowhere. */
const keys = ['1', '11', '21', '99']

export const writes: Readonly<Record<string, readonly Write[]>> = {
  'change of a record': [
    ...keys.map((key) => patch(`/api/books/${key}`, { title: 'Changed' })),
    ...keys.map((key) => patch(`/api/taggings/${key}`, { tag_id: 2 })),
    ...keys.map((key) => patch(`/api/payrolls/${key}`, { amount: 1 })),
    ...keys.map((key) => patch(`/api/audits/${key}`, { note: 'x' })),
    ...keys.map((key) => patch(`/api/books/${key}`, { title: 7 })),
  ],
  'echo of a change': ['url', 'json', 'hybrid'].flatMap((dump) => [
    patch(`/api/books/1?dump=${dump}`, { title: 'Changed' }),
    patch(`/api/books/3?dump=${dump}`, { title: 'Changed' }),
    patch(`/api/authors/1?dump=${dump}`, { name: 'Changed' }),
    patch(`/api/tags/1?dump=${dump}`, { name: 'Changed' }),
    post(`/api/books?dump=${dump}`, newBook({ author_id: 1 })),
  ]),
  'a record given away': [
    patch('/api/books/1', { owner_id: 8 }),
    post('/api/books', newBook({ owner_id: 8 })),
  ],
  'a hidden column': [
    patch('/api/books/1', { vault_code: 'x' }),
    patch('/api/books/1', { vault_code: 'v-1' }),
    post('/api/books', newBook({ vault_code: 'x' })),
    patch('/api/books/1', { vault_cod: 'x' }),
  ],
  'an unpublished relation': [
    patch('/api/books/1', { audits: [] }),
    patch('/api/books/1', { audits: '/api/books/1/audits' }),
    post('/api/audits', { id: 9, book_id: 1, note: 'x' }),
  ],
  'a foreign key': keys.flatMap((key) => [
    patch('/api/books/1', { author_id: Number(key) }),
    post('/api/books', newBook({ author_id: Number(key) })),
    post('/api/taggings', { id: 50, book_id: 1, tag_id: Number(key), owner_id: 7 }),
    post('/api/reviews', { id: 50, book_id: Number(key), stars: 1, note: 'x', owner_id: 7 }),
  ]),
  'removal of a record': [
    ...keys.map((key) => remove(`/api/reviews/${key}`)),
    ...keys.map((key) => remove(`/api/books/${key}`)),
    ...keys.map((key) => remove(`/api/payrolls/${key}`)),
    ...keys.map((key) => remove(`/api/audits/${key}`)),
  ],
  preconditions: keys.flatMap((key) => [
    patch(`/api/books/${key}`, { title: 'Changed' }, { 'if-match': '"stale"' }),
    remove(`/api/reviews/${key}`, { 'if-match': '"stale.stale"' }),
    patch(`/api/books/${key}`, { title: 'Changed' }, { 'if-match': '*' }),
  ]),
  'resources without a policy': [
    ...['url', 'json', 'hybrid'].flatMap((dump) => [
      patch(`/api/shelves/1?dump=${dump}`, { place: 'East' }),
      post(`/api/shelves?dump=${dump}`, { id: 50, place: 'West' }),
      patch(`/api/crates/1?dump=${dump}`, { size: 10 }),
      patch(`/api/boxes/1?dump=${dump}`, { size: 4 }),
      patch(`/api/labels/1?dump=${dump}`, { word: 'sold' }),
      patch(`/api/notes/1?dump=${dump}`, { text: 'cobwebs' }),
    ]),
    post('/api/wishes', { id: 50, shelf_id: 1, line: 'more chairs' }),
    patch('/api/wishes/1', { line: 'less noise' }),
    patch('/api/ledgers/1', { amount: 1 }),
    post('/api/ledgers', { id: 50, shelf_id: 1, amount: 1 }),
    patch('/api/drafts/1', { line: 'the end' }),
    post('/api/drafts?fields=line', { id: 50, shelf_id: 1, line: 'a start' }),
    patch('/api/shelves/1?join=ledgers', { place: 'East' }),
    patch('/api/shelves/1?join=books&fields=place', { place: 'East' }),
    // Not those that records of another role refer to: that 409 is an exception of what a policy can hide.
    ...['wishes', 'ledgers', 'drafts', 'notes'].map((resource) => remove(`/api/${resource}/1`)),
  ],
  'parameters of a write': [
    patch('/api/books/1?fields=vault_code', { title: 'x' }),
    patch('/api/books/1?join=audits', { title: 'x' }),
    patch('/api/books/1?join=author', { title: 'x' }),
    remove('/api/books/11?include_deleted=true'),
  ],
}

/** The database itself refuses these: a key that is taken, however invisible its row. */
export const taken: readonly Write[] = [
  post('/api/books', newBook({ id: 11 })),
  post('/api/books', newBook({ id: 21 })),
]
