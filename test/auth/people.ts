/** Users, books and an API for the tests of authentication. */
import {
  type Api,
  type ApiConfig,
  createApi,
  defineModel,
  hashApiKey,
  hashPassword,
  passwordCheck,
} from '@model-api/core'
import { type Answer, frozenClock, send } from '../support/api.ts'
import type { TestDatabase } from '../support/databases.ts'
import { createTables, insertRows } from '../support/tables.ts'

export const accessSecret = 'access: 0f6c1f3e-8d52-4f7b-a3d9-7c2f'
export const refreshSecret = 'refresh: 2b9d7a40-11c8-49e6-9f0e-55aa'

/** The number of password checks; an unknown user must cost as many as a known one. */
export const counted = { checks: 0 }

const bcryptCheck = passwordCheck('password_hash')

export const User = defineModel('User', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    name: { type: 'string', maxLength: 80, unique: true },
    password_hash: { type: 'string', maxLength: 80 },
    key_hash: { type: 'string', maxLength: 64, nullable: true },
    roles: { type: 'json', nullable: true },
    active: { type: 'boolean' },
  },
  methods: {
    check_password: async (user, secret: string, kind: 'password' | 'api_key') => {
      counted.checks += 1
      return (await bcryptCheck(user, secret, kind)) && user.active
    },
    plain: passwordCheck('password_hash'),
    is_active: ({ active }) => active,
    vague: () => 'no',
    broken: () => {
      throw new Error('no check today')
    },
  },
  meta: {},
})

export const Book = defineModel('Book', {
  columns: {
    id: { type: 'integer', primaryKey: true, generated: true },
    title: { type: 'string', maxLength: 80 },
  },
  meta: {},
})

export const passwords: Readonly<Record<string, string>> = {
  ann: 'correct horse',
  bob: 'battery: staple',
  eve: 'locked out',
}

export const apiKeys: Readonly<Record<string, string>> = {
  ann: 'key-of-ann-1',
  bob: 'key-of-bob-2',
}

/** Creates and fills the tables, with cheap hashes, because the cost of bcrypt does not matter here. */
export async function createPeople(db: TestDatabase): Promise<void> {
  await createTables(db, [User, Book])
  const hash = (name: string) => hashPassword(passwords[name] ?? '', 4)
  await insertRows(db, User, [
    {
      id: 1,
      name: 'ann',
      password_hash: await hash('ann'),
      key_hash: await hashApiKey(apiKeys.ann ?? ''),
      roles: ['admin'],
      active: true,
    },
    {
      id: 2,
      name: 'bob',
      password_hash: await hash('bob'),
      key_hash: await hashApiKey(apiKeys.bob ?? ''),
      roles: ['viewer'],
      active: true,
    },
    {
      id: 3,
      name: 'eve',
      password_hash: await hash('eve'),
      key_hash: null,
      roles: null,
      active: false,
    },
  ])
  await insertRows(db, Book, [{ id: 1, title: 'Emma' }])
}

/** How users are looked up and their passwords checked. */
export const userKeys = {
  API_USER_MODEL: User,
  API_USER_LOOKUP_FIELD: 'name',
  API_CREDENTIAL_CHECK_METHOD: 'check_password',
  // As cheap as the stored hashes.
  API_PASSWORD_COST: 4,
} as const satisfies ApiConfig

/** The keys that take the place of `jwtKeys`. */
export const nextKeys = {
  ACCESS_SECRET_KEY: 'the next secret of access tokens: 5f1e7a92',
  REFRESH_SECRET_KEY: 'the next secret of refresh tokens: c83b0d41',
} as const

export const jwtKeys = {
  ...userKeys,
  ACCESS_SECRET_KEY: accessSecret,
  REFRESH_SECRET_KEY: refreshSecret,
  API_AUTHENTICATE_METHOD: ['jwt'],
  // Tests log in more often than the default limit allows.
  API_LOGIN_RATE_LIMIT: '10000 per minute',
} as const satisfies ApiConfig

export interface People {
  readonly api: Api
  readonly clock: ReturnType<typeof frozenClock>
  readonly errors: unknown[]
  readonly warnings: string[]
}

/** An API with a fixed clock, and the errors and warnings that it has reported. */
export function peopleApi(
  db: TestDatabase,
  config: ApiConfig = jwtKeys,
  options: Partial<Parameters<typeof createApi>[0]> = {},
): People {
  const clock = frozenClock()
  const errors: unknown[] = []
  const warnings: string[] = []
  const api = createApi({
    db: db.kysely,
    models: [User, Book],
    config: { API_SCHEMA_CHECK: 'off', ...config } as ApiConfig,
    env: {},
    clock,
    onError: (error) => errors.push(error),
    onWarning: (warning) => warnings.push(warning),
    ...options,
  })
  return { api, clock, errors, warnings }
}

export const post = (
  api: Api,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> => send(api, 'POST', url, { headers, ...(body === undefined ? {} : { body }) })

export const login = (api: Api, name: string, password = passwords[name]): Promise<Answer> =>
  post(api, '/auth/login', { username: name, password })

export const refresh = (api: Api, token: unknown): Promise<Answer> =>
  post(api, '/auth/refresh', { refresh_token: token })

export const bearer = (token: string): Record<string, string> => ({
  authorization: `Bearer ${token}`,
})

export const basic = (name: string, password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
})

export const apiKey = (key: string): Record<string, string> => ({ authorization: `Api-Key ${key}` })
