// writeMany: creates and changes the records of a list. Their hooks are called one after the other; few statements store them.

import { forbidden, recordNotFound } from '../../errors.ts'
import type { Resource } from '../../registry/resource.ts'
import type { RecordNode, Values } from '../plan/node.ts'
import { changeRecord, requestedChanges } from './change.ts'
import { type KnownReferences, refuseInvisibleReferences, requireAccess } from './checks.ts'
import { refusalOf, type WriteContext } from './context.ts'
import { createRecord } from './create.ts'
import { newRecord } from './defaults.ts'
import { insertRows } from './insert-rows.ts'
import { keyIn, lockedRecord } from './look-up.ts'
import { type PendingWrites, pendingWrites } from './pending-writes.ts'
import { lookUpReferences } from './references.ts'
import type { ReturnedRows } from './returned-rows.ts'
import { changesToStore } from './save.ts'
import { SavepointNeeded } from './savepoint.ts'
import { updateRows } from './update-rows.ts'

/** The step for a record of a list: `stored` is the current record, locked; `error` is thrown unless an earlier record is refused. */
export type ManyStep =
  | { readonly kind: 'create'; readonly node: RecordNode }
  | { readonly kind: 'change'; readonly node: RecordNode; readonly stored: Values }
  | { readonly kind: 'refused'; readonly node: RecordNode; readonly error: unknown }

/**
 * Creates and changes the records; returns their values, at least the keys, in the same order.
 *
 * Hooks of a record see the same as if the records before it had been written one by one: pending records are stored as soon as a
 * hook sends a statement through `args.db`. Records with nested ones are written one by one. `returned` collects rows of stored
 * records, possibly not of all.
 */
export async function writeMany(
  given: WriteContext,
  resource: Resource,
  steps: readonly ManyStep[],
  returned?: ReturnedRows,
): Promise<readonly Values[]> {
  if (steps.length === 1 || steps.some(hasNested)) {
    return writeEach(given, resource, steps)
  }
  const { access, hooks, beforeHookStatements } = given
  // A callback may have effects outside of the transaction, which is then not repeated to find a refused record.
  const hasCallback = hooks.has(resource, 'add') || hooks.has(resource, 'update')
  const context = hasCallback ? { ...given, setsSavepoints: true } : given
  if (steps.some(isCreate)) await requireAccess(context, resource, 'POST')
  if (steps.some(isChange)) await requireAccess(context, resource, 'PATCH')
  const pending = pendingWrites({
    insert: (rows) =>
      insertRows(context, resource, rows, returned?.byInsert ? returned : undefined),
    update: (rows) => updateRows(context, resource, rows, returned),
  })
  const nodes = steps.map(nodeOf)
  const lookedUp = await lookUpReferences(context, resource, nodes)
  let seen = lookedUp.seen
  let isStale = false
  if (beforeHookStatements !== undefined) {
    beforeHookStatements.work = async () => {
      seen = new Map()
      isStale = true
      await pending.flush()
      // The hook's statement may change rows that were returned earlier.
      returned?.rows.splice(0)
    }
  }
  const references: KnownReferences = {
    relations: lookedUp.relations,
    has: (relation, key) => seen.get(relation)?.has(key) === true,
    async beforeLookUp() {
      // If a statement of a hook replaces `seen` meanwhile, what this look-up finds must not be remembered.
      const current = seen
      await pending.flush()
      return (relation, key) => {
        current.set(relation, (current.get(relation) ?? new Set()).add(key))
      }
    },
  }
  try {
    for (const step of steps) {
      if (step.kind === 'refused') throw step.error
      const { node } = step
      // Awaits promises only: most values are there, and an await costs about as much as the rest of the loop.
      if (step.kind === 'create') {
        const { values, path } = node
        const made = newRecord(context, node)
        const data = made instanceof Promise ? await made : made
        const checked = refuseInvisibleReferences(context, resource, values, data, path, references)
        if (checked instanceof Promise) await checked
        const isAllowed = access.canCreate(resource, data)
        if (!(isAllowed instanceof Promise ? await isAllowed : isAllowed)) throw forbidden()
        const saved = hooks.has(resource, 'add') ? await hooks.add(resource, data) : data
        pending.insert({ values: saved, path })
      } else {
        const stored = isStale
          ? await storedNow(context, resource, step.stored, pending)
          : step.stored
        const requested = requestedChanges(context, node, stored, { replace: false, references })
        const changes = requested instanceof Promise ? await requested : requested
        const saved = changesToStore(context, resource, stored, changes)
        const written = saved instanceof Promise ? await saved : saved
        pending.update({ stored, written, path: node.path })
      }
      pending.refuse()
    }
  } catch (error) {
    // Stores earlier records first, because the database may refuse one of them.
    await pending.flush().catch((earlier: unknown) => {
      const isRefused = refusalOf(earlier) !== undefined || earlier instanceof SavepointNeeded
      if (isRefused) throw earlier
    })
    throw error
  }
  await pending.flush()
  return pending.stored()
}

const isCreate = ({ kind }: ManyStep): boolean => kind === 'create'
const isChange = ({ kind }: ManyStep): boolean => kind === 'change'
const nodeOf = ({ node }: ManyStep): RecordNode => node

const hasNested = ({ node: { parents, children } }: ManyStep): boolean =>
  parents.length + children.length > 0

async function writeEach(
  context: WriteContext,
  resource: Resource,
  steps: readonly ManyStep[],
): Promise<readonly Values[]> {
  const written: Values[] = []
  for (const step of steps) {
    if (step.kind === 'refused') throw step.error
    if (step.kind === 'create') {
      written.push(await createRecord(context, step.node, {}))
      continue
    }
    const { node, stored } = step
    const key = keyIn(resource, stored) ?? []
    written.push(await changeRecord(context, node, key, { action: 'PATCH', replace: false }))
  }
  return written
}

/** The record after possible changes by the hooks of other records. */
async function storedNow(
  context: WriteContext,
  resource: Resource,
  before: Values,
  pending: PendingWrites,
): Promise<Values> {
  await pending.flush()
  const stored = await lockedRecord(context, resource, keyIn(resource, before) ?? [], 'PATCH')
  if (stored === undefined) throw recordNotFound()
  return stored
}
