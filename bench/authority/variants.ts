/** Variants of one API: without users, with policies, with JWT, with callbacks and with transactions of the host. */
import { type AnyModel, type Api, createApi, defineModel } from '@model-api/core'
import { CompiledQuery, type Kysely } from 'kysely'
import { models } from '../models.ts'
import { accessSecret, users } from '../users.ts'

export interface Variant {
  readonly api: Api
  /** The headers of each user. */
  readonly headers: readonly Readonly<Record<string, string>>[]
}

export const User = defineModel('User', {
  table: 'bench_users',
  columns: {
    id: { type: 'integer', primaryKey: true },
    name: { type: 'string', maxLength: 40 },
    number: { type: 'integer' },
  },
  methods: { check: (_: unknown, password: unknown) => password === 'the password' },
  meta: {},
})

/** Returns a number that no record has, another one for each user. */
// biome-ignore lint/suspicious/noExplicitAny: users and requests of any variant
const strangerOf = ({ user, request }: any): number =>
  -(user?.number ?? Number(request.headers['x-user']))

/**
 * A policy under which every row is visible, so that all variants read the same rows; its value differs between users. The
 * condition is on the primary key, which every index of SQLite and MariaDB contains, so that a count reads no rows because of it.
 */
const policy = {
  // biome-ignore lint/suspicious/noExplicitAny: the query of any of the models
  scope_query: (query: any, args: unknown) => query.where('id', '!=', strangerOf(args)),
}

/** The same policy as data. */
export const scope = { scope: { id: { ne: strangerOf } } }

export const jwt = {
  API_AUTHENTICATE_METHOD: ['jwt'],
  API_USER_MODEL: User,
  API_USER_LOOKUP_FIELD: 'name',
  API_CREDENTIAL_CHECK_METHOD: 'check',
} as const

/** Gives a request the connection on which the host has begun a transaction. The host ends it after the response. */
const transactions = (db: AnyKysely) => ({
  API_SESSION_GETTER: (request: object) => held.get(request) ?? db,
})

// biome-ignore lint/suspicious/noExplicitAny: the tables are those of data.ts
type AnyKysely = Kysely<any>

const held = new WeakMap<object, AnyKysely>()

/** The options that each part of a variant's name adds: "jwt and scope" has two parts. */
const parts: Readonly<Record<string, (db: AnyKysely) => object>> = {
  plain: () => ({}),
  jwt: () => jwt,
  policy: () => ({ API_ACCESS_POLICY: policy }),
  scope: () => ({ API_ACCESS_POLICY: scope }),
  // biome-ignore lint/suspicious/noExplicitAny: the query of any of the models
  filter: () => ({ API_FILTER_CALLBACK: (query: any) => query }),
  dump: () => ({ API_DUMP_CALLBACK: (value: unknown) => value }),
  return: () => ({ API_RETURN_CALLBACK: (value: unknown) => value }),
  transaction: transactions,
  'look-up': () => ({}),
  'begin-commit': transactions,
  objects: () => ({}),
}

export const partNames = Object.keys(parts)

export async function open(db: AnyKysely, name: string): Promise<Variant> {
  const chosen = name.split(' and ')
  const isJwt = chosen.includes('jwt')
  const api = createApi({
    db,
    models: (isJwt ? [...models, User] : [...models]) as AnyModel[],
    config: {
      API_ALLOW_JOIN: true,
      API_ALLOW_GROUPBY: true,
      API_ALLOW_AGGREGATION: true,
      API_SERIALIZATION_TYPE: 'dynamic',
      API_CREATE_DOCS: false,
      ...Object.assign({}, ...chosen.map((part) => partOf(part)(db))),
    } as never,
    env: { ACCESS_SECRET_KEY: accessSecret, REFRESH_SECRET_KEY: 'b'.repeat(40) },
    onWarning: () => {},
  })
  await api.ready
  const headers = []
  for (let i = 1; i <= users; i++) {
    const user = { 'x-user': String(i) }
    headers.push(isJwt ? { ...user, authorization: await bearer(api, i) } : user)
  }
  if (chosen.includes('transaction')) return { api: inTransaction(api, db), headers }
  if (chosen.includes('begin-commit')) return { api: betweenBeginAndCommit(api, db), headers }
  if (chosen.includes('objects')) return { api: withObjects(api), headers }
  if (chosen.includes('look-up')) return { api: afterLookUp(api, db), headers }
  return { api, headers }
}

function partOf(name: string): (db: AnyKysely) => object {
  const part = parts[name]
  if (part === undefined) throw new Error(`no variant "${name}"; there are ${partNames.join(', ')}`)
  return part
}

function inTransaction(api: Api, db: AnyKysely): Api {
  const answer = (request: Parameters<Api['answer']>[0]) =>
    db.transaction().execute((own) => {
      held.set(request, own)
      return api.answer(request)
    })
  return { ...api, answer }
}

/** Reads the user by a statement of the host before each request, which jwt also needs if users are not cached. */
function afterLookUp(api: Api, db: AnyKysely): Api {
  const { sql } = db.selectFrom('bench_users').selectAll().where('id', '=', 0).compile()
  const answer = async (request: Parameters<Api['answer']>[0]) => {
    await db.executeQuery(CompiledQuery.raw(sql, [Number(request.headers?.['x-user'])]))
    return api.answer(request)
  }
  return { ...api, answer }
}

/** Parses the records of each response and writes them again, which a callback that receives objects also needs. */
function withObjects(api: Api): Api {
  const answer = async (request: Parameters<Api['answer']>[0]) => {
    const response = await api.answer(request)
    const body = JSON.parse(response.text ?? 'null') as { readonly value: unknown }
    return { ...response, text: JSON.stringify(body.value) }
  }
  return { ...api, answer }
}

/** Sends BEGIN and COMMIT of the host around each request. The API does not know that the connection has a transaction. */
function betweenBeginAndCommit(api: Api, db: AnyKysely): Api {
  const answer = (request: Parameters<Api['answer']>[0]) =>
    db.connection().execute(async (own) => {
      await own.executeQuery(CompiledQuery.raw('begin'))
      held.set(request, own)
      const response = await api.answer(request)
      await own.executeQuery(CompiledQuery.raw('commit'))
      return response
    })
  return { ...api, answer }
}

let address = 0

async function bearer(api: Api, id: number): Promise<string> {
  const { status, body } = await api.handle({
    method: 'POST',
    url: '/auth/login',
    headers: { 'content-type': 'application/json' },
    body: { username: `user ${id}`, password: 'the password' },
    // Another address for each login, because logins are limited by address.
    ip: `10.0.${address >> 8}.${address++ & 255}`,
  } as never)
  if (status !== 200) throw new Error(JSON.stringify(body))
  const { access_token } = (body?.value ?? {}) as { readonly access_token: string }
  return `Bearer ${access_token}`
}
