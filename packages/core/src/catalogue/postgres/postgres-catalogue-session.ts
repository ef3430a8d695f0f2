// Reads the PostgreSQL catalogue in a transaction with settings of its own: no JIT compilation, and a separate time limit.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import type { CatalogueTable } from '../shared/catalogue.ts'
import { readPostgres } from './postgres-catalogue.ts'

/**
 * Reads the catalogue in a transaction without JIT and with a time limit of 60 s. The planner overestimates the cost of recursive
 * queries of the catalogue, so PostgreSQL would spend seconds on compiling a query that runs for milliseconds; and the
 * pool's `statement_timeout` is meant for requests. In a transaction of the host, and if the driver has no transactions, both settings stay unchanged.
 */
export async function readPostgresSchema(
  db: AnyDatabase,
  schema?: string,
  only?: readonly string[],
): Promise<CatalogueTable[]> {
  if (db.isTransaction) return readPostgres(db, schema, only)
  let isBegun = false
  try {
    return await db.transaction().execute(async (own) => {
      isBegun = true
      // Compatible servers lack some of the settings.
      await rowsOf(own)`
        select set_config(name, case name when 'jit' then 'off' else '60s' end, true) as value from pg_settings
        where (name = 'jit' and setting = 'on')
          or (name = 'statement_timeout' and setting not in ('0', ''))`
      return readPostgres(own, schema, only)
    })
  } catch (error) {
    if (isBegun) throw error
    return readPostgres(db, schema, only)
  }
}
