// The condition pass: plans filters, groups of filters and relation filters as typed conditions, and separates WHERE from HAVING
// (docs/reference/query-language.md): `price__ge=30` → `{ kind: 'compare', operand: books.price, operator: 'ge', value: '30' }`.

import {
  conflictingParameters,
  featureDisabled,
  invalidValue,
  operatorNotForType,
} from '../../../errors.ts'
import { type FilterOperator, filterOperators } from '../../../model/query-words/operators.ts'
import { settingNames } from '../../../model/settings/setting-names.ts'
import type { TypedColumn } from '../../../model/type-definition.ts'
import { operatorFits } from '../../../model/type-rules.ts'
import { parseBoolean } from '../../../model/types/boolean-type.ts'
import {
  type ConditionNode,
  type FieldNode,
  type FilterNode,
  type GroupNode,
  isField,
  type OperandNode,
} from '../../parse/ast.ts'
import { planDeclared } from '../aggregates/declared-aggregate-plan.ts'
import { planRelatedAggregate } from '../aggregates/related-aggregate.ts'
import { type PlanContext, textAt } from '../context.ts'
import { type Names, resolveName } from '../names.ts'
import type { ColumnRef, Condition, Operand, RelatedRef } from '../plan.ts'
import { allowOnRelated } from '../relations/related-switches.ts'
import { operandType } from './operand-type.ts'
import { testOf } from './operator-test.ts'
import { planRelationFilter } from './relation-filter.ts'
import { planValue } from './value.ts'

/** Returns the aggregate or bucket with a label, such as `n` of `count(books)|n`; undefined for any other name. */
export type Labels = (name: string) => Operand | undefined

const noLabels: Labels = () => undefined

/** The conditions of a query, by the clause of SQL that tests them. */
export interface PlannedConditions {
  readonly where: readonly Condition[]
  readonly having: readonly Condition[]
}

/** Plans all top-level conditions, which are combined with AND. A condition on an aggregate's label goes to HAVING. */
export function planConditions(
  context: PlanContext,
  names: Names,
  nodes: readonly ConditionNode[],
  labels: Labels = noLabels,
): PlannedConditions {
  const [first] = nodes
  if (first !== undefined && !context.resource.settings.allowFilters) {
    throw featureDisabled('Filtering', settingNames.allowFilters, textAt(context, first.span))
  }
  const where: Condition[] = []
  const having: Condition[] = []
  for (const node of nodes) {
    const planned = planCondition(context, names, node, labels)
    const condition = node.kind === 'filter' ? withSlot(planned, node) : planned
    const stage = stageOf(condition)
    if (stage === 'both') {
      throw conflictingParameters(
        'One group cannot hold conditions on rows and on aggregates; write them as separate parameters.',
        textAt(context, node.span),
      )
    }
    ;(stage === 'having' ? having : where).push(condition)
  }
  return { where, having }
}

/** Plans conditions that need no HAVING, for relation filters, per-relation options and aggregates of related rows. */
export function planWhere(
  context: PlanContext,
  names: Names,
  nodes: readonly ConditionNode[],
  labels: Labels = noLabels,
): readonly Condition[] {
  return nodes.map((node) => planCondition(context, names, node, labels))
}

/**
 * Plans what a filter tests or an order sorts by: a label, an aggregate of related rows, or a column. `at` is the part of the query that
 * errors quote; `hint` as in `resolveColumn`.
 */
export function planOperand(
  context: PlanContext,
  names: Names,
  node: OperandNode,
  labels: Labels,
  at: string,
  hint?: string,
): Operand {
  if (!isField(node)) return planRelatedAggregate(context, names.base, node, planWhere)
  const label = node.path.length === 0 ? labels(node.column) : undefined
  return label ?? planField(context, names, node, at, hint)
}

/** Plans a field: a column, or the aggregate that a model declares under this name. `hint` as in `resolveName`. */
export function planField(
  context: PlanContext,
  names: Names,
  node: FieldNode,
  at: string,
  hint?: string,
): ColumnRef | RelatedRef {
  const found = resolveName(names, node, at, hint)
  return found.kind === 'column'
    ? found
    : planDeclared(context, found.source, found.column, planWhere)
}

/** Whether a condition tests rows (WHERE), aggregates (HAVING) or both. */
function stageOf(condition: Condition): 'where' | 'having' | 'both' {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const [first, ...others] = condition.all.map(stageOf)
      return others.every((stage) => stage === first) ? (first ?? 'where') : 'both'
    }
    case 'not':
      return stageOf(condition.one)
    case 'exists':
    case 'linked':
    case 'keys':
      return 'where'
    default:
      return condition.operand.kind === 'aggregate' ? 'having' : 'where'
  }
}

/** Plans one condition of any kind. */
function planCondition(
  context: PlanContext,
  names: Names,
  node: ConditionNode,
  labels: Labels,
): Condition {
  switch (node.kind) {
    case 'filter':
      return planFilter(context, names, node, labels)
    case 'exists':
    case 'missing':
      return planRelationFilter(context, names, node, planWhere)
    default:
      return planGroup(context, names, node, labels)
  }
}

/** Plans a group of conditions. `not[a,b]` is NOT (a AND b) in SQL's three-valued logic. */
function planGroup(context: PlanContext, names: Names, node: GroupNode, labels: Labels): Condition {
  const all = node.items.map((item) => planCondition(context, names, item, labels))
  if (node.kind === 'or') return { kind: 'or', all }
  const and: Condition = { kind: 'and', all }
  return node.kind === 'not' ? { kind: 'not', one: and } : and
}

/** Plans one `<field>__<operator>=<value>`. */
function planFilter(
  context: PlanContext,
  names: Names,
  node: FilterNode,
  labels: Labels,
): Condition {
  const at = textAt(context, node.span)
  const operand = planOperand(context, names, node.field, labels, at)
  allowOnRelated(context, operand, 'allowFilters', at)
  const type = operandType(operand)
  if (!operatorFits(node.operator, type)) {
    throw operatorNotForType(node.operator, node.field.text, type.type, fitting(operand), at)
  }
  const field = node.field.text
  const items = node.value.kind === 'list' ? node.value.items : []
  const scalar = node.value.kind === 'scalar' ? node.value.text : ''
  const list = (of: TypedColumn) => items.map(({ text }) => planValue(of, text, field, at))
  const test = testOf(node.operator, type, {
    field,
    at,
    one: () => planValue(type, scalar, field, at),
    list,
    pair() {
      if (items.length === 2) return list(type)
      const pair = 'two values in parentheses, such as (1,10)'
      throw invalidValue(textAt(context, node.value.span), field, pair, at)
    },
    boolean() {
      const answer = parseBoolean(scalar)
      if (answer === undefined) throw invalidValue(scalar, at, 'true or false', at)
      return answer
    },
    text: () => scalar,
  })
  return { ...test, operand }
}

/** Says where the value of a top-level filter is in the query, so that a cached plan takes that of a later request. */
const withSlot = (condition: Condition, { value }: FilterNode): Condition =>
  condition.kind === 'compare' || condition.kind === 'text' || condition.kind === 'oneOf'
    ? { ...condition, slot: { query: value.span.start } }
    : condition

/** Returns the hint that lists the operators for an operand's type. */
function fitting(operand: Operand): string {
  const type = operandType(operand)
  const names = Object.keys(filterOperators) as FilterOperator[]
  return ` Operators for it: ${names.filter((name) => operatorFits(name, type)).join(', ')}.`
}
