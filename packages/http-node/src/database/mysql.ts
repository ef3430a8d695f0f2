// Opens MySQL or MariaDB with a pool of mysql2.

import { preparedMysql } from '@model-api/core/prepared'
import { Kysely, MysqlDialect, type MysqlPool, type MysqlPoolConnection } from 'kysely'
import { createHosts, type Hosts, isUnreachable, notWritable, onSomeHost } from './hosts.ts'
import { keepAliveDelay } from './keep-alive.ts'
import { loadDriver } from './load-driver.ts'
import type { Limits } from './open-database.ts'
import type { Locations } from './target.ts'

/** Requests that may wait for a connection; more are refused at once. */
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
    // Times stay the text they are, and whole numbers keep all their digits.
    timezone: 'Z',
    dateStrings: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
  })
  const hosts = createHosts(targets, (url) => {
    // Where the pool opens its next connections.
    Object.assign((pool.config as Config).connectionConfig, addressOf(url))
  })
  const prepared = preparedMysql(pool, { prepared: limits.prepared })
  const ready = settingUp(prepared, setUp(limits), limits.connectionTimeout)
  const served =
    hosts.urls.length === 1 ? ready : moving(pool, ready, { hosts, mustWrite: !limits.readOnly })
  return new Kysely({
    dialect: new MysqlDialect({ pool: patient(served, limits.connectionTimeout) }),
  })
}

/** What the driver keeps of its options, to open connections with. */
interface Config {
  readonly connectionConfig: object
}

interface Events {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads
  on(event: 'connection', listener: (...args: any[]) => void): unknown
}

interface Moving {
  readonly hosts: Hosts
  readonly mustWrite: boolean
}

/** What is used of a connection of the driver's. */
interface DriverConnection {
  readonly config: Address
  once(event: 'end' | 'error', listener: () => void): unknown
  destroy(): void
}

/** A pool whose connections lead to the server that serves at the time. */
function moving(pool: Events, ready: MysqlPool, { hosts, mustWrite }: Moving): MysqlPool {
  const asked = new WeakSet<MysqlPoolConnection>()
  pool.on('connection', (connection: DriverConnection) => {
    const { host, port } = connection.config
    const url = hosts.urls.find((one) => isSame(addressOf(one), { host, port })) ?? hosts.current
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

/** A server may become a replica while its connections stay; a write that it refuses tells. */
function leaveWhenReadOnly(connection: MysqlPoolConnection, leave: () => void): void {
  const own = connection.query.bind(connection) as (...given: unknown[]) => unknown
  const query = (text: unknown, values: unknown, callback?: (...given: unknown[]) => void) =>
    callback === undefined
      ? own(text, values)
      : own(text, values, (error: unknown, ...more: unknown[]) => {
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

/** MariaDB and MySQL each read the comment that is meant for them, and no server reads both. */
function setUp({ statementTimeout, readOnly, causalReads }: Limits): string[] {
  const maria = `/*M!100101 , max_statement_time = ${statementTimeout / 1000} */`
  const mysql = `/*!50708 , max_execution_time = ${statementTimeout} */`
  return [
    `set time_zone = '+00:00' ${maria} ${mysql}`,
    // Before reads and the beginning of transactions.
    ...(causalReads ? ['set session wsrep_sync_wait = 1'] : []),
    ...(readOnly ? ['set session transaction read only'] : []),
  ]
}

/**
 * Sets up each connection before its first statement. Where that fails or gives no answer, the connection is closed and its
 * place in the pool is free again; after a failure in Kysely's `onCreateConnection` the place would stay taken.
 */
function settingUp(
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
              if (failure) settle(failure)
              else run(others)
            })
        }
        run(statements)
      }),
    end: (callback) => pool.end(callback),
  }
}

const timedOut = (message: string): Error =>
  Object.assign(new Error(message), { code: 'ETIMEDOUT' })

/** The pool itself would wait for a free connection without end. */
function patient(pool: MysqlPool, milliseconds: number): MysqlPool {
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
