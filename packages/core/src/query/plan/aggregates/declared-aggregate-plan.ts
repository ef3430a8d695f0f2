// Plans the aggregates that models declare, such as `aggregates: { bookCount: { function: 'count', of: 'books' } }`: their text,
// `count(books)`, is parsed and planned as if the query had it. Each request that reads one plans it.

import { ApiError } from '../../../errors.ts'
import type { AggregateColumn } from '../../../model/registry/resource.ts'
import type { ParseLimits } from '../../parse/limits.ts'
import { parseQuery } from '../../parse/parse-query.ts'
import type { PlanContext } from '../context.ts'
import type { Output, RelatedRef, Source } from '../plan.ts'
import { type PlanWhere, planAggregate } from './related-aggregate.ts'

// No value exceeds it, so that no error names its setting.
const noLimit = { setting: '', value: Number.POSITIVE_INFINITY }

/** The parse limits for what a model declares: those of requests do not apply to it. */
export const noParseLimits: ParseLimits = {
  conditions: noLimit,
  relationFilters: noLimit,
  aggregates: noLimit,
  list: noLimit,
}

/** Plans a declared aggregate of `from`; one that occurs again in a query is planned once. */
export function planDeclared(
  context: PlanContext,
  from: Source,
  column: AggregateColumn,
  planWhere: PlanWhere,
): RelatedRef {
  const known = context.relatedAggregates.get(from) ?? new Map<string, RelatedRef>()
  context.relatedAggregates.set(from, known)
  // No text of a client begins with a space, so none takes the place of what a model declares.
  const key = ` ${column.name}`
  const planned = known.get(key) ?? planText(context, from, column, planWhere)
  known.set(key, planned)
  return planned
}

/** Parses and plans the aggregate's text. */
function planText(
  context: PlanContext,
  from: Source,
  column: AggregateColumn,
  planWhere: PlanWhere,
): RelatedRef {
  const ast = parseQuery(`fields=${column.text}`, { limits: noParseLimits })
  const [node] = ast.fields ?? []
  if (node === undefined || !('kind' in node) || node.kind !== 'related') {
    throw new TypeError(`"${column.text}" is no aggregate of related records.`)
  }
  const own: PlanContext = { ...context, ast, fromModel: true }
  return { ...planAggregate(own, from, node, planWhere), declared: column }
}

/**
 * Plans the declared aggregates that responses contain without being asked. An aggregate of records that the caller may not list is left
 * out.
 */
export function sentAggregates(
  context: PlanContext,
  from: Source,
  planWhere: PlanWhere,
): readonly Output[] {
  const { aggregates } = from.resource
  if (aggregates.size === 0) return []
  return [...aggregates.values()].flatMap((column): Output | [] => {
    const value = column.sent ? unlessForbidden(context, from, column, planWhere) : undefined
    return value === undefined ? [] : { key: column.name, value, visible: true, unasked: true }
  })
}

/** Plans the aggregate; undefined if the caller may not list the records that it reads. */
function unlessForbidden(
  context: PlanContext,
  from: Source,
  column: AggregateColumn,
  planWhere: PlanWhere,
): RelatedRef | undefined {
  try {
    return planDeclared(context, from, column, planWhere)
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined
    throw error
  }
}
