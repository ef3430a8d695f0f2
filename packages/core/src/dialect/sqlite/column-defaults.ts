// Which columns get NULL where an INSERT leaves them out: the VALUES of SQLite have no DEFAULT.

import type { AnyDatabase } from '../../sql/any-database.ts'
import { sql } from '../../sql/fragment.ts'
import type { DialectColumn, DialectTable } from '../dialect.ts'
import type { MultiRowInserts } from '../internal-dialect.ts'
import { tableColumns } from './table-columns.ts'

/** Inserts of many records; those that leave out one of these columns fit beside others. */
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
