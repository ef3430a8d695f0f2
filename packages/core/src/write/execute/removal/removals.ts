// Removals: what the deletions of a request share.

import type { Resource } from '../../../registry/resource.ts'
import type { WriteContext } from '../context.ts'
import { refusalOf } from '../refusals/refusal.ts'
import { SavepointNeeded } from '../savepoint.ts'
import { LookAhead } from './look-ahead.ts'
import { PendingRemovals } from './pending-removals.ts'

/** The state that the deletions of a request share. */
export interface Removals {
  readonly context: WriteContext
  readonly cascade: boolean
  /** The path in the body of the list that removes links; empty for a DELETE. */
  readonly path: string
  readonly pending: PendingRemovals
  /** Absent if the records are deleted one by one. */
  readonly ahead: LookAhead | undefined
  /** The records that were deleted, by `idOf`. */
  readonly removed: Map<string, { readonly height: number; readonly isMarked: boolean }>
  /** The links that were removed, for `linksLeft`. */
  readonly goneLinks: Set<string>
}

/** The state that the deletions of a record and all its dependents share. */
export interface Removal extends Removals {
  /** The records deleted so far, to end cycles and to enforce `max`. */
  readonly deleted: Set<string>
  /** 400 if more records would be deleted. */
  readonly max: number
}

/** A callback may have effects outside of the transaction, so the transaction must not be repeated to find a refused record. */
export function withSavepoints(
  context: WriteContext,
  resource: Resource,
  cascade: boolean,
): WriteContext {
  const models = cascade ? context.registry.resources : [resource]
  const hasCallback = models.some((one) => context.hooks.has(one, 'remove'))
  return hasCallback ? { ...context, setsSavepoints: true } : context
}

/**
 * The hooks of a record find the database as if the earlier records had been deleted one by one: when a hook sends a statement through
 * `args.db`, the pending records are deleted first.
 */
export function removalsOf(context: WriteContext, cascade: boolean): Removals {
  const { beforeHookStatements } = context
  const collects = beforeHookStatements !== undefined
  const pending = new PendingRemovals(context, collects)
  const ahead = collects ? new LookAhead(context, cascade, () => pending.flush()) : undefined
  const storeEarlier = async (): Promise<void> => {
    ahead?.outdate()
    await pending.flush()
  }
  if (beforeHookStatements !== undefined) beforeHookStatements.work = storeEarlier
  return { ...oneByOne(context, '', pending), cascade, ahead }
}

/** The state of deletions that store each record at once. */
export const oneByOne = (
  context: WriteContext,
  path: string,
  pending: PendingRemovals = new PendingRemovals(context, false),
): Removals => ({
  context,
  cascade: false,
  path,
  pending,
  ahead: undefined,
  removed: new Map(),
  goneLinks: new Set(),
})

/** The state of the deletion of one record and its dependents. */
export const removalOf = (removals: Removals, resource: Resource): Removal => ({
  ...removals,
  deleted: new Set(),
  max: resource.settings.limits.bulk,
})

/** Deletes the pending records after `work`, also if it fails: an error of an earlier record takes precedence. */
export async function storingAll({ pending }: Removals, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    await pending.flush().catch((earlier: unknown) => {
      const isRefused = refusalOf(earlier) !== undefined || earlier instanceof SavepointNeeded
      if (isRefused) throw earlier
    })
    throw error
  }
  await pending.flush()
}
