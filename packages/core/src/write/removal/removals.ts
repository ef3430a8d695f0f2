// Removals: what the deletions of a request share.

import { type ApiError, tooManyRecords } from '../../errors.ts'
import { removalReach } from '../../model/registry/relations/dependents.ts'
import type { Resource } from '../../model/registry/resource.ts'
import { maxBulkNames } from '../../model/settings/setting-names.ts'
import type { Values } from '../nodes/node.ts'
import { refusalOf } from '../refusals/refusal.ts'
import type { WriteContext } from '../store/write-context.ts'
import { LookAhead } from './look-ahead.ts'
import { PendingRemovals } from './pending-removals.ts'
import { RemovedRecords } from './removed-records.ts'
import { idOf } from './to-remove.ts'

/** The state that the deletions of a request share. */
export interface Removals {
  readonly context: WriteContext
  /** Whether the request says `cascade_delete`. */
  readonly cascade: boolean
  /** The path in the body of the list that removes links; empty for a DELETE. */
  readonly path: string
  readonly ahead: LookAhead
  readonly pending: PendingRemovals
  readonly removed: RemovedRecords
  /** The links that were removed, for `linksLeft`. */
  readonly goneLinks: Set<string>
  /** The records that are deleted or lose their reference, by `idOf`, to limit their number. */
  readonly counted: Set<string>
}

/** The state that the deletions of a record and its dependents share. */
export interface Tree extends Removals {
  /** The model of the record at the top. */
  readonly top: Resource
  /** The record at the top and those on the way down to the current one, by `idOf`: to end cycles. */
  readonly begun: Set<string>
}

export const treeOf = (removals: Removals, top: Resource): Tree => ({
  ...removals,
  top,
  begun: new Set(),
})

/** Most records that the deletions of a request write, those of a list and their dependents together. */
export const mostOf = ({ top }: Tree): number => top.settings.limits.bulk

/** Counts a record that is deleted or changed; throws 400 beyond the limit. */
export function count(tree: Tree, resource: Resource, stored: Values): void {
  tree.counted.add(idOf(resource, stored))
  if (tree.counted.size > mostOf(tree)) throw tooManyOf(tree, resource)
}

/** 400 for more records; some of `resource` are the first that are too many. */
export function tooManyOf(tree: Tree, { endpoint }: Resource): ApiError {
  const of = { endpoint, below: tree.top.endpoint }
  return tree.cascade
    ? tooManyRecords(of, maxBulkNames, mostOf(tree), 'cascade_delete')
    : tooManyRecords(of, maxBulkNames, mostOf(tree), undefined, deleteThemFirst)
}

/** The client has sent no parameter that it could leave out. */
const deleteThemFirst =
  ' A DELETE here also deletes or changes records that refer to the deleted ones; delete some of them first.'

/**
 * Runs the deletions of a request, or those of a list of links. The records are collected and deleted with few statements, if `context`
 * tells when a hook sends a statement: the earlier records are deleted before, so that each hook finds the database as if the records were
 * deleted one by one.
 */
export async function removing(
  context: WriteContext,
  resource: Resource,
  options: RemovalOptions,
  work: (removals: Removals) => Promise<void>,
): Promise<void> {
  const { beforeHookStatements } = context
  const saving = withSavepoints(context, resource, options.cascade)
  const removals = removalsOf(saving, options, beforeHookStatements === undefined)
  const { ahead, pending, removed } = removals
  const before = beforeHookStatements?.work
  const storeEarlier = async (): Promise<void> => {
    ahead.outdate()
    removed.forgetChanges()
    await pending.flush()
    await before?.()
  }
  if (beforeHookStatements !== undefined) beforeHookStatements.work = storeEarlier
  try {
    await work(removals)
  } catch (error) {
    // Deletes the earlier records first, because an error of theirs takes precedence.
    await pending.flush().catch((earlier: unknown) => {
      const isRefused = refusalOf(earlier) !== undefined
      if (isRefused) throw earlier
    })
    throw error
  }
  await pending.flush()
  if (beforeHookStatements !== undefined) beforeHookStatements.work = before
}

type RemovalOptions = Pick<Removals, 'path' | 'cascade'>

function removalsOf(
  context: WriteContext,
  { path, cascade }: RemovalOptions,
  isOneByOne: boolean,
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
  const { hooks, registry } = context
  const { deleted, emptied } = removalReach(registry, resource, cascade)
  const hasCallback =
    [...deleted].some((one) => hooks.has(one, 'remove')) ||
    [...emptied].some((one) => hooks.has(one, 'update'))
  return hasCallback ? { ...context, repeat: undefined } : context
}
