// Opens PostgreSQL with a pool of pg.

import { type PgClient, preparedPg } from '@model-api/core/prepared'
import { Kysely, PostgresDialect } from 'kysely'
import { keepAliveDelay } from './keep-alive.ts'
import { loadDriver } from './load-driver.ts'
import type { Limits } from './open-database.ts'

// biome-ignore lint/suspicious/noExplicitAny: any database of the user's
export async function openPostgres(url: string, limits: Limits): Promise<Kysely<any>> {
  const { default: pg } = await loadDriver('pg', 'PostgreSQL', () => import('pg'))
  const pool = new pg.Pool({
    connectionString: url,
    max: limits.connections,
    connectionTimeoutMillis: limits.connectionTimeout,
    application_name: 'model-api',
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelay,
  })
  const settings = [
    ['statement_timeout', String(limits.statementTimeout)],
    ['timezone', 'UTC'],
    ['datestyle', 'ISO'],
    ...(limits.readOnly ? [['default_transaction_read_only', 'on']] : []),
  ]
  const calls = [
    ...settings.map((_, i) => `set_config($${2 * i + 1}, $${2 * i + 2}, false)`),
    // Just-in-time compilation does not stop at the time limit. Not every server that speaks the protocol has it.
    "case when current_setting('jit', true) = 'on' then set_config('jit', 'off', false) end",
  ]
  // A statement rather than start-up parameters, which connection poolers refuse.
  const text = `select ${calls.join(', ')}`
  const setUp = (client: PgClient): Promise<unknown> => client.query(text, settings.flat())
  return new Kysely({
    dialect: new PostgresDialect({ pool: preparedPg(pool, { named: limits.prepared, setUp }) }),
  })
}
