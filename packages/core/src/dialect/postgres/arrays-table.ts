// arraysTable: rows of bound values as a table, which PostgreSQL builds from one array for each column.

import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import type { DialectColumn } from '../../model/dialect-column.ts'
import type { BoundColumn, ValuesTable } from '../internal-dialect.ts'
import { arrayLiteral } from '../shared/json/list-text.ts'

const name = 'model_api_values'

/** The types whose values can be bound as an array, by their catalogue names, each with the cast from text to an array of the type. */
const plainTypes: ReadonlyMap<string, Fragment> = new Map([
  ['int2', sql`::text::int2[]`],
  ['int4', sql`::text::int4[]`],
  ['int8', sql`::text::int8[]`],
  ['numeric', sql`::text::numeric[]`],
  ['float4', sql`::text::float4[]`],
  ['float8', sql`::text::float8[]`],
  ['bool', sql`::text::bool[]`],
  ['text', sql`::text::text[]`],
  ['varchar', sql`::text::varchar[]`],
  ['date', sql`::text::date[]`],
  ['timestamp', sql`::text::timestamp[]`],
  ['timestamptz', sql`::text::timestamptz[]`],
  ['uuid', sql`::text::uuid[]`],
])

/**
 * `unnest($1::text::int4[], $2::text::varchar[]) as "model_api_values" ("column1", "column2")`, in the order of the rows: the
 * statement has as many bound values as columns, and is the same for any number of rows. The input function of the type reads
 * each item from text, as it reads a parameter of that type.
 *
 * `typeOf` returns the catalogue name of a column's type. Returns undefined if a type is not among `plainTypes`, such as a domain
 * or an enum, or if a value is not a string, finite number, boolean or null.
 */
export function arraysTable(
  columns: readonly BoundColumn[],
  typeOf: (column: DialectColumn) => string,
): ValuesTable | undefined {
  const arrays: Fragment[] = []
  for (const { column, values } of columns) {
    const cast = plainTypes.get(column === null ? 'int4' : typeOf(column))
    const literal = cast && literalOf(values)
    if (literal === undefined) return undefined
    arrays.push(sql`${literal}${cast}`)
  }
  const names = columns.map((_, i) => `column${i + 1}`)
  return {
    table: sql`unnest(${sql.join(arrays)}) as ${sql.id(name)} (${sql.join(names.map((one) => sql.id(one)))})`,
    refs: names.map((one) => sql.id(name, one)),
    joinedBy: 'from',
  }
}

/**
 * Writes an array literal: `{1,NULL,"a \"b\""}`. Undefined if a value cannot be an item. Uses JSON.stringify, which is faster, if
 * the JSON has no escape with another meaning in an array literal.
 */
function literalOf(values: readonly unknown[]): string | undefined {
  if (!values.every(isPlain)) return undefined
  const list = JSON.stringify(values)
  return hasOtherEscape(list) ? arrayLiteral(values) : `{${list.slice(1, -1)}}`
}

/** Whether a JSON text has an escape that an array literal reads as another character, such as `\n`. */
function hasOtherEscape(json: string): boolean {
  for (let at = json.indexOf('\\'); at >= 0; at = json.indexOf('\\', at + 2)) {
    const escaped = json[at + 1]
    if (escaped !== '"' && escaped !== '\\') return true
  }
  return false
}

const isPlain = (value: unknown): boolean =>
  value === null ||
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (typeof value === 'number' && Number.isFinite(value))
