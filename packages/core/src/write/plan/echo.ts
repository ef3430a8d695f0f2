// The plan that reads a written record for the response (its echo): what it must read in addition, and whether the written row contains all of it.

import type { JsonValue } from '../../json/json-value.ts'
import type { ReadPlan, RowPlan, Value } from '../../plan/plan.ts'
import { recordKey, withRecord } from '../../plan/record.ts'
import { valueOfJson } from '../../plan/value.ts'
import type { Resource } from '../../registry/resource.ts'

/** Makes a plan also read the key and the ETag values of its records, unless its output includes them already. */
export function withKeyAndTag<P extends ReadPlan>(plan: P): P {
  const { rows } = plan
  const { primaryKey, columns } = rows.from.resource
  const shown = rows.shape === 'entity' && primaryKey.every(({ name }) => columns.has(name))
  const read = rows.output.some(({ key }) => key === recordKey(primaryKey[0]?.name ?? ''))
  return shown || read ? plan : { ...plan, rows: withRecord(rows) }
}

/** The names under which a plan of `withKeyAndTag` may read the key columns. */
export const keyNames = ({ primaryKey }: Resource): readonly string[] =>
  primaryKey.flatMap(({ name }) => [name, recordKey(name)])

/** The key of a row read by a plan of `withKeyAndTag`. */
export const keyOfRow = (
  { primaryKey }: Resource,
  values: Readonly<Record<string, JsonValue>>,
): readonly Value[] =>
  primaryKey.map((column) => {
    const key = recordKey(column.name)
    return valueOfJson(column, Object.hasOwn(values, key) ? values[key] : values[column.name])
  }) as readonly Value[]

/** Whether a plan only reads stored columns of the base table: no joins, no groups, no computed columns. */
export const readsStoredColumns = ({ from, joins, output, shape }: RowPlan): boolean =>
  joins.length === 0 &&
  shape !== 'groups' &&
  output.every(
    ({ value }) =>
      value.kind === 'column' && value.source === from && value.column.computed === undefined,
  )
