// resolveRemovals: finds and locks the stored records that the nodes of a segment (nodes that are written together, ../README.md) remove,
// and all that refers to them.

import { removalOf, type WriteNode } from '../nodes/write-node.ts'
import { lookAhead } from '../removal/look-ahead.ts'
import { linksOfRemoved } from '../removal/removed-links.ts'
import type { Segment } from '../segments/level.ts'
import { withHooks } from '../segments/with-hooks.ts'
import type { WriteContext } from '../store/write-context.ts'
import { resolveChanges } from './resolve-changes.ts'

/**
 * The first segment of a level looks up the records of all its nodes; a later one reads its own records again if hooks or the database may
 * have changed them. Leaves out those that were removed with another one. Then it finds out what refers to the records.
 */
export async function resolveRemovals(context: WriteContext, segment: Segment): Promise<void> {
  const { level, isFirst, size } = segment
  const { resource, removals } = level
  if (removals === undefined) return
  const { how, readsAgain, whenMissing } = removalOf(level.options)
  segment.keep(({ stored }) => !(stored && removals.removed.has(resource, stored, how)))
  if (segment.nodes.length === 0) return
  const mayBeOutdated = readsAgain && (size === 1 || removals.statements > 0)
  if (isFirst || mayBeOutdated) await resolveChanges(context, segment)
  if (whenMissing === 'skip') segment.keep(isFound)
  if (isFirst) {
    const rows = level.nodes.flatMap(({ stored }) => (stored === undefined ? [] : [stored]))
    level.links = await linksOfRemoved(context, { resource, how, rows })
  }
  // The policy is asked in each look-up, and may send statements, which outdate what was looked up.
  const forgetLookUps = async () => removals.forgetLookUps()
  await withHooks(context, forgetLookUps, () => lookAhead(context, segment))
}

/** Whether the record of the node is stored. */
const isFound = ({ stored }: WriteNode): boolean => stored !== undefined
