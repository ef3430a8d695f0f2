// Removals: what the deletions of a request share.

import { type ApiError, tooManyRecords } from '../../errors.ts'
import type { Resource } from '../../model/registry/resource.ts'
import { maxBulkNames, settingNames } from '../../model/settings/setting-names.ts'
import { refusalOf } from '../refusals/refusal.ts'
import { RepeatNeeded } from '../store/savepoint.ts'
import type { WriteContext } from '../store/write-context.ts'
import { LookAhead } from './look-ahead.ts'
import { PendingRemovals } from './pending-removals.ts'
import { RemovedRecords } from './removed-records.ts'
import type { ToRemove } from './to-remove.ts'

/** The state that the deletions of a request share. */
export interface Removals {
  readonly context: WriteContext
  readonly cascade: boolean
  /** The path in the body of the list that removes links; empty for a DELETE. */
  readonly path: string
  readonly ahead: LookAhead
  readonly pending: PendingRemovals
  readonly removed: RemovedRecords
  /** The links that were removed, for `linksLeft`. */
  readonly goneLinks: Set<string>
  /** The records whose deletion has begun, by `idOf`, to limit their number. */
  readonly counted: Set<string>
}

/** The state that the deletions of a record and its dependents share. */
export interface Tree extends Removals {
  /** The model of the record at the top. */
  readonly top: Resource
  /** The records whose deletion has begun, by `idOf`: to end cycles. */
  readonly begun: Map<string, ToRemove>
}

export const treeOf = (removals: Removals, top: Resource): Tree => ({
  ...removals,
  top,
  begun: new Map(),
})

/** Most records that the deletions of a request delete, those of a list and their dependents together. */
export const mostOf = ({ top }: Tree): number => top.settings.limits.bulk

/**
 * 400 for more records; some of `resource` are the first that are too many. A client whose every DELETE cascades has sent no parameter that
 * it could leave out.
 */
export function tooManyOf(tree: Tree, { endpoint }: Resource): ApiError {
  const of = { endpoint, below: tree.top.endpoint }
  if (!tree.top.settings.alwaysCascades) {
    return tooManyRecords(of, maxBulkNames, mostOf(tree), 'cascade_delete')
  }
  const why = ` Every DELETE here also deletes dependents (${settingNames.allowCascadeDelete} is 'always'); delete some of them first.`
  return tooManyRecords(of, maxBulkNames, mostOf(tree), undefined, why)
}

/**
 * Runs the deletions of a DELETE. The records are collected and deleted with few statements, if `context` tells when a hook sends a
 * statement: the earlier records are deleted before, so that each hook finds the database as if the records were deleted one by one.
 */
export async function removing(
  context: WriteContext,
  resource: Resource,
  cascade: boolean,
  work: (removals: Removals) => Promise<void>,
): Promise<void> {
  const { beforeHookStatements } = context
  const removals = removalsOf(withSavepoints(context, resource, cascade), {
    path: '',
    cascade,
    isOneByOne: beforeHookStatements === undefined,
  })
  const { ahead, pending } = removals
  const storeEarlier = (): Promise<void> => {
    ahead.outdate()
    return pending.flush()
  }
  if (beforeHookStatements !== undefined) beforeHookStatements.work = storeEarlier
  try {
    await work(removals)
  } catch (error) {
    // Deletes the earlier records first, because an error of theirs takes precedence.
    await pending.flush().catch((earlier: unknown) => {
      const isRefused = refusalOf(earlier) !== undefined || earlier instanceof RepeatNeeded
      if (isRefused) throw earlier
    })
    throw error
  }
  await pending.flush()
}

/** The state of the removal of links that a list no longer names. They are deleted one by one. */
export const removalsOfLinks = (context: WriteContext, path: string): Removals =>
  removalsOf(context, { path, cascade: false, isOneByOne: true })

interface RemovalOptions extends Pick<Removals, 'path' | 'cascade'> {
  readonly isOneByOne: boolean
}

function removalsOf(
  context: WriteContext,
  { path, cascade, isOneByOne }: RemovalOptions,
): Removals {
  const pending = new PendingRemovals(context, isOneByOne)
  const ahead = new LookAhead(context, cascade, () => pending.flush(), isOneByOne)
  const removed = new RemovedRecords()
  return {
    context,
    cascade,
    path,
    ahead,
    pending,
    removed,
    goneLinks: new Set(),
    counted: new Set(),
  }
}

/** A callback may have effects outside of the transaction, so the transaction must not be repeated to find a refused record. */
function withSavepoints(context: WriteContext, resource: Resource, cascade: boolean): WriteContext {
  const models = cascade ? context.registry.resources : [resource]
  const hasCallback = models.some((one) => context.hooks.has(one, 'remove'))
  return hasCallback ? { ...context, setsSavepoints: true } : context
}
