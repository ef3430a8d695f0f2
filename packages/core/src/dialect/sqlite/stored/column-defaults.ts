// Finds the columns without a default (columnsWithoutDefault). An INSERT of several records (multiRowInserts) writes NULL for them, since
// SQLite's VALUES cannot contain DEFAULT.

import type { AnyDatabase } from '../../../lib/sql/any-database.ts'
import { sql } from '../../../lib/sql/fragment.ts'
import type { DialectColumn, DialectTable } from '../../../model/dialect-column.ts'
import type { MultiRowInserts } from '../../internal-dialect.ts'
import { tableColumns } from './table-columns.ts'

/**
 * How one INSERT writes several records: one that omits a column without a default gets NULL. A column with a default has no value that
 * stands for it (undefined), so that a record which omits it is inserted by another statement.
 */
export const multiRowInserts = (withoutDefault: ReadonlySet<DialectColumn>): MultiRowInserts => ({
  omitted: (column) => (withoutDefault.has(column) ? sql`null` : undefined),
  generatedKeys: { by: 'returning' },
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
