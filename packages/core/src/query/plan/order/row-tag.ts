// The values from which the ETag of one record is computed: all visible columns, whether or not `fields` selects them. The first
// half of the ETag is a hash of them (`http/etag.ts`), so a conditional write can follow a read with any `fields`.

import type { JsonValue } from '../../../lib/json/json-value.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import type { ReadPlan } from '../plan.ts'
import { recordKey, showsAllColumns, withRecord } from '../record.ts'

/** Adds the columns that the ETag needs and `fields` leaves out to the plan of one record. */
export function withRowTag<P extends ReadPlan>(plan: P): P {
  const { rows } = plan
  if (rows.shape === 'groups' || showsAllColumns(rows) || hasRecord(plan)) return plan
  return { ...plan, rows: withRecord(rows) }
}

/** Whether the plan already reads columns under the keys of `record.ts`. */
const hasRecord = ({ rows }: ReadPlan): boolean =>
  rows.output.some(({ key }) => key.startsWith(recordKey('')))

/** Returns the values of the visible columns in the order of the model, of a row read by a plan of `withRowTag` or of a stored record. */
export function tagValues(
  resource: Resource,
  values: Readonly<Record<string, JsonValue>>,
): readonly JsonValue[] {
  return [...resource.columns.keys()].map((name) => {
    const key = recordKey(name)
    return (Object.hasOwn(values, key) ? values[key] : values[name]) ?? null
  })
}
