/** explainAccess names the rule that decides; exposure lists what a role can reach. */
import { type Api, belongsTo, createApi, defineModel, hasMany } from '@model-api/core'
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { equal, match } from '../../support/assert.ts'
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

  test('judges the method and the path, not what the query names', async () => {
    const refused = '/api/authors?join=books&secret__eq=x&fields=nothing'
    const whole = await steps(user('staff'), 'GET', refused)
    equal(whole, await steps(user('staff'), 'GET', '/api/authors'))
    equal([whole.allowed, whole.status], [true, 200])
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
