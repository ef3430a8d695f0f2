// The databases of a MySQL or MariaDB server that have tables which this user may see, for `schemasWithTables` in `introspect`.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import { type SchemaSize, type SchemaSizeRow, schemaSizes } from '../shared/catalogue.ts'

export async function mysqlSchemas(db: AnyDatabase): Promise<readonly SchemaSize[]> {
  const rows = await rowsOf<SchemaSizeRow>(db)`
    select table_schema as name, count(*) as size,
      case when table_schema = database() then 1 else 0 end as own from information_schema.tables
    where table_schema not in ('information_schema', 'performance_schema', 'mysql', 'sys')
      and table_type <> 'SEQUENCE'
    group by table_schema order by 1`
  return schemaSizes(rows)
}
