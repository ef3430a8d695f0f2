/** Responses to a user, whoever has authenticated it, are private at every endpoint; shared caches may keep only those to nobody. */
import {
  type Api,
  type ApiConfig,
  type ApiRequest,
  belongsTo,
  defineModel,
  hashApiKey,
  hasMany,
} from '@model-api/core'
import { send, testApi } from '../support/api.ts'
import { equal, ok } from '../support/assert.ts'
import { openDatabases } from '../support/databases.ts'
import { suiteOn } from '../support/suite.ts'
import { createTables, insertRows } from '../support/tables.ts'

const Book = defineModel('Book', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    title: { type: 'string', maxLength: 80 },
    author_id: { type: 'integer', nullable: true },
  },
  relations: { author: belongsTo('Author', 'author_id') },
  meta: {},
})

const Author = defineModel('Author', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 80 },
  },
  relations: { books: hasMany('Book', 'author_id') },
  meta: {},
})

const User = defineModel('User', {
  columns: {
    id: { type: 'integer', primaryKey: true },
    name: { type: 'string', maxLength: 40 },
    key_hash: { type: 'string', maxLength: 64, nullable: true, hidden: true },
  },
  methods: {
    check_password: (_user: unknown, secret: string, kind: string) =>
      kind === 'api_key' || secret === 'right',
  },
  meta: {},
})

const models = [Book, Author, User]

interface Sent extends Pick<ApiRequest, 'url' | 'headers' | 'body'> {
  readonly method?: string
  /** The API looks up no caller, because the response is the same for everybody. */
  readonly sameForAll?: true
}

/** Every kind of endpoint, with successes and refusals. */
const requests: readonly Sent[] = [
  { url: '/api' },
  { url: '/' },
  { url: '/api/books' },
  { url: '/api/books', method: 'HEAD' },
  {
    url: '/api/books',
    method: 'QUERY',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'limit=1',
  },
  { url: '/api/books', method: 'OPTIONS', sameForAll: true },
  { url: '/api/books', method: 'POST', body: { title: 'New' } },
  { url: '/api/books', method: 'POST', body: { title: 7 } },
  { url: '/api/books?groupby=author_id&id|n__count=1' },
  { url: '/api/books?paging=cursor&limit=1' },
  { url: '/api/books?fields=title' },
  { url: '/api/books?nothing__eq=1' },
  { url: '/api/books/1' },
  { url: '/api/books/1?dump=json' },
  { url: '/api/books/1', method: 'PATCH', body: { title: 'Other' } },
  { url: '/api/books/999' },
  { url: '/api/books/1/author' },
  { url: '/api/authors/1/books' },
  { url: '/api/nothing', sameForAll: true },
  { url: '/api/books', method: 'DELETE', sameForAll: true },
  { url: '/openapi.json', sameForAll: true },
  { url: '/docs', sameForAll: true },
  {
    url: '/api/batch',
    method: 'POST',
    body: { operations: [{ id: 'a', method: 'GET', url: '/api/books' }] },
  },
]

/** The same as pages. */
const pages: readonly Sent[] = ['/api', '/api/books', '/api/books/1', '/api/books/999'].map(
  (url) => ({ url, headers: { accept: 'text/html' } }),
)

interface Way {
  readonly config?: ApiConfig
  /** Whether the host gives the user with every request. */
  readonly always?: true
  /** Whether the user logs in and sends the access token. */
  readonly logsIn?: true
  /** Makes the request that the user sends. */
  readonly asUser?: (request: ApiRequest) => ApiRequest
  /** What `Vary` names, in responses whose caller is known. */
  readonly vary?: string
}

const withHeader =
  (name: string, value: string) =>
  (request: ApiRequest): ApiRequest => ({
    ...request,
    headers: { ...request.headers, [name]: value },
  })

const optional = { API_AUTH_REQUIREMENTS: { ALL: false } } as const

const users = {
  API_USER_MODEL: User,
  API_USER_LOOKUP_FIELD: 'name',
  API_CREDENTIAL_CHECK_METHOD: 'check_password',
} as const satisfies ApiConfig

