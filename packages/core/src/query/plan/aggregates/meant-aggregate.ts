// Finds the aggregate of related records that a client means by its default label, for the 400 that refuses the label as an unknown column:
// `books_count` → `Did you mean "count(books)"?`, `books_price_max` → `max(books.price)`.

import type { Resource } from '../../../model/registry/resource.ts'

/** Returns the expression with the default label `name`, `count(books)`; undefined unless the caller may use it. */
export function meantAggregate(
  { relations, settings }: Resource,
  name: string,
): string | undefined {
  if (!settings.allowAggregation) return undefined
  const [, start = '', fn = ''] = /^(.+)_(sum|count|avg|min|max)$/.exec(name) ?? []
  for (const { name: relation, cardinality, target } of relations.values()) {
    if (cardinality === 'one') continue
    if (fn === 'count' && start === relation) return `count(${relation})`
    const column = start.slice(relation.length + 1)
    if (fn !== 'count' && start === `${relation}_${column}` && target.columns.has(column)) {
      return `${fn}(${relation}.${column})`
    }
  }
  return undefined
}
