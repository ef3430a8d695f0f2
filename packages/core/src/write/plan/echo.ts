// The plan of an echo, which is a written record as the response returns it: adds the columns that a response always needs, and tells
// whether the written row alone has all columns.

import type { ReadPlan, RowPlan } from '../../plan/plan.ts'
import { recordKey, withRecord } from '../../plan/record.ts'

/** Makes a plan also read the key and the ETag values of its records, unless its output includes them already. */
export function withKeyAndTag<P extends ReadPlan>(plan: P): P {
  const { rows } = plan
  const { primaryKey, columns } = rows.from.resource
  const shown = rows.shape === 'records' && primaryKey.every(({ name }) => columns.has(name))
  const read = rows.output.some(({ key }) => key === recordKey(primaryKey[0]?.name ?? ''))
  return shown || read ? plan : { ...plan, rows: withRecord(rows) }
}

/** Whether a plan reads only stored columns of its table: no joins, no groups, no computed columns. */
export const readsStoredColumns = ({ from, joins, output, shape }: RowPlan): boolean =>
  joins.length === 0 &&
  shape !== 'groups' &&
  output.every(
    ({ value }) =>
      value.kind === 'column' && value.source === from && value.column.computed === undefined,
  )
