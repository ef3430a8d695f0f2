// The schemas of PostgreSQL that have tables which this user may read, for `schemasWithTables` in `introspect`. Leaves out partitions and what belongs to an
// extension (`deptype = 'e'`); `postgres-catalogue.ts` explains the letters of `relkind`.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import { type SchemaSize, type SchemaSizeRow, schemaSizes } from '../shared/catalogue.ts'

export async function postgresSchemas(db: AnyDatabase): Promise<readonly SchemaSize[]> {
  const rows = await rowsOf<SchemaSizeRow>(db)`
    select n.nspname::text as name, count(*) as size,
      case when n.nspname = current_schema() then 1 else 0 end as own
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
      and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
      and has_schema_privilege(n.oid, 'usage') and has_any_column_privilege(c.oid, 'select')
      and not exists (select 1 from pg_depend e where e.classid = 'pg_class'::regclass
        and e.objid = c.oid and e.deptype = 'e')
    group by n.nspname order by 1`
  return schemaSizes(rows)
}
