// Rows of bound values as a table, which PostgreSQL builds from one array for each column: values of records (arraysTable), which a write
// inserts or joins, and keys with their numbers (postgresNumberedKeys).

import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import type { Param } from '../../lib/sql/param.ts'
import type { DialectColumn } from '../../model/dialect-column.ts'
import type { PlanValue } from '../dialect.ts'
import type {
  BoundColumn,
  InternalDialect,
  NumberedKeys,
  ValuesTable,
} from '../internal-dialect.ts'
import { arrayLiteral } from '../shared/json/list-text.ts'
import type { PostgresFacts } from './postgres-column-facts.ts'
import { postgresTypes } from './types/postgres-types.ts'

/** The alias of the table in the statement. */
const valuesName = 'model_api_values'

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
    table: sql`unnest(${sql.join(arrays)}) as ${sql.id(valuesName)} (${sql.join(names.map((column) => sql.id(column)))})`,
    refs: names.map((column) => sql.id(valuesName, column)),
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

const keysName = 'model_api_keys'

/** `unnest($1::text::text[], $2::text::bigint[]) with ordinality as model_api_keys(key_0, key_1, number)` */
export const postgresNumberedKeys = (
  facts: PostgresFacts,
): NonNullable<InternalDialect['numberedKeys']> => {
  /** Whether keys of the column may be equal although their texts differ. Those of a `char(n)` differ in blanks that responses do not show. */
  const mayDiffer = (column: DialectColumn): boolean =>
    facts.collates(column) === 'loose' &&
    column.collation === 'database' &&
    facts.declared(column)?.name !== 'bpchar'
  return (pairs) => {
    const isNeeded = pairs.some(
      ({ column, otherColumn }) => mayDiffer(column) || mayDiffer(otherColumn),
    )
    const types = pairs.map(({ otherColumn }) =>
      postgresTypes[otherColumn.type].key(facts.declared(otherColumn)),
    )
    if (!isNeeded || types.includes(undefined)) return undefined
    return (keys: Param<readonly (readonly PlanValue[])[]>): NumberedKeys => {
      const arrays = types.map((type, i) => {
        const list = keys.map((all) => arrayLiteral(all.map((key) => key[i])))
        return sql`${list}::text::${type?.bound}[]`
      })
      const names = pairs.map((_, i) => sql.id(`key_${i}`))
      return {
        table: sql`unnest(${sql.join(arrays)}) with ordinality as ${sql.id(keysName)}(${sql.join([...names, sql.id('number')])})`,
        number: sql.id(keysName, 'number'),
        refs: types.map((type, i) => sql`${sql.id(keysName, `key_${i}`)}${type?.cast}`),
      }
    }
  }
}
