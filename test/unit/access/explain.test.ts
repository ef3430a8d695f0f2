/** explainAccess names the rule that decides; exposure lists what a role can reach. */
import {
  type Api,
  type ApiConfig,
  belongsTo,
  createApi,
  defineModel,
  hasMany,
  type Meta,
} from '@model-api/core'
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { equal, match, ok } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const Author = defineModel('Author', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string' },
    secret: { type: 'string', hidden: true },
  },
  relations: { books: hasMany('Book', 'author_id') },
  meta: { allow_join: true },
})

const Book = defineModel('Book', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    title: { type: 'string' },
    author_id: { type: 'integer' },
  },
  relations: { author: belongsTo('Author', 'author_id') },
  meta: {
    role_map: { GET_ONE: 'viewer', GET: 'editor', '*': ['admin', 'auditor'] },
    access_policy: { scope_query: (query) => query, can_delete: () => false },
    allowed_methods: ['GET', 'DELETE'],
  },
})

const db = new Kysely<object>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (instance) => new SqliteIntrospector(instance),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})

const api: Api = createApi({
  db,
  models: [Author, Book],
  config: { API_ROLES_REQUIRED: ['staff'], API_AUTHENTICATE_METHOD: [] },
})

const user = (...roles: string[]) => ({ id: 1, roles })

suite('explainAccess', (test) => {
  const steps = async (who: unknown, method: string, url: string) => {
    const { allowed, status, steps: all } = await api.explainAccess(who, { method, url })
    const lines = all.map(
      ({ stage, model, decision, at, because }) =>
        `${stage} ${model} ${decision} ${at ?? '-'}: ${because}`,
    )
    return { allowed, status, lines }
  }

  test('judges the query of a read: what it joins, filters by, counts and embeds', async () => {
    const refused =
      'authorize Book refuses models.Book.meta.role_map.GET: it takes editor; the caller has staff'
    for (const query of ['join=books', 'exists(books)', 'join=books&fields=name,books.title']) {
      const { allowed, status, lines } = await steps(user('staff'), 'GET', `/api/authors?${query}`)
      equal([query, allowed, status], [query, false, 403])
      equal(lines.slice(4), [
        'authenticate Book allows -: no strategy is enabled; the caller is authenticated',
        refused,
        'policy Book asks models.Book.meta.access_policy: scope_query decides by the rows',
      ])
    }
    const embedded = await steps(user('staff'), 'GET', '/api/authors/1?dump=json')
    equal([embedded.allowed, embedded.status], [true, 200])
    ok(embedded.lines.includes(refused.replace('refuses', 'leaves out')))
    const system = await steps('system', 'GET', '/api/authors?join=books')
    equal(
      [system.allowed, system.lines.at(-1)],
      [true, 'policy Book allows models.Book.meta.access_policy: no policy restricts the system'],
    )
    const counting = createApi({
      db,
      models: [Author, Book],
      config: { API_AUTHENTICATE_METHOD: [], API_ALLOW_AGGREGATION: true },
    })
    const url = '/api/authors?count(books)__gt=1'
    const counted = await counting.explainAccess(user('staff'), { method: 'GET', url })
    equal(
      [counted.status, counted.steps.at(-2)?.decision],
      [403, 'refuses'],
      counted.steps.at(-1)?.because,
    )
    const read = createApi({
      db,
      models: [
        Author,
        defineModel('Book', {
          columns: Book.columns,
          meta: { access_policy: { scope_query: (query) => query, can_read: () => true } },
        }),
      ],
      config: { API_AUTHENTICATE_METHOD: [] },
    })
    for (const [query, hooks] of [
      ['dump=json', 'scope_query, can_read'],
      ['exists(books)', 'scope_query'],
    ]) {
      const request = { method: 'GET', url: `/api/authors?${query}` }
      const { steps: all } = await read.explainAccess(null, request)
      equal(all.at(-1)?.because, `${hooks} decides by the rows`)
    }
    const plain = await steps(user('staff'), 'GET', '/api/authors')
    equal(plain.lines.length, 4)
  })

  test('a query that everybody is refused', async () => {
    const { allowed, status, lines } = await steps(
      user('staff'),
      'GET',
      '/api/authors?fields=nothing',
    )
    equal([allowed, status, lines.length], [false, 400, 5])
    match(lines[4] as string, /^query Author refuses -: .*nothing/)
    equal((await steps(user('staff'), 'HEAD', '/api/authors/1?limit=2')).status, 400)
    const unjudged = await steps(user('staff'), 'PATCH', '/api/authors/1?fields=nothing')
    equal(unjudged.status, 200)
  })

  test('names the key that decides, and the roles that it requires', async () => {
    equal(await steps(user('viewer'), 'GET', '/api/books/1'), {
      allowed: true,
      status: 200,
      lines: [
        'route Book allows -: GET /api/books/1 is GET_ONE',
        'authenticate Book allows -: no strategy is enabled; the caller is authenticated',
        'authorize Book allows models.Book.meta.role_map.GET_ONE: it takes viewer; the caller has viewer',
        'policy Book asks models.Book.meta.access_policy: scope_query decides by the rows',
      ],
    })
    const refused = await steps(user('viewer'), 'GET', '/api/books')
    equal([refused.allowed, refused.status], [false, 403])
    equal(
      refused.lines[2],
      'authorize Book refuses models.Book.meta.role_map.GET: it takes editor; the caller has viewer',
    )
  })

  test('falls back to the least specific key, and to the next level', async () => {
    const { lines } = await steps(user('admin'), 'DELETE', '/api/books/1')
    equal(
      lines[2],
      'authorize Book refuses models.Book.meta.role_map.*: it takes all of admin, auditor; the caller has admin',
    )
    equal(
      lines[3],
      'policy Book asks models.Book.meta.access_policy: scope_query, can_delete decides by the rows',
    )
    const author = await steps(null, 'POST', '/api/authors')
    equal(author.status, 403)
    equal(
      author.lines[2],
      'authorize Author refuses config.API_ROLES_REQUIRED.ALL: it takes staff; nobody is authenticated',
    )
  })

  test('checks parent and target on a relation route', async () => {
    const { lines } = await steps(user('staff'), 'GET', '/api/authors/1/books')
    equal(
      lines.filter((line) => line.startsWith('authorize')),
      [
        'authorize Author allows config.API_ROLES_REQUIRED.ALL: it takes staff; the caller has staff',
        'authorize Book refuses models.Book.meta.role_map.GET: it takes editor; the caller has staff',
      ],
    )
  })

  test('gives the status of unknown paths and methods', async () => {
    equal((await steps(null, 'GET', '/api/nothing')).status, 404)
    equal((await steps(null, 'POST', '/api/books')).status, 405)
    equal((await steps(null, 'OPTIONS', '/api/books')).status, 200)
  })
})

