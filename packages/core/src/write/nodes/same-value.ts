// Whether two JSON values are equal as values of a column, such as `12.5` and `12.50`, or objects whose keys are ordered differently.

import { canonicalJson } from '../../lib/json/canonical.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { stringify } from '../../lib/json/stringify.ts'
import type { ColumnType } from '../../model/column.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import { convertJson } from './convert-json.ts'

export function sameValue(column: NamedColumn, a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true
  if (a === null || b === null) return false
  const isOneForm = oneForm.has(column.type) && typeof a === typeof b && typeof a !== 'object'
  return !isOneForm && canonicalText(column, a) === canonicalText(column, b)
}

/** The types for which equal values have the same text. */
const oneForm: ReadonlySet<ColumnType> = new Set([
  'integer',
  'boolean',
  'string',
  'text',
  'enum',
  'opaque',
])

function canonicalText(column: NamedColumn, value: JsonValue): string {
  if (column.type === 'json') return stringify(canonicalJson(stringify(value)))
  const converted = convertJson(column, value)
  return stringify('value' in converted ? converted.value : value)
}
