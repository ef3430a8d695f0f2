// Finds the columns that get NULL if an INSERT omits them, because SQLite's VALUES cannot contain DEFAULT.

import type { AnyDatabase } from '../../sql/any-database.ts'
import { sql } from '../../sql/fragment.ts'
import type { DialectColumn, DialectTable } from '../dialect.ts'
import type { MultiRowInserts } from '../internal-dialect.ts'
import { tableColumns } from './table-columns.ts'

/** Inserts of many records. A record may omit these columns in a statement that has them, because NULL is their default. */
export const multiRowInserts = (withoutDefault: ReadonlySet<DialectColumn>): MultiRowInserts => ({
  omitted: (column) => (withoutDefault.has(column) ? sql`null` : undefined),
  counter: { by: 'returning' },
})

/** The columns of ordinary tables without a default. Cloudflare's D1 forbids to look at its own tables, whose names begin with `_cf_`. */
export const columnsWithoutDefault = (
  db: AnyDatabase,
  tables: readonly DialectTable[],
): Promise<ReadonlySet<DialectColumn>> =>
  tableColumns(
    db,
    tables,
    sql`m.name not like '!_cf!_%' escape '!' and p.hidden = 0 and p.dflt_value is null`,
  )
