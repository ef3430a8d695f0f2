/** The requests of the conformance list, in the order in which they are sent. */

export interface Request {
  readonly method: string
  /** `{next}` is the `next_url` of the previous response, `{key id}` that of the last API key. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Sent with the access token of the last login. */
  readonly signedIn?: true
  /** A document is compared with that of the reference instead of being recorded. */
  readonly document?: true
}

const get = (url: string, more: Partial<Request> = {}): Request => ({ method: 'GET', url, ...more })
const send = (method: string, url: string, body: unknown, more: Partial<Request> = {}): Request => {
  const { headers, ...others } = more
  return {
    method,
    url,
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...others,
  }
}

const reads: readonly Request[] = [
  get('/api/books'),
  get('/api/books/1?dump=json'),
  get('/api/books?price__ge=10&in_stock__eq=true&order_by=-price&fields=title,price'),
  get('/api/books?or[title__ilike=ROB,and[price__lt=10,rating__gt=3]]&fields=id,title'),
  get('/api/books?title__in=("Arrows","Bread, 100%25 rye")&fields=id'),
  get('/api/books?sold__eq=9007199254740993&fields=id,sold'),
  get('/api/books?published_at__between=(2024-02-01,2024-02-29T10:00:00Z)&fields=published_at'),
  get('/api/books?title__startswith=Bread,%20100%25&fields=title'),
  get('/api/authors?exists(books.price__lt=15.80,in_stock__eq=true)&fields=name,born_on'),
  get('/api/authors?missing(books.tags.name__eq=food)&order_by=-born_on.nullslast&fields=name'),
  get('/api/books?join=author&author.name__ilike=čapek&fields=title,author.name'),
  get('/api/authors?join=books&join_type=left&dump=dynamic&books.limit=1&books.order_by=-price'),
  get('/api/books?dump=json&tags.order_by=-name&limit=3'),
  get('/api/authors/3/books?order_by=-title&fields=title'),
  get(
    '/api/books?join=author&groupby=author.name&id|books__count=1&price|average__avg=1&order_by=-books,author.name',
  ),
  get('/api/books?groupby=year(published_at)|year&price|total__sum=1&sold__max=1&order_by=year'),
  get('/api/books?limit=2&page=2&fields=id'),
  get('/api/books?paging=cursor&order_by=-price&limit=2&fields=title,price'),
  get('{next}'),
  get('{next}'),
  get('/api/books?order_by=title&fields=title'),
  get('/api/books/99'),
  get('/api/books?titel__eq=x'),
  // QUERY in the form that every runtime and proxy can send.
  send('POST', '/api/books', 'price__gt=9&fields=id,title', {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-http-method-override': 'QUERY',
    },
  }),
  get('/api/books/1', { headers: { 'if-none-match': '*' } }),
  { method: 'HEAD', url: '/api/books' },
  { method: 'OPTIONS', url: '/api/books/1' },
  get('/api'),
  { method: 'HEAD', url: '/api', headers: { accept: 'text/html' } },
]

const singleWrites: readonly Request[] = [
  send('POST', '/api/authors', { name: 'Dora', born_on: '2000-02-29' }),
  send('POST', '/api/books', {
    title: 'Émile 😀',
    price: '0.10',
    rating: 0.1,
    sold: '9223372036854775807',
    in_stock: false,
    published_at: '2024-05-14T12:30:00.5+02:00',
    details: { b: [1, 2.5, null], a: 'x' },
    author_id: 100,
  }),
  get('/api/books/100'),
  send('PATCH', '/api/books/100', { price: '12.30', in_stock: null }),
  send('PUT', '/api/books/100', { title: 'Again' }),
  send('PATCH', '/api/authors/100', { name: 'Ann Archer' }),
  send('POST', '/api/books', { title: 7, price: 'much' }),
  send('POST', '/api/books', '{"title":'),
  send('PATCH', '/api/books/99', { title: 'Nobody' }),
  { method: 'DELETE', url: '/api/books/100' },
  get('/api/books?count=none&order_by=-id&limit=1&fields=id,title'),
  { method: 'DELETE', url: '/api/books/100' },
]

