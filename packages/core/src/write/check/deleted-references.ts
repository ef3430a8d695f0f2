// refuseDeletedReferences: refuses to restore a soft-deleted record (`POST /api/books/1/restore`) while it refers to a deleted one, such as
// its author. `checkSegment` calls it for restored records.

import { missingReference } from '../../errors.ts'
import type { ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import type { Value } from '../../query/plan/plan.ts'
import { keyFromRow } from '../../query/run/key.ts'
import { isDeleted } from '../nodes/is-deleted.ts'
import { columnValues, planLookUp } from '../nodes/look-up-plan.ts'
import type { Values } from '../nodes/node.ts'
import { sameValue } from '../nodes/same-value.ts'
import type { WriteContext } from '../store/write-context.ts'
import { readReferred } from './referred-records.ts'
import { shownPaths } from './write-checks.ts'

/**
 * Throws 422 if a foreign key of the stored record refers to a deleted record. Ignores foreign keys and records that the caller may not
 * read, and records that a policy hides, because the response would tell whether they are deleted, and a record that refers to itself.
 */
export async function refuseDeletedReferences(
  context: WriteContext,
  resource: Resource,
  stored: Values,
): Promise<void> {
  const deleted: ResolvedRelation[] = []
  for (const relation of resource.relations.values()) {
    const { kind, target, from } = relation
    if (kind !== 'belongsTo' || target.settings.softDelete === null) continue
    const key = keyFromRow(from, stored)
    if (key === undefined || refersToItself(relation, resource, stored)) continue
    if (await isSeenDeleted(context, resource, relation, key)) deleted.push(relation)
  }
  if (deleted.length > 0) throw missingReference(deleted.flatMap(pathsOf))
}

const pathsOf = (relation: ResolvedRelation): readonly string[] => shownPaths(relation, '')

/** Whether the record refers to itself, so that restoring it also restores what it refers to. */
const refersToItself = (
  { target, pairs }: ResolvedRelation,
  resource: Resource,
  stored: Values,
): boolean =>
  target === resource &&
  pairs.every(({ from, to }) => sameValue(to, stored[from.name] ?? null, stored[to.name] ?? null))

/** Whether the record that a foreign key refers to is deleted, and the caller may know it. */
async function isSeenDeleted(
  context: WriteContext,
  holder: Resource,
  relation: ResolvedRelation,
  key: readonly Value[],
): Promise<boolean> {
  const { to, target } = relation
  if (!(await context.access.mayWrite(target, 'GET_ONE'))) return false
  const { softDelete } = target.settings
  const mark = softDelete === null ? undefined : target.allColumns.get(softDelete.attribute)
  const read = mark === undefined ? to : [...to, mark]
  const plan = planLookUp(target, columnValues(to, key), { read, includeDeleted: true })
  const paths = () => pathsOf(relation)
  const referred = { holder, columns: to, keys: [key], paths, orEmpty: true } as const
  const [found] = await readReferred(context, plan, referred)
  return found !== undefined && isDeleted(target, found)
}
