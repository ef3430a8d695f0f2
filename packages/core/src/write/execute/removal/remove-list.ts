// removeList: deletes the records that the filters of a DELETE match.

import { ApiError, isOfHost, recordNotFound } from '../../../errors.ts'
import { keyText } from '../../../execute/key.ts'
import type { Resource } from '../../../registry/resource.ts'
import type { Values } from '../../plan/node.ts'
import { requireAccess } from '../checks.ts'
import type { WriteContext } from '../context.ts'
import { referrersFirst } from '../lists/referrers-first.ts'
import { keyIn, lockedRecord, lockedRecords } from '../look-up.ts'
import { idOf, Pace } from './look-ahead.ts'
import { type Removals, removalOf, removalsOf, storingAll, withSavepoints } from './removals.ts'
import { removeTree } from './remove-tree.ts'
import { type LinksToRemove, linksToRemove } from './removed-links.ts'

/**
 * Deletes records that were read and locked, each before the records that it refers to. If other records still refer to one, it is tried
 * again in the next round, because hooks and cascades may have deleted the others by then. Throws if a round deletes nothing.
 */
export async function removeList(
  given: WriteContext,
  resource: Resource,
  rows: readonly Values[],
  cascade: boolean,
): Promise<void> {
  if (rows.length === 0) return
  const context = withSavepoints(given, resource, cascade)
  const soft = resource.settings.softDelete !== null
  const links = await linksToRemove(context, resource, rows, soft)
  await requireAccess(context, resource, 'DELETE')
  const removals = removalsOf(context, cascade)
  const removeOne = oneOfList(removals, resource, rows.length)
  await storingAll(removals, async () => {
    let remaining = referrersFirst(context.registry, resource, rows)
    while (remaining.length > 0) {
      const failed: Values[] = []
      let refusal: unknown
      for (let i = 0; i < remaining.length; i++) {
        try {
          await removeOne(remaining, i, links)
        } catch (error) {
          if (!(error instanceof ApiError) || isOfHost(error)) throw error
          // A cascade may have deleted the record already.
          const gone = cascade && error.body.code === 'record_not_found'
          if (!gone && error.body.code !== 'referred_to') throw error
          if (!gone) failed.push(remaining[i] as Values)
          refusal = error
        }
      }
      if (failed.length === remaining.length) throw refusal
      remaining = failed
    }
  })
}

/** Returns the function that deletes a record of a list, looking ahead at the next ones. */
function oneOfList(removals: Removals, resource: Resource, count: number) {
  const { context, ahead, pending } = removals
  const soft = resource.settings.softDelete !== null
  const pace = new Pace(count, 0)
  /** The records that were read again, by `idOf`. */
  const now = new Map<string, Values>()
  const refresh = async (some: readonly Values[]): Promise<readonly Values[]> => {
    const rows = some.filter((row) => !removals.removed.has(idOf(resource, row)))
    if (ahead === undefined || ahead.version === 0) return rows
    const keys = rows.map((row) => keyIn(resource, row) ?? [])
    const found = await lockedRecords(context, resource, keys, 'DELETE', 'anyChange')
    return rows.flatMap((row, i) => {
      const one = found.get(keyText(keys[i] ?? []))
      if (one === undefined) return []
      now.set(idOf(resource, row), one)
      return [one]
    })
  }
  return async (rows: readonly Values[], index: number, links: LinksToRemove): Promise<void> => {
    const row = rows[index] as Values
    const id = idOf(resource, row)
    if (removals.removed.has(id)) throw recordNotFound()
    await ahead?.cover(resource, rows, index, soft, pace, refresh)
    let stored: Values | undefined = now.get(id) ?? row
    if (ahead?.of(resource, stored, soft) === undefined) {
      await pending.flush()
      const key = keyIn(resource, row) ?? []
      stored = await lockedRecord(context, resource, key, 'DELETE', 'anyChange')
      if (stored === undefined) throw recordNotFound()
    }
    await removeTree(removalOf(removals, resource), resource, stored, soft, links)
    pending.refuse()
  }
}
