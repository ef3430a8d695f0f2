/** Every mistake that configuration and meta can contain, with its error message. */
import { defineModel } from '../../../packages/core/src/model/define-model.ts'
import { buildRegistry } from '../../../packages/core/src/model/registry/registry.ts'
import { equal, match, throws } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'
import { model, problemsOf } from '../registry/start-up.ts'

const inConfig = (config: Record<string, unknown>): string[] =>
  problemsOf({ models: [model('Book', { columns: { deleted: { type: 'boolean' } } })], config })

const columns = {
  deleted: { type: 'boolean' },
  gone_at: { type: 'datetime', nullable: true },
  gone_on: { type: 'date' },
  erased: { type: 'integer' },
  state: { type: 'enum', enum: ['here', 'gone'] },
  note: { type: 'json' },
}

const inMeta = (meta: Record<string, unknown>, config: Record<string, unknown> = {}): string[] =>
  problemsOf({ models: [model('Book', { columns, meta })], config })

const tables = 'Databases join at most 61 tables in a statement, and a relation may need three.'
const nesting = 'Databases nest about 60 subqueries, and a relation may need two.'
const planning = 'Databases take minutes to plan a statement with more of them.'
const variables = 'Every value is a parameter of the statement, and databases allow 32766 of them.'

suite('mistakes in config', (test) => {
  for (const key of [
    'API_ACCESS_POLICY',
    'API_ROLE_MAP',
    'API_ROLES_REQUIRED',
    'API_ROLES_ACCEPTED',
    'API_AUTHENTICATE_METHOD',
    'API_BLOCK_METHODS',
    'API_FILTER_CALLBACK',
  ]) {
    test(`${key} that is undefined, in config and in meta`, () => {
      const why = 'is undefined, which would restrict nothing. Leave it out for that.'
      const inModel = key.slice('API_'.length).toLowerCase()
      equal(inConfig({ [key]: undefined }), [`config.${key}: ${why}`])
      equal(inMeta({ [inModel]: undefined }), [`models.Book.meta.${inModel}: ${why}`])
    })
  }

  test('a setting that restricts nothing may be undefined', () => {
    equal(inConfig({ API_TITLE: undefined, API_ALLOW_JOIN: undefined }), [])
    equal(inMeta({ allow_join: undefined }), [])
  })

  test('a role rule that is undefined', () => {
    match(inConfig({ API_ROLE_MAP: { GET: undefined } })[0] ?? '', 'GET: expected a role')
  })

  test('an algorithm of an issuer that is undefined', () => {
    const provider = 'https://id.example.com'
    const issuer = {
      issuer: provider,
      audience: 'shop',
      jwks: `${provider}/jwks`,
      user: () => null,
    }
    for (const algorithms of [[undefined], ['RS256', undefined]]) {
      const [problem = ''] = inConfig({ API_JWT_ISSUERS: [{ ...issuer, algorithms }] })
      match(problem, 'config.API_JWT_ISSUERS: item 0: algorithms: expected a list of RS256')
    }
  })

  const cases: readonly (readonly [config: Record<string, unknown>, ...lines: string[]])[] = [
    // keys
    [{ API_ALOW_JOIN: true }, 'config.API_ALOW_JOIN: unknown key. Did you mean API_ALLOW_JOIN?'],
    [{ allow_join: true }, 'config.allow_join: unknown key. Did you mean API_ALLOW_JOIN?'],
    [{ Nonsense: 1 }, 'config.Nonsense: unknown key.'],
    [{ endpoint: 'x' }, 'config.endpoint: endpoint belongs in the meta of a model.'],
    [
      { get_rate_limit: 'x' },
      'config.get_rate_limit: get_rate_limit belongs in the meta of a model.',
    ],
    // kinds of values
    [
      { API_ALLOW_CASCADE_DELETE: 'always' },
      'config.API_ALLOW_CASCADE_DELETE: expected true or false, got "always".',
    ],
    [
      { API_ALLOW_BULK: 'POST' },
      'config.API_ALLOW_BULK: expected true, false or a list of POST, PATCH, DELETE, got "POST". Did you mean ["POST"]?',
    ],
    [
      { API_ALLOW_BULK: ['POST', 'PTCH'] },
      'config.API_ALLOW_BULK: item 1: expected one of POST, PATCH, DELETE, got "PTCH". Did you mean "PATCH"?',
    ],
    [
      { API_ALLOW_BULK: ['PUT'] },
      'config.API_ALLOW_BULK: item 0: expected one of POST, PATCH, DELETE, got "PUT".',
    ],
    [
      { API_ALLOW_BULK: 1 },
      'config.API_ALLOW_BULK: expected true, false or a list of POST, PATCH, DELETE, got 1.',
    ],
    [{ API_TITLE: '' }, 'config.API_TITLE: expected a non-empty string, got "".'],
    [{ API_TITLE: 7 }, 'config.API_TITLE: expected a non-empty string, got 7.'],
    [{ API_ALLOW_JOIN: 'yes' }, 'config.API_ALLOW_JOIN: expected true or false, got "yes".'],
    [{ API_ALLOW_JOIN: null }, 'config.API_ALLOW_JOIN: expected true or false, got null.'],
    [{ API_SESSION_GETTER: {} }, 'config.API_SESSION_GETTER: expected a function, got an object.'],
    [
      { API_ENDPOINT_CASE: 'kebap' },
      'config.API_ENDPOINT_CASE: expected one of kebab, snake, camel, pascal, got "kebap". Did you mean "kebab"?',
    ],
    [{ API_COUNT: 0 }, 'config.API_COUNT: expected one of exact, capped, none, got 0.'],
    [
      { API_SERIALIZATION_TYPE: 'JSON' },
      'config.API_SERIALIZATION_TYPE: expected one of url, json, dynamic, hybrid, got "JSON". Did you mean "json"?',
    ],
    [
      { API_SERIALIZATION_DEPTH: -1 },
      'config.API_SERIALIZATION_DEPTH: expected a whole number from 0, got -1.',
    ],
    [
      { API_PAGINATION_SIZE_MAX: 1.5 },
      'config.API_PAGINATION_SIZE_MAX: expected a whole number from 1, got 1.5.',
    ],
    [
      { API_MAX_JOINS: '8' },
      `config.API_MAX_JOINS: expected a whole number from 1 to 20, got "8". ${tables}`,
    ],
    [
      { API_MAX_JOINS: 21 },
      `config.API_MAX_JOINS: expected a whole number from 1 to 20, got 21. ${tables}`,
    ],
    [
      { API_MAX_DEPTH: 13 },
      `config.API_MAX_DEPTH: expected a whole number from 1 to 12, got 13. ${nesting}`,
    ],
    [
      { API_MAX_RELATION_FILTERS: 51 },
      `config.API_MAX_RELATION_FILTERS: expected a whole number from 1 to 50, got 51. ${planning}`,
    ],
    [
      { API_MAX_CONDITIONS: 1001 },
      `config.API_MAX_CONDITIONS: expected a whole number from 1 to 1000, got 1001. ${variables}`,
    ],
    [
      { API_MAX_LIST: 10001 },
      `config.API_MAX_LIST: expected a whole number from 1 to 10000, got 10001. ${variables}`,
    ],
    [
      { API_ALLOWED_METHODS: 'GET' },
      'config.API_ALLOWED_METHODS: expected a list, got "GET". Did you mean ["GET"]?',
    ],
    [{ API_ALLOWED_METHODS: 'FETCH' }, 'config.API_ALLOWED_METHODS: expected a list, got "FETCH".'],
    [
      { API_ALLOWED_METHODS: ['GET', 'PACTH'] },
      'config.API_ALLOWED_METHODS: item 1: expected one of GET, POST, PATCH, PUT, DELETE, got "PACTH". Did you mean "PATCH"?',
    ],
    [
      { API_SOFT_DELETE_VALUES: [1] },
      'config.API_SOFT_DELETE_VALUES: expected a pair of different values: of an active record, and of a deleted one.',
    ],
    [{ API_BASE_MODEL: 'Base' }, 'config.API_BASE_MODEL: expected an object, got "Base".'],
    [{ API_BASE_MODEL: {} }, 'config.API_BASE_MODEL: expected what defineBase returns.'],
    ...['API_ROLES_REQUIRED', 'API_ROLES_ACCEPTED', 'API_SERVER_URLS'].map(
      (key) => [{ [key]: [] }, `config.${key}: expected at least one, got an empty list.`] as const,
    ),
    // addresses
    ...['api', '/api/', '/', '', '/a b', '/a//b'].map(
      (prefix) =>
        [
          { API_PREFIX: prefix },
          `config.API_PREFIX: expected a path such as "/api", beginning with "/" and not ending with it, got "${prefix}".`,
        ] as const,
    ),
    [
      { API_PREFIX: '/api/..' },
      'config.API_PREFIX: expected a path without "." and "..", got "/api/..".',
    ],
    ...[
      'example.org',
      'https://example.org/',
      'https://example.org/v1',
      'ftp://example.org',
      'https://*.example.org',
    ].map(
      (origin) =>
        [
          { API_BASE_URL: origin },
          `config.API_BASE_URL: expected an origin such as "https://api.example.org", without a path, a trailing "/" or *, got "${origin}".`,
        ] as const,
    ),
    [
      { API_CONTACT_URL: 'javascript:alert(1)' },
      'config.API_CONTACT_URL: expected an address such as "https://example.org", got "javascript:alert(1)".',
    ],
    // parameters of the host
    [
      { API_ADDITIONAL_QUERY_PARAMS: ['locale', 'page'] },
      'config.API_ADDITIONAL_QUERY_PARAMS: item 1: "page" is a parameter of the query language.',
    ],
    [
      { API_ADDITIONAL_QUERY_PARAMS: ['price__ge'] },
      'config.API_ADDITIONAL_QUERY_PARAMS: item 0: "price__ge" ends in "__ge", which is a filter.',
    ],
    [
      { API_ADDITIONAL_QUERY_PARAMS: ['a[b]'] },
      'config.API_ADDITIONAL_QUERY_PARAMS: item 0: expected a name of letters, digits, _ and -, got "a[b]".',
    ],
    // codes of the host
    [
      { API_ERROR_CODES: ['issue_closed'] },
      'config.API_ERROR_CODES: expected an object, got a list.',
    ],
    [
      { API_ERROR_CODES: { IssueClosed: { status: 409, description: 'Closed.' } } },
      'config.API_ERROR_CODES: "IssueClosed": expected a code in snake_case of at most 100 characters, such as "issue_closed". Did you mean "issue_closed"?',
    ],
    [
      { API_ERROR_CODES: { closed: 409 } },
      'config.API_ERROR_CODES: "closed": expected an object, got 409.',
    ],
    [
      { API_ERROR_CODES: { closed: { statos: 409, description: 'Closed.' } } },
      'config.API_ERROR_CODES: "closed": unknown member "statos". Did you mean "status"? status: expected a whole number from 400 to 599, got undefined.',
    ],
    [
      { API_ERROR_CODES: { closed: { status: 409, description: 'Closed.', zzz: 1 } } },
      'config.API_ERROR_CODES: "closed": unknown member "zzz". It takes status, description, methods.',
    ],
    [
      { API_ERROR_CODES: { a: { status: 399, description: '' }, b: { status: 409.5 } } },
      'config.API_ERROR_CODES: "a": status: expected a whole number from 400 to 599, got 399. description: expected a non-empty string, got "". "b": status: expected a whole number from 400 to 599, got 409.5. description: expected a non-empty string, got undefined.',
    ],
    [
      { API_ERROR_CODES: { a: { status: 409, description: 'No.', methods: ['PACTH'] } } },
      'config.API_ERROR_CODES: "a": methods: item 0: expected one of GET, POST, PATCH, PUT, DELETE, got "PACTH". Did you mean "PATCH"?',
    ],
    [
      { API_ERROR_CODES: { a: { status: 409, description: 'No.', methods: [] } } },
      'config.API_ERROR_CODES: "a": methods: expected at least one method; leave it out for all methods.',
    ],
    // combinations
    [
      { API_PAGINATION_SIZE_DEFAULT: 200 },
      'config.API_PAGINATION_SIZE_DEFAULT: 200 is more than API_PAGINATION_SIZE_MAX, 100.',
    ],
    [
      { API_SERIALIZATION_DEPTH: 5 },
      'config.API_SERIALIZATION_DEPTH: 5 is more than API_MAX_DEPTH, 4.',
    ],
    [
      { API_CUSTOM_AUTH: () => true, API_KEY_AUTH_AND_RETURN_METHOD: () => null },
      ...[
        ['API_CUSTOM_AUTH', 'custom'],
        ['API_KEY_AUTH_AND_RETURN_METHOD', 'api_key'],
      ].map(
        ([key, strategy]) =>
          `config.${key}: belongs to the strategy "${strategy}", which is not enabled: set API_AUTHENTICATE_METHOD: ['${strategy}'], or [] for an API without authentication.`,
      ),
    ],
    [
      { API_KEYS: true, API_AUTHENTICATE_METHOD: [] },
      'config.API_KEYS: belongs to the strategy "api_key", which is not enabled: add it to API_AUTHENTICATE_METHOD.',
      'config.API_USER_MODEL: is required by API_KEYS.',
    ],
    // paths of two endpoints
    ...(
      [
        [{ API_DOCUMENTATION_URL: '/openapi.json' }, 'the OpenAPI document'],
        [{ API_DOCS_SPEC_ROUTE: '/docs/redoc.js' }, 'the script of the documentation page'],
        [{ API_DOCS_SPEC_ROUTE: '/docs' }, 'the documentation page (API_DOCUMENTATION_URL)'],
        [{ API_HEALTH_ROUTE: '/openapi.json' }, 'the OpenAPI document'],
        [{ API_HEALTH_ROUTE: '/docs/redoc.js' }, 'the script of the documentation page'],
        [{ API_HEALTH_ROUTE: '/docs/apispec.json' }, 'the OpenAPI document (API_DOCS_SPEC_ROUTE)'],
        [{ API_HEALTH_ROUTE: '/api' }, 'the index (API_PREFIX)'],
        [{ API_DOCUMENTATION_URL: '/v1', API_PREFIX: '/v1' }, 'the index (API_PREFIX)'],
        [
          { API_BATCH_ROUTE: '/docs', API_ALLOW_BATCH: true, API_DOCUMENTATION_URL: '/api/docs' },
          'the documentation page (API_DOCUMENTATION_URL)',
          '/api/docs',
        ],
        [
          { API_BATCH_ROUTE: '/up/ready', API_ALLOW_BATCH: true, API_HEALTH_ROUTE: '/api/up' },
          'the readiness check (API_HEALTH_ROUTE)',
          '/api/up/ready',
        ],
      ] as const
    ).map(([config, other, path = Object.values(config)[0]]) => {
      const [key] = Object.keys(config)
      return [config, `config.${key}: "${path}" is already the path of ${other}.`] as const
    }),
    [
      { API_PREFIX: '/openapi.json' },
      'config.API_CREATE_DOCS: "/openapi.json" is already the path of the index (API_PREFIX).',
    ],
    // paths of an endpoint and of a model
    ...['API_DOCUMENTATION_URL', 'API_DOCS_SPEC_ROUTE', 'API_HEALTH_ROUTE'].flatMap((key) => [
      [
        { [key]: '/api/books' },
        `config.${key}: "/api/books" is already the path of Book, whose endpoint is "books".`,
      ] as const,
      [
        { [key]: '/api/book' },
        `config.${key}: "/api/book" is already the path of Book, whose endpoint is "book".`,
      ] as const,
      [
        { [key]: '/api/books/1' },
        `config.${key}: "/api/books/1" lies inside "books", an endpoint of Book, where it would be a record's path.`,
      ] as const,
    ]),
    [{ API_SOFT_DELETE: true }, 'config.API_SOFT_DELETE: needs API_SOFT_DELETE_ATTRIBUTE.'],
    [
      { API_SOFT_DELETE: true, API_SOFT_DELETE_ATTRIBUTE: 'gone' },
      'config.API_SOFT_DELETE: no published model has the column "gone".',
    ],
    [
      { API_SOFT_DELETE_ATTRIBUTE: 'deleted' },
      'config.API_SOFT_DELETE_ATTRIBUTE: has no effect without API_SOFT_DELETE.',
    ],
    [
      {
        API_SOFT_DELETE: true,
        API_SOFT_DELETE_ATTRIBUTE: 'deleted',
        API_SOFT_DELETE_VALUES: ['no', 'yes'],
      },
      'models.Book.meta.soft_delete: "no" is not a value of deleted, which is of type boolean.',
      'models.Book.meta.soft_delete: "yes" is not a value of deleted, which is of type boolean.',
    ],
  ]
  for (const [config, ...lines] of cases) {
    test(JSON.stringify(config), () => equal(inConfig(config), lines))
  }

  test('are not: paths below the prefix that no model has', () => {
    const config = {
      API_DOCUMENTATION_URL: '/api/docs',
      API_DOCS_SPEC_ROUTE: '/api/docs/spec.json',
      API_HEALTH_ROUTE: '/api/health',
      API_ALLOW_BATCH: true,
    }
    equal(inConfig(config), [])
    const meta = { endpoint: 'docs/files' }
    equal(problemsOf({ models: [model('Book', { meta })], config }), [])
    const Health = model('Health')
    equal(problemsOf({ models: [Health], config }), [
      'config.API_HEALTH_ROUTE: "/api/health" is already the path of Health, whose endpoint is "health".',
    ])
  })

  test('are all reported at once', () => {
    equal(inConfig({ API_TITEL: 'x', API_COUNT: 'all', API_PREFIX: 'api' }).length, 3)
  })

  test('a configuration that is no object', () => {
    equal(problemsOf({ models: [model('Book')], config: ['x'] as never }), [
      'config: expected an object, got a list.',
    ])
  })

  test('the function of a strategy that is disabled, or enabled by a model only, is no mistake', () => {
    const config = { API_CUSTOM_AUTH: () => true }
    equal(inConfig({ ...config, API_AUTHENTICATE_METHOD: [] }), [])
    const models = [model('Book', { meta: { authenticate_method: ['custom'] } })]
    equal(problemsOf({ models, config }), [])
  })

  test('undefined is the same as a missing key', () => {
    equal(inConfig({ API_TITLE: undefined, API_SOFT_DELETE: undefined }), [])
  })
})

