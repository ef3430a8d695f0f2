// How many rows PostgreSQL expects in each table of a schema, as its last ANALYZE or VACUUM counted them; for `rowCounts` in `introspect`.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import type { TableEstimate } from '../shared/catalogue.ts'

export const postgresTableEstimates = (
  db: AnyDatabase,
  schema: string | undefined,
): Promise<TableEstimate[]> =>
  rowsOf<TableEstimate>(db)`
    select c.relname::text as name, c.reltuples as rows
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'm') and n.nspname = ${schema === undefined ? sql`current_schema()` : schema}`
