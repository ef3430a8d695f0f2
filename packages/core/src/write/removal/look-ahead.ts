// lookAhead: finds out with few statements what refers to the records of a segment (nodes that are written together, ../README.md), before
// the first of them is removed. It is the last part of `resolve`; `removals` keeps what it has found for `remove-node.ts`.

import { ApiError } from '../../errors.ts'
import { actsOnDependents } from '../../model/registry/relations/dependents.ts'
import type { Values } from '../nodes/node.ts'
import { removalOf, type WriteNode } from '../nodes/write-node.ts'
import type { Segment } from '../segments/level.ts'
import type { WriteContext } from '../store/write-context.ts'
import { findReferrers } from './find-referrers.ts'
import type { Removals } from './removals.ts'

/**
 * Looks up the dependents of the nodes of a segment, and theirs. Ends the segment earlier if they are too many. For a segment of
 * dependents, `open` are the segments around it, and `flush` stores the earlier removals; for one of the list itself, there are no segments
 * around it and nothing to store.
 *
 * If something prevents the removal of one of the records, or if a look-up cannot tell, all segments have one node from then on: each
 * record finds its dependents at its own turn, after the earlier ones are removed, so that the error is that of its turn.
 */
export async function lookAhead(
  context: WriteContext,
  segment: Segment,
  open: readonly Segment[] = [],
  flush?: () => Promise<void>,
): Promise<void> {
  const { level } = segment
  const { resource, removals } = level
  const [first] = segment.nodes
  // Segments have one node where hooks or policies send statements, which outdate look-ups. Each record then looks up its dependents
  // itself.
  if (first === undefined || removals === undefined || segment.size === 1) return
  if (removals.knows(first)) return
  const isAlone = segment.nodes.length === 1
  if (isAlone && !actsOnDependents(context.registry, resource, removals)) return
  await flush?.()
  // Each look-up may call a policy, whose statements outdate what is known.
  const before = removals.statements
  let found = await findForSegment(context, removals, segment)
  while (found === 'tooMany' && segment.nodes.length > 1) {
    segment.endBefore(segment.nodes.length >> 1)
    level.limit(segment.nodes.length)
    found = await findForSegment(context, removals, segment)
  }
  // The scope of a policy has sent a statement. It would do so in each look-up, and each would be outdated at once.
  if (found === 'unknown' || removals.statements !== before) {
    removals.forget()
    for (const openSegment of open) openSegment.endAfterCurrent()
    for (const openSegment of [...open, segment]) openSegment.level.stayAtOne()
    segment.endBefore(1)
  } else if (found !== 'tooMany') removals.know(found)
}

const storedOf = ({ stored = {} }: WriteNode): Values => stored

/** `findReferrers` for the records of a segment; `unknown` if it is refused, so that each record meets its error at its own turn. */
async function findForSegment(
  context: WriteContext,
  { cascade }: Removals,
  { level, nodes }: Segment,
): ReturnType<typeof findReferrers> {
  const { resource, options } = level
  try {
    const list = { resource, how: removalOf(options).how, rows: nodes.map(storedOf) }
    return await findReferrers(context, list, cascade)
  } catch (error) {
    // A refusal is the error of one of the records, which is found again at its turn. A failure of the database ends the transaction.
    if (error instanceof ApiError && error.status < 500) return 'unknown'
    throw error
  }
}
