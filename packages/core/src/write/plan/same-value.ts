// Whether two JSON values are equal as values of a column, such as `12.5` and `12.50`, or objects whose keys are ordered differently.

import { canonicalJson } from '../../json/canonical.ts'
import type { JsonValue } from '../../json/json-value.ts'
import { stringify } from '../../json/stringify.ts'
import type { NamedColumn } from '../../registry/resource.ts'
import { convertJson } from './value.ts'

export function sameValue(column: NamedColumn, a: JsonValue, b: JsonValue): boolean {
  return a === b || canonicalText(column, a) === canonicalText(column, b)
}

function canonicalText(column: NamedColumn, value: JsonValue): string {
  if (value === null) return 'null'
  if (column.type === 'json') return stringify(canonicalJson(stringify(value)))
  const converted = convertJson(column, value)
  return stringify('value' in converted ? converted.value : value)
}
