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
const merge = (url: string, body: unknown): Write =>
  patch(url, body, { 'content-type': 'application/merge-patch+json' })
export const put = (url: string, body: unknown): Write => ({ method: 'PUT', url, body })
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

/** Keys of a visible, an out-of-scope, a deleted and a missing record. */
const keys = ['1', '11', '21', '99']

/** Books with their stored reference, and with others. Books 3 and 4 refer to authors that the writer cannot see. */
const sentBack = [
  [3, 11],
  [3, 21],
  [4, 21],
  [11, 1],
  [21, 1],
] as const

export const writes: Readonly<Record<string, readonly Write[]>> = {
  'update of a record': [
    ...keys.map((key) => patch(`/api/books/${key}`, { title: 'Changed' })),
    ...keys.map((key) => patch(`/api/taggings/${key}`, { tag_id: 2 })),
    ...keys.map((key) => patch(`/api/payrolls/${key}`, { amount: 1 })),
    ...keys.map((key) => patch(`/api/audits/${key}`, { note: 'x' })),
    ...keys.map((key) => patch(`/api/books/${key}`, { title: 7 })),
  ],
  'merge patch': [
    ...keys.map((key) => merge(`/api/books/${key}`, { title: 'Changed' })),
    merge('/api/books/1', { vault_notes: { code: 'x' } }),
    merge('/api/books/1', { vault_notes: null }),
    merge('/api/books/1', { vault_note: { code: 'x' } }),
    merge('/api/books/1', { author: { name: 'x' } }),
  ],
  'response to an update': ['url', 'json', 'hybrid'].flatMap((dump) => [
    patch(`/api/books/1?dump=${dump}`, { title: 'Changed' }),
    patch(`/api/books/3?dump=${dump}`, { title: 'Changed' }),
    patch(`/api/authors/1?dump=${dump}`, { name: 'Changed' }),
    patch(`/api/tags/1?dump=${dump}`, { name: 'Changed' }),
    post(`/api/books?dump=${dump}`, newBook({ author_id: 1 })),
  ]),
  'a record moved out of scope': [
    patch('/api/books/1', { owner_id: 8 }),
    post('/api/books', newBook({ owner_id: 8 })),
  ],
  'a hidden column': [
    patch('/api/books/1', { vault_code: 'x' }),
    patch('/api/books/1', { vault_code: 'v-1' }),
    post('/api/books', newBook({ vault_code: 'x' })),
    patch('/api/books/1', { vault_cod: 'x' }),
  ],
  'a foreign key that only some callers may read': [
    patch('/api/books/1', { shelf_id: 2 }),
    patch('/api/books/1', { shelf_id: 1 }),
    patch('/api/books/1', { shelf: null }),
    patch('/api/books/1', { shelf: '/api/books/1/shelf' }),
    patch('/api/books/1', { shelf: { id: 1 } }),
    patch('/api/books/1', { shelf_idd: 1, shelff: 1 }),
    patch('/api/books/1?fields=shelf_id', { title: 'x' }),
    patch('/api/books/1?join=shelf', { title: 'x' }),
    post('/api/books', newBook({ shelf_id: 1 })),
    patch('/api/shelves/1', { books: [] }),
    patch('/api/shelves/1', { books: '/api/shelves/1/books' }),
    post('/api/shelves', { id: 50, place: 'West', books: [{ id: 1 }] }),
    patch('/api/shelves/1?dump=json', { place: 'East' }),
  ],
  on_conflict: [
    post('/api/books?on_conflict=id', newBook({})),
    post('/api/books?on_conflict=id', newBook({ id: 1, vault_code: 'x' })),
    post('/api/books?on_conflict=vault_code', newBook({ vault_code: 'v-1' })),
    post('/api/books?on_conflict=shelf_id', newBook({ shelf_id: 1 })),
    post('/api/books?on_conflict=vault_cod', newBook({})),
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
  'deletion of a record': [
    ...keys.map((key) => remove(`/api/reviews/${key}`)),
    ...keys.map((key) => remove(`/api/books/${key}`)),
    ...keys.map((key) => remove(`/api/payrolls/${key}`)),
    ...keys.map((key) => remove(`/api/audits/${key}`)),
  ],
  preconditions: keys.flatMap((key) => [
    patch(`/api/books/${key}`, { title: 'Changed' }, { 'if-match': '"stale"' }),
    remove(`/api/reviews/${key}`, { 'if-match': '"stale.stale"' }),
    patch(`/api/books/${key}`, { title: 'Changed' }, { 'if-match': '*' }),
    patch(`/api/books/${key}`, { title: 'Changed' }, { 'if-none-match': '"stale"' }),
    remove(`/api/reviews/${key}`, { 'if-none-match': '"stale.stale"' }),
    patch(`/api/books/${key}`, { title: 'Changed' }, { 'if-none-match': '*' }),
  ]),
  'an unchanged reference sent back': sentBack.flatMap(([key, author_id]) => [
    patch(`/api/books/${key}`, { author_id }),
    put(`/api/books/${key}`, newBook({ id: key, author_id })),
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
    // Excludes records that records of another role refer to: a policy cannot hide that 409.
    ...['wishes', 'ledgers', 'drafts', 'notes'].map((resource) => remove(`/api/${resource}/1`)),
  ],
  'parameters of a write': [
    patch('/api/books/1?fields=vault_code', { title: 'x' }),
    patch('/api/books/1?join=audits', { title: 'x' }),
    patch('/api/books/1?join=author', { title: 'x' }),
    remove('/api/books/11?include_deleted=true'),
  ],
}

/** Writes of several records, with API_ALLOW_BULK; the first record of each list is one that the writer may change. */
export const lists: Readonly<Record<string, readonly Write[]>> = {
  'a list of updates': [
    ...keys.map((key) =>
      patch('/api/tags', [
        { id: 2, name: 'x' },
        { id: Number(key), name: 'y' },
      ]),
    ),
    ...keys.map((key) =>
      patch('/api/books', [
        { id: 2, title: 'x' },
        { id: Number(key), title: 'y' },
      ]),
    ),
    ...keys.map((key) =>
      patch('/api/books', [
        { id: 2, title: 'x' },
        { id: 1, author_id: Number(key) },
      ]),
    ),
    ...keys.map((key) =>
      patch('/api/taggings', [
        { id: 2, tag_id: 1 },
        { id: 1, tag_id: Number(key) },
      ]),
    ),
    ...keys.map((key) => patch('/api/payrolls', [{ id: Number(key), amount: 1 }])),
    ...keys.map((key) => patch('/api/audits', [{ id: Number(key), note: 'x' }])),
    patch('/api/books', [
      { id: 2, title: 'x' },
      { id: 1, owner_id: 8 },
    ]),
  ],
  'unchanged references in a list of updates': sentBack.map(([key, author_id]) =>
    patch('/api/books', [
      { id: 2, author_id: 2 },
      { id: key, author_id },
    ]),
  ),
  'a hidden column in a list of updates': [
    patch('/api/books', [
      { id: 2, title: 'x' },
      { id: 1, vault_code: 'v-1' },
    ]),
    patch('/api/books', [
      { id: 2, title: 'x' },
      { id: 1, vault_code: 'z' },
    ]),
    patch('/api/books', [
      { id: 2, title: 'x' },
      { id: 1, vault_cod: 'z' },
    ]),
    patch('/api/books', [
      { id: 2, title: 'x' },
      { id: 1, shelf_id: 2 },
    ]),
    patch('/api/books', [
      { id: 2, title: 'x' },
      { id: 1, shelf: null },
    ]),
    patch('/api/books', [
      { id: 2, title: 'x' },
      { id: 1, shelf: { id: 1 } },
    ]),
    patch('/api/books', [
      { id: 2, title: 'x' },
      { id: 1, audits: [] },
    ]),
    patch('/api/books?fields=vault_code', [{ id: 1, title: 'x' }]),
    patch('/api/books?fields=title,shelf_id', [{ id: 1, title: 'x' }]),
    patch('/api/books?join=shelf', [{ id: 1, title: 'x' }]),
  ],
  'response to a list of updates': ['url', 'json', 'hybrid'].flatMap((dump) => [
    patch(`/api/books?dump=${dump}`, [
      { id: 1, title: 'x' },
      { id: 3, title: 'y' },
    ]),
    patch(`/api/authors?dump=${dump}`, [
      { id: 1, name: 'x' },
      { id: 2, name: 'y' },
    ]),
    patch(`/api/shelves?dump=${dump}`, [
      { id: 1, place: 'x' },
      { id: 2, place: 'y' },
    ]),
    patch(`/api/tags?dump=${dump}`, [
      { id: 1, name: 'x' },
      { id: 2, name: 'y' },
    ]),
  ]),
  'a list of new records': [
    ...keys.map((key) =>
      post('/api/books', [newBook({}), newBook({ id: 51, author_id: Number(key) })]),
    ),
    post('/api/books', [newBook({}), newBook({ id: 51, owner_id: 8 })]),
    post('/api/books', [newBook({}), newBook({ id: 51, vault_code: 'v-1' })]),
    post('/api/books', [newBook({}), newBook({ id: 51, shelf_id: 1 })]),
    post(
      '/api/wishes',
      [50, 51].map((id) => ({ id, shelf_id: 1, line: 'more chairs' })),
    ),
    post(
      '/api/ledgers',
      [50, 51].map((id) => ({ id, shelf_id: 1, amount: 1 })),
    ),
  ],
  'an upsert of a list': [
    post('/api/books?on_conflict=id', [newBook({ id: 1 }), newBook({})]),
    post('/api/books?on_conflict=id', [newBook({ id: 1 }), newBook({ vault_code: 'v-1' })]),
    post('/api/books?on_conflict=id', [newBook({ id: 1 }), newBook({ id: 2, owner_id: 8 })]),
    post('/api/books?on_conflict=vault_code', [
      newBook({ vault_code: 'v-1' }),
      newBook({ id: 51 }),
    ]),
  ],
}

/** Writes whose If-Match or If-None-Match is an ETag that somebody received or computed. */
export const guessesOf = (key: string, etag: string): readonly Write[] =>
  ['if-match', 'if-none-match'].flatMap((name) => [
    patch(`/api/books/${key}`, { title: 'Changed' }, { [name]: etag }),
    remove(`/api/books/${key}`, { [name]: `"0.0", W/${etag}` }),
  ])

/** The database itself refuses these: the key is taken by a row that the caller may not see. */
export const taken: readonly Write[] = [
  post('/api/books', newBook({ id: 11 })),
  post('/api/books', newBook({ id: 21 })),
]
