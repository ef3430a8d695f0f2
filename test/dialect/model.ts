/** The contract in JavaScript (§4, §7): the results of operators, order and aggregates, computed only from the JSON of the rows. */
import type { PlanValue } from '../../packages/core/src/dialect/dialect.ts'
import { compareCodePoints } from '../../packages/core/src/lib/json/code-points.ts'
import type { JsonValue } from '../../packages/core/src/lib/json/json-value.ts'
import { type Column, type Name, rows } from './samples.ts'

/** Compares two values of a column; neither is null. */
export function compareValues(column: Pick<Column, 'type'>, a: JsonValue, b: JsonValue): number {
  switch (column.type) {
    case 'integer':
    case 'float':
    case 'boolean':
      return Number(a) - Number(b)
    case 'bigint':
    case 'decimal': {
      const difference = units(String(a)) - units(String(b))
      return difference < 0n ? -1 : difference > 0n ? 1 : 0
    }
    default:
      return compareCodePoints(String(a), String(b))
  }
}

/** Converts digits to a whole number of 10^-20. */
export function units(digits: string): bigint {
  const [whole = '0', fraction = ''] = digits.split('.')
  return BigInt(whole + fraction.padEnd(20, '0'))
}

export const operators = {
  eq: (order: number) => order === 0,
  ne: (order: number) => order !== 0,
  lt: (order: number) => order < 0,
  le: (order: number) => order <= 0,
  gt: (order: number) => order > 0,
  ge: (order: number) => order >= 0,
} as const

/** The ids of rows whose value is not NULL and passes the test. */
export function idsWhere(name: Name, passes: (value: JsonValue) => boolean): number[] {
  return rows.filter((row) => row[name] !== null && passes(row[name])).map((row) => Number(row.id))
}

/** A JSON value of a column as a plan holds it. */
export function planned(column: Column, value: JsonValue): PlanValue {
  if (column.type === 'bigint') return BigInt(String(value))
  if (column.type !== 'decimal') return value as PlanValue
  const digits = String(value).replace(/\.?0+$/, (zeros) =>
    String(value).includes('.') ? '' : zeros,
  )
  return digits === '-0' ? '0' : digits
}

/** The ids in the order of a column, with NULLs first or last, then by id. */
export function idsInOrder(column: Column, descending: boolean, nulls: 'first' | 'last'): number[] {
  const name = column.name as Name
  const sorted = [...rows].sort((a, b) => {
    const [x, y] = [a[name], b[name]]
    if (x === null || y === null) {
      const order = Number(x === null) - Number(y === null)
      return (nulls === 'last' ? order : -order) || Number(a.id) - Number(b.id)
    }
    const order = compareValues(column, x, y)
    return (descending ? -order : order) || Number(a.id) - Number(b.id)
  })
  return sorted.map((row) => Number(row.id))
}
