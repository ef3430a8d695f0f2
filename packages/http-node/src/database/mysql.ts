// Opens MySQL or MariaDB with a pool of mysql2.

import { preparedMysql } from '@model-api/core/prepared'
import { CompiledQuery, Kysely, MysqlDialect, type MysqlPool } from 'kysely'
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
    charset: 'utf8mb4',
    // Times stay the text they are, and whole numbers keep all their digits.
    timezone: 'Z',
    dateStrings: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
  })
  return new Kysely({
    dialect: new MysqlDialect({
      pool: patient(preparedMysql(pool, { prepared: limits.prepared }), limits.connectionTimeout),
      onCreateConnection: async (connection) => {
        for (const statement of setUp(limits)) {
          await connection.executeQuery(CompiledQuery.raw(statement))
        }
      },
    }),
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

/** The pool itself would wait for a free connection without end. */
function patient(pool: MysqlPool, milliseconds: number): MysqlPool {
  return {
    getConnection: (callback) => {
      let waiting = true
      const timer = setTimeout(() => {
        waiting = false
        const error = new Error('No database connection became free in time.')
        callback(Object.assign(error, { code: 'ETIMEDOUT' }), undefined as never)
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
