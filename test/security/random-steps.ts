/**
 * Random reads and writes of the callers of one service. In their texts, `#5` stands for key 5 in the caller's range, `#me` for
 * the owner of its rows, `#name` for its name, and `#their5` for a key in another caller's range.
 */
import fc from 'fast-check'
import { randomRequest } from './random-query.ts'

/** A request before its placeholders are replaced. */
export interface Template {
  readonly method: string
  readonly url: string
  /** JSON. */
  readonly body?: string
  /** The `Idempotency-Key`. */
  readonly key?: string
}

export type Act =
  /** A read, which may run at the same time as other reads of the same caller. */
  | { readonly kind: 'read'; readonly request: Template }
  /** Reads all pages, following `next_url`. */
  | { readonly kind: 'pages'; readonly url: string }
  /** GET, then HEAD, then GET with If-None-Match. */
  | { readonly kind: 'again'; readonly url: string }
  | { readonly kind: 'write'; readonly request: Template }
  /** GET, then the same change twice, with If-Match. */
  | { readonly kind: 'exchange'; readonly url: string; readonly body: string }
  /** The same request, sent twice at once. */
  | { readonly kind: 'twice'; readonly request: Template }
  /** A request that the client cancels after some turns of the event loop; then the same request again, to the end. */
  | { readonly kind: 'given up'; readonly request: Template; readonly turns: number }

export interface Step {
  /** The index of the caller. */
  readonly who: number
  readonly act: Act
  /** The step waits for all steps before this index, of all callers. */
  readonly after: number
  /** How many turns of the event loop pass before it begins. */
  readonly turns: number
}

const get = (url: string): Template => ({ method: 'GET', url })

const owned = ['books', 'authors', 'tags', 'taggings', 'reviews', 'profiles', 'notes', 'labellings']
/** All callers see all rows of these resources, so each requests only its own range. */
const open = [
  'crates',
  'crates',
  'crates',
  'crates',
  'shelves',
  'shelves',
  'labels',
  'boxes',
  'ledgers',
  'drafts',
  'wishes',
  'payrolls',
] as const

const dump = fc.constantFrom('dump=url', 'dump=json', 'dump=json', 'dump=hybrid', 'dump=dynamic')
const page = fc.constantFrom(
  '',
  'limit=1',
  'limit=1',
  'limit=2',
  'limit=1&page=2',
  'limit=2&count=none',
)

const queries: Readonly<Record<string, readonly string[]>> = {
  books: [
    'order_by=-price',
    'join=author&author.name__like=n',
    'join=author,tags&join_type=left',
    'exists(tags)',
    'missing(reviews)',
    'or[title__like=r,price__gt=25]',
    'groupby=author_id&id|n__count=1&price__sum=1',
    'join=tags&groupby=tags.name&id__count=1',
    'price__sum=1&price__max=1',
    'fields=title,price',
    'include_deleted=true',
    'tags.limit=1&dump=json',
    'vault_code__isnull=true',
  ],
  authors: ['exists(books.tags)', 'join=payrolls', 'join=books&groupby=name&books.price__sum=1'],
  tags: ['exists(books.reviews.stars__ge=2)', 'dump=json&books.order_by=-price&books.limit=1'],
  reviews: ['join=book&book.title__like=r', 'stars__avg=1'],
  taggings: ['join=book,tag', 'groupby=tag_id&book_id__count=1'],
  notes: ['join=shelf', 'text__like=dust', 'id__count=1'],
  shelves: [
    'place__like=o',
    'join=notes',
    'join=ledgers&join_type=left',
    'join=drafts',
    'join=books&join_type=left&dump=dynamic',
    'exists(ledgers)',
    'exists(notes)',
    'missing(drafts)',
    'exists(books.tags)',
    'join=books&groupby=place&books.id__count=1',
    'books.limit=1&dump=json',
    'notes.fields=text&dump=json',
    'id__count=1',
    'fields=place',
  ],
  crates: [
    'fields=size,id',
    'dump=json&ledgers.limit=1',
    'dump=json&drafts.fields=line',
    'join=ledgers&join_type=left',
    'join=drafts,wishes&join_type=left',
    'exists(ledgers.amount__gt=1)',
    'missing(drafts)',
    'size__gt=1&dump=json',
  ],
  labels: ['exists(shelves.notes)', 'shelves.fields=place&dump=json'],
  ledgers: ['join=shelf&shelf.place__like=o', 'amount__sum=1'],
  payrolls: ['join=author', 'amount__gt=1500'],
  wishes: ['join=shelf'],
}

