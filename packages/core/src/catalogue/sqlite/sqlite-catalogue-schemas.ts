// The attached databases of SQLite that have tables, for `schemasWithTables` in `introspect`.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import { type SchemaSize, type SchemaSizeRow, schemaSizes } from '../shared/catalogue.ts'

export async function sqliteSchemas(db: AnyDatabase): Promise<readonly SchemaSize[]> {
  const rows = await rowsOf<SchemaSizeRow>(db)`
    select schema as name, count(*) as size,
      case when schema = 'main' then 1 else 0 end as own from pragma_table_list
    where type in ('table', 'view') and schema <> 'temp' and name not like 'sqlite!_%' escape '!'
    group by schema order by 1`
  return schemaSizes(rows)
}
