// findDependents: reads the records that a cascade must delete before others, because they refer to them by one foreign key.

import { type DependentModel, referredColumns } from '../../model/registry/relations/dependents.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import { keyChunks } from '../../query/compile/chunks.ts'
import type { Value } from '../../query/plan/plan.ts'
import { requireAccess } from '../check/write-checks.ts'
import { type LookUpOptions, planRecords } from '../nodes/look-up-plan.ts'
import type { Values } from '../nodes/node.ts'
import { lockedRows, readScoped, readUnscoped, valuesOf } from '../resolve/look-up-records.ts'
import { columnsToRead } from '../store/columns-to-read.ts'
import type { WriteContext } from '../store/write-context.ts'
import { referredToError } from './referred-to.ts'
import { type LinksToRemove, linksToRemove } from './removed-links.ts'
import { idOf, isSoftBelow, type ListToRemove } from './to-remove.ts'

export interface FoundRows {
  readonly rows: readonly Values[]
  /** The links of these rows, and maybe those of others. */
  readonly links: LinksToRemove
}

/**
 * Returns the dependents of some records; `tooMany` if there are more than `max`. Throws 403 if the caller may not delete such records,
 * 409 if the caller does not see one of them.
 *
 * In a soft delete they are locked before their own dependents are read, so that nobody adds others meanwhile, and read again, because
 * others may have changed or moved them before. A hard delete needs no lock: the database refuses to delete a record to which another
 * one refers.
 */
export async function findDependents(
  context: WriteContext,
  dependent: DependentModel,
  parents: ListToRemove,
  max: number,
): Promise<FoundRows | 'tooMany'> {
  const { resource, held } = dependent
  const columns = referredColumns(dependent)
  const soft = isSoftBelow(parents, dependent)
  const rows: Values[] = []
  const read = columnsToRead(context, resource, { kind: 'remove', soft, found: held })
  // Rows that are locked are read again.
  const first = parents.soft && locksRows(context) ? resource.primaryKey : read
  for (const keys of keyChunks(context.target.dialect, keysIn(columns, parents.rows), columns)) {
    // Not `planLookUp`, even for one key: for `held = $1 limit $2`, PostgreSQL reads the whole table in the order of its primary key.
    const planned = (columns: LookUpOptions['read']) =>
      planRecords(resource, held, keys, { read: columns, includeDeleted: !soft })
    const found = await readUnscoped(context, planned(first), max - rows.length + 1)
    if (found.length === 0) continue
    await requireAccess(context, resource, 'DELETE')
    if (rows.length + found.length > max) return 'tooMany'
    const locked = parents.soft ? await lockedRows(context, planned(read), found) : found
    const visible = context.access.narrows(resource)
      ? await readScoped(context, planned(resource.primaryKey), 'DELETE')
      : locked
    const seen = new Set(visible.map((row) => idOf(resource, row)))
    for (const row of locked) {
      if (!seen.has(idOf(resource, row))) throw await referredToError(context, [dependent], !soft)
      rows.push(row)
    }
  }
  return { rows, links: await linksToRemove(context, resource, rows, soft) }
}

const locksRows = ({ target }: WriteContext): boolean => target.dialect.capabilities.locksRows

/** The values of some columns in each of the rows that has all of them. */
export const keysIn = (
  columns: readonly NamedColumn[],
  rows: readonly Values[],
): readonly (readonly Value[])[] =>
  rows.map((row) => valuesOf(columns, row)).filter((key) => key !== undefined)
