// The values at paths of json columns, such as `settings.theme__eq=dark`, in MySQL and in MariaDB, which stores JSON as text.

import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import type { JsonPath } from '../../model/dialect-column.ts'
import { jsonPathText } from '../shared/json/json-path.ts'
import { inJsonRange, type Ref } from '../shared/sql/sql-parts.ts'

/** The member `jsonValue` of the dialect: `case when json_valid(ref) then case when json_type(…) = 'STRING' then … end end`. */
export function mysqlJsonValue(ref: Ref, { keys, type }: JsonPath): Fragment {
  const value = sql`json_extract(${ref}, ${jsonPathText(keys)})`
  const found = sql`case when json_valid(${ref}) then ${typedValue(type, value)} end`
  // Cast to bytes instead of adding COLLATE, for the reason given in `asComparable` of `mysql-dialect.ts`.
  return type === 'text' ? sql`cast(convert(${found} using utf8mb4) as binary)` : found
}

/**
 * The value in the type of the path; NULL if it is of another one, or a number that JSON readers may round: an integer beyond 2^53 - 1, or
 * a number beyond the range of a double.
 */
function typedValue(type: JsonPath['type'], value: Ref): Fragment {
  const found = sql`json_type(${value})`
  const isNumber = sql`${found} in ('INTEGER', 'UNSIGNED INTEGER', 'DOUBLE', 'DECIMAL')`
  const double = sql`cast(${value} as double)`
  switch (type) {
    case 'text':
      // MySQL keeps the type of dates and times that its functions put into a document; in the JSON text they are strings.
      return sql`case when ${found} in ('STRING', 'DATE', 'DATETIME', 'TIME') then json_unquote(${value}) end`
    case 'boolean':
      return sql`case when ${found} = 'BOOLEAN' then json_unquote(${value}) = 'true' end`
    case 'integer':
      return sql`case when ${isNumber} and ${inJsonRange.safeIntegers(double)} and ${double} = truncate(${double}, 0) then cast(${double} as signed) end`
    case 'float':
      // MariaDB reads a number outside the range of a double as the largest double.
      return sql`case when ${isNumber} and ${inJsonRange.doubles(double)} then ${double} end`
  }
}
