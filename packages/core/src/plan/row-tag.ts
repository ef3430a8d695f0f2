// What the row's part of an ETag is made of: the visible columns, whatever the client asked to see.

import type { JsonValue } from '../json/json-value.ts'
import type { Resource } from '../registry/resource.ts'
import type { ReadPlan } from './plan.ts'
import { recordKey, withRecord } from './record.ts'

/** A plan of one record that reads its visible columns even where `fields` leaves them out. */
export function withRowTag<P extends ReadPlan>(plan: P): P {
  const { rows } = plan
  if (rows.shape !== 'projection' || hasRecord(plan)) return plan
  return { ...plan, rows: withRecord(rows) }
}

const hasRecord = ({ rows }: ReadPlan): boolean =>
  rows.output.some(({ key }) => key === recordKey(rows.from.resource.primaryKey[0]?.name ?? ''))

/** The visible columns of a row that such a plan read, or of a stored record. */
export function tagValues(
  resource: Resource,
  values: Readonly<Record<string, JsonValue>>,
): readonly JsonValue[] {
  return [...resource.columns.keys()].map((name) => {
    const key = recordKey(name)
    return (Object.hasOwn(values, key) ? values[key] : values[name]) ?? null
  })
}