suite('mistakes in meta', (test) => {
  const cases: readonly (readonly [meta: Record<string, unknown>, ...lines: string[]])[] = [
    [{ alow_join: true }, 'models.Book.meta.alow_join: unknown key. Did you mean allow_join?'],
    [
      { API_ALLOW_JOIN: true },
      'models.Book.meta.API_ALLOW_JOIN: unknown key. Did you mean allow_join?',
    ],
    [{ allow_join: 1 }, 'models.Book.meta.allow_join: expected true or false, got 1.'],
    [
      { error_codes: { closed: { status: 200, description: 'Closed.' } } },
      'models.Book.meta.error_codes: "closed": status: expected a whole number from 400 to 599, got 200.',
    ],
    [
      { title: 'Books' },
      'models.Book.meta.title: API_TITLE is a setting of the whole API; it belongs in config.',
    ],
    [
      { endpoint_case: 'snake' },
      'models.Book.meta.endpoint_case: API_ENDPOINT_CASE is a setting of the whole API; it belongs in config.',
    ],
    [
      { endpoint: 'a b' },
      'models.Book.meta.endpoint: expected a path below the prefix such as "library/books", of letters, digits and . _ ~ -, got "a b".',
    ],
    [
      { endpoint: ['books', '../admin'] },
      'models.Book.meta.endpoint: item 1: expected a path without "." and "..", got "../admin".',
    ],
    [{ tag: '' }, 'models.Book.meta.tag: expected a non-empty string, got "".'],
    [
      { pagination_size_default: 50, pagination_size_max: 10 },
      'models.Book.meta.pagination_size_default: 50 is more than API_PAGINATION_SIZE_MAX, 10.',
    ],
    [{ soft_delete: true }, 'models.Book.meta.soft_delete: needs soft_delete_attribute.'],
    [
      { soft_delete: true, soft_delete_attribute: 'deletd' },
      'models.Book.meta.soft_delete_attribute: Book has no column "deletd". Did you mean "deleted"?',
    ],
    [
      { soft_delete: true, soft_delete_attribute: 'deleted', soft_delete_values: [null, true] },
      'models.Book.meta.soft_delete_values: null is not a value of deleted, which is not nullable.',
    ],
    [
      { soft_delete: true, soft_delete_attribute: 'deleted', soft_delete_values: [false, null] },
      'models.Book.meta.soft_delete_values: null is not a value of deleted, which is of type boolean.',
    ],
    [
      { soft_delete: true, soft_delete_attribute: 'deleted', soft_delete_values: [false, 'now'] },
      'models.Book.meta.soft_delete_values: "now" is not a value of deleted, which is of type boolean.',
    ],
    ...(
      [
        ['gone_at', 'datetime', "Set soft_delete_values: [null, 'now']."],
        ['gone_on', 'date', "Make the column nullable and set soft_delete_values: [null, 'now']."],
        ['erased', 'integer', 'Set soft_delete_values: [0, 1].'],
        [
          'state',
          'enum',
          'Set soft_delete_values to the value of active records and that of deleted ones, two of here, gone.',
        ],
        [
          'note',
          'json',
          'Set soft_delete_values to the value of active records and that of deleted ones.',
        ],
      ] as const
    ).map(
      ([attribute, type, fix]) =>
        [
          { soft_delete: true, soft_delete_attribute: attribute },
          `models.Book.meta.soft_delete: the default soft_delete_values false and true are not values of ${attribute}, which is of type ${type}. ${fix}`,
        ] as const,
    ),
    [
      { role_map: { GET_MNAY: 'viewer', POST: [], HEAD: true, ALL: 'editor' } },
      'models.Book.meta.role_map: HEAD cannot be a key: HEAD is answered like GET without a body, and GET decides about it. Leave it out. unknown key "GET_MNAY". Did you mean "GET_MANY"? POST: expected a role, a list of at least one role, { roles: [...], any_of: true }, or true (authentication only).',
    ],
    [
      { access_policy: { can_raed: () => true, can_delete: true, owner: 1 } },
      'models.Book.meta.access_policy: can_delete: expected a function, got true. unknown hook "can_raed". Did you mean "can_read"? unknown hook "owner". A policy has scope, scope_query, can_read, can_create, can_update, can_delete.',
    ],
    [
      { role_map: {}, api_role_map: {} },
      'models.Book.meta.api_role_map: role_map says the same; keep one of them.',
    ],
  ]
  for (const [meta, ...lines] of cases) {
    test(JSON.stringify(meta), () => equal(inMeta(meta), lines))
  }

  test('that contradict config are reported for the meta', () => {
    equal(inMeta({ pagination_size_max: 10 }, { API_PAGINATION_SIZE_DEFAULT: 20 }), [
      'models.Book.meta.pagination_size_max: 10 is less than API_PAGINATION_SIZE_DEFAULT, 20.',
    ])
    equal(inMeta({ serialization_depth: 3 }, { API_MAX_DEPTH: 2 }), [
      'models.Book.meta.serialization_depth: 3 is more than API_MAX_DEPTH, 2.',
    ])
  })

  test('that make a setting of config ineffective', () => {
    const config = { API_SOFT_DELETE: true, API_SOFT_DELETE_ATTRIBUTE: 'deleted' }
    equal(inMeta({ soft_delete: false }, config), [
      'config.API_SOFT_DELETE: no published model has the column "deleted" without soft_delete: false in its meta.',
    ])
  })

  test('that name no column suggest one; values that do not fit are the only problem', () => {
    const columns = {
      id: { type: 'integer', primaryKey: true },
      deleted_at: { type: 'datetime', nullable: true },
    } as const
    const book = (API_SOFT_DELETE_ATTRIBUTE: string): readonly string[] =>
      problemsOf({
        models: [defineModel('Book', { columns, meta: {} })],
        config: { API_SOFT_DELETE: true, API_SOFT_DELETE_ATTRIBUTE },
      })
    equal(book('deletd_at'), [
      'config.API_SOFT_DELETE: no published model has the column "deletd_at". Did you mean "deleted_at"?',
    ])
    const problems = book('deleted_at')
    equal(problems.length, 1)
    match(problems[0] ?? '', "Set soft_delete_values: [null, 'now']")
  })

  test('that need a column which only config names', () => {
    const config = { API_SOFT_DELETE_ATTRIBUTE: 'gone' }
    equal(inMeta({ soft_delete: true }, config), [
      'models.Book.meta.soft_delete: Book has no column "gone".',
    ])
  })
})

