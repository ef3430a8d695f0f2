// Reads the catalogue of MySQL and MariaDB on a connection whose session has its own time limit.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { sql } from '../../lib/sql/fragment.ts'
import { executeFragment, rowsOf } from '../../lib/sql/statement.ts'
import type { CatalogueTable } from '../shared/catalogue.ts'
import { type MysqlCatalogueOptions, readMysql } from './mysql-catalogue.ts'

/**
 * The variable that limits the time of a statement, and its value for the catalogue: 60 s, in MySQL's milliseconds or MariaDB's
 * seconds.
 */
const mysqlLimit = { name: 'max_execution_time', longest: 60_000 }
const mariadbLimit = { name: 'max_statement_time', longest: 60 }

/**
 * Reads the catalogue under a time limit of 60 s, because the session's limit is meant for requests, and restores the session's
 * limit afterwards. In a transaction of the host, the session's limit stays as it is.
 */
export async function readMysqlSchema(
  db: AnyDatabase,
  options: MysqlCatalogueOptions,
): Promise<CatalogueTable[]> {
  if (db.isTransaction) return readMysql(db, options)
  return db.connection().execute(async (connection) => {
    const { name, longest } = await statementLimit(connection)
    const [row] = await rowsOf<{ value: unknown }>(connection)`
      select @@session.${sql.id(name)} as value`
    const before = Number(row?.value)
    // 0: the session has no limit.
    if (!(before > 0)) return readMysql(connection, options)
    const set = async (value: number): Promise<unknown> =>
      executeFragment(connection, sql`set session ${sql.id(name)} = ${value}`)
    await set(longest)
    try {
      return await readMysql(connection, options)
    } finally {
      await set(before)
    }
  })
}

/** Returns the limit of this server. `show variables` would be simpler, but takes so long that a short limit ends it. */
async function statementLimit(db: AnyDatabase): Promise<typeof mysqlLimit> {
  const [row] = await rowsOf<{ version: string }>(db)`select version() as version`
  return /mariadb/i.test(row?.version ?? '') ? mariadbLimit : mysqlLimit
}
