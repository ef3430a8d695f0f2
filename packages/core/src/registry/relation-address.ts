// The URL of a relation in a row, as the columns of that row that its path contains; computed when the registry is built.

import type { RelationAddress, ResolvedRelation } from './resource.ts'
import { isKeyless } from './row-identity.ts'

/**
 * `/api/books/1/author`: below the row's own URL. A row without a key has no URL. A relation from it to a primary key then has
 * the URL of the related record, `/api/authors/7`, if the client sees the foreign key; any other relation has no URL: null.
 */
export function addressOf(relation: Omit<ResolvedRelation, 'address'>): RelationAddress | null {
  const { source, target, segment, kind, from, to } = relation
  if (!isKeyless(source)) {
    return { resource: source, key: source.primaryKey, rest: `/${segment}` }
  }
  if (kind !== 'belongsTo' || isKeyless(target)) return null
  const key = target.primaryKey.flatMap((column) => from[to.indexOf(column)] ?? [])
  const isWhole = key.length === to.length && key.length === target.primaryKey.length
  const isShown = key.every((column) => source.columns.has(column.name))
  return isWhole && isShown ? { resource: target, key, rest: '' } : null
}
