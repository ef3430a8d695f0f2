// Plans one test of a policy's scope, such as `{ owner_id: 7 }` or `{ price: { ge: 30 } }`: an operator with a value of the host. Constants
// are tested when the API starts, values of functions at each request; a mistake is an error of the host, so never a 400 of the client.

import { columnTypes } from '../../../model/column-types.ts'
import { type FilterOperator, filterOperators } from '../../../model/query-words/operators.ts'
import type { NamedColumn } from '../../../model/registry/resource.ts'
import type { TypedColumn } from '../../../model/type-definition.ts'
import type { Value } from '../plan.ts'
import { type OperatorTest, testOf } from './operator-test.ts'
import { convertText } from './value.ts'

/** Makes the error for a mistake in a scope; `at` is the path to the mistake, such as `.owner_id.eq`. */
export const scopeProblem = (at: string, message: string): Error =>
  new Error(
    `scope${at === '' ? '' : ` at ${at.slice(1)}`}: ${message}${/[.?]$/.test(message) ? '' : '.'}`,
  )

/**
 * Throws for a part of a scope that is undefined. If undefined parts were left out, the scope would have one condition less, or a condition
 * other than the one that was meant.
 */
export function refuseUndefined(hostValue: unknown, at: string): void {
  if (hostValue !== undefined) return
  throw scopeProblem(
    at,
    'is undefined, which is no condition. Give a value, or null, which no row meets',
  )
}

/**
 * Plans a test; undefined if its value is null, which no row meets. Throws if the value is undefined or does not fit. `at` is the path
 * to the column.
 */
export function planScopeTest(
  column: NamedColumn,
  operator: FilterOperator,
  hostValue: unknown,
  at: string,
): OperatorTest | undefined {
  const place = `${at}.${operator}`
  refuseUndefined(hostValue, place)
  if (hostValue === null) return undefined
  const items = filterOperators[operator].takes === 'list' ? listOf(hostValue, place) : []
  const known = items.filter((item) => item !== null)
  // `x in (1, null)` holds where x = 1; any other test of null, such as `x not in (1, null)`, holds for no row.
  if (known.length < items.length && operator !== 'in') return undefined
  const list = (type: TypedColumn) => known.map((value) => converted(type, value, place))
  const expected = (what: string): Error => scopeProblem(place, `expected ${what}`)
  return testOf(operator, column, {
    field: column.name,
    at: place,
    one: () => converted(column, hostValue, place),
    list,
    pair() {
      if (known.length !== 2) throw expected('a list of two values')
      return list(column)
    },
    boolean() {
      if (typeof hostValue !== 'boolean') throw expected('true or false')
      return hostValue
    },
    text() {
      if (typeof hostValue !== 'string') throw expected('a string')
      return hostValue
    },
  })
}

/** Returns the items of a list; throws if the value is none, or if an item is undefined. */
function listOf(hostValue: unknown, at: string): readonly unknown[] {
  if (!Array.isArray(hostValue)) throw scopeProblem(at, 'expected a list')
  // `forEach` and `every` would skip the holes of a sparse array.
  for (const [i, item] of hostValue.entries()) refuseUndefined(item, `${at}[${i}]`)
  return hostValue
}

/** Converts a value of the host to the column's type, by its text. */
function converted(column: TypedColumn, hostValue: unknown, at: string): Value {
  // Some databases sort NaN after all numbers, so that every row would meet `le`. It results from arithmetic with undefined.
  if (Number.isNaN(hostValue)) throw scopeProblem(at, 'is NaN')
  const text = textOf(column, hostValue)
  if (text === undefined) throw scopeProblem(at, 'expected a string, number, boolean or Date')
  const conversion = convertText(column, text)
  if ('value' in conversion) return conversion.value
  throw scopeProblem(
    at,
    `expected ${conversion.expected.text}, got ${JSON.stringify(text.slice(0, 100))}`,
  )
}

/** The text of a host's value, as a query would write it; undefined if it is no such value. */
function textOf({ type }: TypedColumn, value: unknown): string | undefined {
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) return undefined
    const iso = value.toISOString()
    const { fromClock } = columnTypes[type]
    return fromClock === false ? iso : fromClock(iso)
  }
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value)
    ? String(value)
    : undefined
}
