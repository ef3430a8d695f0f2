// Settings under which the PostgreSQL catalogue is read: without JIT, and with a time limit of its own.

import type { AnyDatabase } from '../../sql/any-database.ts'
import { rowsOf } from '../../sql/statement.ts'
import type { CatalogueTable } from '../shared/catalogue.ts'
import { readPostgres } from './catalogue.ts'

/**
 * The planner overestimates the catalogue's recursive queries and compiles them, which takes seconds for milliseconds of work; and
 * the pool's `statement_timeout` is meant for requests. Both are set for one transaction; in a transaction of the host nothing is
 * changed, and neither is it where the driver has no transactions.
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
