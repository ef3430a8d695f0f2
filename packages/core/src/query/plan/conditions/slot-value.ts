// slotValue: the value of a condition. A stored statement is sent with it in place of the value of the request for which it was compiled.

import type { Value } from '../plan.ts'
import type { OperatorTest } from './operator-test.ts'

/** Returns the value of a condition: a list for operators that take one. */
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
