// Which writes MySQL and MariaDB support on which tables: single statements, where only some have RETURNING, and UPDATEs of lists. Looked
// up when the dialect connects; `write` chooses its statements by it.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import type { DialectTable } from '../../model/dialect-column.ts'
import type { OrderedUpdates } from '../internal-dialect.ts'
import type { SingleWrites } from '../shared/sql/single-writes.ts'
import { insertHasReturning, schemasOf } from './mysql-column-facts.ts'

/** A table: its schema (`s`) and name (`t`); `own` is 1 if it is in the database of the connection. */
interface Declared {
  readonly s: unknown
  readonly own: unknown
  readonly t: unknown
  /** 1 if it has generated columns. */
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
  if (tables.length === 0) return () => undefined
  const [server] = await rowsOf<{ version: unknown }>(db)`select version() as version`
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

/**
 * Finds the columns for `orderedUpdates`: those of whole numbers with a unique index of their own, in tables of InnoDB. Other engines
 * keep what a transaction has changed before its ROLLBACK, and other types find records by other values, such as 2024 by 24 in a YEAR.
 */
export async function mysqlOrderedUpdates(
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<OrderedUpdates> {
  if (tables.length === 0) return () => false
  const names = sql.join([...new Set(tables.map(({ table }) => table))])
  const schemas = schemasOf(tables)
  const among = (alias: string) =>
    sql`${sql.id(alias, 'table_schema')} in (${schemas}) and ${sql.id(alias, 'table_name')} in (${names})`
  const rows = await rowsOf<{ s: unknown; own: unknown; t: unknown; c: unknown }>(db)`
    select k.s as s, k.s = database() as own, k.t as t, k.c as c
    from (select i.table_schema as s, i.table_name as t, max(i.column_name) as c
      from information_schema.statistics as i where i.non_unique = 0 and ${among('i')}
      group by i.table_schema, i.table_name, i.index_name having count(*) = 1) as k
    join information_schema.columns as n
      on n.table_schema = k.s and n.table_name = k.t and n.column_name = k.c and ${among('n')}
      and n.data_type in ('tinyint', 'smallint', 'mediumint', 'int', 'bigint')
    join information_schema.tables as e
      on e.table_schema = k.s and e.table_name = k.t and ${among('e')} and e.engine = 'InnoDB'`
  const found = new Set<string>()
  for (const { s, own, t, c } of rows) {
    found.add(`${folded(s, t)}\n${c}`)
    if (Number(own) === 1) found.add(`${folded('', t)}\n${c}`)
  }
  return ({ schema = '', table }, column) => found.has(`${folded(schema, table)}\n${column}`)
}

/** Returns the map key of a table, in lower case because table names ignore case on some systems. */
const folded = (schema: unknown, table: unknown): string => `${schema}\n${table}`.toLowerCase()