const query = (resource: string): fc.Arbitrary<string> =>
  fc.oneof(dump, dump, fc.constantFrom(...(queries[resource] ?? ['order_by=-id'])))

const joined = (...parts: readonly string[]): string => parts.filter(Boolean).join('&')

const ownedList = fc
  .constantFrom(...owned)
  .chain((name) => fc.tuple(query(name), page).map((parts) => `/api/${name}?${joined(...parts)}`))

/** Lists the caller's own range. */
const rangeOf = (name: string): fc.Arbitrary<string> =>
  fc
    .tuple(query(name), page)
    .map((parts) => `/api/${name}?${joined('id__gt=#0&id__lt=#999', ...parts)}`)

const openList = fc.constantFrom(...open).chain(rangeOf)

const anyKey = fc.constantFrom('#1', '#1', '#2', '#3', '#11', '#21', '#99', '#501', '#502')

const items = fc.oneof(
  fc
    .tuple(fc.constantFrom('books', 'authors', 'tags', 'reviews', 'notes'), anyKey, dump)
    .map(([name, key, mode]) => `/api/${name}/${key}?${mode}`),
  fc.tuple(fc.constantFrom(...open), anyKey, dump).map((parts) => {
    const [name, key, mode] = parts
    return `/api/${name}/${key}?${mode}`
  }),
  fc
    .tuple(
      fc.constantFrom('books', 'authors', 'reviews', 'notes', 'taggings'),
      fc.constantFrom('#their1', '#their2', '#their501'),
    )
    .map(([name, key]) => `/api/${name}/${key}`),
)

const related = fc
  .tuple(
    fc
      .constantFrom('authors/#/books', 'books/#/tags', 'books/#/reviews', 'tags/#/books')
      .chain((route) => anyKey.map((key) => route.replace('#', key))),
    page,
  )
  .map(([route, by]) => `/api/${route}?${by}`)

const ofShelf = fc
  .tuple(
    anyKey,
    fc.constantFrom('books', 'notes', 'ledgers', 'drafts', 'labels'),
    fc.constantFrom('', 'limit=1', 'dump=json'),
  )
  .map(([key, relation, by]) => `/api/shelves/${key}/${relation}?${by}`)

