// Opens MySQL or MariaDB with a pool of mysql2.

import { preparedMysql } from '@model-api/core/prepared'
import { Kysely, MysqlDialect, type MysqlPool, type MysqlPoolConnection } from 'kysely'
import { keepAliveDelay } from './keep-alive.ts'
import { loadDriver } from './load-driver.ts'
import type { Limits } from './open-database.ts'

/** Requests that may wait for a connection; more are refused at once. */
const longestQueue = 1_000

// biome-ignore lint/suspicious/noExplicitAny: any database of the user's
export async function openMysql(url: string, limits: Limits): Promise<Kysely<any>> {
  const { default: mysql } = await loadDriver('mysql2', 'MySQL or MariaDB', () => import('mysql2'))
  const pool = mysql.createPool({
    uri: url,
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
  const prepared = preparedMysql(pool, { prepared: limits.prepared })
  const ready = settingUp(prepared, setUp(limits), limits.connectionTimeout)
  return new Kysely({
    dialect: new MysqlDialect({ pool: patient(ready, limits.connectionTimeout) }),
  })
}

/** MariaDB and MySQL each read the comment that is meant for them, and no server reads both. */
function setUp({ statementTimeout, readOnly }: Limits): string[] {
  const maria = `/*M!100101 , max_statement_time = ${statementTimeout / 1000} */`
  const mysql = `/*!50708 , max_execution_time = ${statementTimeout} */`
  return [
    `set time_zone = '+00:00' ${maria} ${mysql}`,
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
