// openMysql: opens MySQL or MariaDB with a pool of mysql2, for `openDatabase`. The pool is wrapped by functions that each add one property:
// set-up of connections, fail-over, a time limit of the wait.

import { guardedMysql } from '@model-api/core/drivers'
import { sessionSettings } from '@model-api/core/internals'
import { Kysely, MysqlDialect, type MysqlPool, type MysqlPoolConnection } from 'kysely'
import { createHosts, type Hosts, isUnreachable, notWritable, onSomeHost } from './hosts.ts'
import { keepAliveDelay } from './keep-alive.ts'
import { loadDriver } from './load-driver.ts'
import type { Locations } from './locations.ts'
import type { Limits } from './open-database.ts'

/** Requests that may wait for a connection; further ones are refused immediately. */
const longestQueue = 1_000

// biome-ignore lint/suspicious/noExplicitAny: any database of the user's
export async function openMysql(targets: Locations, limits: Limits): Promise<Kysely<any>> {
  const { default: mysql } = await loadDriver('mysql2', 'MySQL or MariaDB', () => import('mysql2'))
  const pool = mysql.createPool({
    uri: targets[0],
    connectionLimit: limits.connections,
    queueLimit: longestQueue,
    connectTimeout: limits.connectionTimeout,
    enableKeepAlive: true,
    keepAliveInitialDelay: keepAliveDelay,
    charset: 'utf8mb4',
    // Times stay strings, and integers keep all digits.
    timezone: 'Z',
    dateStrings: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
  })
  const hosts = createHosts(targets, (url) => {
    // The address of the pool's next connections.
    Object.assign((pool.config as Config).connectionConfig, addressOf(url))
  })
  const ready = withSetUp(guardedMysql(pool), setUp(limits), limits.connectionTimeout)
  const served =
    hosts.urls.length === 1
      ? ready
      : failoverPool(pool, ready, { hosts, mustWrite: !limits.readOnly })
  return new Kysely({
    dialect: new MysqlDialect({ pool: withAcquireTimeout(served, limits.connectionTimeout) }),
  })
}

/** The driver's configuration of the pool, with the options of new connections. */
interface Config {
  readonly connectionConfig: object
}

interface Events {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
  on(event: 'connection', listener: (...args: any[]) => void): unknown
}

interface Failover {
  readonly hosts: Hosts
  /** Whether a server that is read-only is left for the next one. */
  readonly mustWrite: boolean
}

/** The part of a mysql2 connection that is used here. */
interface DriverConnection {
  readonly config: Address
  once(event: 'end' | 'error', listener: () => void): unknown
  destroy(): void
}

/** Returns a pool whose connections go to the current server of `hosts`. */
function failoverPool(pool: Events, ready: MysqlPool, { hosts, mustWrite }: Failover): MysqlPool {
  const asked = new WeakSet<MysqlPoolConnection>()
  pool.on('connection', (connection: DriverConnection) => {
    const { host, port } = connection.config
    const url = hosts.urls.find((each) => isSame(addressOf(each), { host, port })) ?? hosts.current
    const { closed } = hosts.opened(url, () => connection.destroy())
    connection.once('end', closed)
    connection.once('error', closed)
  })
  const open = (): Promise<MysqlPoolConnection> =>
    new Promise((resolve, reject) => {
      const url = hosts.current
      const fail = (error: unknown): void => {
        if (isUnreachable(error)) hosts.leave(url)
        reject(error)
      }
      ready.getConnection((error, connection) => {
        if (error) return fail(error)
        if (!mustWrite || asked.has(connection)) return resolve(connection)
        connection.query('select @@global.read_only as readOnly', [], (failure, rows) => {
          const isReadOnly =
            Number((rows as { readOnly?: unknown }[] | undefined)?.[0]?.readOnly) === 1
          if (!failure && !isReadOnly) {
            asked.add(connection)
            leaveWhenReadOnly(connection, () => hosts.leave(url))
            return resolve(connection)
          }
          connection.destroy()
          fail(failure || notWritable())
        })
      })
    })
  return {
    getConnection: (callback) => {
      onSomeHost(hosts, open).then(
        (connection) => callback(null, connection),
        (error: unknown) => callback(error, undefined as never),
      )
    },
    end: (callback) => ready.end(callback),
  }
}

