// writeRecords: creates and changes the records of one level, without their nested ones. Their hooks are called one after the other;
// few statements store them.

import { ApiError, forbidden } from '../../../errors.ts'
import type { Resource } from '../../../model/registry/resource.ts'
import { newRecord } from '../../check/defaults.ts'
import {
  type KnownReferences,
  refuseInvisibleReferences,
  validateFilled,
} from '../../check/write-checks.ts'
import { changesOfMove, refuseOtherParent } from '../../links/nested-records.ts'
import type { Values } from '../../nodes/node.ts'
import { refusalOf } from '../../refusals/refusal.ts'
import { requestedChanges, runWholeRecordChecks } from '../../resolve/requested-changes.ts'
import { changesToStore, insert, updateStored } from '../save.ts'
import { RepeatNeeded } from '../savepoint.ts'
import type { WriteContext } from '../write-context.ts'
import { refuseWithLater } from './later-problems.ts'
import type { LevelOrder } from './level-order.ts'
import { lookUpReferences, type SeenReferences } from './look-ahead/look-up-references.ts'
import { missingLater } from './look-ahead/missing-later.ts'
import { ReadAgain, recordsOf } from './look-ahead/read-again.ts'
import type { ManyStep } from './many-step.ts'
import { insertRows } from './rows/insert-rows.ts'
import { ChangedRow, NewRow, type PendingWrites, pendingWrites } from './rows/pending-writes.ts'
import type { ReturnedRows } from './rows/returned-rows.ts'
import { updateRows } from './rows/update-rows.ts'

export interface RecordOptions {
  /** The foreign keys of each record to its nested parents, by the position of the record. */
  readonly keys: ReadonlyMap<number, Values>
  /** Whether the values of the records are needed, not only their keys. */
  readonly keepsValues: boolean
  /** Collects the rows that statements return; some of the records may be missing. */
  readonly returned: ReturnedRows | undefined
  /** Given while a list with nested records is written level by level. */
  readonly order: LevelOrder | undefined
  /**
   * Writes what is nested in the records that are stored so far, and has not been written yet. Called before a statement of a hook, which
   * must find the earlier records complete.
   */
  readonly writeNested: ((written: WrittenRecords) => Promise<void>) | undefined
}

export interface WrittenRecords {
  /** The values that the statements return, at least the keys. */
  readonly stored: readonly Values[]
  /** The values that were sent to the database; empty unless they are needed. */
  readonly saved: readonly Values[]
}

const nothing: Values = {}

/**
 * The hooks of a record find the database as if the earlier records had been written one by one: when a hook sends a statement through
 * `args.db`, the pending records are stored first.
 */
