/** A Kysely instance over several pools, each with one connection, which it hands out in turn: as a pool over several hosts does. */
import { guardedMysql, type PgPool, preparedPg } from '@model-api/core/drivers'
import { Kysely, MysqlDialect, type MysqlPool, PostgresDialect } from 'kysely'
import { createPool } from 'mysql2'
import pg from 'pg'
import type { TestDatabase } from './databases.ts'
import type { ServerName } from './servers.ts'

export function rotatingPool(name: ServerName, urls: readonly string[]): TestDatabase['kysely'] {
  let turn = 0
  const next = <T>(pools: readonly T[]): T => pools[turn++ % pools.length] as T
  if (name === 'postgres') {
    const pools = urls.map((connectionString) => new pg.Pool({ connectionString, max: 1 }))
    const pool: PgPool = {
      connect: () => next(pools).connect(),
      end: async () => void (await Promise.all(pools.map((one) => one.end()))),
    }
    return new Kysely({ dialect: new PostgresDialect({ pool: preparedPg(pool) }) })
  }
  const pools = urls.map((uri) => createPool({ uri, connectionLimit: 1 }))
  const pool: MysqlPool = {
    getConnection: (callback) => next(pools).getConnection(callback),
    end: (callback) => {
      const ended = pools.map((one) => one.promise().end())
      Promise.all(ended).then(() => callback(null), callback)
    },
  }
  return new Kysely({ dialect: new MysqlDialect({ pool: guardedMysql(pool) }) })
}
