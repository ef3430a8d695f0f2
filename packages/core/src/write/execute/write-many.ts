// writeMany: creates and changes the records of a list. Their hooks are called one after the other; few statements store them.

import { forbidden, recordNotFound } from '../../errors.ts'
import { andThen, type MaybePromise } from '../../maybe-promise.ts'
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
import { updateRows } from './update-rows.ts'

/** The step for a record of a list: `stored` is the current record, locked; `error` is thrown unless an earlier record is refused. */
export type ManyStep =
  | { readonly kind: 'create'; readonly node: RecordNode }
  | { readonly kind: 'change'; readonly node: RecordNode; readonly stored: Values }
  | { readonly kind: 'refused'; readonly node: RecordNode; readonly error: unknown }

/** The state of writing a list: pending records, and look-up results for the rest. */
interface Progress {
  readonly pending: PendingWrites
  readonly references: KnownReferences
  /** Whether a hook may have changed stored records. */
  readonly isStale: () => boolean
}

/**
 * Creates and changes the records; returns their values, at least the keys, in the same order.
 *
 * Hooks of a record see the same as if the records before it had been written one by one: pending records are stored as soon as a
 * hook sends a statement through `args.db`. Records with nested ones are written one by one. `returned` collects rows of stored
 * records, possibly not of all.
 */
export async function writeMany(
  context: WriteContext,
  resource: Resource,
  steps: readonly ManyStep[],
  returned?: ReturnedRows,
): Promise<readonly Values[]> {
  if (steps.length === 1 || steps.some(({ node }) => hasNested(node))) {
    return writeEach(context, resource, steps)
  }
  const does = (kind: ManyStep['kind']): boolean => steps.some((step) => step.kind === kind)
  if (does('create')) await requireAccess(context, resource, 'POST')
  if (does('change')) await requireAccess(context, resource, 'PATCH')
  const pending = pendingWrites({
    insert: (rows) =>
      insertRows(context, resource, rows, returned?.byInsert ? returned : undefined),
    update: (rows) => updateRows(context, resource, rows, returned),
  })
  const nodes = steps.map(({ node }) => node)
  const lookedUp = await lookUpReferences(context, resource, nodes)
  let seen = lookedUp.seen
  let isStale = false
  const { beforeHookStatements } = context
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
  const progress = { pending, references, isStale: () => isStale }
  try {
    for (const step of steps) {
      if (step.kind === 'refused') throw step.error
      if (step.kind === 'create') {
        const added = addNew(context, step.node, progress)
        if (added instanceof Promise) await added
      } else {
        const added = addChange(context, resource, step, progress)
        if (added instanceof Promise) await added
      }
      pending.refuse()
    }
  } catch (error) {
    // Stores earlier records first, because the database may refuse one of them.
    await pending.flush().catch((earlier: unknown) => {
      if (refusalOf(earlier) !== undefined) throw earlier
    })
    throw error
  }
  await pending.flush()
  return pending.stored()
}

const hasNested = ({ parents, children }: RecordNode): boolean =>
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

/** A new record, after its references, its policy and its callback. */
function addNew(
  context: WriteContext,
  node: RecordNode,
  { pending, references }: Progress,
): MaybePromise<void> {
  const { resource, values, path } = node
  const { access, hooks } = context
  return andThen(newRecord(context, node), (data) =>
    andThen(refuseInvisibleReferences(context, resource, values, data, path, references), () =>
      andThen(access.canCreate(resource, data), (isAllowed) => {
        if (!isAllowed) throw forbidden()
        if (!hooks.has(resource, 'add')) return pending.insert({ values: data, path })
        return hooks.add(resource, data).then((saved) => pending.insert({ values: saved, path }))
      }),
    ),
  )
}

/** A changed record, after its references, its policy and its callback. */
function addChange(
  context: WriteContext,
  resource: Resource,
  { node, stored: before }: ManyStep & { readonly kind: 'change' },
  { pending, references, isStale }: Progress,
): MaybePromise<void> {
  const current = isStale() ? storedNow(context, resource, before, pending) : before
  return andThen(current, (stored) =>
    andThen(requestedChanges(context, node, stored, { replace: false, references }), (changes) =>
      andThen(changesToStore(context, resource, stored, changes), (written) =>
        pending.update({ stored, written, path: node.path }),
      ),
    ),
  )
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
