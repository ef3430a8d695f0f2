/** A separate process with an API on a given database: logs in, and refreshes tokens; an answer is the new token, or the status. */
import { createApi } from '@model-api/core'
import { type Dialect, Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely'
import type { Answer } from '../support/api.ts'
import { Book, jwtKeys, login, refresh, User } from './people.ts'

const [name, url = '', grace = '0'] = process.argv.slice(2)

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
const config = { ...jwtKeys, ...patient, API_JWT_REFRESH_GRACE: Number(grace) }
const api = createApi({ db, models: [User, Book], config, env: {}, onWarning: () => {} })

interface Order {
  readonly login?: number
  readonly refresh?: string
  readonly times?: number
}

const tokenOf = ({ status, value }: Answer): string | number => value?.refresh_token ?? status

process.on('message', async (order: Order) => {
  const times = Array.from({ length: order.login ?? order.times ?? 0 })
  const answers =
    order.login === undefined
      ? await Promise.all(times.map(async () => tokenOf(await refresh(api, order.refresh))))
      : await Promise.all(times.map(async () => tokenOf(await login(api, 'ann'))))
  process.send?.(answers)
})
process.on('disconnect', () => void db.destroy().then(() => process.exit()))
