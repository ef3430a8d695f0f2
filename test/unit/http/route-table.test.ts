/** Routing: any path leads to the same route as when it is read segment by segment. */
import * as fc from 'fast-check'
import {
  buildRouteTable,
  isServed,
  matchRoute,
  type RouteTable,
  splitUrl,
} from '../../../packages/core/src/http/route-table.ts'
import { buildRegistry } from '../../../packages/core/src/model/registry/registry.ts'
import { belongsTo } from '../../../packages/core/src/model/relation.ts'
import type { Route } from '../../../packages/core/src/model/route.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'
import { model } from '../registry/start-up.ts'
import { givenOrStatus, isOursPlainly, routeOf } from './plain-routes.ts'

const { registry } = buildRegistry({
  models: [
    model('Author', { meta: { soft_delete: true }, columns: { deleted: { type: 'boolean' } } }),
    model('Book', {
      columns: { author_id: { type: 'integer' } },
      relations: { author: belongsTo('Author', 'author_id') },
      meta: { endpoint: 'v1/books' },
    }),
    model('Shelf', { meta: { register_canonical_routes: false, endpoint: 'shelves/all' } }),
  ],
  config: { API_SOFT_DELETE_ATTRIBUTE: 'deleted' },
})

/** Includes paths that no configuration allows, so that routing does not depend on that check. */
const odd = ['authors/1', 'cafés', 'a//b', 'x/..', '50%']
const resources = registry.resources.map((resource) =>
  resource.name === 'Book' ? { ...resource, paths: [...resource.paths, ...odd] } : resource,
)

const prefixes = ['/api', '/', '/api/v1', '/a%20b', '/ä.b']
const tables: readonly RouteTable[] = prefixes.map((prefix) =>
  buildRouteTable({ ...registry, resources }, prefix),
)

/** A route without its resources, which refer to each other. */
const told = (route: Route | undefined | number): unknown =>
  typeof route === 'object'
    ? {
        ...route,
        resource: route.resource.name,
        ...('relation' in route ? { relation: route.relation.name } : {}),
      }
    : route

const words = [
  ...['api', 'v1', 'a%20b', 'a b', 'ä.b', '%C3%A4.b', 'authors', 'author', 'books', 'book'],
  ...[
    '%62ooks',
    'v1%2Fbooks',
    'shelves',
    'shelf',
    'shel%76es',
    'all',
    'cafés',
    'caf%C3%A9s',
    'restore',
  ],
  ...[
    '1',
    '1,2',
    '1%2C2',
    ',',
    '',
    '.',
    '..',
    '%2e',
    '%2E%2e',
    '%',
    '%zz',
    '%ff',
    '%2F',
    '%00',
    ' ',
  ],
  ...[
    '%25',
    '%2561pi',
    'é',
    '\ud800',
    '?',
    'x?y=1',
    'apix',
    '__proto__',
    'constructor',
    'Books',
    '~',
    ';',
  ],
]
const segment = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...words) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 3 }) },
)
const usual = fc.constantFrom('/api', '', '/api/v1', '/a%20b', '/a%2520b', '/ä.b')
const paths = fc.oneof(
  fc
    .tuple(usual, fc.array(segment, { maxLength: 4 }))
    .map(([prefix, parts]) => [prefix, ...parts].join('/')),
  fc
    .tuple(
      usual,
      fc.constantFrom('books', 'authors', 'author'),
      segment,
      fc.constantFrom('author', 'restore'),
    )
    .map((parts) => parts.join('/')),
  fc.array(segment, { maxLength: 5 }).map((parts) => parts.join('/')),
)

const numRuns = Number(process.env.FUZZ_RUNS ?? 20_000)

suite('http/route-table', (test) => {
  test('the fast path finds the same route as the full match', () => {
    const kinds = new Set<unknown>()
    void fc.assert(
      fc.property(fc.constantFrom(...tables), paths, (table, path) => {
        const expected = routeOf(table, path)
        kinds.add(typeof expected === 'object' ? expected.kind : expected)
        equal(told(givenOrStatus(() => matchRoute(table, path))), told(expected), path)
        equal(isServed(table, path), isOursPlainly(table, path), path)
      }),
      { numRuns, seed: 20260102 },
    )
    // Every kind of route must occur.
    equal([...kinds].map(String).sort(), [
      '400',
      'collection',
      'item',
      'related',
      'restore',
      'undefined',
    ])
  })

  const [api = tables[0] as RouteTable, bare = api] = tables
  const cases: readonly (readonly [RouteTable, string, unknown])[] = [
    [api, '/api/books', { kind: 'collection', resource: 'Book' }],
    [api, '/api/book/7', { kind: 'item', resource: 'Book', key: ['7'] }],
    [api, '/api/books/7,8', { kind: 'item', resource: 'Book', key: ['7', '8'] }],
    [api, '/api/books/7%2C8', { kind: 'item', resource: 'Book', key: ['7,8'] }],
    [api, '/api/authors/1', { kind: 'collection', resource: 'Book' }],
    [api, '/api/authors/2', { kind: 'item', resource: 'Author', key: ['2'] }],
    [api, '/api/authors/1/5', { kind: 'item', resource: 'Book', key: ['5'] }],
    [api, '/api/v1/books/5', { kind: 'item', resource: 'Book', key: ['5'] }],
    [api, '/api/v1%2Fbooks/5', undefined],
    [api, '/%61pi/books', { kind: 'collection', resource: 'Book' }],
    [api, '/api/authors/2/restore', { kind: 'restore', resource: 'Author', key: ['2'] }],
    [api, '/api/books/', undefined],
    [api, '/api/books/..', undefined],
    [api, '/api/books/%2e', undefined],
    [api, '/api/books/%zz', 400],
    [api, '/apibooks', undefined],
    [api, '/api/a//b', undefined],
    [api, '/api/x/..', undefined],
    [api, '/api/x/../5', undefined],
    [api, '/api/50%25', { kind: 'collection', resource: 'Book' }],
    [api, '/api/50%', 400],
    [api, 'api/books', undefined],
    [bare, '/books/7', { kind: 'item', resource: 'Book', key: ['7'] }],
    [bare, 'books', undefined],
    [bare, '', undefined],
  ]
  for (const [table, path, expected] of cases) {
    test(`${path || 'nothing'} below /${table.prefix.join('/')}`, () =>
      equal(told(givenOrStatus(() => matchRoute(table, path))), expected))
  }

  const urls: readonly (readonly [string, string, string])[] = [
    ['/api/books?a=1?b=2', '/api/books', 'a=1?b=2'],
    ['/api/books#x?a=1', '/api/books', ''],
    ['/api/books?a=1#x', '/api/books', 'a=1'],
    ['http://host:80/api/books?a=1', '/api/books', 'a=1'],
    ['HTTPS://host', '', ''],
    ['https://host?a=1', '', 'a=1'],
    ['//host/api/books', '//host/api/books', ''],
    ['api/books', 'api/books', ''],
    ['', '', ''],
  ]
  for (const [url, path, query] of urls) {
    test(`${url || 'nothing'} has a path and a query`, () => equal(splitUrl(url), { path, query }))
  }
})
