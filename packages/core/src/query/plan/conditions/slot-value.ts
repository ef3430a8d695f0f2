// slotValue: the value of a condition, as the compiler takes it from a slot.

import type { Value } from '../plan.ts'
import type { OperatorTest } from './operator-test.ts'

export function slotValue(test: OperatorTest): Value | boolean | readonly Value[] {
  switch (test.kind) {
    case 'compare':
      return test.value
    case 'between':
      return [test.low, test.high]
    case 'oneOf':
    case 'items':
      return test.values
    case 'text':
      return test.text
    case 'isNull':
      return test.negated
  }
}