const transactions: readonly Request[] = [
  send('POST', '/api/books?dump=json', {
    title: 'Nested',
    author: { name: 'Ewa', born_on: null },
    tags: [{ id: 1 }, { name: 'new' }],
  }),
  send('PATCH', '/api/books/1?dump=json', { title: 'Arrows!', tags: [{ id: 3 }] }),
  send('POST', '/api/tags', [{ name: 'one' }, { name: 'two' }]),
  send('PATCH', '/api/books?author_id__eq=3', { in_stock: false }),
  send('PATCH', '/api/authors/1', { name: 'Anna' }, { headers: { 'if-match': '"0.0"' } }),
  send(
    'POST',
    '/api/tags',
    { name: 'keyed' },
    { headers: { 'idempotency-key': 'key-of-the-tag-keyed' } },
  ),
  send(
    'POST',
    '/api/tags',
    { name: 'keyed' },
    { headers: { 'idempotency-key': 'key-of-the-tag-keyed' } },
  ),
  // Rolled back: the second record violates a unique key. Last of those that create tags, since databases count such keys differently.
  send('POST', '/api/tags', [{ name: 'three' }, { name: 'classic' }]),
  send('POST', '/api/authors', { name: 'Dora' }),
  { method: 'DELETE', url: '/api/authors/1' },
  { method: 'DELETE', url: '/api/authors/2?cascade_delete=1' },
  get('/api/tags?order_by=name&fields=name'),
  get('/api/tags/1'),
  get('/api/books?fields=title,in_stock,author_id'),
  get('/api/authors?fields=name&order_by=name'),
]

const restore = (url: string, more: Partial<Request> = {}): Request => ({
  method: 'POST',
  url: url.replace(/(?=\?|$)/, '/restore'),
  ...more,
})

/** Soft delete and restore, upserts, lists that refer to stored records, and settings of single models. */
const further: readonly Request[] = [
  restore('/api/shelves/3'),
  restore('/api/shelves/2?fields=place,gone'),
  restore('/api/shelves/3', { headers: { 'if-match': '"0.0"' } }),
  restore('/api/shelves/3'),
  restore('/api/shelves/1'),
  restore('/api/shelves/99'),
  restore('/api/tags/1'),
  { method: 'DELETE', url: '/api/shelves/2?cascade_delete=2' },
  { method: 'DELETE', url: '/api/shelves/2' },
  { method: 'DELETE', url: '/api/shelves?place__in=(hall,loft)' },
  get('/api/shelves?include_deleted=true&fields=place,gone'),
  send('POST', '/api/seals?on_conflict=mark', { mark: 'lion', colour: 'red' }),
  send('POST', '/api/seals?on_conflict=mark&fields=mark,colour', [
    { mark: 'lion', colour: 'red' },
    { mark: 'boat', colour: 'green' },
  ]),
  send('POST', '/api/seals?on_conflict=colour', { mark: 'lion', colour: 'red' }),
  send('POST', '/api/seals', { mark: 'tree', colour: 'green', code: 'of the tree' }),
  send('POST', '/api/seals', {
    mark: 'star',
    colour: 'grey',
    code: 'a text of more than forty characters, in all',
  }),
  get('/api/seals?code__eq=of%20the%20tree'),
  send('PATCH', '/api/seals/1', { colour: 'white' }),
  send('PATCH', '/api/seals/99', { colour: 'white' }),
  send('PATCH', '/api/seals?mark__eq=lion', { colour: 'white' }),
  { method: 'DELETE', url: '/api/seals?mark__eq=lion' },
  send('POST', '/api/books?fields=title,author_id', [
    { title: 'One', author: { id: 1 }, tags: [{ id: 1 }] },
    { title: 'Two', author: { id: 3 }, tags: [{ id: 2 }] },
  ]),
  send('PATCH', '/api/books?fields=title,price', [
    { id: 3, title: 'Robots!', price: '9.00' },
    { id: 1, title: 'Arrows', price: null },
  ]),
  send('PATCH', '/api/books', [
    { id: 3, title: 'Robots again' },
    { id: 98, title: 'Nobody' },
  ]),
  send('PATCH', '/api/books/1?dump=json&tags.on_conflict=name', {
    tags: [{ name: 'food' }, { name: 'classic' }],
  }),
  send('POST', '/api/books?author.on_conflict=name&fields=title,author_id', [
    { title: 'Three', author: { name: 'Čapek, Karel' } },
    { title: 'Four', author: { name: 'Čapek, Karel' } },
  ]),
  send('POST', '/api/books?author.on_conflict=born_on', {
    title: 'Five',
    author: { born_on: null },
  }),
  send('POST', '/api/books', [
    { title: 'One', author: { id: 1 } },
    { title: 'Two', author: { id: 99 } },
  ]),
]