/** Random queries contain keys of the leak matrix. */
const random = randomRequest.map((text) => {
  const url = text.replace(/^follow /, '').replace(/^(\/api\/\w+\/)(\d+)/, '$1#$2')
  // Junctions have other keys here.
  return url
    .replace(/^\/api\/taggings\/#\d+/, '/api/taggings')
    .replace(/taggings\/(book|tag)/, 'taggings')
})

const readUrl = fc.oneof(
  { weight: 3, arbitrary: ownedList },
  { weight: 5, arbitrary: openList },
  { weight: 1, arbitrary: fc.oneof(items, related, ofShelf) },
  { weight: 1, arbitrary: random },
)

const read: fc.Arbitrary<Act> = fc
  .tuple(readUrl, fc.constantFrom(...Array(8).fill('GET'), 'HEAD', 'OPTIONS'))
  .map(([url, method]) => ({ kind: 'read', request: { method, url } }))

const pages: fc.Arbitrary<Act> = fc
  .tuple(
    fc.oneof(ownedList, openList),
    fc.constantFrom('limit=2', 'limit=2&paging=cursor', 'limit=1&paging=cursor&count=none'),
  )
  .map(([url, by]) => ({
    kind: 'pages',
    url: `${url.replace(/&?(limit|count|page)=\w+/g, '')}&${by}`,
  }))

const again: fc.Arbitrary<Act> = fc.oneof(items, openList).map((url) => ({ kind: 'again', url }))

const word = fc.constantFrom('Ash', 'Elm', 'Fir', 'Oak')
const fresh = fc.constantFrom(501, 502, 503)

const book = (key: number | string, title: string, more = ''): string =>
  `{"id":#${key},"title":"${title} of #name","price":"1.50","published":"2020-01-01","owner_id":#me${more}}`

const change = fc.oneof(
  fc
    .tuple(anyKey, word, dump)
    .map(([key, title, mode]) => [`/api/books/${key}?${mode}`, `{"title":"${title} of #name"}`]),
  fc
    .tuple(anyKey, fc.constantFrom('#1', '#2', '#11', '#99', '#their1', 'null'))
    .map(([key, author]) => [`/api/books/${key}`, `{"author_id":${author}}`]),
  fc
    .tuple(
      fc.constantFrom('#1', '#2', '#501'),
      fc.constantFrom('', '{"id":#1}', '{"id":#2}', '{"id":#1},{"id":#2}', '{"id":#their1}'),
    )
    .map(([key, tags]) => [`/api/books/${key}?dump=json`, `{"tags":[${tags}]}`]),
  fc
    .tuple(fc.constantFrom('#1', '#2', '#501', '#99'), word, dump)
    .map(([key, place, mode]) => [`/api/shelves/${key}?${mode}`, `{"place":"${place}"}`]),
  fc
    .tuple(fc.constantFrom('#1', '#2'), fc.constantFrom('', '{"id":#1}', '{"id":#1},{"id":#2}'))
    .map(([key, labels]) => [`/api/shelves/${key}?dump=json`, `{"labels":[${labels}]}`]),
  fc
    .tuple(fc.constantFrom('crates', 'boxes'), fc.constantFrom(4, 5, 6), dump)
    .map(([name, size, mode]) => [`/api/${name}/#1?${mode}`, `{"size":${size}}`]),
  fc
    .tuple(fc.constantFrom('ledgers', 'payrolls'), fc.constantFrom(4, 5, 6))
    .map(([name, amount]) => [`/api/${name}/#1`, `{"amount":${amount}}`]),
  fc
    .tuple(fc.constantFrom('drafts', 'wishes', 'wishes'), word)
    .map(([name, line]) => [`/api/${name}/#1`, `{"line":"${line}"}`]),
  fc.tuple(anyKey, word).map(([key, text]) => [`/api/notes/${key}`, `{"text":"${text}"}`]),
  fc.tuple(anyKey, word).map(([key, name]) => [`/api/authors/${key}`, `{"name":"${name}"}`]),
) as fc.Arbitrary<unknown> as fc.Arbitrary<readonly [url: string, body: string]>

const creation: fc.Arbitrary<Template> = fc
  .oneof(
    fc.tuple(fresh, word).map(([key, title]) => ['/api/books', book(key, title)] as const),
    fc.tuple(fresh, fresh, word).map(([key, other, name]) => {
      const author = `,"author":{"id":#${other},"name":"${name}","owner_id":#me}`
      return ['/api/books?dump=json', book(key, name, author)] as const
    }),
    fc
      .tuple(fresh, fresh, word)
      .map(
        ([key, other, title]) =>
          ['/api/books', `[${book(key, title)},${book(other, title)}]`] as const,
      ),
    fc
      .tuple(fresh, word)
      .map(([key, title]) => ['/api/books?on_conflict=id', book(key, title)] as const),
    fc
      .tuple(fc.constantFrom('#1', '#2', '#501'), fresh, word)
      .map(
        ([key, other, title]) =>
          [
            '/api/books?on_conflict=id',
            `[${book(key.slice(1), title)},${book(other, title)}]`,
          ] as const,
      ),
    fc
      .tuple(fresh, fresh, fc.constantFrom('#1', '#2', '#11', '#21', '#their1'), word)
      .map(
        ([key, other, of, title]) =>
          [
            '/api/books',
            `[${book(key, title, `,"author":{"id":#1}`)},${book(other, title, `,"author":{"id":${of}}`)}]`,
          ] as const,
      ),
    fc.tuple(fresh, fc.constantFrom('#1', '#11', '#501', '#their1')).map(([key, of]) => {
      const body = `{"id":#${key},"book_id":${of},"stars":3,"note":"n of #name","owner_id":#me}`
      return ['/api/reviews', body] as const
    }),
    fc
      .tuple(fresh, word)
      .map(
        ([key, name]) => ['/api/tags', `{"id":#${key},"name":"${name}","owner_id":#me}`] as const,
      ),
    fc
      .tuple(fresh, word, dump)
      .map(
        ([key, place, mode]) =>
          [`/api/shelves?${mode}`, `{"id":#${key},"place":"${place}"}`] as const,
      ),
    fc
      .tuple(fc.constantFrom('wishes', 'wishes', 'drafts'), fresh, word)
      .map(
        ([name, key, line]) =>
          [`/api/${name}`, `{"id":#${key},"shelf_id":#1,"line":"${line}"}`] as const,
      ),
  )
  .map(([url, body]) => ({ method: 'POST', url, body }))

const removal: fc.Arbitrary<Template> = fc
  .oneof(
    fc
      .tuple(fc.constantFrom('books', 'reviews', 'tags', 'authors'), anyKey)
      .map(([name, key]) => `/api/${name}/${key}`),
    fc
      .tuple(fc.constantFrom('shelves', 'wishes', 'ledgers', 'drafts'), anyKey)
      .map(([name, key]) => `/api/${name}/${key}`),
    fc.constantFrom(
      '/api/reviews?stars__gt=3',
      '/api/books?id__in=(#1,#501)',
      '/api/books/#2?cascade_delete=1',
    ),
  )
  .map((url) => ({ method: 'DELETE', url }))

const keyed: fc.Arbitrary<Template> = fc
  .tuple(creation, fc.constantFrom('shared by everybody', 'another of everybody'))
  .map(([request, key]) => ({ ...request, key: key.replaceAll(' ', '-') }))

const patch = change.map(([url, body]): Template => ({ method: 'PATCH', url, body }))

const write: fc.Arbitrary<Act> = fc
  .oneof(
    patch,
    patch,
    patch,
    creation,
    creation,
    keyed,
    keyed,
    removal,
    fc
      .tuple(fc.constantFrom('books', 'books', 'authors', 'reviews'), anyKey)
      .map(([name, key]): Template => ({ method: 'POST', url: `/api/${name}/${key}/restore` })),
    word.map(
      (title): Template => ({
        method: 'PATCH',
        url: '/api/books?price__lt=25',
        body: `{"title":"${title}"}`,
      }),
    ),
  )
  .map((request) => ({ kind: 'write', request }))

const reading = fc.oneof(
  { weight: 5, arbitrary: read },
  { weight: 1, arbitrary: pages },
  { weight: 1, arbitrary: again },
)

const writing: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: write },
  { weight: 1, arbitrary: change.map(([url, body]) => ({ kind: 'exchange' as const, url, body })) },
  { weight: 2, arbitrary: keyed.map((request) => ({ kind: 'twice' as const, request })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.oneof(patch, readUrl.map(get)), fc.nat({ max: 6 }))
      .map(([request, turns]) => ({ kind: 'given up' as const, request, turns })),
  },
)