/** Leaves a server when it refuses a write as read-only: it may have become a replica while connections stayed open. */
function leaveWhenReadOnly(connection: MysqlPoolConnection, leave: () => void): void {
  const sendQuery = connection.query.bind(connection) as (...args: unknown[]) => unknown
  const query = (text: unknown, values: unknown, callback?: (...args: unknown[]) => void) =>
    callback === undefined
      ? sendQuery(text, values)
      : sendQuery(text, values, (error: unknown, ...more: unknown[]) => {
          if (error && isReadOnlyServer(error)) leave()
          callback(error, ...more)
        })
  connection.query = query as MysqlPoolConnection['query']
}

const isReadOnlyServer = (error: unknown): boolean => {
  const { errno, message } = error as { errno?: unknown; message?: unknown }
  return errno === 1836 || (errno === 1290 && /read[-_]only/i.test(String(message)))
}

interface Address {
  readonly host?: string | undefined
  readonly port?: number | undefined
}

const isSame = (one: Address, other: Address): boolean =>
  one.host === other.host && one.port === other.port

function addressOf(url: string): Address {
  const { hostname, port } = new URL(url)
  return { host: decodeURIComponent(hostname), port: Number(port || 3306) }
}

/** `, sql_mode = …`: the settings on which the service depends, except those that not every user may set (`assigned` is undefined). */
const assignments = sessionSettings.mysql.checked
  .map(({ name, assigned, comment }) => {
    if (assigned === undefined) return ''
    const assignment = `, ${name} = ${assigned}`
    return comment === undefined ? assignment : ` /*${comment} ${assignment} */`
  })
  .join('')

/** Statements that set up a connection; MariaDB and MySQL each execute only their own version comment. */
function setUp({ statementTimeout, readOnly, causalReads }: Limits): string[] {
  const maria = `/*M!100101 , max_statement_time = ${statementTimeout / 1000} */`
  const mysql = `/*!50708 , max_execution_time = ${statementTimeout} */`
  return [
    `set time_zone = '+00:00'${assignments} ${maria} ${mysql}`,
    // With the value 1, the server waits before reads and before transactions start.
    ...(causalReads ? ['set session wsrep_sync_wait = 1'] : []),
    ...(readOnly ? ['set session transaction read only'] : []),
  ]
}

/**
 * Sets up each connection before its first statement. If that fails or times out, the connection is closed and leaves the
 * pool; after a failure in Kysely's `onCreateConnection` it would occupy the pool forever.
 */
function withSetUp(
  pool: MysqlPool,
  statements: readonly string[],
  milliseconds: number,
): MysqlPool {
  const done = new WeakSet<MysqlPoolConnection>()
  return {
    getConnection: (callback) =>
      pool.getConnection((error, connection) => {
        if (error || done.has(connection)) return callback(error, connection)
        let waiting = true
        const settle = (failure: unknown): void => {
          if (!waiting) return
          waiting = false
          clearTimeout(timer)
          if (failure) connection.destroy()
          else done.add(connection)
          callback(failure, connection)
        }
        const timer = setTimeout(() => {
          settle(timedOut('Setting up a database connection took too long.'))
        }, milliseconds)
        const run = ([statement, ...others]: readonly string[]): void => {
          if (statement === undefined) settle(null)
          else
            connection.query(statement, [], (failure) => {
              if (failure) settle(explained(failure))
              else run(others)
            })
        }
        run(statements)
      }),
    end: (callback) => pool.end(callback),
  }
}

/** Explains the error if the server is not a Galera node; returns any other error unchanged. */
const explained = (failure: unknown): unknown =>
  /unknown system variable 'wsrep_sync_wait'/i.test(String(failure))
    ? new Error('causalReads is for nodes of a Galera cluster, which this server is not.', {
        cause: failure,
      })
    : failure

const timedOut = (message: string): Error =>
  Object.assign(new Error(message), { code: 'ETIMEDOUT' })

/** Limits the wait for a free connection, which mysql2's pool does not. */
function withAcquireTimeout(pool: MysqlPool, milliseconds: number): MysqlPool {
  return {
    getConnection: (callback) => {
      let waiting = true
      const timer = setTimeout(() => {
        waiting = false
        callback(timedOut('No database connection became free in time.'), undefined as never)
      }, milliseconds)
      pool.getConnection((error, connection) => {
        clearTimeout(timer)
        if (waiting) callback(error, connection)
        else if (connection !== undefined) connection.release()
      })
    },
    end: (callback) => pool.end(callback),
  }
}