suite('the value of a feature', (test) => {
  test('may be disabled by name', () => {
    equal(
      inConfig({
        API_ALLOW_BULK: false,
        API_CREATE_DOCS: false,
        API_EXPOSE_ME: false,
        API_AUTHENTICATE_METHOD: [],
        API_ROLE_MAP: {},
      }),
      [],
    )
  })

  test('is checked for its form', () => {
    equal(inConfig({ API_ROLE_MAP: { GTE: 'a' } }), [
      'config.API_ROLE_MAP: unknown key "GTE". Did you mean "GET"?',
    ])
    equal(inConfig({ API_AUTHENTICATE_METHOD: ['JWT'] }), [
      'config.API_AUTHENTICATE_METHOD: item 0: expected one of jwt, basic, api_key, custom, got "JWT". Did you mean "jwt"?',
    ])
  })

  test('never prints a secret', () => {
    equal(inConfig({ ACCESS_SECRET_KEY: 12345 }), [
      'config.ACCESS_SECRET_KEY: expected a non-empty string, got number.',
    ])
  })
})

suite('the error', (test) => {
  test('is a single Error that lists all mistakes', () => {
    const Book = defineModel('Book', { columns: {}, meta: { alow_join: true } as never })
    const error = throws(() => buildRegistry({ models: [Book], config: { API_TITLE: '' } }))
    equal(Object.getPrototypeOf(error), Error.prototype)
    equal(
      error.message,
      [
        'The API cannot start:',
        'config.API_TITLE: expected a non-empty string, got "".',
        'models.Book.meta.alow_join: unknown key. Did you mean allow_join?',
        'models.Book.columns: a published model needs at least one column.',
      ].join('\n'),
    )
  })
})
