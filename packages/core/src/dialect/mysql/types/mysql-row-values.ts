// Values in statements of the application, which it sends in hooks by Kysely: `toRecord` decodes the rows that the driver returns for
// them, and `toColumn` makes values to compare columns with.

import type { JsonValue } from '../../../lib/json/json-value.ts'
import { sql } from '../../../lib/sql/fragment.ts'
import { constant } from '../../../lib/sql/param.ts'
import type { DialectColumn } from '../../../model/dialect-column.ts'
import type { PlanValue } from '../../dialect.ts'
import { jsonText } from '../../shared/sql/sql-parts.ts'
import { isoDatetime } from '../../shared/values/calendar-text.ts'
import { textOf } from '../../shared/values/decode.ts'
import {
  driverDay,
  driverMoment,
  exactNumber,
  jsonTextOf,
  refuseObject,
} from '../../shared/values/driver-values.ts'
import type { MysqlFacts } from '../mysql-column-facts.ts'
import { isZeroDate } from './mysql-moments.ts'
import { mysqlTypes } from './mysql-types.ts'

/** The `rowDecoder` of the dialect; `decode` reads what the dialect selects. */
export function mysqlRowDecoder(
  column: DialectColumn,
  facts: MysqlFacts,
  decode: (raw: unknown) => JsonValue,
): (raw: unknown) => JsonValue {
  const known = facts.of(column)
  const asSelected = (raw: unknown): unknown => {
    switch (column.type) {
      case 'integer':
      case 'bigint':
      case 'decimal':
        return exactNumber(column, raw)
      case 'float':
        // The protocol of prepared statements returns the 32 bits, of which the server shows six digits.
        return known?.single === true && typeof raw === 'number' ? raw.toPrecision(6) : raw
      case 'json':
        return jsonTextOf(
          raw,
          facts.driver.parsesJson && (known?.isToldAsJson ?? true) && !(raw instanceof Uint8Array),
        )
      case 'opaque':
        return refuseObject(column, raw)
      default:
        return raw
    }
  }
  return (raw) => {
    if (raw === null || raw === undefined) return null
    if (column.type === 'date' && raw instanceof Date) return driverDay(column, raw, facts.driver)
    if (column.type !== 'datetime') return decode(asSelected(raw))
    const iso =
      raw instanceof Date ? driverMoment(column, raw, facts.driver) : isoDatetime(textOf(raw))
    const isInSession = raw instanceof Date || !/(?:Z|[+-][0-9:]+)$/.test(textOf(raw).slice(10))
    return known?.zoned === true && isInSession && !isZeroDate(iso)
      ? inUtc(column, iso, facts.sessionAhead)
      : iso
  }
}

/** Converts the value of a TIMESTAMP from the time zone of the session. */
function inUtc({ name }: DialectColumn, iso: string, ahead: number | undefined): string {
  if (ahead !== undefined) return new Date(Date.parse(iso) - ahead).toISOString()
  throw new TypeError(
    `The server converts the TIMESTAMP "${name}" to the time zone of the session, whose distance to UTC is not known. ` +
      "Set time_zone = '+00:00' for the connections of the pool.",
  )
}

/** The `comparand` of the dialect. `encode` converts values of the types that need nothing else, such as a datetime to its time zone. */
export function mysqlComparand(
  column: DialectColumn,
  value: unknown,
  facts: MysqlFacts,
  encode: (value: unknown) => unknown,
): unknown {
  switch (column.type) {
    case 'bigint':
    case 'decimal':
      // MySQL compares a number with a string as doubles.
      return mysqlTypes[column.type].bind(constant(planValueOf(column, value)), column)
    case 'float':
      return facts.of(column)?.single === true ? Math.fround(Number(value)) : value
    case 'json':
      return facts.of(column)?.nativeJson === true
        ? sql`cast(${jsonText(value)} as json)`
        : jsonText(value)
    default:
      return encode(value)
  }
}

const planValueOf = ({ type }: DialectColumn, value: unknown): PlanValue =>
  type === 'bigint' ? BigInt(String(value)) : String(value)
