// bySchema: groups tables by attached database, because each has its own catalogue (`sqlite_master`).

import { grouped } from '../../../lib/grouped.ts'
import type { DialectTable } from '../../../model/dialect-column.ts'

/** Tables by the name of their attached database; a table without a schema belongs to `main`. */
export const bySchema = (
  tables: readonly DialectTable[],
): ReadonlyMap<string, readonly DialectTable[]> => grouped(tables, ({ schema }) => schema ?? 'main')
