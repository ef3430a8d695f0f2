// sameValue: whether two JSON values are equal as values of a column, such as `12.5` and `12.50`, or objects whose keys are ordered
// differently.

import { canonicalJson } from '../../lib/json/canonical.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { stringify } from '../../lib/json/stringify.ts'
import { columnTypes } from '../../model/column-types.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import { convertJson } from './convert-json.ts'

/**
 * Whether the values are equal. An update leaves out a column whose value the client, or a callback, sends back as it is stored; a refused
 * write does not look for another record with a unique value that its record keeps.
 */
export function sameValue(column: NamedColumn, a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true
  if (a === null || b === null) return false
  const isOneForm =
    columnTypes[column.type].hasOneJsonForm && typeof a === typeof b && typeof a !== 'object'
  return !isOneForm && canonicalText(column, a) === canonicalText(column, b)
}

/** A text that is the same for equal values of the column; that of the value itself if the column cannot have it. */
function canonicalText(column: NamedColumn, value: JsonValue): string {
  if (columnTypes[column.type].json === 'any') return stringify(canonicalJson(stringify(value)))
  const converted = convertJson(column, value)
  return stringify('value' in converted ? converted.value : value)
}
