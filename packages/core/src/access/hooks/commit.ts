// Calls the callbacks before and after COMMIT, which receive the records that a request has written (docs/guide/hooks.md).

import type { JsonValue } from '../../lib/json/json-value.ts'
import { valueForHost } from '../../model/hooks/host-values.ts'
import type { Change } from '../../model/settings/access/hook-types.ts'
import { type HookSettings, placeOfHook } from '../../model/settings/access/resolve-hooks.ts'
import type { RoutedRequest } from '../routed-request.ts'
import { hookArgs, hookCallerOf } from './hook-args.ts'
import type { HookCall } from './hook-call.ts'

/** Whether a callback receives the changes of a write, so that they have to be collected. */
export const needsChanges = ({ beforeCommit, afterCommit }: HookSettings): boolean =>
  (beforeCommit ?? afterCommit) !== undefined

/** Returns what errors call the callback: `before-commit callback of Book (config.API_BEFORE_COMMIT_CALLBACK)`. */
function nameOf(
  { resource: { model, name }, method }: RoutedRequest,
  hook: 'beforeCommit' | 'afterCommit',
): string {
  const kind = hook === 'beforeCommit' ? 'before-commit' : 'after-commit'
  return `${kind} callback of ${name} (${placeOfHook(hook, model, method)})`
}

/** The copy of a change that one callback receives. */
const changeForHost = ({ model, ...change }: Change): Change => ({
  ...(valueForHost(change as unknown as JsonValue) as unknown as Omit<Change, 'model'>),
  model,
})

/** Calls the callback inside the transaction with the changes, if there are any; its failure rolls them back. */
export async function runBeforeCommit(
  call: HookCall & RoutedRequest,
  changes: readonly Change[],
): Promise<void> {
  const { beforeCommit } = call.hooks
  if (beforeCommit === undefined || changes.length === 0) return
  const args = hookArgs(call)
  await hookCallerOf(call)(nameOf(call, 'beforeCommit'), () =>
    beforeCommit(changes.map(changeForHost), args),
  )
}

/**
 * Calls the callback with the changes, if there are any. It is not awaited and has no effect on the response; its failure is reported.
 * `committed`: false if the transaction belongs to the host, which commits it later or not at all.
 */
export function runAfterCommit(
  call: HookCall & RoutedRequest,
  changes: readonly Change[],
  { committed }: { readonly committed: boolean },
): void {
  const { afterCommit } = call.hooks
  if (afterCommit === undefined || changes.length === 0) return
  const { request, runtime } = call
  const report = (error: unknown): void => runtime.host.report(error, request)
  const args = { ...hookArgs(call), committed }
  try {
    const pending = hookCallerOf(call)(nameOf(call, 'afterCommit'), () =>
      afterCommit(changes.map(changeForHost), args),
    )
    if (pending instanceof Promise) pending.catch(report)
  } catch (error) {
    report(error)
  }
}
