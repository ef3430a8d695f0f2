// The tables of an attached SQLite database, except virtual ones, for `rowCounts` in `introspect`. SQLite does not know how many rows they have.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import type { TableEstimate } from '../shared/catalogue.ts'

export const sqliteTables = (db: AnyDatabase, schema = 'main'): Promise<TableEstimate[]> =>
  rowsOf<TableEstimate>(db)`
    select name, null as rows from pragma_table_list where type = 'table' and schema = ${schema}`