const ways: Readonly<Record<string, Way>> = {
  nobody: {},
  'nobody, with a header of credentials that no strategy reads': {
    asUser: withHeader('authorization', 'Basic abc'),
  },
  'a user of the host in request.user': {
    always: true,
    asUser: (request) => ({ ...request, user: { id: 1, name: 'ann' } }),
    vary: 'Authorization, Cookie',
  },
  'a caller of the host without a record': {
    always: true,
    asUser: (request) => ({ ...request, user: true }),
    vary: 'Authorization, Cookie',
  },
  'a user that the setup callback sets': {
    config: {
      API_SETUP_CALLBACK: (request: ApiRequest & { user?: unknown }) => {
        request.user = { id: 1, name: 'ann' }
      },
    },
    vary: 'Authorization, Cookie',
  },
  'a user with an access token': {
    config: {
      ...optional,
      ...users,
      API_AUTHENTICATE_METHOD: ['jwt'],
      ACCESS_SECRET_KEY: 'access: 0f6c1f3e-8d52-4f7b-a3d9-7c2f',
      REFRESH_SECRET_KEY: 'refresh: 2b9d7a40-11c8-49e6-9f0e-55aa',
      API_AUTH_TOKEN_PROVIDERS: ['header', 'cookie'],
    },
    logsIn: true,
    vary: 'Authorization, Cookie',
  },
  'a user with an API key': {
    config: {
      ...optional,
      ...users,
      API_AUTHENTICATE_METHOD: ['api_key'],
      API_CREDENTIAL_HASH_FIELD: 'key_hash',
    },
    asUser: withHeader('authorization', 'Api-Key key-of-ann'),
    vary: 'Authorization',
  },
  'a user with a password': {
    config: {
      ...optional,
      ...users,
      API_AUTHENTICATE_METHOD: ['basic'],
    },
    asUser: withHeader('authorization', `Basic ${btoa('ann:right')}`),
    vary: 'Authorization',
  },
  'a user of a custom strategy': {
    config: {
      ...optional,
      API_AUTHENTICATE_METHOD: ['custom'],
      API_CUSTOM_AUTH: ({ headers }) =>
        headers?.['x-user'] === undefined ? undefined : { id: 1, name: 'ann' },
      API_CUSTOM_AUTH_SCHEME: { in: 'header', name: 'X-User' },
    },
    asUser: withHeader('x-user', 'ann'),
    vary: 'Authorization, X-User',
  },
}

async function tokenOf(api: Api): Promise<string> {
  const body = { username: 'ann', password: 'right' }
  const { value } = await send(api, 'POST', '/auth/login', { body })
  return `Bearer ${value.access_token}`
}

const [db] = openDatabases()
if (db === undefined) throw new Error('SQLite always runs')

suiteOn(db, 'shared caches', (test) => {
  test.before(async () => {
    await createTables(db, models)
    await insertRows(db, Author, [{ id: 1, name: 'Ann Archer' }])
    await insertRows(db, Book, [{ id: 1, title: 'Arrows', author_id: 1 }])
    await insertRows(db, User, [{ id: 1, name: 'ann', key_hash: await hashApiKey('key-of-ann') }])
  })
  test.after(() => db.close())

  for (const [name, { config, always, logsIn, asUser, vary }] of Object.entries(ways)) {
    const isUser = vary !== undefined
    test(`${isUser ? 'may not keep' : 'may keep'} responses to ${name}`, async () => {
      const api: Api = testApi(db, models, {
        API_AUTHENTICATE_METHOD: [],
        API_ALLOW_BATCH: true,
        API_ALLOW_GROUPBY: true,
        API_ALLOW_AGGREGATION: true,
        API_ALLOWED_METHODS: ['GET', 'POST', 'PATCH'],
        API_HTML_PAGES: true,
        ...config,
      })
      await api.ready
      const asSent = logsIn ? withHeader('authorization', await tokenOf(api)) : asUser
      for (const { sameForAll = false, ...request } of [...requests, ...pages]) {
        const isKnown = isUser && (always === true || !sameForAll)
        for (const form of ['handle', 'answer'] as const) {
          const plain = { method: 'GET', ...request, headers: { ...request.headers } }
          const sent = asSent?.(plain) ?? plain
          const { status, headers } = await api[form](sent)
          const at = `${form} ${sent.method} ${sent.url} ${status}`
          ok(status !== 401 && status < 500, at)
          const caching = headers['cache-control'] ?? ''
          equal([at, /\bprivate\b.*\bno-cache\b/.test(caching)], [at, isKnown])
          if (!isKnown || sameForAll) continue
          const named = (headers.vary ?? '').split(', ')
          const missing = vary.split(', ').filter((one) => !named.includes(one))
          equal([at, missing], [at, []])
        }
      }
    })
  }
})
