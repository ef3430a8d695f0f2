/** The conformance list: requests, and the response that every server must give. Its bytes are compared with those of `api.handle`. */
import { cursorNaming } from '../support/doors.ts'
import { bodyLimit, mostValues } from './world.ts'

type Only = 'raw' | 'unparsed'

export interface Case {
  readonly title: string
  /** Default GET. */
  readonly method?: string
  /** The raw URL, below the mount. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** The raw body. */
  readonly body?: string | Uint8Array
  /** Whether the body is sent without Content-Length. */
  readonly chunked?: boolean
  readonly status: number
  /** Headers of the response. */
  readonly tells?: Readonly<Record<string, string>>
  /** Texts the body contains. */
  readonly has?: string | readonly string[]
  /** Whether the host responds: with one of its own routes, or with its 404. */
  readonly host?: boolean
  /** `raw`: a web Request cannot express it; `unparsed`: a body parser of the host would already have parsed or rejected it. */
  readonly only?: Only | readonly Only[]
}

const json = { 'content-type': 'application/json' }
const write = (
  title: string,
  method: string,
  url: string,
  body: string | Uint8Array | undefined,
  status: number,
  more: Partial<Case> = {},
): Case => ({
  title,
  method,
  url,
  status,
  ...(body === undefined ? {} : { body }),
  headers: json,
  ...more,
})
const read = (title: string, url: string, status: number, more: Partial<Case> = {}): Case => ({
  title,
  url,
  status,
  ...more,
})

const long = 'x'.repeat(bodyLimit)

/** A list of slightly more than half of the values that a statement takes; SQLite binds each decimal of a list. */
const halfOfValues = Array.from({ length: mostValues / 2 + 10 }, (_, i) => i).join(',')

