// The values at paths of json and jsonb columns in PostgreSQL, such as `settings.theme__eq=dark`.

import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import type { JsonPath } from '../../model/dialect-column.ts'
import type { Ref } from '../shared/sql/sql-parts.ts'
import type { DeclaredType } from './postgres-column-facts.ts'

/**
 * The member `jsonValue` of the dialect. A column whose type is neither json nor jsonb contains JSON as text; the schema check refuses such
 * a column. `declared` is undefined if the type is not known, which is also read as text.
 */
export function postgresJsonValue(
  declared: DeclaredType | undefined,
  ref: Ref,
  { keys, type }: JsonPath,
): Fragment {
  const path = sql.quoted(`{${keys.map((key) => `"${key}"`).join()}}`)
  const value =
    declared?.name === 'json'
      ? sql`case when ${isReadable(ref)} then ${ofJson(ref, path, type)} end`
      : ofJsonb(declared?.name === 'jsonb' ? ref : sql`${ref}::jsonb`, path, type)
  return type === 'text' ? sql`(${value}) collate "C"` : value
}

/** `case when jsonb_typeof(ref #> '{"theme"}') = 'string' then ref #>> '{"theme"}' end` */
function ofJsonb(ref: Ref, path: Ref, type: JsonPath['type']): Fragment {
  const found = sql`jsonb_typeof(${ref} #> ${path})`
  if (type === 'text') return sql`case when ${found} = 'string' then ${ref} #>> ${path} end`
  if (type === 'boolean')
    return sql`case when ${found} = 'boolean' then (${ref} #> ${path})::boolean end`
  return sql`case when ${found} = 'number' then ${numberOf(type, sql`(${ref} #> ${path})::numeric`)} end`
}

function ofJson(ref: Ref, path: Ref, type: JsonPath['type']): Fragment {
  const found = sql`json_typeof(${ref} #> ${path})`
  const text = sql`(${ref} #>> ${path})`
  if (type === 'text') return sql`case when ${found} = 'string' then ${text} end`
  if (type === 'boolean') return sql`case when ${found} = 'boolean' then ${text}::boolean end`
  // A JSON number may be too large even for `numeric`.
  const isNumeric = sql`length(${text}) < 1000 and ${text} ~ '^[^eE]*([eE][-+]?[0-9]{1,3})?$'`
  return sql`case when ${found} = 'number' and ${isNumeric} then ${numberOf(type, sql`${text}::numeric`)} end`
}

/**
 * Casts only numbers within the range of a double, because PostgreSQL raises an error if a cast overflows, or underflows to 0, as it does
 * below 2.5e-324, half of the smallest double.
 */
const numberOf = (type: 'integer' | 'float', numeric: Ref): Fragment =>
  type === 'integer'
    ? sql`case when abs(${numeric}) <= 9007199254740991 and ${numeric} = trunc(${numeric}) then ${numeric}::bigint end`
    : sql`case when abs(${numeric}) < 2.5e-324 then 0 when abs(${numeric}) < 1.7976931348623157e308 then ${numeric}::float8 end`

/**
 * Whether the document contains no escape of a character that PostgreSQL's text cannot contain (U+0000, half of a surrogate pair).
 * With such an escape, reading any part of the document is an error.
 */
const isReadable = (ref: Ref): Fragment =>
  sql`(${ref}::text !~ '\\\\u(0000|[dD][89a-fA-F])' or ${ref}::text !~ '(?<!\\\\)(\\\\\\\\)*\\\\u0000' and ${ref}::text !~ '(?<!\\\\)(\\\\\\\\)*\\\\u[dD][89abAB]..(?!\\\\u[dD][c-fC-F])' and ${ref}::text !~ '(?<!\\\\u[dD][89abAB]..)\\\\u[dD][c-fC-F]')`
