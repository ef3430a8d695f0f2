// The aggregates of related rows in `fields`, with their labels, which filters and orders may name:
// `fields=name,count(books)|n&n__ge=3&order_by=-n`.

import { conflictingParameters } from '../../../errors.ts'
import type { OutputNode, RelatedAggregateNode } from '../../parse/ast.ts'
import { type Labels, planWhere } from '../conditions/where.ts'
import { type PlanContext, textAt } from '../context.ts'
import { claimMemberName } from '../groups.ts'
import type { Output, RelatedRef, Source } from '../plan.ts'
import { allowOnRelated } from '../relations/related-switches.ts'
import { planRelatedAggregate } from './related-aggregate.ts'

/** The planned aggregates of `fields`. */
export interface SelectedAggregates {
  /** The members that the aggregates become, by the items of `fields`. */
  readonly outputs: ReadonlyMap<OutputNode, Output>
  readonly labels: Labels
}

export const noAggregates: SelectedAggregates = { outputs: new Map(), labels: () => undefined }

/** Plans the aggregates in `fields` over rows that are related to a row of `from`. */
export function planSelectedAggregates(
  context: PlanContext,
  from: Source,
  fields: readonly OutputNode[] | undefined,
): SelectedAggregates {
  const outputs = new Map<OutputNode, Output>()
  const byLabel = new Map<string, RelatedRef>()
  const taken = new Set<string>()
  for (const node of fields ?? []) {
    if (!('kind' in node) || node.kind !== 'related') continue
    const at = textAt(context, node.span)
    const value = planRelatedAggregate(context, from, node, planWhere)
    allowOnRelated(context, value, 'allowSelectFields', at)
    const label = node.label?.text ?? defaultLabel(node, value)
    refuseFieldName(from, label, at)
    claimMemberName(taken, label, 'label', at)
    byLabel.set(label, value)
    outputs.set(node, { key: label, value, visible: true })
  }
  return outputs.size === 0 ? noAggregates : { outputs, labels: (name) => byLabel.get(name) }
}

/** The label of an aggregate without `|label`: `books_count`, `author_books_price_max`. */
function defaultLabel({ function: fn }: RelatedAggregateNode, { path, of }: RelatedRef): string {
  const relations = path.map(({ relation }) => relation.name)
  const column = of === undefined ? [] : of.column.name.split('.')
  return [...relations, ...column, fn].join('_')
}

/** Refuses a label that is also the name of a column or relation. */
function refuseFieldName({ resource }: Source, label: string, at: string): void {
  const what =
    resource.columns.has(label) || resource.aggregates.has(label)
      ? 'column'
      : resource.relations.has(label)
        ? 'relation'
        : undefined
  if (what === undefined) return
  const reason = `The label "${label}" is also a ${what}; choose another with |label.`
  throw conflictingParameters(reason, at)
}