export async function writeRecords(
  context: WriteContext,
  resource: Resource,
  steps: readonly ManyStep[],
  { keys, keepsValues, returned, order, writeNested }: RecordOptions,
): Promise<WrittenRecords> {
  const { access, hooks, beforeHookStatements } = context
  const isList = steps.length > 1
  // A single record is stored at once.
  const pending = isList ? pendingRows(context, resource, returned) : undefined
  const lookedUp = isList ? await lookUpReferences(context, resource, recordsOf(steps)) : undefined
  let seen: SeenReferences = lookedUp?.seen ?? new Map()
  const again = pending && new ReadAgain(context, resource, steps, pending)
  let isStale = false
  let i = 0
  const saved: Values[] = []
  const storePending = async (): Promise<void> => {
    await pending?.flush()
    if (pending !== undefined) await writeNested?.({ stored: pending.stored(), saved })
  }
  const storeEarlier = async (): Promise<void> => {
    seen = new Map()
    isStale = true
    again?.outdate(i)
    await storePending()
    // The hook's statement may change rows that were returned earlier.
    returned?.rows.splice(0)
  }
  if (order !== undefined) order.beforeHooks(context)
  else if (beforeHookStatements !== undefined) {
    beforeHookStatements.work = isList ? storeEarlier : undefined
  }
  const references: KnownReferences | undefined = lookedUp && {
    relations: lookedUp.relations,
    has: (relation, key) => seen.get(relation)?.has(key) === true,
    async beforeLookUp() {
      // A statement of a hook may replace `seen` during this look-up. The key is then added to the old map, which is not used any more.
      const current = seen
      await pending?.flush()
      return (relation, key) => {
        current.set(relation, (current.get(relation) ?? new Set()).add(key))
      }
    },
    // The statement of a hook may have stored records that the look-up did not find.
    isMissing: (relation, key) => !isStale && lookedUp.isMissing(relation, key),
    async missingLater() {
      const later = () => recordsOf(steps.slice(i + 1))
      const found = isStale ? await lookUpReferences(context, resource, later()) : lookedUp
      return missingLater(context, resource, steps, i, keys, found)
    },
  }
  try {
    for (; i < steps.length; i++) {
      const step = steps[i] as ManyStep
      if (step.kind === 'refused') throw step.error
      if (again?.isDue(i) === true) await again.read(i, seen)
      const own = keys.get(i)
      const { path } = step.node
      // Awaits only values that are promises. Few are, and an `await` costs about as much as the rest of the loop.
      if (step.kind === 'create') {
        const { node } = step
        const filled = own === undefined ? step.filled : { ...step.filled, ...own }
        const made = newRecord(context, node, filled)
        const initial = made instanceof Promise ? await made : made
        if (own !== undefined && step.filled !== undefined)
          refuseOtherParent(context, node, step.filled, own)
        const data = filled === undefined ? initial : { ...initial, ...filled }
        const sent = node.values
        context.generatedKeys.refuseSent(resource, sent, path, filled)
        const checked = refuseInvisibleReferences(context, resource, sent, data, path, references)
        if (checked instanceof Promise) await checked
        if (filled !== undefined) await validateFilled(context, resource, filled, data, path)
        if (node.wholeRecordChecks.length > 0) {
          await runWholeRecordChecks(context, node, data, null)
          context.problems.refuse()
        }
        const isAllowed = access.canCreate(resource, data, path)
        if (!(isAllowed instanceof Promise ? await isAllowed : isAllowed)) throw forbidden(path)
        const values = hooks.has(resource, 'add') ? await hooks.add(resource, data, path) : data
        if (pending === undefined) {
          order?.afterHooks(context)
          return {
            stored: [await insert(context, resource, values, path, { filled })],
            saved: [values],
          }
        }
        pending.insert(new NewRow(values, path, filled))
        if (keepsValues) saved.push(values)
      } else {
        const now = again?.storedNow(step) ?? step.stored
        const stored = now instanceof Promise ? await now : now
        const replace = step.kind === 'change' && step.replace
        const requested =
          step.kind === 'move'
            ? await changesOfMove(context, step, stored)
            : requestedChanges(context, step.node, stored, { replace, keys: own, references })
        const changes = requested instanceof Promise ? await requested : requested
        const touches = step.kind === 'move' || step.touches
        const toStore = changes && changesToStore(context, resource, stored, changes, path, touches)
        const written = (toStore instanceof Promise ? await toStore : toStore) ?? nothing
        if (pending === undefined) {
          order?.afterHooks(context)
          const filled = step.kind === 'move' ? step.filled : own
          const changed = await updateStored(context, resource, stored, written, path, filled)
          return { stored: [changed], saved: [changed] }
        }
        pending.update(new ChangedRow(stored, written, path, changes ?? nothing))
        if (keepsValues) saved.push({ ...stored, ...written })
      }
      order?.refuse()
      pending?.refuse()
    }
  } catch (error) {
    if (order !== undefined) throw error
    let first = error
    // Stores the earlier records first, because an error of theirs takes precedence.
    await storePending().catch((earlier: unknown) => {
      const isRefused =
        refusalOf(earlier) !== undefined ||
        earlier instanceof RepeatNeeded ||
        (earlier instanceof ApiError && earlier.status < 500)
      if (isRefused) first = earlier
    })
    return refuseWithLater(context, resource, steps, i, first, isStale)
  }
  order?.afterHooks(context)
  await pending?.flush()
  return { stored: pending?.stored() ?? [], saved }
}

const pendingRows = (
  context: WriteContext,
  resource: Resource,
  returned: ReturnedRows | undefined,
): PendingWrites =>
  pendingWrites({
    insert: (rows) =>
      insertRows(context, resource, rows, returned?.byInsert ? returned : undefined),
    update: (rows) => updateRows(context, resource, rows, returned),
  })
