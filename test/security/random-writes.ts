/** Random writes on the world of the leak matrix, by each door of writes. Few of them are refused for their form. */
import fc from 'fast-check'
import {
  current,
  newBook,
  patch,
  post,
  remove,
  restore,
  storedBook,
  type Write,
} from './write-doors.ts'

type Row = Readonly<Record<string, unknown>>

/** Keys of visible records, and of records that are missing, out of scope or deleted, as the world has it. */
const anyKey = fc.constantFrom(1, 2, 3, 4, 11, 21, 100, 100, 101, 101, 102)
/** A key that no row has. */
const newKey = fc.constantFrom(500, 501)
const shown = fc.constantFrom(1, 2)
const dump = fc.constantFrom('', 'dump=url', 'dump=json', 'dump=hybrid', 'fields=id,title')
const title = fc.constantFrom('Arrows', 'Bread', 'zzz')

/** Mostly the first, so that few fields of a list are refused: a second mistake would hide what the first one tells. */
const mostly = <A, B>(usual: fc.Arbitrary<A>, other: fc.Arbitrary<B>): fc.Arbitrary<A | B> =>
  fc.oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: other })
const nothing = fc.constant({})

const author = mostly(
  fc.constantFrom({}, { author_id: 1 }, { author_id: 2 }, { author_id: null }),
  fc.oneof(
    anyKey.map((author_id) => ({ author_id })),
    anyKey.map((id) => ({ author_id: undefined, author: { id } })),
  ),
)
const tags = mostly(
  nothing,
  fc.oneof(
    fc.uniqueArray(anyKey, { maxLength: 1 }).map((keys) => ({ tags: keys.map((id) => ({ id })) })),
    // With `bySlug` it names a stored tag or a new one.
    fc
      .constantFrom('classic', 'new', 'fresh')
      .map((slug) => ({ tags: [{ name: slug, slug, owner_id: 7 }] })),
  ),
)
const bySlug = fc.constantFrom('tags.on_conflict=slug', '')
/** Fields that a client may not write. */
const odd = fc.oneof(
  { weight: 30, arbitrary: nothing },
  {
    weight: 1,
    arbitrary: fc.constantFrom({ vault_code: 'v-1' }, { audits: [] }, { deleted: true }),
  },
)

const fields = fc
  .tuple(author, tags, odd)
  .map(([one, other, more]): Row => ({ ...one, ...other, ...more }))

/** A new book, or a stored one that nothing or something changes. */
const upserted = fc.oneof(
  fc.tuple(newKey, fields).map(([id, more]) => newBook({ id, ...more })),
  fc.constantFrom(1, 2, 3, 4).map((key) => storedBook(key as 1)),
  fc.tuple(shown, fields).map(([key, more]) => storedBook(key as 1, more)),
)
const changed = fc
  .tuple(anyKey, title, fields)
  .map(([id, text, more]): Row => ({ id, title: text, ...more }))
/** The parameters of a query that are not empty. */
const joined = (...parameters: readonly string[]): string => parameters.filter(Boolean).join('&')
const listOf = (item: fc.Arbitrary<Row>) =>
  fc.uniqueArray(item, { minLength: 1, maxLength: 2, selector: ({ id }) => id })

const filters = fc.constantFrom(
  'title__like=r',
  'title__eq=Arrows',
  'price__gt=15',
  'id__in=(1,4,11,21,100,101)',
  'id__in=(1,100,101,102)&max_affected=1',
  'exists(author.name__like=n)',
  'missing(author)',
  'exists(reviews.stars__gt=1)',
  'exists(tags)',
  'join=author&author.name__like=n',
  'vault_code__isnull=true',
)

const versions = fc.constantFrom<Readonly<Record<string, string>>>(
  {},
  {},
  { 'if-match': current },
  { 'if-match': '"stale"' },
  { 'if-none-match': '*' },
)

/** Writes without deletions. */
export const randomWrite: fc.Arbitrary<Write> = fc.oneof(
  fc
    .tuple(listOf(upserted), dump, bySlug)
    .map(([list, by, names]) => post(`/api/books?${joined('on_conflict=id', by, names)}`, list)),
  fc
    .tuple(upserted, dump, bySlug)
    .map(([one, by, names]) => post(`/api/books?${joined('on_conflict=id', by, names)}`, one)),
  fc
    .tuple(listOf(changed), dump, bySlug)
    .map(([list, by, names]) => patch(`/api/books?${joined(by, names)}`, list)),
  fc
    .tuple(anyKey, changed, versions, dump, bySlug)
    .map(([key, { id: _, ...change }, headers, by, names]) =>
      patch(`/api/books/${key}?${joined(by, names)}`, change, headers),
    ),
  fc.tuple(filters, fields).map(([by, more]) => patch(`/api/books?${by}`, more)),
  fc.array(anyKey, { minLength: 1, maxLength: 2 }).map((keys) =>
    post(
      '/api/reviews',
      keys.map((id, i) => ({ id: 500 + i, stars: 1, note: 'x', owner_id: 7, book: { id } })),
    ),
  ),
  fc.tuple(shown, anyKey).map((keys) =>
    post(
      '/api/reviews',
      keys.map((book_id, i) => ({ id: 500 + i, stars: 1, note: 'x', owner_id: 7, book_id })),
    ),
  ),
  fc
    .tuple(fc.constantFrom('books', 'authors', 'tags', 'reviews', 'taggings'), anyKey, versions)
    .map(([resource, key, headers]) => restore(`/api/${resource}/${key}`, headers)),
)

/** Deletions, of one record and by filters, alone and with all that refers to the records. */
export const randomDeletion: fc.Arbitrary<Write> = fc
  .tuple(
    fc.oneof(
      fc
        .tuple(fc.constantFrom('books', 'authors', 'reviews', 'tags'), anyKey)
        .map(([resource, key]) => `/api/${resource}/${key}?`),
      filters.map((by) => `/api/books?${by}`),
      fc.constantFrom('/api/reviews?stars__gt=2', '/api/reviews?exists(book.price__gt=15)'),
    ),
    fc.constantFrom('', 'cascade_delete=1'),
    versions,
  )
  .map(([url, cascade, headers]) => {
    const isOne = /\/\d+\?$/.test(url)
    const separator = cascade !== '' && !url.endsWith('?') ? '&' : ''
    return remove(`${url}${separator}${cascade}`, isOne ? headers : {})
  })
