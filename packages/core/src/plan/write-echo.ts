// The echo of a write as a plan: what it must read besides what it shows, and whether the written row alone can tell it.

import type { JsonValue } from '../json/json-value.ts'
import type { Resource } from '../registry/resource.ts'
import type { ReadPlan, RowPlan, Value } from './plan.ts'
import { recordKey, withRecord } from './record.ts'
import { planValueOf } from './write-value.ts'

/** A plan that reads the key of its records and what their tags are made of; whole records show both as they are. */
export function withIdentity<P extends ReadPlan>(plan: P): P {
  const { rows } = plan
  const { primaryKey, columns } = rows.from.resource
  const shown = rows.shape === 'entity' && primaryKey.every(({ name }) => columns.has(name))
  const read = rows.output.some(({ key }) => key === recordKey(primaryKey[0]?.name ?? ''))
  return shown || read ? plan : { ...plan, rows: withRecord(rows) }
}

/** What the values of a key may be called among those that such a plan reads. */
export const keyNames = ({ primaryKey }: Resource): readonly string[] =>
  primaryKey.flatMap(({ name }) => [name, recordKey(name)])

/** The key of a row that such a plan read. */
export const keyOfRow = (
  { primaryKey }: Resource,
  values: Readonly<Record<string, JsonValue>>,
): readonly Value[] =>
  primaryKey.map((column) => {
    const key = recordKey(column.name)
    return planValueOf(column, Object.hasOwn(values, key) ? values[key] : values[column.name])
  }) as readonly Value[]

/** Whether a row of the base's own table holds everything that is read: no joined tables, nothing computed. */
export const readsTable = ({ from, joins, output, shape }: RowPlan): boolean =>
  joins.length === 0 &&
  shape !== 'groups' &&
  output.every(
    ({ value }) =>
      value.kind === 'column' && value.source === from && value.column.computed === undefined,
  )
