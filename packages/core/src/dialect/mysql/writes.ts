// Single-statement writes on MySQL and MariaDB, where only some statements have RETURNING.

import type { AnyDatabase } from '../../sql/any-database.ts'
import { sql } from '../../sql/fragment.ts'
import { rowsOf } from '../../sql/statement.ts'
import type { DialectTable } from '../dialect.ts'
import type { SingleWrites } from '../shared/writes.ts'
import { insertHasReturning, schemasOf } from './column-facts.ts'

interface Declared {
  readonly s: unknown
  readonly own: unknown
  readonly t: unknown
  readonly makes_columns: unknown
}

/**
 * MariaDB has RETURNING for INSERT and DELETE, MySQL for no statement. A trigger cannot change the table that fired it, so RETURNING
 * gives the stored row, except in a table with generated columns: RETURNING computes them before AUTO_INCREMENT sets the key.
 */
export async function mysqlSingleWrites(
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<SingleWrites> {
  const servers = await rowsOf<{ version: unknown; autocommit: unknown }>(db)`
    select version() as version, @@autocommit as autocommit`
  const [server] = servers
  // Without autocommit, a single statement outside a transaction would be lost.
  if (Number(server?.autocommit) !== 1 || tables.length === 0) return () => undefined
  const names = sql.join([...new Set(tables.map(({ table }) => table))])
  const rows = await rowsOf<Declared>(db)`
    select table_schema as s, table_schema = database() as own, table_name as t,
      max(extra like '%GENERATED%') as makes_columns
    from information_schema.columns
    where table_schema in (${schemasOf(tables)}) and table_name in (${names})
    group by table_schema, table_name`
  const generated = new Map<string, boolean>()
  for (const row of rows) {
    const makesColumns = Number(row.makes_columns) === 1
    generated.set(folded(row.s, row.t), makesColumns)
    if (Number(row.own) === 1) generated.set(folded('', row.t), makesColumns)
  }
  const returns = insertHasReturning(String(server?.version))
  return (change, { schema = '', table }) => {
    const makesColumns = generated.get(folded(schema, table))
    if (makesColumns === undefined) return undefined
    if (change === 'delete') return returns ? 'returned' : 'read'
    return change === 'insert' && returns && !makesColumns ? 'returned' : 'read'
  }
}

/** Returns the map key of a table, in lower case because table names ignore case on some systems. */
const folded = (schema: unknown, table: unknown): string => `${schema}\n${table}`.toLowerCase()