export const cases: readonly Case[] = [
  // ------------------------------------------------------------ reading
  read('a list', '/api/books', 200, { has: ['"total_count":3', 'Germinal'] }),
  read('a list whose query is the body', '/api/books?limit=1', 200, {
    method: 'QUERY',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'title__ne=Germinal&page=2',
    has: ['"total_count":2', '{mount}/api/books?title__ne=Germinal&limit=1&page=1'],
    tells: { 'accept-query': 'application/x-www-form-urlencoded' },
    only: 'unparsed',
  }),
  read('the same by POST, where a proxy refuses the method', '/api/books', 200, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-http-method-override': 'QUERY',
    },
    body: 'title__ne=Germinal',
    has: '"total_count":2',
    only: 'unparsed',
  }),
  read('a query of another media type', '/api/books', 415, {
    method: 'QUERY',
    headers: json,
    body: '{}',
  }),
  read('one object, with its tag', '/api/books/1', 200, { has: '"price":"12.50"' }),
  read('letters beyond ASCII', '/api/authors/2', 200, { has: 'Émile Zola' }),
  read('links carry the mount', '/api/books?limit=1&page=2', 200, {
    has: ['{mount}/api/books?limit=1&page=3', '{mount}/api/books?limit=1&page=1'],
  }),
  read('relations are URLs below the mount', '/api/books/1?dump=url', 200, {
    has: '{mount}/api/books/1/author',
  }),
  read('a relation of one', '/api/books/1/author', 200, { has: 'Jane Austen' }),
  read('a relation of many', '/api/authors/1/books', 200, { has: '"total_count":2' }),
  read('a relation of nobody', '/api/authors/9/books', 404),
  read('a join', '/api/books?join=author&author.name__eq=%C3%89mile+Zola', 200, {
    has: 'Germinal',
  }),
  read(
    'a group with raw brackets and an escaped comma',
    '/api/books?or[id__in=(1,3),title__eq=Persuasion%2C%20a%20novel]',
    200,
    {
      has: '"total_count":3',
    },
  ),
  read('a group with escaped brackets', '/api/books?or%5Bid__eq=1,id__eq=3%5D', 200, {
    has: '"total_count":2',
  }),
  read('a bar in a label', '/api/books?groupby=author_id&id|books__count=1', 200, {
    has: '"books":2',
  }),
  read(
    'an aggregate of related records with raw brackets and a bar',
    '/api/authors?fields=name,count(books[price__gt=1])|many&many__ge=1&order_by=-many,name',
    200,
    { has: '"many":' },
  ),
  read(
    'an aggregate of related records with escaped brackets',
    '/api/authors?fields=id,count%28books%29%7Cmany&order_by=id&limit=1',
    200,
    { has: '{"id":1,"many":2}' },
  ),
  read(
    'a declared aggregate as a field, a condition and an order',
    '/api/authors?fields=id,book_count&book_count__ge=1&order_by=-book_count,-id',
    200,
    { has: '[{"id":2,"book_count":1},{"id":1,"book_count":1}]' },
  ),
  read(
    'a cursor that names its row',
    `/api/books?order_by=title&limit=1&fields=title&after=${cursorNaming('Book books.title+l books.id+l', '1')}`,
    200,
    { has: 'Germinal' },
  ),
  read(
    'the first record of each value',
    '/api/books?distinct_on=author_id&order_by=author_id,-id&fields=author_id',
    200,
    {
      has: '"total_count":2',
    },
  ),
  read('a plus is a blank', '/api/books?title__eq=Persuasion,+a+novel', 200, {
    has: '"total_count":1',
  }),
  read('repeated parameters', '/api/books?fields=id&fields=title', 200, {
    has: '{"id":1,"title":"Emma"}',
  }),
  read('an empty query', '/api/books?', 200),
  read('a key that needs escaping', '/api/tags/%C3%A0%20la%20carte%2F50%25%20off', 200, {
    has: 'à la carte/50% off',
  }),
  read('the singular is an alias', '/api/book/1', 200, { has: 'Emma' }),
  read('another endpoint of a model', '/api/stock/shelves/1', 200, { has: '"id":1' }),
  read('bare values', '/api/books/1?fields=title', 200, { has: '"value":{"title":"Emma"}' }),
  read('the OpenAPI document', '/openapi.json', 200, {
    has: ['"openapi":"3.1', '"servers":[{"url":"'],
  }),
  read('HEAD of the document', '/docs/apispec.json', 200, { method: 'HEAD' }),
  // ------------------------------------------------------------ methods
  read('HEAD is GET without a body', '/api/books', 200, { method: 'HEAD' }),
  read('HEAD of nothing', '/api/books/99', 404, { method: 'HEAD' }),
  read('OPTIONS of a list', '/api/books', 204, { method: 'OPTIONS' }),
  read('OPTIONS of one object', '/api/tags/plain', 204, { method: 'OPTIONS' }),
  read('OPTIONS of an unknown path', '/api/nothing', 404, { method: 'OPTIONS' }),
  write(
    'a batch, whose second operation reads what the first has written',
    'POST',
    '/api/batch',
    '{"operations":[{"id":"a","method":"POST","url":"/api/books","body":{"title":"Batched","price":"3.00","author_id":1}},{"id":"b","method":"GET","url":"/api/books/{a.id}?fields=title"}],"dry_run":true}',
    200,
    { has: ['"status":201', '"title":"Batched"'] },
  ),
  write('a batch that no one reads', 'POST', '/api/batch', '{"operations":7}', 400, {
    has: 'operations',
  }),
  write('a method that is not allowed', 'POST', '/api/tags', '{"name":"x"}', 405, { has: 'GET' }),
  write('PUT unless it is listed', 'PUT', '/api/books/1', '{}', 405),
  write('a method nobody knows', 'PURGE', '/api/books', undefined, 405),
  write('not allowed goes before a body that is no JSON', 'POST', '/api/tags', '{', 405),
  // ------------------------------------------------------------ conditional requests
  read('a tag that is known', '/api/books/1', 304, { headers: { 'if-none-match': '*' } }),
  read('a tag that is known, to HEAD', '/api/books/1', 304, {
    method: 'HEAD',
    headers: { 'if-none-match': '*' },
  }),
  write(
    'an upsert that changes nothing',
    'POST',
    '/api/authors?on_conflict=name',
    '{"name":"Jane Austen"}',
    200,
    { has: '"name":"Jane Austen"' },
  ),
  write('a restore without a body', 'POST', '/api/books/1/restore', undefined, 404, {
    has: 'endpoint_disabled',
  }),
  write('a tag that is stale', 'PATCH', '/api/books/1', '{"title":"No"}', 412, {
    headers: { ...json, 'if-match': '"0.0"' },
  }),
  // ------------------------------------------------------------ refusals of reading
  read('an unknown record', '/api/books/99', 404, { has: 'Not Found' }),
  read('an unknown path below the prefix', '/api/nothing', 404, { has: 'unknown_path' }),
  read('an unknown path, as problem details', '/api/nothing', 404, {
    headers: { accept: 'application/problem+json' },
    has: '"type":"about:blank","title":"Not Found"',
    tells: { 'content-type': 'application/problem+json; charset=utf-8', vary: 'Accept' },
  }),
  read('the index', '/api', 200, {
    has: ['"url":"{mount}/api/books"', '"documentation":"{mount}/docs"'],
    tells: { vary: 'Accept' },
  }),
  read('the index as a page', '/api', 200, {
    headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
    has: ['<!doctype html>', 'href="{mount}/api/books"', 'href="{mount}/docs"'],
    tells: { 'content-type': 'text/html; charset=utf-8', vary: 'Accept' },
  }),
  read('a list as a page', '/api/books?limit=1', 200, {
    headers: { accept: 'text/html' },
    has: ['href="{mount}/api/books/1"', 'href="{mount}/api/books?limit=1&amp;page=2"'],
    tells: { 'content-type': 'text/html; charset=utf-8' },
  }),
  read('an error as a page', '/api/books?titel__eq=x', 400, {
    headers: { accept: 'text/html' },
    has: ['<h1>400', 'Did you mean', 'href="{mount}/api"'],
    tells: { 'content-type': 'text/html; charset=utf-8', vary: 'Accept' },
  }),
  read('the headers of a page', '/api/books/1', 200, {
    method: 'HEAD',
    headers: { accept: 'text/html' },
    tells: { 'content-type': 'text/html; charset=utf-8' },
  }),
  write('a method that the index does not have', 'POST', '/api', '{}', 405, {
    tells: { allow: 'GET, HEAD, OPTIONS' },
  }),
  read('no alias with a slash', '/api/books/', 404),
  read('an unknown column', '/api/books?titel__eq=x', 400, { has: 'Did you mean' }),
  read('a hidden column', '/api/authors?notes__eq=secret', 400, { has: 'unknown_column' }),
  read('an unknown parameter', '/api/books?pages=1', 400),
  read('malformed encoding in a value', '/api/books?title__eq=%zz', 400, { has: 'Bad Request' }),
  read('malformed encoding in the path', '/api/books/%E0%A4%A', 400),
  read('a broken group', '/api/books?or[id__eq=1', 400),
  read('a URL too long', `/api/books?title__eq=${'x'.repeat(9000)}`, 414, { has: 'url_too_long' }),
  read(
    'more values than a statement takes',
    `/api/books?price__in=(${halfOfValues})&price__nin=(${halfOfValues})`,
    400,
    { has: ['too_many_values', `${mostValues}`] },
  ),
  read('two slashes', '//api/books', 404, { host: true, only: 'raw' }),
  read('two slashes inside', '/api//books', 404),
  read('a segment of dots', '/api/books/../authors', 404, { only: 'raw' }),
  read('a segment of escaped dots', '/api/books/%2e%2e/authors', 404, { only: 'raw' }),
  read('another case', '/API/books', 404, { host: true }),
  // ------------------------------------------------------------ writing
  write('the position of a write', 'POST', '/api/authors', '{"name":"Stendhal"}', 201, {
    tells: { 'x-write-position': '0/7' },
  }),
  read('a read that carries the position of a write', '/api/authors?name__eq=Stendhal', 200, {
    headers: { 'x-write-position': '0/7' },
    has: '"total_count":1',
  }),
  read('a position that is none', '/api/authors', 400, {
    headers: { 'x-write-position': 'seven' },
    has: 'invalid_position',
  }),
  write(
    'a new record',
    'POST',
    '/api/books',
    '{"title":"Nana","author_id":2,"price":"7.00"}',
    201,
    {
      has: ['"id":4', '"price":"7.00"'],
    },
  ),
  write(
    'a body with letters beyond ASCII',
    'POST',
    '/api/books',
    '{"title":"Ärger — 書","author_id":2}',
    201,
    {
      has: 'Ärger — 書',
    },
  ),
  write('a body in pieces', 'POST', '/api/books', '{"title":"L’Œuvre","author_id":2}', 201, {
    chunked: true,
    has: 'L’Œuvre',
  }),
  write('a change with return=minimal', 'PATCH', '/api/books/4', '{"title":"Nana?"}', 204, {
    headers: { ...json, prefer: 'return=minimal' },
    tells: { 'preference-applied': 'return=minimal' },
  }),
  write(
    'a new record with return=minimal',
    'POST',
    '/api/books',
    '{"title":"Pot-Bouille","author_id":2}',
    201,
    {
      headers: { ...json, prefer: 'return=minimal' },
      tells: { 'preference-applied': 'return=minimal' },
    },
  ),
  write('a type with its charset', 'PATCH', '/api/books/4', '{"title":"Nana!"}', 200, {
    headers: { 'content-type': 'application/json; charset=utf-8' },
    has: 'Nana!',
  }),
  write('a type with an empty parameter', 'PATCH', '/api/books/4', '{"title":"Nana!"}', 200, {
    headers: { 'content-type': 'application/json;' },
  }),
  write('a merge patch', 'PATCH', '/api/books/4', '{"title":"Nana?!"}', 200, {
    headers: { 'content-type': 'application/merge-patch+json' },
    has: 'Nana?!',
  }),
  write(
    'a record may be sent back as it was read',
    'PATCH',
    '/api/books/4',
    '{"id":4,"title":"Nana"}',
    200,
  ),
  write(
    'a list that changes a child, creates one and removes another one',
    'PATCH',
    '/api/authors/2?books.on_missing=remove&dump=json',
    '{"books":[{"id":4,"title":"Nana"},{"title":"Germinal, again"}]}',
    200,
    { has: 'Germinal, again' },
  ),
  write('a record removed', 'DELETE', '/api/books/4', undefined, 200, {
    headers: {},
    has: '"value":null',
  }),
  write('a body nobody asked for', 'DELETE', '/api/books/5', '{"why":"old"}', 200),
  read('a body of a GET is not read', '/api/books/1', 200, {
    headers: json,
    body: '{',
    only: ['raw', 'unparsed'],
  }),
  // ------------------------------------------------------------ refusals of bodies
  write('no body', 'POST', '/api/books', undefined, 400, { has: 'empty_body' }),
  write('an empty body', 'POST', '/api/books', '', 400, { has: 'empty_body' }),
  write('an empty body of unknown length', 'POST', '/api/books', '', 400, {
    chunked: true,
    has: 'empty_body',
  }),
  write('an empty object', 'POST', '/api/books', '{}', 400, { has: 'Validation failed' }),
  write('no JSON', 'POST', '/api/books', '{"title":', 400, { has: 'malformed_json' }),
  write('JSON with more behind it', 'POST', '/api/books', '{"title":"x"} y', 400, {
    has: 'malformed_json',
  }),
  write('a bare text', 'POST', '/api/books', '"Emma"', 400),
  write('a list of nothing', 'POST', '/api/books', '[]', 400),
  write('all problems at once', 'POST', '/api/books', '{"titel":"x","price":"dear"}', 400, {
    has: ['titel', 'price', 'author_id'],
  }),
  write('a reference to nothing', 'POST', '/api/books', '{"title":"x","author_id":99}', 422),
  write('a name that is taken', 'POST', '/api/authors', '{"name":"Jane Austen"}', 409),
  write(
    'a member called __proto__',
    'POST',
    '/api/books',
    '{"__proto__":{"x":1},"title":"x","author_id":1}',
    400,
  ),
  write('a member twice', 'POST', '/api/books', '{"title":"x","title":"y","author_id":1}', 400, {
    only: 'unparsed',
  }),
  write('no UTF-8', 'POST', '/api/books', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), 400, {
    only: 'unparsed',
  }),
  write('a body over the limit', 'POST', '/api/books', `{"title":"${long}"}`, 413, {
    has: 'API_BODY_LIMIT',
  }),
  write(
    'a body over the limit, as problem details',
    'POST',
    '/api/books',
    `{"title":"${long}"}`,
    413,
    {
      headers: { ...json, accept: 'application/problem+json' },
      has: '"status":413',
      tells: { 'content-type': 'application/problem+json; charset=utf-8' },
    },
  ),
  write('a body that is no JSON, as problem details', 'POST', '/api/books', '{', 400, {
    headers: { ...json, accept: 'application/problem+json' },
    has: '"code":"malformed_json"',
    tells: { 'content-type': 'application/problem+json; charset=utf-8' },
  }),
  write('a body over the limit, in pieces', 'POST', '/api/books', `{"title":"${long}"}`, 413, {
    chunked: true,
    only: 'unparsed',
    has: 'API_BODY_LIMIT',
  }),
  write('a form', 'POST', '/api/books', 'title=x', 415, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }),
  write('a text', 'POST', '/api/books', '{"title":"x"}', 415, {
    headers: { 'content-type': 'text/plain' },
  }),
  write('another charset', 'POST', '/api/books', '{"title":"x"}', 415, {
    headers: { 'content-type': 'application/json; charset=utf-16' },
  }),
  write('a compressed body', 'POST', '/api/books', new Uint8Array([31, 139, 8, 0]), 415, {
    headers: { ...json, 'content-encoding': 'gzip' },
    has: 'Content-Encoding',
  }),
  write('an encoding nobody knows', 'POST', '/api/books', 'x', 415, {
    headers: { ...json, 'content-encoding': 'rot13' },
  }),
  write('a body for an unknown path', 'POST', '/api/nothing', '{', 404),
  // ------------------------------------------------------------ health
  read('whether the process lives', '/health', 200, { has: '"live"' }),
  read('whether requests can be served', '/health/ready', 200, { has: '"ready"' }),
  read('a path below the health routes', '/health/other', 404, { host: true, has: 'nobody' }),
  // ------------------------------------------------------------ the host's own
  read('a route of the host', '/hello', 200, { host: true, has: 'hello' }),
  read('nobody’s path', '/nowhere', 404, { host: true, has: 'nobody' }),
  read('a canonical URL the host owns', '/api/shelves', 200, { host: true, has: 'own shelves' }),
  read('a record of a canonical URL the host owns', '/api/shelves/1', 404, {
    host: true,
    has: 'nobody',
  }),
  read('a malformed path below it', '/api/shelves/%zz', 404, { host: true, has: 'nobody' }),
  write('a body for a route of the host', 'POST', '/hello', '{"a":1}', 404, { host: true }),
]
