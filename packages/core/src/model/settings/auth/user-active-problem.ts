// Checks API_USER_ACTIVE against the user model: its fields, values or method exist. (`user-active.ts` checks the form alone.)

import { didYouMean } from '../../../lib/naming/suggest.ts'
import { columnTypes, fits, isColumnType } from '../../column-types.ts'
import type { AnyModel } from '../../define-model.ts'
import { shownValue } from '../setting-checks.ts'
import type { UserCondition } from './user-active.ts'

/** Returns what is wrong with a condition on the user model; undefined if nothing is. */
export function conditionProblem(condition: UserCondition, model: AnyModel): string | undefined {
  const { name, columns, methods = {} } = model
  if (typeof condition === 'string') {
    if (Object.hasOwn(methods, condition)) return undefined
    if (Object.hasOwn(columns, condition)) {
      return `"${condition}" is a column of ${name}: expected its value for active users, such as { ${condition}: true }.`
    }
    return `${name} has no method "${condition}".${didYouMean(condition, Object.keys(methods))}`
  }
  for (const [field, value] of Object.entries(condition)) {
    const column = Object.hasOwn(columns, field) ? columns[field] : undefined
    if (column === undefined) {
      return `${name} has no column "${field}".${didYouMean(field, Object.keys(columns))}`
    }
    // `checkColumn` reports a type that does not exist.
    if (!isColumnType(column.type)) return undefined
    const isValue =
      value === null
        ? column.nullable === true
        : columnTypes[column.type].json !== 'any' && fits(column, value)
    if (!isValue)
      return `${shownValue(value)} is no value of ${field}, which is of type ${column.type}.`
  }
  return undefined
}
