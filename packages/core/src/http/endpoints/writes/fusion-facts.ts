// fusionFacts: what `write/fusion` asks about a request to decide whether one statement can make the write of a record: callbacks, the access
// rules and the database. The type `FusionFacts` says what each member means.

import type { Action } from '../../../access/action.ts'
import { needsChanges } from '../../../access/hooks/commit.ts'
import { hasDump } from '../../../access/hooks/read-hooks.ts'
import { hasCallback } from '../../../access/hooks/write-hooks.ts'
import { hasPermission } from '../../../access/reach.ts'
import { actsOnDependents, dependentsOf } from '../../../model/registry/relations/dependents.ts'
import type { Opened } from '../../../query/scoper.ts'
import { type FusionFacts, maySet } from '../../../write/fusion/fusion-of.ts'
import type { OneRecord } from '../../../write/fusion/one-record.ts'
import type { WriteHooks } from '../../../write/store/write-context.ts'
import type { Call } from '../../call/call.ts'
import { isHosted } from '../reads/database/request-database.ts'

/** Returns the facts of a request that writes one record on the connection `opened`. */
export function fusionFacts(call: Call, { own, lease }: Opened, oneRecord: OneRecord): FusionFacts {
  const { runtime, caller, hooks, method } = call
  const { dialect } = lease
  const { fusesWrites = true, singleWrites, updatesReadAnyTable } = dialect.shortcuts ?? {}
  const { resource, echoPlan, record } = oneRecord
  const { dump, return: onReturn, final } = hooks
  const dumpsEcho = echoPlan !== null && (dump !== undefined || hasDump(resource, echoPlan.embeds))
  const [action, callback] = calledFor(oneRecord)
  return {
    transaction: isHosted(call, own) || dumpsEcho || (onReturn ?? final) !== undefined,
    policyHooks: runtime.access.policies.hasHookFor(resource, action),
    callback: notesChanges(call) || hasCallback(resource, method, callback),
    dependents: record === null && hasDependents(call, oneRecord),
    endsUsers: mayEndUsers(call, oneRecord),
    permitted:
      hasPermission(resource, action, caller) && (echoPlan === null || call.reach(resource)),
    narrows: (target) => runtime.access.policies.narrows(target),
    locksReferred: (target) =>
      !dialect.capabilities.locksRows || dialect.lockReferred?.(target) !== undefined,
    checksInUpdates: updatesReadAnyTable === true,
    singleWrites: fusesWrites ? singleWrites : undefined,
  }
}

/** Returns the right that the write needs, and the callback that it calls. */
function calledFor({
  change,
  record,
  replace,
}: OneRecord): readonly [Action, Parameters<WriteHooks['has']>[1]] {
  if (record === null) return ['DELETE', 'remove']
  return change === 'insert' ? ['POST', 'add'] : [replace ? 'PUT' : 'PATCH', 'update']
}

/** Whether the write may remove a user or make it inactive, so that its tokens and API keys are revoked. */
function mayEndUsers({ runtime }: Call, oneRecord: OneRecord): boolean {
  const { credentialCleanup } = runtime.signIn
  if (credentialCleanup === undefined || credentialCleanup.users.model !== oneRecord.resource.model)
    return false
  if (oneRecord.change === 'insert') return false
  const columns = [...credentialCleanup.columns].map(
    (name) => credentialCleanup.users.allColumns.get(name)?.dbName,
  )
  return (
    oneRecord.record === null ||
    maySet(
      oneRecord,
      columns.filter((name) => name !== undefined),
    )
  )
}

/** Whether other records may refer to the record that is removed, or are changed with it. */
function hasDependents({ registry }: Call, { resource, change, cascade }: OneRecord): boolean {
  const isReferredTo = change === 'delete' && dependentsOf(registry, resource).length > 0
  return isReferredTo || actsOnDependents(registry, resource, { cascade })
}

/** Whether somebody has to know what is written: callbacks, or the search for the record that a deferred constraint refuses. */
const notesChanges = ({ hooks, runtime }: Call): boolean =>
  needsChanges(hooks) || runtime.batch?.deferred !== undefined
