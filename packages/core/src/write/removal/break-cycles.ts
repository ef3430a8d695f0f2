// noteCycles, addWithItsCycle: cycles of rows that are all deleted, such as an author whose favourite book is one of the author's books: in
// which order that is possible, and which references are emptied (set to NULL) for it. `remove-node.ts` calls both for each record.

import type { JsonValue } from '../../lib/json/json-value.ts'
import type { DependentModel } from '../../model/registry/relations/dependents.ts'
import type { Values } from '../nodes/node.ts'
import { sortedAfter } from '../store/rows/referrers-first.ts'
import { RemovedRow } from '../store/rows/rows.ts'
import { addChange } from './empty-references.ts'
import type { RemovalContext } from './removal-context.ts'
import { idOf } from './removal-types.ts'
import type { BegunRemoval } from './removals.ts'

/**
 * Notes which of `rows`, which refer to the begun record `own` by the foreign key of `dependent`, are begun or wait: they and all records
 * between them are in a cycle, which `addWithItsCycle` deletes together.
 */
export function noteCycles(
  { removals: { begun, waiting } }: RemovalContext,
  own: BegunRemoval,
  dependent: DependentModel,
  rows: readonly Values[],
): void {
  // Nothing prevents that a record is marked, and a row that is only marked keeps its references.
  if (own.how !== 'delete') return
  for (const row of rows) {
    const id = idOf(dependent.resource, row)
    const referrer = begun.get(id) ?? waiting.get(id)
    // A row that refers to itself is no obstacle (`emptyOwnReferences`).
    if (referrer === undefined || referrer === own || referrer.how !== 'delete') continue
    own.referrers.push({ referrer: id, empty: emptiedReference(dependent) })
    own.highest = Math.min(own.highest, referrer.highest)
  }
}

/**
 * Adds a record, whose hooks were called, to those that are stored. A record of a cycle waits until the hooks of all records of its cycles
 * were called. The last of these is the record with the smallest depth (`highest`). Cycles that share records make one group, as strongly
 * connected components do (Tarjan's algorithm).
 */
export function addWithItsCycle(removing: RemovalContext, own: BegunRemoval): void {
  const { add, removals } = removing
  const { above, below, node } = own
  if (above !== undefined && own.highest < own.depth) {
    removals.waiting.set(own.id, own)
    above.below = above.below.length === 0 ? below : above.below.concat(below)
    above.below.push(own)
  } else if (below.length === 0) add(node)
  else placeTogether(removing, [...below, own])
}

/**
 * Adds the records of a group in an order in which each comes after those that refer to it by a key that may not be NULL, and empties the
 * other references that would prevent the deletion of a record. If there is no such order, the database refuses the deletion.
 */
function placeTogether(removing: RemovalContext, group: readonly BegunRemoval[]): void {
  const { add, removals } = removing
  const byId = new Map(group.map((begun) => [begun.id, begun]))
  const earlier = group.map((begun) => {
    const needed = begun.referrers.filter(({ empty }) => empty === undefined)
    return [begun, needed.flatMap(({ referrer }) => byId.get(referrer) ?? [])] as const
  })
  const heights = new Map<string, number>()
  const changes = new Map<BegunRemoval, Values>()
  const ordered = sortedAfter(group, new Map(earlier))
  for (const { id, resource, stored, how, node, referrers } of ordered) {
    let height = node.row instanceof RemovedRow ? node.row.height : 0
    for (const { referrer, empty } of referrers) {
      const below = heights.get(referrer)
      const later = byId.get(referrer)
      if (below !== undefined) height = Math.max(height, below + 1)
      else if (later !== undefined && empty !== undefined)
        changes.set(later, { ...changes.get(later), ...empty })
    }
    heights.set(id, height)
    node.row = new RemovedRow(stored, null, height)
    removals.removed.add(resource, stored, how, height)
    removals.waiting.delete(id)
  }
  for (const [{ resource, stored }, written] of changes)
    addChange(removing, resource, stored, written)
  for (const { node } of ordered) add(node)
}

/** The values that empty a reference; undefined if none of its columns may be NULL. */
function emptiedReference({ held }: DependentModel): Values | undefined {
  const names = held.flatMap(({ name, nullable }) => (nullable ? name : []))
  const empty = names.map((name): [string, JsonValue] => [name, null])
  return empty.length === 0 ? undefined : Object.fromEntries(empty)
}
