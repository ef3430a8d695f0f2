// How models are compared with a database of MySQL or MariaDB.

import { rowsOf } from '../../sql/statement.ts'
import type { SchemaRules } from '../shared/schema-rules.ts'
import { holdsBy, strictTypes } from '../shared/type-fit.ts'
import { readMysqlSchema } from './catalogue-session.ts'

export const mysqlSchema: SchemaRules = {
  read: readMysqlSchema,
  async tableNames(db, schema) {
    const rows = await rowsOf<{ name: string }>(db)`
      select table_name as name from information_schema.tables
      where table_schema = coalesce(${schema ?? null}, database()) order by table_name`
    return rows.map(({ name }) => name)
  },
  async hasForeignKeys(db, schema) {
    const rows = await rowsOf(db)`
      select 1 from information_schema.referential_constraints
      where constraint_schema = coalesce(${schema ?? null}, database()) limit 1`
    return rows.length > 0
  },
  async foldsTables(db) {
    const rows = await rowsOf<{ folds: unknown }>(db)`select @@lower_case_table_names as folds`
    return Number(rows[0]?.folds) > 0
  },
  foldsColumns: true,
  // `boolean` is a name for tinyint(1), and a boolean of 0 and 1 fits into every whole number.
  holds: holdsBy({
    ...strictTypes,
    integer: [...strictTypes.integer, 'boolean'],
    boolean: ['boolean', 'integer', 'bigint'],
  }),
}
