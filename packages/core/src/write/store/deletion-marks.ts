// deletionMark, activeMark, restoration: the values of a soft delete, `{ deleted_at: '2026-05-14T10:30:00.000Z' }`, of an active record,
// and those that undo the soft delete.

import type { JsonValue } from '../../lib/json/json-value.ts'
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import type { SoftDeleteSettings } from '../../model/settings/settings.ts'
import { momentOf, updatedTimestamps } from '../check/defaults.ts'
import { convertJson } from '../nodes/convert-json.ts'
import { isEmpty, type Values } from '../nodes/node.ts'
import { sameValue } from '../nodes/same-value.ts'
import type { ValueSources } from './write-context.ts'

/** The values that mark a record as deleted. A function of the host receives the record, `stored`; null if no function makes a value. */
export function deletionMark(
  sources: ValueSources,
  resource: Resource,
  softDelete: SoftDeleteSettings,
  stored: Values | null,
): MaybePromise<Values> {
  const timestamps = updatedTimestamps(sources, resource)
  const { attribute } = softDelete
  return andThen(deletedValue(sources, resource, softDelete, stored), (value) => ({
    ...timestamps,
    [attribute]: value,
  }))
}

/** The value of the soft-delete column of a deleted record: a fixed one, the time, or the result of the host's function. */
function deletedValue(
  sources: ValueSources,
  resource: Resource,
  { attribute, active, deleted }: SoftDeleteSettings,
  stored: Values | null,
): MaybePromise<JsonValue> {
  if (deleted.kind === 'value') return deleted.value
  const column = resource.allColumns.get(attribute)
  if (column === undefined) throw new Error(`${resource.name} has no column ${attribute}`)
  if (deleted.kind === 'now') return momentOf(column, sources)
  return andThen(sources.deletedValueOf(resource, deleted.make, stored), (returned) =>
    checkedValue(resource, column, active, returned),
  )
}

/** The result of the host's function; throws if it does not fit its column, or would not mark the record as deleted. */
function checkedValue(
  { name }: Resource,
  column: NamedColumn,
  active: JsonValue,
  returned: unknown,
): JsonValue {
  const what = `The soft-delete value of ${name}`
  const converted = returned === null ? { value: null } : convertJson(column, returned as JsonValue)
  if ('expected' in converted) throw new Error(`${what} is not ${converted.expected.text}.`)
  const { value } = converted
  if (!sameValue(column, value, active)) return value
  throw new Error(`${what} is that of an active record.`)
}

/** The value that marks a record as active; no values for a resource without soft delete. */
export function activeMark({ settings: { softDelete } }: Resource): Values {
  return softDelete === null ? {} : { [softDelete.attribute]: softDelete.active }
}

/** The values that undo a soft delete, with the times of the change; no values for a resource without soft delete. */
export function restoration(sources: ValueSources, resource: Resource): Values {
  const mark = activeMark(resource)
  return isEmpty(mark) ? mark : { ...updatedTimestamps(sources, resource), ...mark }
}