const loan = (seal_id: number, taken: string, back: string | null) => ({ seal_id, taken, back })

/** Records that must not overlap. */
const overlaps: readonly Request[] = [
  send('POST', '/api/loans', loan(1, '2024-05-15T10:00:00Z', '2024-05-16T10:00:00Z')),
  send('POST', '/api/loans', loan(1, '2024-05-14T12:00:00Z', null)),
  send('PATCH', '/api/loans/1', { back: '2024-05-15T10:00:01Z' }),
  send('PATCH', '/api/loans/1', { back: '2024-05-14T10:00:00Z' }),
  send('POST', '/api/loans', loan(98, '2024-05-14T12:00:00Z', null)),
]

/** A refresh by the cookie of the last login or refresh. */
const refreshByCookie = (site: string): Request => ({
  method: 'POST',
  url: '/auth/refresh',
  headers: { cookie: '__Secure-refresh_token={refresh}', 'sec-fetch-site': site },
})

const authentication: readonly Request[] = [
  get('/api/notes'),
  send('POST', '/auth/login', { username: 'ann', password: 'wrong' }),
  send('POST', '/auth/login', { username: 'ann', password: 'correct horse' }),
  get('/auth/me', { signedIn: true }),
  send(
    'POST',
    '/api/notes',
    {
      id: '00000000-0000-4000-8000-000000000001',
      text: 'b ß \u0001',
      scan: 'AAH/',
      seen_at: '10:30',
    },
    { signedIn: true },
  ),
  get('/api/notes', { signedIn: true }),
  refreshByCookie('cross-site'),
  refreshByCookie('same-origin'),
  // The first refresh token, used again.
  send('POST', '/auth/refresh', '{"refresh_token":"{used}"}'),
  // Its successor, which the request before revoked.
  refreshByCookie('same-origin'),
  { method: 'POST', url: '/auth/logout' },
  get('/api/notes', { headers: { authorization: 'Bearer nothing' } }),
]

const withAuthorization = (authorization: string): Partial<Request> => ({
  headers: { authorization },
})

/** A token of the issuer for ann, until the year 2100. */
const issued =
  'eyJhbGciOiJFUzI1NiIsImtpZCI6InJ1bnRpbWVzIn0.eyJuYW1lIjoiYW5uIiwiaXNzIjoiaHR0cHM6Ly9pZC5leGFtcGxlLmNvbSIsImF1ZCI6InJ1bnRpbWVzIiwic3ViIjoiNyIsImlhdCI6MTcwMDAwMDAwMCwiZXhwIjo0MTAyNDQ0ODAwfQ.ihskVK1jLsmZgl-VtJRYK3z_Ek1cKWZFM7H3DGQicmp7D2sEVZo3lyFsQ5tgTNsV2KeRveGpY63qYbfsJLp3-Q'

const keysAndIssuers: readonly Request[] = [
  send('POST', '/auth/login', { username: 'ann', password: 'correct horse' }),
  send('POST', '/auth/keys', { name: 'scale 3', scopes: [] }, { signedIn: true }),
  get('/auth/me', withAuthorization('Api-Key {key}')),
  get('/api/notes?fields=text', withAuthorization('Api-Key {key}')),
  get('/api/notes', withAuthorization('Api-Key nothing')),
  get('/auth/keys', { signedIn: true }),
  { method: 'DELETE', url: '/auth/keys/{key id}', signedIn: true },
  get('/api/notes', withAuthorization('Api-Key {key}')),
  get('/auth/me', withAuthorization(`Bearer ${issued}`)),
  get('/api/notes', withAuthorization(`Bearer ${issued.slice(0, -4)}AAAA`)),
]

const documents: readonly Request[] = [
  get('/openapi.json', { document: true }),
  get('/docs', { document: true }),
  get('/health/ready'),
  get('/nowhere'),
]

export const requests: readonly Request[] = [
  ...reads,
  ...singleWrites,
  ...transactions,
  ...further,
  ...overlaps,
  ...authentication,
  ...keysAndIssuers,
  ...documents,
]
