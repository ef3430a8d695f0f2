// emptyReferences: sets the foreign key of dependents to NULL, because the record to which it refers is deleted (docs/guide/writing.md).

import type { JsonValue } from '../../lib/json/json-value.ts'
import { type DependentModel, referredColumns } from '../../model/registry/relations/dependents.ts'
import type { Resource } from '../../model/registry/resource.ts'
import { keyTextIn } from '../../query/run/key.ts'
import { refuseWithoutVersion } from '../check/preconditions.ts'
import type { Values } from '../nodes/node.ts'
import { keyIn } from '../resolve/look-up-records.ts'
import { changesToStore } from '../store/save.ts'
import { changesFirst, PendingRow } from './pending-removals.ts'
import { referredToError } from './referred-to.ts'
import { count, type Tree } from './removals.ts'
import { idOf, isSoftBelow, type ToRemove } from './to-remove.ts'

/** Empties the references of rows to a record, each with the access rules and the callback of its model for a change. */
export async function emptyReferences(
  tree: Tree,
  parent: ToRemove,
  dependent: DependentModel,
  rows: readonly Values[],
): Promise<void> {
  const { begun, removed } = tree
  const { resource, held } = dependent
  const soft = isSoftBelow(parent, dependent)
  const empty: Readonly<Record<string, JsonValue>> = Object.fromEntries(
    held.map(({ name }) => [name, null]),
  )
  for (const row of rows) {
    const stored = removed.now(resource, row)
    const isEmpty = keyTextIn(held, stored) === undefined
    if (isEmpty || removed.has({ resource, stored, soft })) continue
    // A record above this one is deleted next, and its own hooks are called for that.
    const isDeletedNext = begun.has(idOf(resource, stored))
    const written = isDeletedNext ? empty : await changesOf(tree, parent, dependent, stored, empty)
    await write(tree, resource, stored, written)
  }
}

async function changesOf(
  tree: Tree,
  parent: ToRemove,
  dependent: DependentModel,
  stored: Values,
  empty: Values,
): Promise<Values> {
  const { context, ahead, path } = tree
  const { resource, held } = dependent
  count(tree, resource, stored)
  refuseWithoutVersion(resource, path)
  const written = await changesToStore(context, resource, stored, empty, path, true)
  const now = { ...stored, ...written }
  const key = keyTextIn(referredColumns(dependent), parent.stored)
  // The callback has kept the reference.
  if (!parent.soft && keyTextIn(held, now) === key) {
    throw await referredToError(context, [dependent], false)
  }
  // The callback has set another foreign key, so that what is known of the records to which it leads may be wrong.
  if (setsOtherKey(dependent, written)) ahead.outdate()
  context.changes?.note(resource, stored, now, null)
  return written
}

const setsOtherKey = ({ resource, held }: DependentModel, written: Values): boolean =>
  [...resource.allRelations.values()].some(
    ({ kind, from }) =>
      kind === 'belongsTo' &&
      from.some((column) => column.name in written && !held.includes(column)),
  )

async function write(
  { pending, removed }: Tree,
  resource: Resource,
  stored: Values,
  written: Values,
): Promise<void> {
  if (Object.keys(written).length === 0) return
  const key = keyIn(resource, stored) ?? []
  await pending.add(new PendingRow(resource, key, stored, written, changesFirst))
  removed.change(resource, stored, written)
}
