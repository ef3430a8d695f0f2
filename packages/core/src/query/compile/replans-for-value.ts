// Whether the database plans a prepared statement again for each execution, because of the values in its conditions, as SQLite does for
// `like ?`. Such a statement returns columns, because expressions that build JSON would be planned each time, too.

import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import type { Condition, KeysetPage, Operand, RowPlan } from '../plan/plan.ts'

/** Whether the statement of a plan's rows, beyond a cursor if `keyset` is given, is planned again for each execution. */
export function replansForValue(
  dialect: InternalDialect,
  plan: RowPlan,
  keyset?: KeysetPage,
): boolean {
  const columnReplans = dialect.shortcuts?.replansForValue
  if (columnReplans === undefined) return false
  const byColumn = (operand: Operand, by: 'equality' | 'range' | 'pattern'): boolean =>
    operand.kind === 'column' && columnReplans(operand.column, by)
  const byCondition = (condition: Condition): boolean => {
    switch (condition.kind) {
      case 'compare': {
        const { operand, operator } = condition
        return byColumn(operand, operator === 'eq' ? 'equality' : 'range')
      }
      case 'between':
        return byColumn(condition.operand, 'range')
      case 'oneOf':
        return byColumn(condition.operand, 'equality')
      case 'text':
        return byColumn(condition.operand, 'pattern')
      case 'and':
      case 'or':
        return condition.all.some(byCondition)
      case 'not':
        return byCondition(condition.one)
      case 'exists':
        return condition.where.some(byCondition)
      case 'keys':
        return condition.columns.some((column) => columnReplans(column, 'equality'))
      case 'linked':
        return condition.relation.to.some((column) => columnReplans(column, 'equality'))
      case 'isNull':
      case 'items':
      case 'found':
        return false
    }
  }
  // The first page has no cursor values, and compares nothing.
  const terms = keyset?.values == null ? [] : keyset.terms
  return plan.where.some(byCondition) || terms.some(({ ref }) => columnReplans(ref.column, 'range'))
}
