// testOf: turns a filter operator and its value into a condition, for queries (`where.ts`: the value is text of the client) and for the
// scopes of policies (`scope-test.ts`: it is a value of the host): `nin` with (1,2) → `{ kind: 'oneOf', values: [1, 2], negated: true }`.

import type { FilterOperator } from '../../../model/query-words/operators.ts'
import type { TypedColumn } from '../../../model/type-definition.ts'
import type { OperandType } from '../../../model/type-rules.ts'
import type { Condition, Value } from '../plan.ts'
import { textTest } from './text-test.ts'

/** The kinds of conditions that an operator makes. */
type Tests = Extract<
  Condition,
  { readonly kind: 'compare' | 'between' | 'oneOf' | 'text' | 'items' | 'isNull' }
>

/** What an operator tests: a condition without its operand, which the caller adds. */
export type OperatorTest = Tests extends infer C
  ? C extends Tests
    ? Omit<C, 'operand'>
    : never
  : never

/** The value of an operator. Each function converts it, and throws if the conversion fails. */
export interface OperatorValue {
  /** The name of the column, for errors. */
  readonly field: string
  /** The part of the request or of the scope, for errors. */
  readonly at: string
  /** A single value of the operand's type. */
  one(): Value
  /** Returns the items of a list, converted to the type of `column`. */
  list(column: TypedColumn): readonly Value[]
  /** A list of exactly two values of the operand's type. */
  pair(): readonly Value[]
  /** `true` or `false`, the value of `isnull`. */
  boolean(): boolean
  /** The string that an operator such as `like` searches. */
  text(): string
}

/** Returns the condition that an operator makes on an operand of this type. */
export function testOf(
  operator: FilterOperator,
  type: OperandType,
  value: OperatorValue,
): OperatorTest {
  switch (operator) {
    case 'in':
    case 'nin':
      return { kind: 'oneOf', values: value.list(type), negated: operator === 'nin' }
    case 'contains':
    case 'overlaps': {
      const values = value.list({ ...type, type: type.items ?? 'text' })
      return { kind: 'items', match: operator, values }
    }
    case 'between': {
      const [low, high] = value.pair() as [Value, Value]
      return { kind: 'between', low, high }
    }
    case 'isnull':
      return { kind: 'isNull', negated: !value.boolean() }
    case 'eq':
    case 'ne':
    case 'lt':
    case 'le':
    case 'gt':
    case 'ge':
      return { kind: 'compare', operator, value: value.one() }
    default:
      return { kind: 'text', ...textTest(operator, value.text(), value.field, value.at) }
  }
}
