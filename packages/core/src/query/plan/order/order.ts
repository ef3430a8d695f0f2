// The order pass: plans `order_by` and appends keys that make the order total, so that pages never overlap (docs/reference/query-language.md).

import { featureDisabled, operatorNotForType, unsupportedQuery } from '../../../errors.ts'
import { excerpt } from '../../../lib/error-size.ts'
import { settingNames } from '../../../model/settings/setting-names.ts'
import { isSortable } from '../../../model/type-rules.ts'
import { isField, type OrderNode } from '../../parse/ast.ts'
import { operandType, sourceOfOperand } from '../conditions/operand-type.ts'
import { type Labels, planOperand } from '../conditions/where.ts'
import { type PlanContext, textAt } from '../context.ts'
import type { PlannedGroups } from '../groups.ts'
import { type Names, refOf, resolveColumn, tieRefs } from '../names.ts'
import { sameColumn } from '../output.ts'
import type { Operand, PlannedOrder, RowPlan, Source } from '../plan.ts'
import { isToMany } from '../relations/joins.ts'
import { allowOnRelated } from '../relations/related-switches.ts'

/**
 * Plans the order of records and projections: first the client's terms, or else those of the relation that leads to the base, then the
 * primary key, or `tieBreakers` without one. In projections, the keys of to-many joins follow.
 */
export function planOrder(
  context: PlanContext,
  names: Names,
  shape: RowPlan['shape'],
  nodes: readonly OrderNode[],
  labels: Labels,
): readonly PlannedOrder[] {
  const terms = nodes.map((node) => {
    const at = textAt(context, node.span)
    const operand = planOperand(context, names, node.field, labels, at, directionHint(node))
    if (shape === 'records' && isToMany(names.joins, sourceOfOperand(operand))) {
      throw unsupportedQuery(
        `"${node.field.text}" has many values for one row; order by it in a projection (fields) or by an aggregate.`,
        textAt(context, node.span),
      )
    }
    return planTerm(context, node, operand)
  })
  // A right join also returns rows without a base row; only the key of the joined table distinguishes them.
  const multiplying = names.joins.filter(
    (join) =>
      shape === 'projection' && (join.type === 'right' || isToMany(names.joins, join.source)),
  )
  const keys = [names.base, ...multiplying.map((join) => join.source)].flatMap(tieRefs)
  return totalOrder(nodes.length > 0 ? terms : relationOrder(names.base), keys)
}

/** The order that the relation declares by which the source is reached. */
const relationOrder = (source: Source): readonly PlannedOrder[] =>
  (source.relation?.order ?? []).flatMap(({ name, descending, nulls }) => {
    const column = source.resource.allColumns.get(name)
    return column === undefined ? [] : [{ operand: refOf(source, column), descending, nulls }]
  })

/** Plans the order of groups: the client's terms, which name keys or labels, then the grouping keys. */
export function planGroupOrder(
  context: PlanContext,
  names: Names,
  groups: PlannedGroups,
): readonly PlannedOrder[] {
  const members = new Map(groups.output.map(({ key, value }) => [key, value]))
  const terms = context.ast.order.map((node) => {
    const at = textAt(context, node.span)
    if (!isField(node.field)) {
      throw unsupportedQuery(
        `"${excerpt(node.field.text)}" is a value of single rows, so groups have no single value of it.`,
        at,
      )
    }
    const member = members.get(node.field.text)
    const operand =
      member ??
      groups.labels(node.field.text) ??
      resolveColumn(names, node.field, at, directionHint(node))
    const grouped = groups.keys.some((key) => sameOperand(key, operand))
    if (operand.kind === 'column' && !grouped) {
      throw unsupportedQuery(
        `"${node.field.text}" is not a grouping column, so groups have no single value of it.`,
        at,
      )
    }
    return planTerm(context, node, operand)
  })
  return totalOrder(terms, groups.keys)
}

/** Returns a hint how to write a direction if the field is like `price desc`, `price:desc` or `price.desc`. */
function directionHint({ field }: OrderNode): string | undefined {
  const [, name, direction] = /^(.+)[ :.](asc|desc)$/i.exec(field.text) ?? []
  if (name === undefined) return undefined
  return direction?.toLowerCase() === 'desc'
    ? ` Descending order is written "-${excerpt(name)}".`
    : ` Ascending order is written "${excerpt(name)}".`
}

/** Refuses `order_by` if it is disabled. */
export function allowOrder(context: PlanContext): void {
  const [first] = context.ast.order
  if (first !== undefined && !context.resource.settings.allowOrderBy) {
    throw featureDisabled('Ordering', settingNames.allowOrderBy, textAt(context, first.span))
  }
}

/** Plans one item of `order_by` on an operand; throws a 400 if its type has no order. */
function planTerm(context: PlanContext, node: OrderNode, operand: Operand): PlannedOrder {
  allowOnRelated(context, operand, 'allowOrderBy', textAt(context, node.span))
  const type = operandType(operand)
  if (!isSortable(type)) {
    throw operatorNotForType('order_by', node.field.text, type.type, '', textAt(context, node.span))
  }
  const nulls = node.nulls ?? (node.descending ? 'first' : 'last')
  return { operand, descending: node.descending, nulls }
}

/** Appends the keys to the terms; leaves out repetitions, which do not change the order. */
function totalOrder(
  terms: readonly PlannedOrder[],
  keys: readonly Operand[],
): readonly PlannedOrder[] {
  const order: PlannedOrder[] = []
  const ties = keys.map((operand): PlannedOrder => ({ operand, descending: false, nulls: 'last' }))
  for (const term of [...terms, ...ties]) {
    if (!order.some(({ operand }) => sameOperand(operand, term.operand))) order.push(term)
  }
  return order
}

/** Whether two operands have the same value in every row. */
function sameOperand(a: Operand, b: Operand): boolean {
  if (a.kind === 'column') return b.kind === 'column' && sameColumn(a, b)
  if (a.kind === 'related' || b.kind === 'related') return a === b
  if (b.kind === 'column' || a.kind !== b.kind || !sameColumn(a.of, b.of)) return false
  return a.kind === 'bucket'
    ? b.kind === 'bucket' && a.unit === b.unit
    : b.kind === 'aggregate' && a.function === b.function
}
