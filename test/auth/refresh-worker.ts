/** A separate process with an API on a given database: logs in, refreshes tokens, changes a user, and makes, uses and deletes API keys. */
import { type ApiConfig, createApi } from '@model-api/core'
import { type Dialect, Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely'
import { type Answer, get } from '../support/api.ts'
import { apiKey, Book, jwtKeys, login, nextKeys, refresh, User } from './people.ts'

const [name, url = '', grace = '0', keys = 'current'] = process.argv.slice(2)

async function dialect(): Promise<Dialect> {
  if (name === 'sqlite') {
    const { default: Sqlite } = await import('better-sqlite3')
    return new SqliteDialect({ database: new Sqlite(url) })
  }
  if (name === 'postgres') {
    const { default: pg } = await import('pg')
    const pool = new pg.Pool({ connectionString: url, max: 10 })
    // A connection may still be closing when its database is dropped.
    pool.on('error', () => {})
    return new PostgresDialect({ pool })
  }
  const { createPool } = await import('mysql2')
  return new MysqlDialect({ pool: createPool({ uri: url, connectionLimit: 10 }) })
}

const db = new Kysely<Record<string, never>>({ dialect: await dialect() })
// On a busy machine fifty concurrent refreshes take longer than the default deadlines, and would be 503.
const patient = { API_STATEMENT_TIMEOUT: 60_000, API_HOOK_TIMEOUT: 60_000 }
/** Each process accepts the keys of the other. */
const previous = keys === 'next' ? jwtKeys : nextKeys
const config = {
  ...jwtKeys,
  ...(keys === 'next' ? nextKeys : {}),
  ACCESS_PREVIOUS_KEYS: [previous.ACCESS_SECRET_KEY],
  REFRESH_PREVIOUS_KEYS: [previous.REFRESH_SECRET_KEY],
  ...patient,
  API_JWT_REFRESH_GRACE: Number(grace),
  API_AUTHENTICATE_METHOD: ['jwt', 'api_key'],
  API_KEYS: true,
  API_USER_ACTIVE: { active: true },
} as const satisfies ApiConfig
const api = createApi({ db, models: [User, Book], config, env: {}, onWarning: () => {} })

interface Order {
  readonly login?: number
  readonly refresh?: string
  readonly times?: number
  /** The name of an API key that is made; the answer is the key and its id. */
  readonly makeKey?: string
  /** An API key that is used once for each of `times`; the answers are the statuses. */
  readonly useKey?: string
  /** The id of an API key that is deleted. */
  readonly deleteKey?: string
  /** Whether ann is active from now on; the answer is the status of the change. */
  readonly activate?: boolean
  /** The answer is when each key of the user was used. */
  readonly lastUses?: true
}

/** The user of the keys. */
const bob = { id: 2, name: 'bob' }

async function ofKeys({ makeKey, useKey, deleteKey, times }: Order): Promise<(string | number)[]> {
  if (makeKey !== undefined) {
    const { key, id } = await api.apiKeys.create(bob, { name: makeKey })
    return [key, id]
  }
  if (useKey !== undefined) {
    const asked = Array.from({ length: times ?? 1 }, () => get(api, '/api/books', apiKey(useKey)))
    return (await Promise.all(asked)).map(({ status }) => status)
  }
  if (deleteKey !== undefined) return [String(await api.apiKeys.delete(deleteKey))]
  return (await api.apiKeys.list(bob)).map((key) => key.last_used_at ?? 'never')
}

const isOfKeys = ({ makeKey, useKey, deleteKey, lastUses }: Order): boolean =>
  [makeKey, useKey, deleteKey, lastUses].some((given) => given !== undefined)

const tokenOf = ({ status, value }: Answer): string | number => value?.refresh_token ?? status

process.on('message', async (order: Order) => {
  if (order.activate !== undefined) {
    const { status } = await api.as('system').users.update(1, { active: order.activate })
    process.send?.([status])
    return
  }
  if (isOfKeys(order)) {
    process.send?.(await ofKeys(order))
    return
  }
  const times = Array.from({ length: order.login ?? order.times ?? 0 })
  const answers =
    order.login === undefined
      ? await Promise.all(times.map(async () => tokenOf(await refresh(api, order.refresh))))
      : await Promise.all(times.map(async () => tokenOf(await login(api, 'ann'))))
  process.send?.(answers)
})
process.on('disconnect', () => void db.destroy().then(() => process.exit()))
