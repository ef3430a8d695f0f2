// The values at paths of json columns, such as `settings.theme__eq=dark`, in SQLite, which stores JSON as text.

import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import type { JsonPath } from '../../model/dialect-column.ts'
import { jsonPathText } from '../shared/json/json-path.ts'
import { inJsonRange, type Ref } from '../shared/sql/sql-parts.ts'

/**
 * The member `jsonValue` of the dialect. `json_valid` prevents an error on text that is not JSON; SQLite caches the parsed text of a row.
 */
export function sqliteJsonValue(ref: Ref, { keys, type }: JsonPath): Fragment {
  const path = jsonPathText(keys)
  const found = sql`json_type(${ref}, ${path})`
  const value = sql`json_extract(${ref}, ${path})`
  return sql`case when json_valid(${ref}) then ${typedValue(type, found, value)} end`
}

/**
 * The value in the type of the path; NULL if it is of another one, or a number that JSON readers may round: an integer beyond 2^53 - 1, or
 * a number beyond the range of a double. `found` is the JSON type of the value.
 */
function typedValue(type: JsonPath['type'], found: Ref, value: Ref): Fragment {
  const isNumber = sql`${found} in ('integer', 'real')`
  switch (type) {
    case 'text':
      return sql`case when ${found} = 'text' then ${value} end`
    case 'boolean':
      return sql`case ${found} when 'true' then 1 when 'false' then 0 end`
    case 'integer':
      return sql`case when ${isNumber} and ${inJsonRange.safeIntegers(value)} and ${value} = cast(${value} as integer) then cast(${value} as integer) end`
    case 'float':
      return sql`case when ${isNumber} and ${inJsonRange.doubles(value)} then cast(${value} as real) end`
  }
}
