/** The doors of writes: every way a write can touch a row or a column, as the requests that try it. */

type Row = Readonly<Record<string, unknown>>

/** A write as a client sends it. */
export interface Write {
  readonly method: string
  readonly url: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** The secrets that it reveals by contract: docs/guide/access.md, "What a policy cannot hide", and restores of the caller's own records. */
  readonly reveals?: readonly string[]
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
export const remove = (url: string, headers = {}): Write => ({ method: 'DELETE', url, headers })
export const restore = (record: string, headers = {}, body?: unknown): Write => ({
  method: 'POST',
  url: record.replace(/(?=\?|$)/, '/restore'),
  headers,
  ...(body === undefined ? {} : { body }),
})

/** As If-Match, stands for the ETag that the writer reads before the write, also of a deleted record. */
export const current = 'current'

/** Writes that reveal secrets by contract. */
export const revealing = (
  secrets: string | readonly string[],
  ...some: readonly Write[]
): Write[] => some.map((write) => ({ ...write, reveals: [secrets].flat() }))

const unseen = 'rows out of scope'
const deleted = 'soft-deleted rows'
/** The secret that a record with a key reveals if its existence is told. */
const secretOf = (key: string | number): readonly string[] =>
  ({ 11: [unseen], 21: [deleted] })[key] ?? []

/** A stored book as the viewer reads it: an upsert of it changes nothing. */
export const storedBook = (key: 1 | 2 | 3 | 4, more: Row = {}): Row => ({
  id: key,
  title: ['Arrows', 'Bread', 'Clouds', 'Dust'][key - 1],
  price: `${key}0.00`,
  published: `201${key}-0${1 + key}-15`,
  author_id: [1, 2, 11, 21][key - 1],
  owner_id: 7,
  ...more,
})

export const newBook = (more: Row) => ({
  id: 50,
  title: 'New',
  price: '1.00',
  published: '2020-01-01',
  author_id: null,
  owner_id: 7,
  ...more,
})

/** A loan of one day. */
const newLoan = (day_from: number): Row => ({
  id: 50,
  cart_id: 1,
  day_from,
  day_until: day_from + 1,
  owner_id: 7,
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
    post('/api/books?on_conflict=id', newBook({ id: 1 })),
    // The key of a record that the writer cannot see is taken, as in `taken`.
    ...[11, 21].flatMap((id) =>
      revealing(
        secretOf(id),
        post('/api/books?on_conflict=id', newBook({ id })),
        post('/api/books?on_conflict=id&dump=json', newBook({ id, author_id: 1 })),
        post('/api/authors?on_conflict=id', { id, name: 'x', owner_id: 7 }),
      ),
    ),
    ...keys.map((key) =>
      post('/api/payrolls?on_conflict=id', { id: Number(key), author_id: 1, amount: 1 }),
    ),
    ...keys.flatMap((key) => [
      post('/api/books?on_conflict=id', newBook({ author_id: Number(key) })),
      post('/api/books?on_conflict=id', newBook({ id: 2, author_id: Number(key) })),
    ]),
    post('/api/books?on_conflict=id', newBook({ id: 1, owner_id: 8 })),
    post('/api/books?on_conflict=id', newBook({ id: 1, deleted: true })),
    post('/api/books?on_conflict=id,owner_id', newBook({ id: 1 })),
  ],
  'records that must not overlap': [
    ...keys.map((key) => patch(`/api/loans/${key}`, { day_until: 6 })),
    ...[4, 45, 60].map((day) => post('/api/loans', newLoan(day))),
    post('/api/loans', { ...newLoan(60), cart_id: 99 }),
    post('/api/loans', { ...newLoan(60), day_until: 59 }),
    patch('/api/loans/1', { day_from: 40, day_until: 50 }),
    // The time of a loan that the writer cannot see is taken.
    ...revealing(
      [unseen, 'other values of rows out of scope', 'whether rows out of scope are deleted'],
      post('/api/loans', newLoan(25)),
      patch('/api/loans/1', { day_until: 21 }),
    ),
  ],
  'an upsert that changes nothing': [
    ...([1, 2, 3, 4] as const).map((key) => post('/api/books?on_conflict=id', storedBook(key))),
    ...['url', 'json', 'hybrid'].map((dump) =>
      post(`/api/books?on_conflict=id&dump=${dump}`, storedBook(3)),
    ),
    post('/api/books?on_conflict=id', { id: 1 }),
    post('/api/books?on_conflict=id', storedBook(1, { vault_code: 'v-1' })),
    post('/api/books?on_conflict=id', storedBook(1, { vault_notes: { code: 'v-1' } })),
    post('/api/books?on_conflict=id', storedBook(1, { shelf_id: 2 })),
    post('/api/books?on_conflict=id&fields=vault_code', storedBook(1)),
    post('/api/books?on_conflict=id&fields=title,shelf_id', storedBook(1)),
    post('/api/shelves?on_conflict=id&dump=json', { id: 1, place: 'North' }),
    // Changes and the same values of references that the writer cannot see.
    ...[11, 21].map((author_id) => post('/api/books?on_conflict=id', storedBook(1, { author_id }))),
  ],
  'restore of a record': [
    ...['books', 'authors', 'tags', 'reviews', 'taggings', 'profiles'].flatMap((resource) => [
      ...['1', '11', '99', 'x'].map((key) => restore(`/api/${resource}/${key}`)),
      ...revealing(deleted, restore(`/api/${resource}/21`)),
    ]),
    ...['payrolls', 'audits', 'shelves', 'ledgers'].flatMap((resource) =>
      keys.map((key) => restore(`/api/${resource}/${key}`)),
    ),
    ...['11', '99'].flatMap((key) => [
      restore(`/api/books/${key}`, { 'if-match': '"stale"' }),
      restore(`/api/books/${key}`, { 'if-match': '*' }),
      restore(`/api/books/${key}`, { 'if-none-match': '*' }),
    ]),
    ...revealing(
      deleted,
      restore('/api/books/21', { 'if-match': '"stale"' }),
      restore('/api/books/21', { 'if-none-match': '"stale"' }),
      restore('/api/books/21', { 'if-match': '*' }),
      ...['url', 'json', 'hybrid'].map((dump) => restore(`/api/books/21?dump=${dump}`)),
      restore('/api/authors/21?dump=json&include_deleted=true'),
    ),
    ...keys.flatMap((key) => [
      restore(`/api/books/${key}?fields=vault_code`),
      ...revealing(key === '21' ? deleted : [], restore(`/api/books/${key}?fields=title,shelf_id`)),
      restore(`/api/books/${key}?join=audits`),
      restore(`/api/books/${key}?title__eq=Deleted%20Book`),
      restore(`/api/books/${key}`, {}, { title: 'x' }),
      restore(`/api/books/${key}`, {}, { vault_code: 'v-1' }),
      restore(`/api/books/${key}`, { 'idempotency-key': 'k' }),
    ]),
  ],
  // Records of the writer below a live one, a deleted one, and ones that the writer cannot see.
  'restore below another record': revealing(
    deleted,
    ...['books/22', 'books/23', 'books/24', 'reviews/22', 'reviews/23', 'taggings/22'].flatMap(
      (record) => [restore(`/api/${record}`), restore(`/api/${record}?dump=json`)],
    ),
  ),
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

/** Filters of books. Some find none, or only records that the writer cannot see. */
const matching: readonly string[] = [
  'title__like=Book',
  'title__like=Arrows',
  'price__gt=700',
  'id__in=(4,11,21)',
  'id__in=(4,11,21)&max_affected=1',
  'id__in=(11,21,99)',
  'id__in=(11,21,99)&max_affected=0',
  'vault_code__eq=v-4',
  'vault_notes.code__eq=v-1',
  'shelf_id__eq=1',
  'or[id__eq=4,vault_code__eq=v-11]',
  'exists(author.name__like=Author)',
  'missing(author)',
  'exists(author.payrolls)',
  'exists(audits)',
  'missing(reviews)',
  'exists(tags.name__like=tag)',
  'join=author&author.name__like=Author',
]

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
  'a list of new records with a key that is taken': [50, 11, 21].flatMap((id) =>
    revealing(
      secretOf(id),
      post('/api/books', [newBook({ id: 51 }), newBook({ id })]),
      post('/api/books?on_conflict=id', [storedBook(1), newBook({ id })]),
      post('/api/books?on_conflict=id', [newBook({ id }), newBook({ id: 51 })]),
    ),
  ),
  'an upsert of a list that changes nothing': [
    post(
      '/api/books?on_conflict=id',
      [1, 2, 3, 4].map((key) => storedBook(key as 1)),
    ),
    post('/api/books?on_conflict=id&dump=json', [storedBook(3), storedBook(4)]),
    post('/api/books?on_conflict=id&fields=title', [storedBook(3), storedBook(4)]),
    post('/api/books?on_conflict=id&fields=vault_code', [storedBook(3)]),
    post('/api/books?on_conflict=id&fields=id,shelf_id', [storedBook(3)]),
    post('/api/books?on_conflict=id', [storedBook(1), storedBook(2, { vault_code: 'v-2' })]),
    post('/api/books?on_conflict=id', [storedBook(1), storedBook(2, { shelf_id: 1 })]),
    post('/api/books?on_conflict=id', [storedBook(1), storedBook(2, { audits: [] })]),
    ...[1, 11, 21, 99].flatMap((author_id) => [
      post('/api/books?on_conflict=id', [storedBook(1), storedBook(2, { author_id })]),
      post('/api/books?on_conflict=id', [storedBook(1), newBook({ author_id })]),
    ]),
    post('/api/shelves?on_conflict=id&dump=json', [
      { id: 1, place: 'North' },
      { id: 2, place: 'South' },
    ]),
  ],
  'a change by filters': matching.flatMap((filters) => [
    patch(`/api/books?${filters}`, { title: 'x' }),
    patch(`/api/books?${filters}&fields=id,title,author`, { author_id: 2 }),
  ]),
  'filters of a change, and its references': [
    ...keys.map((key) => patch('/api/books?id__lt=3', { author_id: Number(key) })),
    ...['fields=vault_code', 'fields=shelf_id', 'join=audits', 'include_deleted=true'].map((more) =>
      patch(`/api/books?id__in=(1,11,21)&${more}`, { title: 'x' }),
    ),
    patch('/api/books?id__in=(1,11,21)', { vault_code: 'v-1' }),
    patch('/api/books?id__in=(1,11,21)', { shelf_id: 1 }),
    patch('/api/books?id__in=(1,11,21)', { owner_id: 8 }),
    patch('/api/payrolls?amount__gt=1500', { amount: 1 }),
    patch('/api/audits?note__eq=checked', { note: 'x' }),
    patch('/api/shelves?id__gt=0&dump=json', { place: 'East' }),
  ],
  'a deletion by filters': [
    ...matching.map((filters) => remove(`/api/books?${filters}`)),
    remove('/api/reviews?exists(book.price__gt=700)'),
    remove('/api/reviews?missing(book)'),
    remove('/api/reviews?exists(book.vault_code__eq=v-1)'),
    remove('/api/reviews?join=book&book.title__like=Foreign'),
    remove('/api/reviews?stars__gt=3'),
    remove('/api/reviews?stars__gt=3&max_affected=1'),
    remove('/api/reviews?stars__gt=0&max_affected=2'),
    remove('/api/reviews?note__like=remark1'),
    remove('/api/reviews?vault_code__like=code'),
    remove('/api/reviews?include_deleted=true&stars__gt=3'),
    remove('/api/payrolls?amount__gt=1500'),
    remove('/api/audits?note__eq=checked'),
    remove('/api/wishes?id__gt=0'),
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