suite('explainAccess of an upsert', (test) => {
  const label = (meta: Meta, config: ApiConfig = {}) => {
    const columns = {
      id: { type: 'integer', primaryKey: true, generated: true },
      name: { type: 'string', unique: true },
    } as const
    const models = [defineModel('Label', { columns, meta })]
    return createApi({ db, models, config: { API_AUTHENTICATE_METHOD: [], ...config } })
  }
  const map = { POST: 'member', PATCH: 'editor', UPSERT: 'owner' }
  const url = '/api/labels?on_conflict=name'
  const lines = async (of: Api, who: unknown, asked = url) => {
    const { status, steps } = await of.explainAccess(who, { method: 'POST', url: asked })
    return [
      status,
      ...steps
        .filter(({ stage }) => stage === 'authorize')
        .map(({ action, decision, at }) => `${action} ${decision} ${at}`),
    ]
  }

  test('names the rules of POST, UPSERT and PATCH', async () => {
    equal(await lines(label({ role_map: map }), user('member')), [
      403,
      'POST allows models.Label.meta.role_map.POST',
      'UPSERT refuses models.Label.meta.role_map.UPSERT',
      'PATCH refuses models.Label.meta.role_map.PATCH',
    ])
    const all = await lines(label({ role_map: map }), user('member', 'editor', 'owner'))
    equal(all[0], 200)
    equal((await lines(label({ role_map: map }), user('member', 'editor')))[0], 403)
    equal((await lines(label({ role_map: map }), user('member', 'owner')))[0], 403)
  })

  test('finds the parameter anywhere in the query, and nothing like it', async () => {
    const upserts = ['fields=id&on_conflict=name', 'on%5Fconflict=name', 'a=%&on_conflict=name']
    for (const query of upserts) {
      equal((await lines(label({ role_map: map }), user('member'), `/api/labels?${query}`))[0], 403)
    }
    for (const query of ['', '?fields=on_conflict', '?name__eq=on_conflict=name']) {
      const plain = await lines(label({ role_map: map }), user('member'), `/api/labels${query}`)
      equal(plain, [200, 'POST allows models.Label.meta.role_map.POST'])
    }
  })

  test('says that the model has no PATCH', async () => {
    const without = label({ role_map: map, allowed_methods: ['GET', 'POST'] })
    equal((await lines(without, user('member', 'editor', 'owner'))).slice(0, 1), [403])
    equal(
      (await lines(without, user('member', 'editor', 'owner'))).at(-1),
      'PATCH refuses allowed_methods',
    )
  })

  test('says that PATCH needs authentication, which an upsert without it does not ask for', async () => {
    const strategies = {
      authenticate_method: ['custom'],
      auth_requirements: { POST: false },
    } as const
    const open = label(strategies, { API_CUSTOM_AUTH: () => false })
    equal(await lines(open, null), [
      403,
      'POST allows null',
      'UPSERT allows null',
      'PATCH refuses null',
    ])
  })

  test('names the hooks of the policy that decide about changes', async () => {
    const policy = { can_create: () => true, can_update: () => true }
    const { steps } = await label({ access_policy: policy }).explainAccess(null, {
      method: 'POST',
      url,
    })
    equal(
      steps
        .filter(({ stage }) => stage === 'policy')
        .map(({ action, because }) => `${action}: ${because}`),
      ['POST: can_create decides by the rows', 'PATCH: can_update decides by the rows'],
    )
  })

  test('the exposure shows who may upsert, and by what', () => {
    const upserters = (role_map: NonNullable<Meta['role_map']>) =>
      label({ role_map })
        .exposure(['member', 'owner'])
        .split(/\n(?=\S)/)
        .filter((part) => part.includes('POST /api/labels?on_conflict=<id|name>'))
        .map((part) => part.split('\n')[0])
    equal(upserters({ UPSERT: 'owner' }), ['owner'])
    equal(upserters({ UPSERT: 'member' }), ['member'])
    equal(upserters({ UPSERT: 'owner', PATCH: 'member' }), [])
    equal(upserters({ POST: 'owner' }), ['owner'])
    equal(upserters({ UPSERT: { roles: ['owner', 'member'], any_of: true } }), ['member', 'owner'])
  })

  test('the exposure shows who may restore', () => {
    const restorers = (role_map: NonNullable<Meta['role_map']>) =>
      createApi({
        db,
        models: [
          defineModel('Label', {
            columns: {
              id: { type: 'integer', primaryKey: true, generated: true },
              gone: { type: 'boolean', default: false },
            },
            meta: { role_map },
          }),
        ],
        config: {
          API_AUTHENTICATE_METHOD: [],
          API_SOFT_DELETE: true,
          API_SOFT_DELETE_ATTRIBUTE: 'gone',
        },
      })
        .exposure(['member', 'owner'])
        .split(/\n(?=\S)/)
        .filter((part) => part.includes('POST /api/labels/<id>/restore'))
        .map((part) => part.split('\n')[0])
    equal(restorers({ RESTORE: 'owner', PATCH: 'member' }), ['owner'])
    equal(restorers({ RESTORE: 'member', PATCH: 'owner' }), ['member'])
    equal(restorers({ PATCH: 'owner' }), ['owner'])
  })
})

suite('exposure', (test) => {
  test('is the same text every time, ordered by audience and model', () => {
    const text = api.exposure(['staff', 'viewer'])
    equal(text, api.exposure(['staff', 'viewer']))
    equal(
      text,
      `anonymous
  nothing

authenticated, without roles
  nothing

staff
  Author
    GET /api/authors
    POST /api/authors
    POST /api/authors?on_conflict=<id>
    GET /api/authors/<id>
    PATCH /api/authors/<id>
    DELETE /api/authors/<id>
    also at /api/author
    rows: all
    id (integer): read, order_by; filters eq ne lt le gt ge in nin between isnull
    name (string): read, write on POST, write on PATCH, order_by; filters eq ne lt le gt ge in nin like ilike nlike nilike startswith istartswith endswith iendswith between isnull
    books → Book: a URL only

viewer
  Book
    GET /api/books/<id>
    also at /api/book
    rows: scope_query, can_delete
    id (integer): read
    title (string): read
    author_id (integer): read
    author → Author: a URL only
`,
    )
  })

  test('never names a hidden column', () => {
    match(api.exposure(['staff']), /^(?![\s\S]*secret)/)
  })
})
