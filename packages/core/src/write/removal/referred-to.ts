// referrersRemovedToo, referredToError: the refusal of a deletion, 409, because other records refer to the record (docs/guide/writing.md).

import { type ApiError, referredTo } from '../../errors.ts'
import {
  type Dependent,
  type DependentModel,
  referredColumns,
} from '../../model/registry/relations/dependents.ts'
import type { Resource } from '../../model/registry/resource.ts'
import { keyFromRow } from '../../query/run/key.ts'
import { planReferrers } from '../nodes/look-up-plan.ts'
import type { Values } from '../nodes/node.ts'
import { existsUnscoped, keyIn, keyMatches, readUnscoped } from '../resolve/look-up-records.ts'
import { matchesOf } from '../statements/statements-by-keys.ts'
import type { WriteContext } from '../store/write-context.ts'
import { idOf, removalName } from './removal-types.ts'

/**
 * The stored rows that refer to the record, all of which are removed with it; or `blocking`, so that the deletion is refused. A row is
 * removed with the record if it is `begun` (the record itself and those on the way down to it), `waiting` (in a cycle that is deleted with
 * one of them) or in `together` (removed with the first begun record, by `removalName`). If only the record itself could refer to it, the
 * result is empty: such a reference makes no cycle, and one query that looks for other rows is enough.
 */
export async function referrersRemovedToo(
  context: WriteContext,
  resource: Resource,
  stored: Values,
  dependent: DependentModel,
  { begun, waiting }: Readonly<Record<'begun' | 'waiting', ReadonlyMap<string, unknown>>>,
  together: ReadonlySet<string> = new Set(),
): Promise<readonly Values[] | 'blocking'> {
  const key = keyFromRow(referredColumns(dependent), stored) ?? []
  const most = begun.size + waiting.size + together.size
  if (most > 1) {
    const { resource: holder } = dependent
    const options = { read: holder.primaryKey, includeDeleted: true }
    const plan = planReferrers(context.target.dialect, dependent, [key], options)
    const rows = await readUnscoped(context, plan, most + 1)
    const isLeft = (id: string): boolean => !begun.has(id) && !waiting.has(id)
    const blocks = (row: Values): boolean =>
      isLeft(idOf(holder, row)) && !together.has(removalName(holder, row, 'delete'))
    return rows.some(blocks) ? 'blocking' : rows
  }
  const own = dependent.resource === resource ? keyIn(resource, stored) : undefined
  const except = own === undefined ? [] : keyMatches(resource, own)
  const isBlocked = await existsUnscoped(context, dependent, matchesOf(dependent.key, key), except)
  return isBlocked ? 'blocking' : []
}

/**
 * The 409 error of a deletion that dependents prevent. It names only those dependents that the caller may list. With `mentionsDeleted`, it
 * adds that soft-deleted dependents count, because a caller who sees none could not understand the refusal; whether there are any is not
 * told. `path` is that of the list that removes the record.
 */
export async function referredToError(
  { access }: WriteContext,
  dependents: readonly Dependent[],
  path: string,
  { mentionsDeleted }: { readonly mentionsDeleted: boolean },
): Promise<ApiError> {
  const names = new Set<string>()
  const softDeleted = new Set<string>()
  for (const { resource, held, name } of dependents) {
    if (mentionsDeleted && resource?.settings.softDelete) softDeleted.add(name)
    // A caller who may not read the foreign key must not learn that a record refers to this one.
    if (held.some(({ withheld }) => withheld === 'read')) continue
    if (resource !== null && (await access.mayWrite(resource, 'GET_MANY'))) names.add(name)
  }
  return referredTo([...names].sort(), softDeleted, path)
}
