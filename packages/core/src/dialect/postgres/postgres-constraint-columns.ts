// The columns of a PostgreSQL constraint, unique index or domain, by the name that an error gives, so that the response to a refused write
// names the fields.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import type { TableName } from '../../lib/sql/table-name.ts'
import { quotedName } from './postgres-column-facts.ts'

/** Returns database names; for a domain or its constraint, of the columns that have this domain. */
export async function postgresConstraintColumns(
  db: AnyDatabase,
  { schema, table }: TableName,
  name: string,
): Promise<readonly string[]> {
  const rows = await rowsOf<{ name: string }>(db)`
    select a.attname::text as name
    from (select to_regclass(${quotedName(schema, table)}) as oid) t
    join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    where exists (
        select 1 from pg_constraint o where o.conname = ${name}
          and (o.conrelid = t.oid and a.attnum = any(o.conkey) or o.contypid = a.atttypid))
      or exists (
        select 1 from pg_type y where y.oid = a.atttypid and y.typtype = 'd' and y.typname = ${name})
      or exists (
        select 1 from pg_index i join pg_class c on c.oid = i.indexrelid
        where i.indrelid = t.oid and c.relname = ${name} and a.attnum = any(i.indkey))
    order by a.attnum`
  return rows.map((row) => row.name)
}
