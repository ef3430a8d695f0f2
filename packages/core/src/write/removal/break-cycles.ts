// breakCycles: empties a reference of each cycle of rows that are all deleted, because they would prevent each other's deletion.

import type { JsonValue } from '../../lib/json/json-value.ts'
import {
  type DependentModel,
  dependentsOf,
  hasModel,
  referredColumns,
} from '../../model/registry/relations/dependents.ts'
import type { NamedColumn } from '../../model/registry/resource.ts'
import { keyTextIn } from '../../query/run/key.ts'
import type { Values } from '../nodes/node.ts'
import { addChange } from './empty-references.ts'
import { idOf } from './removal-types.ts'
import type { Begun } from './removals.ts'
import type { Removing } from './removing.ts'

/**
 * Ends the cycles that the last begun record closes, because some of `rows`, which refer to it, are begun as well. Such a row loses the
 * reference if that may be NULL; it is deleted last, and its own hooks are called for that. Otherwise another row on the way down from it
 * loses its reference to the one above, and from there on the rows are deleted after it. If no reference may be NULL, the database
 * refuses the deletion.
 *
 * A row of an earlier cycle that waits for a begun record closes a cycle too: the last begun record is deleted after that row, and the row
 * after the begun record.
 */
export function breakCycles(
  removing: Removing,
  { resource, held }: DependentModel,
  rows: readonly Values[],
): void {
  const { begun } = removing.removals
  for (const row of rows) {
    const id = idOf(resource, row)
    const first = begun.get(id) ?? awaited(removing, id)
    if (first === undefined) continue
    const path = [...begun.values()]
    const cycle = path.slice(path.indexOf(first))
    // A row that refers to itself is no obstacle (`emptyOwnReferences`), nor is any reference to a row that is only marked.
    if (cycle.length < 2 || cycle.some(({ how }) => how !== 'delete')) continue
    const empty = emptied(held)
    if (empty === undefined) emptyBelow(removing, cycle)
    else addChange(removing, resource, row, empty)
  }
}

/** The begun record for which the row waits, if it does. */
function awaited({ removals: { begun, later } }: Removing, id: string): Begun | undefined {
  for (const [first, nodes] of later) {
    if (nodes.some(({ options, stored = {} }) => idOf(options.resource, stored) === id))
      return begun.get(first)
  }
  return undefined
}

/** Empties a reference between two rows of the cycle, the lowest that may be NULL; the rows from there on wait for the first one. */
function emptyBelow(removing: Removing, cycle: readonly Begun[]): void {
  const [first] = cycle
  for (let i = cycle.length - 1; i > 0; i--) {
    const [above, below] = [cycle[i - 1], cycle[i]]
    if (first === undefined || above === undefined || below === undefined) return
    const changes = dependentsOf(removing.context.registry, above.resource)
      .filter((one) => one.resource === below.resource && hasModel(one))
      .filter((one) => {
        const to = referredColumns(one)
        const key = keyTextIn(one.held, below.stored)
        // A collation may find keys equal whose texts differ.
        const isLoose = to.some(({ collation }) => collation !== undefined)
        return key !== undefined && (isLoose || key === keyTextIn(to, above.stored))
      })
      .map(({ held }) => emptied(held))
    if (changes.length === 0 || changes.includes(undefined)) continue
    addChange(removing, below.resource, below.stored, Object.assign({}, ...changes))
    // Of several cycles, the one that begins first ends last.
    const inner = new Set(cycle.map(({ id }) => id))
    for (const one of cycle.slice(i)) {
      if (one.after === undefined || inner.has(one.after)) one.after = first.id
    }
    return
  }
}

/** The values that empty a reference; undefined if none of its columns may be NULL. */
function emptied(held: readonly NamedColumn[]): Readonly<Record<string, JsonValue>> | undefined {
  const names = held.flatMap(({ name, nullable }) => (nullable ? name : []))
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, null]))
}
