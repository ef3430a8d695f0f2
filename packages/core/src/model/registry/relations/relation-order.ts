// The order_by of a to-many relation: the order of its records where a request asks for none.

import { didYouMean } from '../../../lib/naming/suggest.ts'
import type { Relation } from '../../relation.ts'
import type { Problems } from '../../settings/setting-problems.ts'
import { isSortable } from '../../type-rules.ts'
import type { RelationOrderTerm, Resource } from '../resource.ts'

/** The end of `price.nullsfirst` or `price.nullslast`. */
const nullsAtEnd = /\.nulls(first|last)$/

/** Resolves the terms of `order_by`; a name that is no column, or a column that cannot order or that some callers may not read, is a problem. */
export function resolveRelationOrder(
  relation: Relation,
  target: Resource,
  at: string,
  problems: Problems,
): readonly RelationOrderTerm[] {
  const declared = 'order_by' in relation ? relation.order_by : undefined
  return [declared ?? []].flat().map((text) => {
    const [, nulls] = nullsAtEnd.exec(text) ?? []
    const descending = text.startsWith('-')
    const name = text.slice(descending ? 1 : 0).replace(nullsAtEnd, '')
    const wrong = problemWith(target, name)
    if (wrong !== undefined) problems.add(`${at}.order_by`, wrong)
    const byDefault = descending ? 'first' : 'last'
    return { name, descending, nulls: (nulls as 'first' | 'last' | undefined) ?? byDefault }
  })
}

/** Returns why a column cannot be in the order. */
function problemWith({ name: model, allColumns }: Resource, name: string): string | undefined {
  const column = allColumns.get(name)
  if (column === undefined) {
    return `${model} has no column "${name}".${didYouMean(name, allColumns.keys())}`
  }
  // A cursor holds the values of the order.
  if (column.hidden || column.definition.read !== undefined) {
    return `"${name}" of ${model} is hidden from some callers, and the order would tell them its values. Choose another column.`
  }
  return isSortable(column)
    ? undefined
    : `"${name}" of ${model} is of type ${column.type}, which has no order.`
}