/**
 * Requests that several callers repeat, so that the cached plan of one caller is tried with the others. The plan of the first is
 * always cached.
 */
const favourites = fc.tuple(
  rangeOf('crates').map((url): Act => ({ kind: 'read', request: get(url) })),
  reading,
  reading,
)

/** A favourite, by its index, or another act. */
const act: fc.Arbitrary<number | Act> = fc.oneof(
  { weight: 4, arbitrary: fc.nat({ max: 2 }) },
  { weight: 1, arbitrary: reading },
  { weight: 3, arbitrary: writing },
)

/** Steps of one caller, or of all callers at the same time. */
const block = fc.record({
  act,
  who: fc.nat(),
  all: fc.boolean(),
  waits: fc.constantFrom(false, false, false, false, false, true),
  turns: fc.constantFrom(0, 0, 0, 1, 2, 5),
})

/** The steps of a number of callers, in the order in which they begin. */
export const randomSteps = (callers: number): fc.Arbitrary<readonly Step[]> =>
  fc.tuple(favourites, fc.array(block, { minLength: 8, maxLength: 18 })).map(([liked, blocks]) => {
    const steps: Step[] = []
    for (const { act: chosen, who, all, waits, turns } of blocks) {
      const one = typeof chosen === 'number' ? (liked[chosen] as Act) : chosen
      const after = waits ? steps.length : 0
      for (let i = 0; i < (all ? callers : 1); i++) {
        steps.push({ who: (who + i) % callers, act: one, after, turns })
      }
    }
    return steps
  })
