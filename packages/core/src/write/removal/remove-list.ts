// removeList: deletes the records that the filters of a DELETE match.

import { recordNotFound } from '../../errors.ts'
import { actsOnDependents } from '../../model/registry/relations/dependents.ts'
import type { Resource } from '../../model/registry/resource.ts'
import { keyText } from '../../query/run/key.ts'
import { requireAccess } from '../check/write-checks.ts'
import type { Values } from '../nodes/node.ts'
import { keyIn, lockedRecord, lockedRecords } from '../resolve/look-up-records.ts'
import { GroupSize } from '../segments/group-size.ts'
import { columnsToRead } from '../store/columns-to-read.ts'
import { referrersFirst } from '../store/rows/referrers-first.ts'
import type { WriteContext } from '../store/write-context.ts'
import { inRounds } from './in-rounds.ts'
import { type Removals, removing, treeOf } from './removals.ts'
import { removeTree } from './remove-tree.ts'
import { type LinksToRemove, linksToRemove } from './removed-links.ts'
import type { ListToRemove, ToRemove } from './to-remove.ts'

/** Deletes records that were read, with the columns for a removal, and locked, each before the records that it refers to. */
export async function removeList(
  context: WriteContext,
  resource: Resource,
  rows: readonly Values[],
  cascade: boolean,
): Promise<void> {
  if (rows.length === 0) return
  const soft = resource.settings.softDelete !== null
  const links = await linksToRemove(context, resource, rows, soft)
  await requireAccess(context, resource, 'DELETE')
  await removing(context, resource, { cascade, path: '' }, async (removals) => {
    const groups = new GroupSize('all')
    const sorted = referrersFirst(context.registry, resource, rows)
    await inRounds(sorted, (remaining, i) =>
      removeNext(removals, { resource, rows: remaining, soft }, i, groups, links),
    )
  })
}

/** Deletes the record at `index`, unless its deletion with another record has done so; throws 404 if it is gone. Looks ahead at the next ones. */
async function removeNext(
  removals: Removals,
  list: ListToRemove,
  index: number,
  groups: GroupSize,
  links: LinksToRemove,
): Promise<void> {
  const { ahead, cascade, context, pending, removed } = removals
  const { resource } = list
  const row = list.rows[index] as Values
  const record = { ...list, stored: row }
  if (removed.has(record)) return
  await ahead.lookUp(list, index, groups, (some) => storedNow(removals, { ...list, rows: some }))
  const known = ahead.of(record)
  const stored = known?.stored ?? (await readAlone(removals, record))
  if (stored === undefined) {
    // The database may have deleted it with another record.
    if (actsOnDependents(context.registry, resource, cascade)) return
    throw recordNotFound()
  }
  await removeTree(treeOf(removals, resource), { ...record, stored }, links)
  pending.refuse()
}

/** The records that are left, read again if hooks may have changed them. */
async function storedNow(
  { context, ahead, removed }: Removals,
  list: ListToRemove,
): Promise<readonly Values[]> {
  const { resource } = list
  const left = list.rows.filter((stored) => !removed.has({ ...list, stored }))
  if (!ahead.isOutdated) return left
  const keys = left.map((row) => keyIn(resource, row) ?? [])
  const read = columnsToRead(context, resource, { kind: 'remove', soft: list.soft })
  const found = await lockedRecords(context, resource, keys, 'DELETE', 'anyChange', { read })
  return keys.map((key) => found.get(keyText(key))).filter((row) => row !== undefined)
}

/** Reads a record at its turn, after the earlier ones are deleted; undefined if it is gone. */
async function readAlone(
  { context, pending }: Removals,
  { resource, stored: before, soft }: ToRemove,
): Promise<Values | undefined> {
  await pending.flush()
  const key = keyIn(resource, before) ?? []
  const read = columnsToRead(context, resource, { kind: 'remove', soft })
  return lockedRecord(context, resource, key, 'DELETE', 'anyChange', { read })
}
