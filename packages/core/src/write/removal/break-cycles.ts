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
import type { Begun } from './removals.ts'
import { idOf } from './removed-rows.ts'
import type { Removing } from './removing.ts'

/**
 * Ends the cycles that the last begun record closes, because some of `rows`, which refer to it, are begun as well. Such a row loses the
 * reference if that may be NULL; it is deleted last, and its own hooks are called for that. Otherwise another row on the way down from it
 * loses its reference to the one above, and from there on the rows are deleted after it. If no reference may be NULL, the database
 * refuses the deletion.
 */
export function breakCycles(
  removing: Removing,
  { resource, held }: DependentModel,
  rows: readonly Values[],
): void {
  const { begun } = removing.removals
  for (const row of rows) {
    const first = begun.get(idOf(resource, row))
    if (first === undefined) continue
    const path = [...begun.values()]
    const cycle = path.slice(path.indexOf(first))
    if (cycle.length < 2 || cycle.some(({ how }) => how !== 'delete')) continue
    const empty = emptied(held)
    if (empty === undefined) emptyBelow(removing, cycle)
    else addChange(removing, resource, row, empty)
  }
}

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
    for (const one of cycle.slice(i)) one.after ??= first.id
    return
  }
}

/** The values that empty a reference; undefined if none of its columns may be NULL. */
function emptied(held: readonly NamedColumn[]): Readonly<Record<string, JsonValue>> | undefined {
  const names = held.flatMap(({ name, nullable }) => (nullable ? name : []))
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, null]))
}
