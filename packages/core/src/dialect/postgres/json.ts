// Builds JSON objects in PostgreSQL, for columns whose JSON is known to have the service's bytes.

import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import type { DialectColumn } from '../../model/dialect-column.ts'
import type { JsonText } from '../shared/json/json-text.ts'
import type { Ref } from '../shared/sql/sql-parts.ts'
import type { Facts } from './column-facts.ts'

/** Builds the JSON of columns whose declared types are known to give the service's bytes. */
export const postgresJson = (facts: Facts): JsonText => ({
  value: (column, ref) => memberOf(facts, column, ref),
  keyPart: (column, ref) =>
    column.type === 'uuid' || isWhole(facts, column) ? sql`${ref}::text` : undefined,
  object: (rows) => sql`(select row_to_json(r)::text from (${rows}) as r)`,
  list(rows, most) {
    const all = sql`'[' || coalesce(string_agg(row_to_json(r)::text, ','), '') || ']'`
    const text =
      most === undefined ? all : sql`case when count(*) > ${most} then ${marked} else ${all} end`
    return sql`(select ${text} from (${rows}) as r)`
  },
  nested: (text) => sql`${text}::json`,
  text: (value) => sql`${value}::text`,
  joined: (parts) => sql.join(parts, sql` || `),
})

/**
 * Replaces a value whose JSON the service must build itself; `fitsJson` finds it. A text that contains these characters by chance
 * only makes the service read the rows again.
 */
const unfit = sql`chr(1) || '?'`

/** Takes the place of a list that is too long. */
const marked = sql`'"\\u0001?"'`

function memberOf(facts: Facts, column: DialectColumn, ref: Ref): Ref | undefined {
  const declared = facts.declared(column)
  switch (column.type) {
    case 'string':
    case 'text':
    case 'enum':
    case 'uuid':
      return declared && sql`${ref}::text`
    case 'integer':
      return declared?.name === 'int2' || declared?.name === 'int4' ? ref : undefined
    case 'bigint':
      return isWhole(facts, column) ? sql`${ref}::text` : undefined
    case 'boolean':
      return declared?.name === 'bool' ? ref : undefined
    case 'decimal':
      return declared?.name === 'numeric' &&
        declared.scale === column.scale &&
        column.scale !== undefined
        ? sql`${ref}::text`
        : undefined
    case 'date':
      return declared?.name === 'date'
        ? within(ref, sql`to_char(${ref}, 'YYYY-MM-DD')`, sql`'9999-12-31'`)
        : undefined
    case 'datetime':
      return declared && moment(declared.name, ref)
    case 'time':
      return declared?.name === 'time' || declared?.name === 'timetz'
        ? sql`left(${ref}::text, 8)`
        : undefined
    default:
      return undefined
  }
}

const isWhole = (facts: Facts, column: DialectColumn): boolean =>
  ['int2', 'int4', 'int8'].includes(facts.declared(column)?.name ?? '')

function moment(type: string, ref: Ref): Fragment | undefined {
  if (type !== 'timestamp' && type !== 'timestamptz') return undefined
  const utc = type === 'timestamp' ? ref : sql`(${ref} at time zone 'UTC')`
  const form = sql`to_char(${utc}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
  return within(utc, form, sql`'9999-12-31 23:59:59.999999'`)
}

/** Writes dates of the years 1 to 9999, and leaves other years and infinities to the service. */
const within = (ref: Ref, form: Fragment, last: Fragment): Fragment =>
  sql`case when ${ref} between '0001-01-01' and ${last} then ${form} when ${ref} is not null then ${unfit} end`
