// emptyReferences: sets the foreign key of dependents to NULL, because the record to which it refers is deleted (docs/guide/writing.md).
// Its last part, addChange, also stores the references that `break-cycles.ts` empties, for which no hooks are called.

import type { JsonValue } from '../../lib/json/json-value.ts'
import {
  type DependentModel,
  dependentsOf,
  referredColumns,
} from '../../model/registry/relations/dependents.ts'
import type { Resource } from '../../model/registry/resource.ts'
import { keyTextIn } from '../../query/run/key.ts'
import { isEmpty, type Values } from '../nodes/node.ts'
import { optionsForChange, removalOf, WriteNode } from '../nodes/write-node.ts'
import { noteWritten } from '../store/note-written.ts'
import { ChangedRow } from '../store/rows/rows.ts'
import { changesToStore } from '../store/save.ts'
import type { WriteContext } from '../store/write-context.ts'
import { referredToError } from './referred-to.ts'
import type { RemovalContext } from './removal-context.ts'
import { howBelow, idOf } from './removal-types.ts'

/**
 * Empties the references of `rows`, by the foreign key of `dependent`, to the record that is removed (`parent` is its node), each with the
 * access rules and the callback of its model for a change. The changes are stored before the record is deleted.
 */
export async function emptyReferences(
  removing: RemovalContext,
  parent: WriteNode,
  storedParent: Values,
  dependent: DependentModel,
  rows: readonly Values[],
): Promise<void> {
  const { begun, removed } = removing.removals
  const { resource, held } = dependent
  const how = howBelow(removalOf(parent.options).how, dependent)
  const empty: Readonly<Record<string, JsonValue>> = Object.fromEntries(
    held.map(({ name }) => [name, null]),
  )
  for (const row of rows) {
    const stored = removed.now(resource, row)
    if (keyTextIn(held, stored) === undefined || removed.has(resource, stored, how)) continue
    // The hooks of a record above this one are called for its own removal.
    const above = begun.get(idOf(resource, stored))
    // `addWithItsCycle` empties the reference if that is needed.
    if (above?.how === 'delete') continue
    const written =
      above === undefined
        ? await changesToEmpty(removing, parent, storedParent, dependent, stored, empty)
        : empty
    if (!isEmpty(written)) addChange(removing, resource, stored, written)
  }
}

/** Adds a change of a row to those that are stored next, without calling hooks. */
export function addChange(
  { add, removals }: RemovalContext,
  resource: Resource,
  stored: Values,
  written: Values,
): void {
  const node = new WriteNode(optionsForChange(resource), { path: '', stored })
  node.row = new ChangedRow(stored, written, '', written)
  add(node)
  removals.removed.change(resource, stored, written)
}

/** The values to write into a row whose reference is emptied, after the policy and the callback of its model. */
async function changesToEmpty(
  { context, removals, forgetLookUps }: RemovalContext,
  { options, path }: WriteNode,
  storedParent: Values,
  dependent: DependentModel,
  stored: Values,
  empty: Values,
): Promise<Values> {
  const { resource, held } = dependent
  removals.count(resource, stored)
  // Its `updated` column is set, although the request does not name the row.
  const touches = true
  const written = await changesToStore(context, resource, stored, empty, path, touches)
  const now = { ...stored, ...written }
  const key = keyTextIn(referredColumns(dependent), storedParent)
  // The callback has kept the reference.
  if (removalOf(options).how === 'delete' && keyTextIn(held, now) === key) {
    throw await referredToError(context, [dependent], path, { mentionsDeleted: false })
  }
  // The callback has set a foreign key, so that what was looked up of the record to which it leads may be wrong.
  if (setsForeignKey(context, resource, written)) forgetLookUps()
  noteWritten(context, resource, stored, now, null)
  return written
}

/** Whether the values have a foreign key of the resource, whichever side declares its relation. */
const setsForeignKey = (
  { registry }: WriteContext,
  resource: Resource,
  written: Values,
): boolean => {
  const names = Object.keys(written).filter((name) => written[name] !== null)
  return (
    names.length > 0 &&
    registry.resources.some((referred) =>
      dependentsOf(registry, referred).some(
        (dependent) =>
          dependent.resource === resource &&
          dependent.held.some(({ name }) => names.includes(name)),
      ),
    )
  )
}
