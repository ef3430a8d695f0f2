// Values in statements of the application, which it sends in hooks by Kysely: `toRecord` decodes the rows that the driver returns for
// them, and `toColumn` makes values to compare columns with. `driverProbes` asks when the dialect connects what the driver makes of values.

import type { JsonValue } from '../../../lib/json/json-value.ts'
import { sql } from '../../../lib/sql/fragment.ts'
import type { DialectColumn } from '../../../model/dialect-column.ts'
import { itemOf, itemsOfLiteral } from '../../shared/json/list-text.ts'
import { canonicalInstant, jsonText } from '../../shared/sql/sql-parts.ts'
import {
  type DriverProbes,
  type DriverValues,
  driverDay,
  driverMoment,
  exactNumber,
  jsonTextOf,
  refuseObject,
} from '../../shared/values/driver-values.ts'
import type { PostgresFacts } from '../postgres-column-facts.ts'
import { infinityOf, unusualYearText } from './moments.ts'
import { postgresTypes } from './postgres-types.ts'

/** The expressions of `lookUpDriverValues`. */
export const driverProbes: DriverProbes = {
  moment: (text) => sql`${text}::timestamp`,
  json: sql`${'"1"'}::text::json`,
}

/** The `rowDecoder` of the dialect. */
export function postgresRowDecoder(
  column: DialectColumn,
  facts: PostgresFacts,
  driver: DriverValues,
): (raw: unknown) => JsonValue {
  const decode = postgresTypes[column.type].decoder(column)
  // Drivers make Dates of both kinds of timestamps; only those without time zone depend on the driver.
  const isZoned = facts.declared(column)?.base !== 'timestamp'
  const asSelected = (type: DialectColumn['type'], raw: unknown): unknown => {
    switch (type) {
      case 'date':
      case 'datetime':
        return typeof raw === 'number' ? String(raw).toLowerCase() : raw
      case 'integer':
      case 'bigint':
      case 'decimal':
        return exactNumber(column, raw)
      case 'json':
        return jsonTextOf(raw, driver.parsesJson && isJson(column, facts))
      case 'list':
        return itemsOf(typeof raw === 'string' ? itemsOfLiteral(raw) : raw)
      case 'opaque':
        return refuseObject(column, raw)
      default:
        return raw
    }
  }
  const itemsOf = (raw: unknown): unknown => {
    return Array.isArray(raw) ? raw.map(itemsOf) : jsonOf(itemOf(column).type, raw)
  }
  /** The JSON of a Date, and what `decode` reads for other values. */
  const jsonOf = (type: DialectColumn['type'], raw: unknown): unknown => {
    if (!(raw instanceof Date)) return asSelected(type, raw)
    if (type === 'date') return driverDay(column, raw, driver)
    return isZoned
      ? driverMoment(column, raw, { ...driver, zone: 0 })
      : driverMoment(column, raw, driver)
  }
  return (raw) => {
    if (raw === null || raw === undefined) return null
    const value = jsonOf(column.type, raw)
    return raw instanceof Date ? (value as string) : decode(value)
  }
}

/** Whether the column is of a type whose values drivers may parse; an unknown one is. */
const isJson = (column: DialectColumn, facts: PostgresFacts): boolean =>
  ['json', 'jsonb', undefined].includes(facts.declared(column)?.base)

/** The `comparand` of the dialect: what PostgreSQL compares with the column without losing digits of the value. */
export function postgresComparand(
  column: DialectColumn,
  value: unknown,
  facts: PostgresFacts,
): unknown {
  switch (column.type) {
    case 'integer':
      // A parameter has the type of the column, which may be too small for the value.
      return Math.abs(Number(value)) < 2 ** 31 ? value : sql`${String(value)}::bigint`
    case 'datetime':
      // `encode` cuts digits that the column does not hold; compared without them, the value would be another moment.
      return infinityOf(String(value)) ?? unusualYearText(String(value)) ?? canonicalInstant(value)
    case 'json':
      if (!isJson(column, facts)) return jsonText(value)
      if (facts.declared(column)?.base !== 'json') return sql`${jsonText(value)}::text::jsonb`
      throw new TypeError(
        `PostgreSQL cannot compare "${column.name}", because values of the type json have no equality. Give the column the type jsonb.`,
      )
    default:
      return postgresTypes[column.type].encode(value, column, facts)
  }
}
