// findDependents: reads the records that refer by one foreign key to records about to be removed: the books of an author. The removal then
// removes them first, or sets their foreign key to NULL. keysIn is for it and `find-referrers.ts`.

import { forbidden } from '../../errors.ts'
import { type DependentModel, referredColumns } from '../../model/registry/relations/dependents.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import { keyChunks } from '../../query/compile/chunks.ts'
import type { Value } from '../../query/plan/plan.ts'
import { keyFromRow } from '../../query/run/key.ts'
import { requireAccess } from '../check/write-checks.ts'
import { type LookUpOptions, planReferrers } from '../nodes/look-up-plan.ts'
import type { Values } from '../nodes/node.ts'
import type { HowRemoved } from '../nodes/write-node.ts'
import { lockedRows, readScoped, readUnscoped } from '../resolve/look-up-records.ts'
import { columnsToRead } from '../store/columns-to-read.ts'
import type { WriteContext } from '../store/write-context.ts'
import { referredToError } from './referred-to.ts'
import { howBelow, idOf, type RemovalEffect, type RemovedRows } from './removal-types.ts'
import { type LinksOfRemoved, linksOfRemoved } from './removed-links.ts'

/** Dependents by one foreign key. */
export interface FoundRows {
  readonly rows: readonly Values[]
  /** The links of these rows, and maybe those of others. */
  readonly links: LinksOfRemoved
}

/**
 * Returns the dependents of the removed records `parents` by the foreign key of `dependent`; `tooMany` if there are more than `max`. Throws
 * 403 if the caller may not delete, or change, such records, 409 if the caller does not see one of them. `path` is that of the list that
 * removes the records, for errors.
 *
 * In a soft delete they are locked before their own dependents are read, so that nobody adds others meanwhile, and read again, because
 * others may have changed or moved them before. So are those that lose their reference, which they may have exchanged for another one.
 * Other dependents of a hard delete need no lock: the database refuses to delete a record to which another one refers.
 */
export async function findDependents(
  context: WriteContext,
  dependent: DependentModel,
  action: RemovalEffect,
  parents: RemovedRows,
  max: number,
  path: string,
): Promise<FoundRows | 'tooMany'> {
  const { resource } = dependent
  const columns = referredColumns(dependent)
  const how = howBelow(parents.how, dependent)
  const rows: Values[] = []
  const read = columnsFor(context, dependent, action, how)
  const isLocked = parents.how === 'mark' || action === 'null'
  // Rows that are locked are read again, so the first read needs their keys alone.
  const firstRead = isLocked && locksRows(context) ? resource.primaryKey : read
  for (const keys of keyChunks(context.target.dialect, keysIn(columns, parents.rows), columns)) {
    // Not `planLookUp`, even for one key: for `held = $1 limit $2`, PostgreSQL reads the whole table in the order of its primary key.
    const planned = (wanted: LookUpOptions['read']) =>
      planReferrers(context.target.dialect, dependent, keys, {
        read: wanted,
        includeDeleted: how === 'delete',
      })
    const found = await readUnscoped(context, planned(firstRead), max - rows.length + 1)
    if (found.length === 0) continue
    await requireRight(context, dependent, action)
    if (rows.length + found.length > max) return 'tooMany'
    const locked = isLocked ? await lockedRows(context, planned(read), found) : found
    const visible = context.access.narrows(resource)
      ? await readScoped(context, planned(resource.primaryKey), methods[action])
      : locked
    const seen = new Set(visible.map((row) => idOf(resource, row)))
    for (const row of locked) {
      if (!seen.has(idOf(resource, row)))
        throw await referredToError(context, [dependent], path, {
          mentionsDeleted: how === 'delete',
        })
      rows.push(row)
    }
  }
  const links = action === 'null' ? [] : await linksOfRemoved(context, { resource, how, rows })
  return { rows, links }
}

/** The right that each effect needs: to delete the dependents, or to change them. */
const methods = { cascade: 'DELETE', null: 'PATCH' } as const

/** The columns to read of dependents, always with the foreign key; undefined if all are needed. */
function columnsFor(
  context: WriteContext,
  { resource, held }: DependentModel,
  action: RemovalEffect,
  how: HowRemoved,
): readonly NamedColumn[] | undefined {
  if (action === 'cascade') {
    return columnsToRead(context, resource, { kind: 'remove', soft: how === 'mark', found: held })
  }
  // Losing the reference needs the columns of a move: `held`, the foreign key, is set to NULL.
  const read = columnsToRead(context, resource, { kind: 'move', nodes: [], filled: held })
  return read && [...new Set([...read, ...held])]
}

/** Throws 403 unless the caller may remove such dependents, or change their foreign key. */
async function requireRight(
  context: WriteContext,
  { resource, held }: DependentModel,
  action: RemovalEffect,
): Promise<void> {
  await requireAccess(context, resource, methods[action])
  // Only callers who may write the foreign key may empty it.
  if (action === 'null' && held.some(({ withheld }) => withheld !== undefined)) throw forbidden()
}

const locksRows = ({ target }: WriteContext): boolean => target.dialect.capabilities.locksRows

/** The values of some columns in each of the rows that has all of them. */
export const keysIn = (
  columns: readonly NamedColumn[],
  rows: readonly Values[],
): readonly (readonly Value[])[] =>
  rows.map((row) => keyFromRow(columns, row)).filter((key) => key !== undefined)
