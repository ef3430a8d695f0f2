// Relation addresses: how a response makes the URL of a relation from columns of its row; computed when the registry is built.

import type { RelationAddress, ResolvedRelation } from '../resource.ts'
import { isKeyless } from '../row-identity.ts'

/**
 * Returns the address of a relation: below the URL of the row, `/api/books/1/author`. A row without a primary key has no URL. Its
 * relations to a primary key have the URL of the related record, `/api/authors/7`, if the client may see the foreign key. Its other
 * relations have no URL (null).
 */
export function addressOf(relation: Omit<ResolvedRelation, 'address'>): RelationAddress | null {
  const { source, target, segment, kind, from, to } = relation
  if (!isKeyless(source)) {
    return { resource: source, key: source.primaryKey, rest: `/${segment}` }
  }
  if (kind !== 'belongsTo' || isKeyless(target)) return null
  // The columns of the row that hold the primary key of the target, in its order.
  const key = target.primaryKey.flatMap((column) => from[to.indexOf(column)] ?? [])
  const isWhole = key.length === to.length && key.length === target.primaryKey.length
  const isShown = key.every((column) => source.columns.has(column.name))
  return isWhole && isShown ? { resource: target, key, rest: '' } : null
}
