/** The filter operators that only texts have, from the table of all operators, so that lists of requests contain a new one. */

import {
  type FilterOperator,
  filterOperators,
} from '../../packages/core/src/model/query-words/operators.ts'
import { operatorFits } from '../../packages/core/src/model/type-rules.ts'

export const textOperators: readonly FilterOperator[] = (
  Object.keys(filterOperators) as FilterOperator[]
).filter(
  (one) =>
    operatorFits(one, { type: 'text', nullable: true }) &&
    !operatorFits(one, { type: 'integer', nullable: true }),
)

/** Whether an operator on text ignores case, by its name. */
export const ignoresCase = (operator: FilterOperator): boolean => /^n?i/.test(operator)
