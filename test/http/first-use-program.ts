/** Uses an API in a process of its own, where each module that is loaded when first used cannot be read at first. Prints what happened as JSON. */
import { registerHooks } from 'node:module'
import type { ApiResponse } from '@model-api/core'
import Sqlite from 'better-sqlite3'
import { Kysely, SqliteDialect, sql } from 'kysely'

const resolved: string[] = []
let unreadable: string | undefined

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    if (unreadable !== undefined && found.url.includes(unreadable))
      throw new Error(`cannot read ${unreadable}`)
    resolved.push(found.url)
    return found
  },
})

// After the hooks, which see only later imports.
const { createApi, defineModel } = await import('@model-api/core')

const db = new Kysely<object>({ dialect: new SqliteDialect({ database: new Sqlite(':memory:') }) })
await sql`create table users (id integer primary key, name varchar(20) not null)`.execute(db)
await sql`insert into users values (1, 'ann')`.execute(db)

const User = defineModel('User', {
  table: 'users',
  columns: { id: { type: 'integer', primaryKey: true }, name: { type: 'string', maxLength: 20 } },
  methods: { check_password: () => true },
  meta: {},
})
const errors: string[] = []
const api = createApi({
  db,
  models: [User],
  config: {
    API_USER_MODEL: User,
    API_USER_LOOKUP_FIELD: 'name',
    API_CREDENTIAL_CHECK_METHOD: 'check_password',
    API_AUTHENTICATE_METHOD: ['jwt'],
    API_AUTH_REQUIREMENTS: { '*': false },
    API_HTML_PAGES: true,
    API_SCHEMA_CHECK: 'off',
  },
  env: {
    ACCESS_SECRET_KEY: 'access: 0f6c1f3e-8d52-4f7b-a3d9-7c2f',
    REFRESH_SECRET_KEY: 'refresh: 2b9d7a40-11c8-49e6-9f0e-55aa',
  },
  clock: { now: () => Date.parse('2026-01-02T03:04:05Z'), elapsed: () => 0 },
  onError: (error) => errors.push(String(error)),
})

const ask = async (
  url: string,
  accept = 'application/json',
  body?: object,
): Promise<readonly unknown[]> => {
  const { status, body: answered }: ApiResponse = await api.handle({
    method: body === undefined ? 'GET' : 'POST',
    url,
    headers: { accept, 'content-type': 'application/json', 'x-request-id': 'one' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return [status, answered]
}

const signIn = async (): Promise<readonly unknown[]> => {
  const [status, body] = await ask('/auth/login', 'application/json', {
    username: 'ann',
    password: 'x',
  })
  // Tokens differ each time.
  return [status, Object.keys((body as { value?: object | null })?.value ?? {})]
}

const call = async (made: Promise<unknown>): Promise<readonly unknown[]> =>
  made.then(
    (value) => [200, value],
    (error) => {
      errors.push(String(error))
      return [500]
    },
  )

/** What is loaded at first use, and a use of it. */
const uses: readonly (readonly [file: string, use: () => Promise<readonly unknown[]>])[] = [
  ['/endpoints/reads/pages.ts', () => ask('/api/users', 'text/html')],
  ['/service/service-index.ts', () => ask('/api')],
  ['/openapi/document.ts', () => call(api.openapi())],
  ['/openapi/endpoint/docs.ts', () => ask('/openapi.json')],
  ['/node_modules/jose/', signIn],
  ['/check/comparison.ts', () => call(api.schemaDifferences())],
]

const atStart = uses
  .map(([file]) => file)
  .filter((file) => resolved.some((url) => url.includes(file)))
const results: Record<
  string,
  { failed: unknown; error: unknown; first: unknown; second: unknown }
> = {}
for (const [file, use] of uses) {
  unreadable = file
  const [failed] = await use()
  const error = errors.splice(0)
  unreadable = undefined
  results[file] = { failed, error, first: await use(), second: await use() }
}
console.log(JSON.stringify({ atStart, results, errors }))
