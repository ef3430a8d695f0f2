// The columns of a check or a unique index of MySQL or MariaDB, by the name that an error gives, so that the response to a refused write
// names the fields.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import type { TableName } from '../../lib/sql/table-name.ts'

/**
 * Returns the columns of the index with this name, and the quoted names in the clause of the CHECK with this name. MariaDB reports
 * the CHECK in the definition of a column as `table.column`.
 */
export async function mysqlConstraintColumns(
  db: AnyDatabase,
  { schema, table }: TableName,
  name: string,
): Promise<readonly string[]> {
  if (name.startsWith(`${table}.`)) return [name.slice(table.length + 1)]
  const place = schema ?? null
  const indexed = await rowsOf<{ name: unknown }>(db)`
    select column_name as name from information_schema.statistics
    where table_schema = coalesce(${place}, database()) and table_name = ${table} and index_name = ${name}`
  const checked = await rowsOf<{ clause: unknown }>(db)`
    select check_clause as clause from information_schema.check_constraints
    where constraint_schema = coalesce(${place}, database()) and constraint_name = ${name}`
  const quoted = checked.flatMap(({ clause }) => String(clause).match(/`(?:[^`]|``)+`/g) ?? [])
  return [
    ...indexed.map((row) => String(row.name)),
    ...quoted.map((identifier) => identifier.slice(1, -1).replaceAll('``', '`')),
  ]
}
