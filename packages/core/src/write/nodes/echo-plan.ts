// The plan of an echo, which is a written record as the response returns it: adds the columns that a response always needs, and tells
// whether the written row alone has all columns. `http/endpoints/writes` plans the echo before anything is written.

import type { ReadPlan, RowPlan } from '../../query/plan/plan.ts'
import { showsAllColumns, withRecord } from '../../query/plan/record.ts'

/** A single record, whose response has an ETag, or a list. */
export type EchoForm = 'one' | 'list'

/** Makes a plan also read the key of its records and, for the ETag of a single one, the visible columns, unless it reads them already. */
export function withKeyAndTag<P extends ReadPlan>(plan: P, form: EchoForm): P {
  const { rows } = plan
  const { primaryKey, columns } = rows.from.resource
  const shown = showsAllColumns(rows) && primaryKey.every(({ name }) => columns.has(name))
  if (shown) return plan
  const read = form === 'list' ? primaryKey : new Set([...primaryKey, ...columns.values()])
  return { ...plan, rows: withRecord(rows, read) }
}

/**
 * Whether a plan reads only stored columns of its table: no joins, no groups, no computed columns. RETURNING of the INSERT or UPDATE can
 * then give them, and a SELECT can lock its rows.
 */
export const readsStoredColumns = ({ from, joins, output, shape }: RowPlan): boolean =>
  joins.length === 0 &&
  shape !== 'groups' &&
  output.every(
    ({ value }) =>
      value.kind === 'column' && value.source === from && value.column.computed === undefined,
  )
