/** Mistakes that newcomers make, each with a response that says what to do instead. */
import {
  type AnyModel,
  type Api,
  type ApiRequest,
  belongsTo,
  createApi,
  defineModel,
  hasMany,
} from '@model-api/core'
import Sqlite from 'better-sqlite3'
import { type Dialect, Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely'
import { requestHeaders } from '../../packages/core/src/model/request.ts'
import { get, send, testApi } from '../support/api.ts'
import { equal, match, rejects, throws } from '../support/assert.ts'
import { eachDatabase, suite } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const id = { type: 'integer', primaryKey: true, generated: true } as const

const Author = defineModel('Author', {
  columns: { id, name: { type: 'string', maxLength: 20 } },
  relations: { books: hasMany('Book', 'author_id') },
  methods: { check: () => true },
  meta: { allowed_methods: ['GET', 'POST'] },
})
const Book = defineModel('Book', {
  columns: { id, title: { type: 'string', maxLength: 20 }, author_id: { type: 'integer' } },
  relations: { author: belongsTo('Author', 'author_id') },
  meta: { allowed_methods: ['GET', 'POST'] },
})
const models: readonly AnyModel[] = [Author, Book]

const queries: readonly (readonly [query: string, reason: string])[] = [
  ['sort=title', 'Unknown parameter "sort". Did you mean "order_by"?'],
  ['sort_by=title', 'Unknown parameter "sort_by". Did you mean "order_by"?'],
  ['order=title', 'Unknown parameter "order". Did you mean "order_by"?'],
  ['page_size=5', 'Unknown parameter "page_size". Did you mean "limit"?'],
  ['per_page=5', 'Unknown parameter "per_page". Did you mean "limit"?'],
  ['offset=5', 'Unknown parameter "offset". Did you mean "page"?'],
  ['include=author', 'Unknown parameter "include". Did you mean "join"?'],
  ['select=title', 'Unknown parameter "select". Did you mean "fields"?'],
  ['cursor=x', 'Unknown parameter "cursor". Did you mean "after"?'],
  ['title_like=x', 'Unknown parameter "title_like". A filter is written "title__like=x".'],
  ['titel=x', 'Unknown parameter "titel". A filter is written "title__eq=x".'],
  ['titel_like=x', 'Unknown parameter "titel_like". A filter is written "title__like=x".'],
  [
    'author_id=null',
    'Unknown parameter "author_id". A filter is written "author_id__isnull=true".',
  ],
  ['author_id_gte=4', 'Unknown parameter "author_id_gte". A filter is written "author_id__ge=4".'],
  [
    'title=null',
    'Unknown parameter "title". A filter is written "title__isnull=true" or "title__eq=null".',
  ],
  ['colour=x', 'Unknown parameter "colour". A filter is written "<column>__eq=x".'],
  [
    'author.nmae=x',
    'Unknown parameter "author.nmae". A filter is written "author.<column>__eq=x".',
  ],
  ['OR[title__eq=x]&fields=id', '"OR" is not a relation here. Did you mean "or"?'],
  ['xor[title__eq=x]', '"xor" is not a relation here. Did you mean "or"?'],
  [
    'order_by=title desc',
    'Unknown column "title desc" on books. Descending order is written "-title".',
  ],
  [
    'order_by=title:DESC',
    'Unknown column "title:DESC" on books. Descending order is written "-title".',
  ],
  [
    'order_by=title.asc',
    'Unknown column "title.asc" on books. Ascending order is written "title".',
  ],
  [
    'author.name__eq=x',
    'Unknown column "author.name" on books. Columns of a relation need a join, and joins are switched off here (API_ALLOW_JOIN).',
  ],
  [
    'author.id__eq=1',
    'Unknown column "author.id" on books. Columns of a relation need a join, and joins are switched off here (API_ALLOW_JOIN).',
  ],
  [
    'fields=title,author.name',
    'Unknown column "author.name" on books. Columns of a relation need a join, and joins are switched off here (API_ALLOW_JOIN).',
  ],
]

eachDatabase('mistakes in requests', (test, db) => {
  test.before(async () => {
    await createTables(db, models)
    await insertRows(db, Author, [{ id: 1, name: 'Woolf' }])
  })
  for (const [query, reason] of queries) {
    test(`?${query}`, async () => {
      const { status, errors } = await get(testApi(db, models), `/api/books?${query}`)
      equal([status, errors.reason.startsWith(reason), errors.reason], [400, true, errors.reason])
    })
  }

  test('a parameter that resembles no hidden column, and no column where filters are off', async () => {
    const hidden = {
      ...Book,
      columns: { ...Book.columns, title: { type: 'string', maxLength: 20, hidden: true } },
    } as const
    const reasonOf = async (api: Api, query: string) =>
      (await get(api, `/api/books?${query}`)).errors.reason
    equal(
      await reasonOf(testApi(db, [Author, hidden] as readonly AnyModel[]), 'titel=x'),
      'Unknown parameter "titel". A filter is written "<column>__eq=x".',
    )
    equal(
      await reasonOf(testApi(db, models, { API_ALLOW_FILTERS: false }), 'titel=x'),
      'Unknown parameter "titel".',
    )
    equal(
      await reasonOf(testApi(db, models), 'pge=2'),
      'Unknown parameter "pge". Did you mean "page"?',
    )
  })

  test('conditions on related rows in brackets: says the form with a dot', async () => {
    const api = testApi(db, models)
    const mistakes = [
      ['exists(books[id__eq=1])', 'books', 'exists(books.id__eq=1)'],
      ['missing(books[id__eq=1,title__eq=x])', 'books', 'missing(books.id__eq=1,title__eq=x)'],
      ['exists(books.author[name__eq=x])', 'books.author', 'exists(books.author.name__eq=x)'],
      ['or[exists(books[id__eq=1]),id__eq=2]', 'books', 'exists(books.id__eq=1)'],
      ['exists(books[])', 'books', 'exists(books)'],
    ] as const
    for (const [query, relation, meant] of mistakes) {
      const { status, errors } = await get(api, `/api/authors?${query}`)
      equal(
        [status, errors.reason],
        [400, `Unexpected "[" after "${relation}": conditions follow a dot, as in ${meant}.`],
      )
      equal((await get(api, `/api/authors?${meant}`)).status, 200, meant)
    }
  })

  test('the options of a relation that is not embedded: says what embeds it', async () => {
    const api = testApi(db, models, { API_ALLOW_JOIN: true })
    const closed = testApi(db, models)
    const flat = testApi(db, models, { API_ALLOW_JOIN: true, API_ADD_RELATIONS: false })
    const start = 'is not embedded in this answer.'
    for (const [one, url, remedy] of [
      [
        api,
        '/api/authors?join=books&books.limit=3',
        ' Embed it with dump=json, or with dump=dynamic and join=books.',
      ],
      [closed, '/api/authors?books.limit=3', ' Embed it with dump=json.'],
      [
        api,
        '/api/books?author.books.limit=3',
        ' Embed it with dump=dynamic and join=author.books.',
      ],
      [closed, '/api/books?author.books.limit=3', ''],
      [flat, '/api/authors?books.limit=3', ''],
    ] as const) {
      const { status, errors } = await get(one, url)
      const reason = errors.reason as string
      equal([status, reason.slice(reason.indexOf(start))], [400, `${start}${remedy}`], url)
    }
    for (const dump of ['dump=json', 'dump=dynamic&join=books']) {
      equal((await get(api, `/api/authors?${dump}&books.limit=3`)).status, 200)
    }
    const deep = '/api/books?dump=dynamic&join=author.books&author.books.limit=3'
    equal((await get(api, deep)).status, 200)
  })

  test('null as a value: names the filter for NULL, except on text', async () => {
    const api = testApi(db, models)
    const hint =
      ' Rows without a value are found by "author_id__isnull=true", the others by "author_id__isnull=false".'
    for (const filter of ['author_id__eq=null', 'author_id__ne=NULL', 'author_id__in=(1,null)']) {
      const { status, errors } = await get(api, `/api/books?${filter}`)
      equal([status, errors.reason.endsWith(hint), errors.reason], [400, true, errors.reason])
    }
    equal((await get(api, '/api/books?author_id__eq=nil')).errors.reason.includes('isnull'), false)
    equal((await get(api, '/api/books?author_id__isnull=true')).status, 200)
    equal((await get(api, '/api/books?title__eq=null')).status, 200)
  })

  test('a relation that is not joined, where joins are allowed', async () => {
    const api = testApi(db, models, { API_ALLOW_JOIN: true })
    // The last three are similar to the book's own "author_id" and the author's "books".
    for (const [url, unknown] of [
      ['/api/books?author.name__eq=x', '"author.name" on books'],
      ['/api/books?author.id__eq=1', '"author.id" on books'],
      ['/api/books?fields=Authors.id', '"Authors.id" on books'],
      ['/api/authors?join=books&order_by=books.author.id', '"author.id" on books'],
    ] as const) {
      const { errors } = await get(api, url)
      const hint = 'Columns of a relation need the relation in "join".'
      equal(errors.reason, `Unknown column ${unknown}. ${hint}`, url)
    }
  })

  test('a misspelt column of a joined relation: names its resource, and suggests the column', async () => {
    const api = testApi(db, models, {
      API_ALLOW_JOIN: true,
      API_ALLOW_GROUPBY: true,
      API_ALLOW_AGGREGATION: true,
    })
    const meant = 'Unknown column "nmae" on authors. Did you mean "author.name"?'
    for (const query of [
      'author.nmae__eq=x',
      'order_by=-author.nmae',
      'fields=title,author.nmae',
      'groupby=author.nmae',
      'or[author.nmae__eq=x,title__eq=x]',
      'author.nmae__max=1',
    ]) {
      const { status, errors } = await get(api, `/api/books?join=author&${query}`)
      equal([status, errors.code, errors.reason], [400, 'unknown_column', meant], query)
    }
    for (const [field, reason] of [
      ['author.birthplace', 'Unknown column "birthplace" on authors.'],
      ['author.mail', 'Unknown column "mail" on authors.'],
      ['books.titel', 'Unknown column "titel" on books. Did you mean "books.title"?'],
      [
        'author.books.titel',
        'Unknown column "books.titel" on authors. Columns of a relation need the relation in "join".',
      ],
    ]) {
      const { errors } = await get(api, `/api/books?join=author&${field}__eq=x`)
      equal(errors.reason, reason)
    }
  })

  test('a misspelt path', async () => {
    const { status, errors } = await get(testApi(db, models), '/api/autors/1')
    equal(
      [status, errors.reason],
      [404, 'No endpoint answers at /api/autors/1. Did you mean "/api/authors/1"?'],
    )
  })

  test('a path without the prefix', async () => {
    for (const [path, meant] of [
      ['/books', '/api/books'],
      ['/Book/1/', '/api/books/1'],
      ['/authors/1/books', '/api/authors/1/books'],
    ]) {
      const { status, errors } = await get(testApi(db, models), path as string)
      equal([status, errors.reason.endsWith(`. Did you mean "${meant}"?`), path], [404, true, path])
    }
    equal((await get(testApi(db, models), '/boks')).errors.reason, 'No endpoint answers at /boks.')
  })

  test('PATCH and DELETE of a collection name the setting that allows them', async () => {
    const changed = defineModel('Author', {
      columns: Author.columns,
      meta: { allowed_methods: ['GET', 'PATCH', 'DELETE'] },
    })
    const api = testApi(db, [changed])
    for (const method of ['PATCH', 'DELETE']) {
      const { status, errors } = await send(api, method, '/api/authors?id__eq=1', { body: {} })
      equal(
        [status, errors.reason],
        [
          405,
          `${method} is not allowed here. Allowed: GET, HEAD, QUERY, OPTIONS. Many records at once are not enabled here (API_ALLOW_BULK is false).`,
        ],
      )
    }
    const { errors } = await send(testApi(db, models), 'PATCH', '/api/authors', { body: {} })
    equal(errors.reason, 'PATCH is not allowed here. Allowed: GET, HEAD, QUERY, POST, OPTIONS.')
  })

  test('a path that resembles no endpoint', async () => {
    const { errors } = await get(testApi(db, models), '/api/invoices')
    equal(errors.reason, 'No endpoint answers at /api/invoices.')
  })

  test('errors of several records of a list name their places', async () => {
    const api = testApi(db, models, { API_ALLOW_BULK: true })
    const body = [{ name: 'fine' }, { name: 5 }, { nam: 'x' }]
    const { status, errors } = await send(api, 'POST', '/api/authors', { body })
    equal([status, Object.keys(errors.reason)], [400, ['[1].name', '[2].nam', '[2].name']])
  })
})

/** Tokens are accepted only in a cookie. */
const byCookie = {
  API_AUTHENTICATE_METHOD: ['jwt'],
  API_AUTH_TOKEN_PROVIDERS: ['cookie'],
  API_USER_MODEL: Author,
  API_USER_LOOKUP_FIELD: 'name',
  API_CREDENTIAL_CHECK_METHOD: 'check',
  ACCESS_SECRET_KEY: 'a'.repeat(40),
  REFRESH_SECRET_KEY: 'b'.repeat(40),
} as const

eachDatabase('mistakes in credentials', (test, db) => {
  test.before(() => createTables(db, models))
  test('a missing cookie is called a cookie', async () => {
    const { status, errors } = await get(testApi(db, models, byCookie), '/api/books')
    equal([status, errors.reason], [401, 'Sign in first: the cookie "access_token" is missing'])
  })
  test('if a header is accepted, the header is named', async () => {
    const config = { ...byCookie, API_AUTH_TOKEN_PROVIDERS: ['cookie', 'header'] } as const
    const { errors } = await get(testApi(db, models, config), '/api/books')
    equal(errors.reason, 'Authorization header missing')
  })
})

eachDatabase('mistakes in users', (test, db) => {
  test.before(() => createTables(db, models))
  const warnings: string[] = []
  const apiOf = (user: unknown, config: object = {}) => {
    warnings.length = 0
    const custom = { API_AUTHENTICATE_METHOD: ['custom'] as const, API_CUSTOM_AUTH: () => user }
    const rules = { API_ROLE_MAP: { GET: 'viewer' } }
    return testApi(db, models, { ...rules, ...custom, ...config } as never, {
      onWarning: (message) => void warnings.push(message),
    })
  }
  const said = () => warnings.filter((message) => message.startsWith('A user '))
  const start = 'so rules that require a role refuse its requests (403). Expected a list'

  test('a user with role in place of roles: one warning, which names the member', async () => {
    const api = apiOf({ id: 1, role: 'viewer' })
    for (let n = 0; n < 2; n++) equal((await get(api, '/api/books')).status, 403)
    equal(said(), [
      `A user has no member "roles", but "role", ${start} in the user object: roles: ['editor'], or roles: [] for a user without roles.`,
    ])
  })

  test('other users whose roles no rule sees: a warning', async () => {
    await get(apiOf({ id: 1 }), '/api/books')
    equal(said().length, 1)
    match(said()[0] ?? '', `A user has no member "roles", ${start}`)
    await get(apiOf({ roles: 'viewer' }), '/api/books')
    match(said()[0] ?? '', `A user has a string as "roles", ${start}`)
    const host = apiOf(null, { API_AUTHENTICATE_METHOD: [] })
    await send(host, 'GET', '/api/books', { user: { id: 1 } })
    equal(said().length, 1)
  })

  test('users with roles, without any user, and without rules that name a role: no warning', async () => {
    for (const user of [{ roles: ['viewer'] }, { roles: [] }, { roles: null }, true]) {
      await get(apiOf(user), '/api/books')
      equal(said(), [])
    }
    await get(apiOf(null, { API_AUTHENTICATE_METHOD: [] }), '/api/books')
    equal(said(), [])
    equal((await get(apiOf({ id: 1 }, { API_ROLE_MAP: { GET: true } }), '/api/books')).status, 200)
    equal(said(), [])
  })

  test('a guard of the host that requires a role warns too', async () => {
    const api = apiOf({ id: 1 }, { API_ROLE_MAP: {} })
    const request = { method: 'GET', url: '/reports', headers: {} }
    await api.authenticate(request, { roles: true })
    equal(said(), [])
    await rejects(api.authenticate(request, { roles: ['viewer'] }))
    equal(said().length, 1)
  })
})

eachDatabase('mistakes in models that only the database shows', (test, db) => {
  test.before(() =>
    db.execScript(
      'create table notes (id integer not null primary key, state varchar(9) not null)',
    ),
  )
  test('a required read-only column without a value: ready rejects and names the remedies', async () => {
    const columns = { id, state: { type: 'string', maxLength: 9, readOnly: true } } as const
    const Note = defineModel('Note', { columns, meta: {} })
    const { ready } = createApi({ db: db.kysely, models: [Note], onWarning: () => {} })
    const { message } = await rejects(ready)
    match(message, 'Note.state (notes): the field is read-only and the model allows POST')
    match(
      message,
      'Declare a default, generated or managed, give the column a default, set it in API_ADD_CALLBACK, or remove POST from allowed_methods.',
    )
  })
})

suite('mistakes in createApi', (test) => {
  const never = (): Promise<never> => Promise.reject(new Error('is never opened'))
  const db = new Kysely<unknown>({ dialect: new SqliteDialect({ database: never }) })
  const create = (options: object) => (): unknown =>
    createApi({ db, models, onWarning: () => {}, onError: () => {}, ...options } as never)

  test('no options', () => {
    match(
      throws(() => (createApi as () => unknown)()).message,
      'db: expected an instance of Kysely',
    )
  })

  const starts: readonly (readonly [title: string, options: object, message: string])[] = [
    ['no db', { db: undefined }, 'db: expected an instance of Kysely, but got undefined.'],
    ['a db that is a pool', { db: new Map() }, 'db: expected an instance of Kysely, but got Map.'],
    [
      'a dialect by the name of another library',
      { dialect: 'postgresql' },
      'dialect: unknown name "postgresql". Did you mean "postgres"?',
    ],
    [
      'a misspelt dialect',
      { dialect: 'genric' },
      'dialect: unknown name "genric". Did you mean "generic"?',
    ],
    [
      'the dialect of another database',
      { dialect: 'postgres' },
      'dialect: "postgres" was given, but db has Kysely\'s SqliteAdapter. Leave the option out, or pass "sqlite".',
    ],
    [
      'a misspelt option, which would leave out all settings',
      { confg: { API_AUTHENTICATE_METHOD: ['jwt'] }, onRefusal: undefined },
      'The API cannot start:\nconfg: unknown option. Did you mean "config"?',
    ],
    [
      'a misspelt setting',
      { config: { API_ALLOW_JOINS: true } },
      'The API cannot start:\nconfig.API_ALLOW_JOINS: unknown key. Did you mean API_ALLOW_JOIN?',
    ],
  ]
  for (const [title, options, message] of starts) {
    test(title, () => {
      const thrown = throws(create(options)).message
      equal([thrown.startsWith(message), thrown], [true, thrown])
    })
  }

  const silent: readonly (readonly [
    title: string,
    models: readonly AnyModel[],
    message: string,
  ])[] = [
    ['no models', [], 'No model is published: createApi({ models }) lists none.'],
    [
      'models without meta',
      [defineModel('Note', { columns: { id } })],
      'No model is published: a model needs "meta", for example meta: {}, to get an endpoint.',
    ],
  ]
  for (const [title, given, message] of silent) {
    test(`${title}: a warning`, () => {
      const warnings: string[] = []
      create({ models: given, onWarning: (warning: string) => void warnings.push(warning) })()
      equal(warnings, [message])
    })
  }

  test('all mistakes at once: options, settings, hooks and the names in a scope', () => {
    const Note = defineModel('Note', {
      columns: { id },
      meta: {
        role_map: { GET_MNAY: 'viewer', POST: [] },
        access_policy: { can_raed: () => true, scope: { ownr: { eq: 1 } } },
      },
    } as never)
    const config = { API_TITEL: 'Notes' }
    const { message } = throws(create({ models: [Note], config, confg: {} }))
    const lines = message.split('\n')
    equal(
      [
        'confg: unknown option.',
        'config.API_TITEL: unknown key.',
        'models.Note.meta.role_map: unknown key "GET_MNAY". Did you mean "GET_MANY"? POST: expected a role',
        'models.Note.meta.access_policy: unknown hook "can_raed".',
        'models.Note.meta.access_policy: Note: scope at ownr: Note has no column and no relation of this name.',
      ].filter((start) => !lines.some((line) => line.startsWith(start))),
      [],
    )
    equal(lines.length, 6)
  })

  test('all mistakes at once: also of a policy that a function or a class gives', () => {
    const policies = [
      () => ({ can_raed: () => true, scope: { ownr: { eq: 1 } } }),
      class {
        readonly can_raed = () => true
        readonly scope = { ownr: { eq: 1 } }
      },
    ]
    for (const access_policy of policies) {
      const Note = defineModel('Note', { columns: { id }, meta: { access_policy } } as never)
      const { message } = throws(create({ models: [Note] }))
      match(message, 'unknown hook "can_raed"')
      match(message, 'scope at ownr: Note has no column and no relation of this name.')
    }
  })

  test('a scope that follows from another mistake is not reported', () => {
    const columns = { id, owner: { type: 'strng' }, author_id: { type: 'integer' } }
    const problems = (given: object) => {
      const Note = defineModel('Note', { meta: {}, ...given } as never)
      return throws(create({ models: [Author, Book, Note] }))
        .message.split('\n')
        .slice(1)
    }
    const scope = { owner: { eq: 'ann' } }
    equal(problems({ columns, meta: { access_policy: { scope } } }).length, 1)
    const unresolved = {
      columns: { id, author_id: { type: 'string' } },
      relations: { author: belongsTo('Author', 'author_id') },
      meta: { access_policy: { scope: { author: { name: { eq: 'ann' } } } } },
    }
    equal(problems(unresolved).length, 1)
  })

  const ruled = (meta: object, config: object = {}): string[] => {
    const warnings: string[] = []
    const Note = defineModel('Note', { columns: { id }, meta } as never)
    const Memo = defineModel('Memo', { columns: { id }, meta: {} })
    const onWarning = (warning: string) => void warnings.push(warning)
    create({ models: [Note, Memo], config, onWarning })()
    return warnings
  }
  const unprotected = (at: string): string =>
    `${at} has rules, but no authentication is enabled, so the requests that they cover get 403 unless the host sets the user. Set API_AUTHENTICATE_METHOD, for example to ['jwt'], or to [] if the host does.`

  test('role rules without authentication: a warning for each role map', () => {
    equal(ruled({ role_map: { GET: 'viewer' } }), [unprotected('models.Note.meta.role_map')])
    equal(ruled({}, { API_ROLES_REQUIRED: 'staff' }), [unprotected('config.API_ROLES_REQUIRED')])
  })

  test('role rules with authentication, or that say that there is none: no warning', () => {
    const rules = { role_map: { GET: 'viewer' } }
    equal(ruled(rules, { API_AUTHENTICATE_METHOD: [] }), [])
    equal(ruled({ ...rules, authenticate_method: [] }), [])
    const custom = { API_AUTHENTICATE_METHOD: ['custom'], API_CUSTOM_AUTH: () => true }
    equal(ruled(rules, custom), [])
    equal(ruled({ role_map: {} }), [])
  })

  test('handle({ path }): a 500 whose reported error names the property', async () => {
    const reported: unknown[] = []
    const api = createApi({ db, models, onError: (error) => void reported.push(error) })
    const request = { method: 'GET', path: '/api/books' } as unknown as ApiRequest
    const { status } = await api.handle(request)
    equal(
      [status, reported.map((error) => (error as Error).message)],
      [
        500,
        [
          `request.url: expected a string, got undefined. "path" is not read: did you mean "url"? Pass an object such as { method: 'GET', url: '/api/books?page=2', headers: {} }.`,
        ],
      ],
    )
  })

  test('handle(a web Request): a 500 whose reported error names api.fetch, not the response to nobody', async () => {
    const reported: unknown[] = []
    const api = createApi({ db, models, onError: (error) => void reported.push(error) })
    for (const request of [
      new Request('http://x/api/books'),
      { method: 'GET', url: '/api/books', headers: new Headers({ authorization: 'Bearer x' }) },
    ]) {
      equal((await api.handle(request as unknown as ApiRequest)).status, 500)
      match(String(reported.pop()), 'request.headers: expected an object with a member for each')
    }
  })

  test('handle({ headers }) with null for a header that is missing: as without the header', async () => {
    const api = createApi({ db, models })
    const headers = Object.fromEntries(requestHeaders.map((name) => [name, null]))
    const request = { method: 'GET', url: '/api', headers } as unknown as ApiRequest
    equal((await api.handle(request)).status, 200)
  })

  test('handle({ headers }) with capitals in their names: read, and passed to hooks, as lower case', async () => {
    const seen: unknown[] = []
    const api = createApi({
      db,
      models,
      config: { API_SETUP_CALLBACK: ({ headers }) => void seen.push(headers?.['x-day']) },
    })
    const send = (headers: ApiRequest['headers']) =>
      api.handle({ method: 'POST', url: '/api/books', body: '{}', headers: headers ?? {} })
    const wrong = { 'Content-Type': 'text/plain', 'X-Day': 'sunday' }
    equal([(await send(wrong)).status, seen], [415, ['sunday']])
    equal((await send({ 'content-type': 'text/plain' })).status, 415)
    equal(
      (await api.handle({ method: 'GET', url: '/api', headers: { 'X-Request-Id': 'of-1' } }))
        .headers['x-request-id'],
      'of-1',
    )
  })

  test('authenticate({ headers }) with capitals in their names', async () => {
    const api = createApi({
      db,
      models,
      config: {
        API_AUTHENTICATE_METHOD: ['custom'],
        API_CUSTOM_AUTH: ({ headers }) => headers?.['x-user'] === 'ann' && { id: 1 },
      },
    })
    const user = await api.authenticate({ method: 'GET', url: '/', headers: { 'X-User': 'ann' } })
    equal(user, { id: 1 })
  })

  const drivers: Readonly<Record<string, () => Dialect>> = {
    'this[#pool].connect is not a function': () =>
      new PostgresDialect({ pool: new Sqlite(':memory:') as never }),
    'this[#pool].getConnection is not a function': () =>
      new MysqlDialect({ pool: new Sqlite(':memory:') as never }),
    'this[#db].prepare is not a function': () => new SqliteDialect({ database: {} as never }),
  }
  for (const [message, dialect] of Object.entries(drivers)) {
    test(`the driver of another database (${message}): ready rejects with its error, requests are "not ready"`, async () => {
      const reported: unknown[] = []
      const api = createApi({
        db: new Kysely({ dialect: dialect() }),
        models,
        onError: (error) => void reported.push(error),
      })
      match((await rejects(api.ready)).message, message)
      match(String(reported[0]), `TypeError: ${message}`)
      const { status, errors } = await get(api, '/api/books')
      equal([status, errors.code], [503, 'not_ready'])
    })
  }
})
