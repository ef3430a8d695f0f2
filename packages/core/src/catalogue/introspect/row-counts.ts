// rowCounts: how many rows tables have, read at a cost that does not grow with the tables. `model-api serve` shows it in its index.

import type { Kysely } from 'kysely'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import { type TableName, tableOf } from '../../lib/sql/table-name.ts'
import type { AnyModel } from '../../model/define-model.ts'
import { withReader } from './read-catalogue.ts'

/** The number of rows of a table. */
export interface RowCount {
  readonly rows: number
  /** `exact`; `estimate`: what the database expects, where that is more than 10,000; `minimum`: there are more than 10,000. */
  readonly is: 'exact' | 'estimate' | 'minimum'
}

/** The most rows that are counted. */
const mostCounted = 10_000

/**
 * Returns how many rows the tables of models have: exactly up to 10,000, otherwise as the database estimates it. Reads at most 10,001 rows
 * of each table. Views, foreign tables, and tables that cannot be read are absent.
 *
 * ```ts
 * const counts = await rowCounts(db, models)
 * counts.get(models[0]) // { rows: 3503, is: 'exact' }
 * ```
 *
 * @param schema As in `introspect`; a model's own schema takes precedence. Default: the connection's own.
 */
export async function rowCounts(
  // biome-ignore lint/suspicious/noExplicitAny: any database of the user's
  db: Kysely<any>,
  models: readonly AnyModel[],
  schema?: string,
): Promise<ReadonlyMap<AnyModel, RowCount>> {
  const plain: AnyDatabase = db.withoutPlugins()
  const counts = new Map<AnyModel, RowCount>()
  for (const place of new Set(models.map((model) => model.schema ?? schema))) {
    const tables = await withReader(plain, (on, reader) => reader.estimates(on, place))
    const estimates = new Map(tables.map(({ name, rows }) => [name, Number(rows ?? 0)]))
    for (const model of models) {
      const estimate = estimates.get(model.table)
      if ((model.schema ?? schema) !== place || estimate === undefined) continue
      const count = await rowCount(plain, { schema: place, table: model.table }, estimate)
      if (count !== undefined) counts.set(model, count)
    }
  }
  return counts
}

/** Counts the rows unless the estimate is large; undefined if the table cannot be read. */
async function rowCount(
  db: AnyDatabase,
  table: TableName,
  estimate: number,
): Promise<RowCount | undefined> {
  if (estimate > mostCounted) return { rows: estimate, is: 'estimate' }
  const from = tableOf(table)
  try {
    const [counted] = await rowsOf<{ readonly found: unknown }>(db)`
      select count(*) as found from (select 1 as one from ${from} limit ${mostCounted + 1}) t`
    const rows = Number(counted?.found)
    return rows > mostCounted ? { rows: mostCounted, is: 'minimum' } : { rows, is: 'exact' }
  } catch {
    return undefined
  }
}
