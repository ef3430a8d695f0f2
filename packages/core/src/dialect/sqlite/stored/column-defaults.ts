// Finds the columns without a default. An INSERT of several records writes NULL for them, since SQLite's VALUES cannot contain DEFAULT.

import type { AnyDatabase } from '../../../lib/sql/any-database.ts'
import { sql } from '../../../lib/sql/fragment.ts'
import type { DialectColumn, DialectTable } from '../../../model/dialect-column.ts'
import type { MultiRowInserts } from '../../internal-dialect.ts'
import { tableColumns } from './table-columns.ts'

/** For INSERT with several records: a record that omits one of these columns gets NULL, which is the column's default. */
export const multiRowInserts = (withoutDefault: ReadonlySet<DialectColumn>): MultiRowInserts => ({
  omitted: (column) => (withoutDefault.has(column) ? sql`null` : undefined),
  counter: { by: 'returning' },
})

/** Finds the columns without a default in ordinary tables. Skips tables named `_cf_…`, which Cloudflare's D1 forbids to read. */
export const columnsWithoutDefault = (
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<ReadonlySet<DialectColumn>> =>
  tableColumns(
    db,
    tables,
    sql`m.name not like '!_cf!_%' escape '!' and p.hidden = 0 and p.dflt_value is null`,
  )
