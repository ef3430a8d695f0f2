// How many rows MySQL and MariaDB expect in each table of a database, for `rowCounts` in `introspect`: InnoDB estimates them from a few pages.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import type { TableEstimate } from '../shared/catalogue.ts'

export const mysqlTableEstimates = (
  db: AnyDatabase,
  schema: string | undefined,
): Promise<TableEstimate[]> =>
  rowsOf<TableEstimate>(db)`
    select table_name as name, table_rows as ${sql.id('rows')} from information_schema.tables
    where table_type in ('BASE TABLE', 'SYSTEM VERSIONED')
      and table_schema = ${schema === undefined ? sql`database()` : schema}`
