// One test of a policy's scope: an operator with its value, as a condition that still has no operand.

import type { FilterOperator } from '../parse/operators.ts'
import type { NamedColumn } from '../registry/resource.ts'
import type { Condition, Operand, Value } from './plan.ts'
import { textTest } from './text-test.ts'
import { convertText, type ValueColumn } from './value.ts'

/** An error for a mistake in a scope; `at` is the path to it, such as `.owner_id.eq`. */
export const scopeProblem = (at: string, message: string): Error =>
  new Error(
    `scope${at === '' ? '' : ` at ${at.slice(1)}`}: ${message}${/[.?]$/.test(message) ? '' : '.'}`,
  )

/** A condition that still has no operand. */
type Test =
  Extract<Condition, { readonly operand: Operand }> extends infer C
    ? C extends Condition
      ? Omit<C, 'operand'>
      : never
    : never

/** Plans a test; undefined if its value is null, which no row meets. Throws if the value does not fit. */
export function conditionOn(
  column: NamedColumn,
  operator: FilterOperator,
  given: unknown,
  at: string,
): Test | undefined {
  const place = `${at}.${operator}`
  switch (operator) {
    case 'isnull':
      if (!isGiven(given)) return undefined
      if (typeof given !== 'boolean') throw scopeProblem(place, 'expected true or false')
      return { kind: 'isNull', negated: !given }
    case 'in':
    case 'nin': {
      const items = listOf(given, place)
      const known = items?.filter(isGiven)
      // `x not in (1, null)` holds for no row.
      if (known === undefined || (operator === 'nin' && known.length < (items?.length ?? 0))) {
        return undefined
      }
      const values = known.map((value) => converted(column, value, place))
      return { kind: 'oneOf', values, negated: operator === 'nin' }
    }
    case 'between': {
      const values = listOf(given, place)
      if (values === undefined || !values.every(isGiven)) return undefined
      const [low, high] = values
      if (values.length !== 2) throw scopeProblem(place, 'expected a list of two values')
      return {
        kind: 'between',
        low: converted(column, low, place),
        high: converted(column, high, place),
      }
    }
    case 'contains':
    case 'overlaps': {
      const values = listOf(given, place)
      if (values === undefined || !values.every(isGiven)) return undefined
      const item = { ...column, type: column.items ?? 'text' } as const
      return {
        kind: 'items',
        match: operator,
        values: values.map((value) => converted(item, value, place)),
      }
    }
    case 'eq':
    case 'ne':
    case 'lt':
    case 'le':
    case 'gt':
    case 'ge':
      if (!isGiven(given)) return undefined
      return { kind: 'compare', operator, value: converted(column, given, place) }
    default:
      if (!isGiven(given)) return undefined
      if (typeof given !== 'string') throw scopeProblem(place, 'expected a string')
      return { kind: 'text', ...textTest(operator, given, column.name, place) }
  }
}

const isGiven = (value: unknown): boolean => value !== null && value !== undefined

/** The items of a list; undefined for null. */
function listOf(given: unknown, at: string): readonly unknown[] | undefined {
  if (!isGiven(given)) return undefined
  if (!Array.isArray(given)) throw scopeProblem(at, 'expected a list')
  return given
}

function converted(column: ValueColumn, given: unknown, at: string): Value {
  const text = textOf(column, given)
  if (text === undefined) throw scopeProblem(at, 'expected a string, number, boolean or Date')
  const conversion = convertText(column, text)
  if ('value' in conversion) return conversion.value
  throw scopeProblem(
    at,
    `expected ${conversion.expected}, got ${JSON.stringify(text.slice(0, 100))}`,
  )
}

function textOf({ type }: ValueColumn, value: unknown): string | undefined {
  if (value instanceof Date) return value.toISOString().slice(0, type === 'date' ? 10 : undefined)
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value)
    ? String(value)
    : undefined
}
