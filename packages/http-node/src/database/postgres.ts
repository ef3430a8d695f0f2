// openPostgres: opens PostgreSQL with a pool of pg, for `openDatabase`: each connection is set up by one statement, and goes to the current
// server of a URL with several hosts.

import { type PgClient, preparedPg } from '@model-api/core/drivers'
import { sessionSettings } from '@model-api/core/internals'
import { Kysely, PostgresDialect } from 'kysely'
import type Pg from 'pg'
import { createHosts, type Hosts, isUnreachable, notWritable, onSomeHost } from './hosts.ts'
import { keepAliveDelay } from './keep-alive.ts'
import { loadDriver } from './load-driver.ts'
import type { Locations } from './locations.ts'
import type { Limits } from './open-database.ts'

// biome-ignore lint/suspicious/noExplicitAny: any database of the user's
export async function openPostgres(targets: Locations, limits: Limits): Promise<Kysely<any>> {
  const { default: pg } = await loadDriver('pg', 'PostgreSQL', () => import('pg'))
  const hosts = createHosts(targets)
  const pool = new pg.Pool({
    connectionString: targets[0],
    ...(hosts.urls.length === 1 ? {} : { Client: failoverClient(pg.Client, hosts) }),
    max: limits.connections,
    connectionTimeoutMillis: limits.connectionTimeout,
    application_name: 'model-api',
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelay,
  })
  const settings = [
    ['statement_timeout', String(limits.statementTimeout)],
    ['timezone', 'UTC'],
    ...(limits.readOnly ? [['default_transaction_read_only', 'on']] : []),
  ]
  const calls = [
    // `current_setting(…, true)`: not every compatible server has all of them.
    ...sessionSettings.postgres.checked.flatMap(({ name, assigned }) =>
      assigned === undefined
        ? []
        : `case when current_setting('${name}', true) <> ${assigned} then set_config('${name}', ${assigned}, false) end`,
    ),
    ...settings.map((_, i) => `set_config($${2 * i + 1}, $${2 * i + 2}, false)`),
    // JIT compilation is not interrupted by statement_timeout.
    "case when current_setting('jit', true) = 'on' then set_config('jit', 'off', false) end",
  ]
  // A statement sets the settings, because connection poolers refuse start-up parameters.
  const isReadOnly = `current_setting('transaction_read_only') = 'on' as "isReadOnly"`
  const text = `select ${[...calls, isReadOnly].join(', ')}`
  const mustWrite = hosts.urls.length > 1 && !limits.readOnly
  const setUp = async (client: PgClient): Promise<void> => {
    const { rows } = await client.query(text, settings.flat())
    if (!mustWrite || rows[0]?.isReadOnly !== true) return
    leaveHostOf(client, hosts)
    throw notWritable()
  }
  const prepared = preparedPg(pool, { named: limits.prepared, setUp })
  return new Kysely({
    dialect: new PostgresDialect({
      pool: { ...prepared, connect: () => onSomeHost(hosts, () => prepared.connect()) },
    }),
  })
}

/** The URL that each client of `failoverClient` connected to. */
const urls = new WeakMap<object, string>()

/** Returns a client class that connects to the current server of `hosts`, and switches to the next one if the server is unreachable. */
function failoverClient(Client: typeof Pg.Client, hosts: Hosts): typeof Pg.Client {
  return class extends Client {
    constructor(config: object = {}) {
      const url = hosts.current
      // The pool makes `password` non-enumerable, so a spread would lose it.
      const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(config))
      super(Object.assign(copy, { connectionString: url }))
      urls.set(this, url)
      const { closed } = hosts.opened(url, () => streamOf(this)?.destroy())
      this.once('end', closed)
    }

    // biome-ignore lint/suspicious/noExplicitAny: the driver's overloads
    override connect(callback?: any): any {
      const settle = (error: unknown): void => {
        if (error && isUnreachable(error)) leaveHostOf(this, hosts)
      }
      if (callback === undefined) {
        return super.connect().catch((error: unknown) => {
          settle(error)
          throw error
        })
      }
      return super.connect((error: Error, ...more: unknown[]) => {
        settle(error)
        callback(error, ...more)
      })
    }
  }
}

const streamOf = (client: object): { destroy(): void } | undefined =>
  (client as { connection?: { stream?: { destroy(): void } } }).connection?.stream

/** Makes new connections go to the next server, and closes those to the server of this client. */
function leaveHostOf(client: object, hosts: Hosts): void {
  const url = urls.get(client)
  if (url !== undefined) hosts.leave(url)
}
