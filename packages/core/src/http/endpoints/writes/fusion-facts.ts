// FusionFacts: what decides whether one statement makes the write of a record (`write/fusion`): callbacks, the access rules and the
// database. `FusionFacts` says what each member means.

import type { Action } from '../../../access/action.ts'
import { needsChanges } from '../../../access/hooks/commit.ts'
import { hasDump } from '../../../access/hooks/read-hooks.ts'
import { hasCallback } from '../../../access/hooks/write-hooks.ts'
import { mayAct } from '../../../access/reach.ts'
import { actsOnDependents, dependentsOf } from '../../../model/registry/relations/dependents.ts'
import type { Opened } from '../../../query/scoper.ts'
import { type FusionFacts, maySet } from '../../../write/fusion/fusion-of.ts'
import type { OneRecord } from '../../../write/fusion/one-record.ts'
import type { WriteHooks } from '../../../write/store/write-context.ts'
import type { Call } from '../../call/call.ts'
import { isHosted } from '../reads/database/request-database.ts'

export function fusionFacts(call: Call, { own, lease }: Opened, oneRecord: OneRecord): FusionFacts {
  const { runtime, caller, hooks, method } = call
  const { dialect } = lease
  const { fusesWrites = true, singleWrites, updatesReadAnyTable } = dialect.shortcuts ?? {}
  const { resource, echo, record } = oneRecord
  const { dump, return: onReturn, final } = hooks
  const dumpsEcho = echo !== null && (dump !== undefined || hasDump(resource, echo.embeds))
  const [action, callback] = calledFor(oneRecord)
  return {
    transaction: isHosted(call, own) || dumpsEcho || (onReturn ?? final) !== undefined,
    policyHooks: runtime.access.policies.hasHookFor(resource, action),
    callback: notesChanges(call) || hasCallback(resource, method, callback),
    dependents: record === null && hasDependents(call, oneRecord),
    endsUsers: mayEndUsers(call, oneRecord),
    permitted: mayAct(resource, action, caller) && (echo === null || call.reach(resource)),
    narrows: (target) => runtime.access.policies.narrows(target),
    locksReferred: (target) =>
      !dialect.capabilities.locksRows || dialect.lockReferred?.(target) !== undefined,
    checksInUpdates: updatesReadAnyTable === true,
    singleWrites: fusesWrites ? singleWrites : undefined,
  }
}

/** The right that the write needs, and the callback that it calls. */
function calledFor({
  change,
  record,
  replace,
}: OneRecord): readonly [Action, Parameters<WriteHooks['has']>[1]] {
  if (record === null) return ['DELETE', 'remove']
  return change === 'insert' ? ['POST', 'add'] : [replace ? 'PUT' : 'PATCH', 'update']
}

/** Whether tokens and keys of a user may end with the write. */
function mayEndUsers({ runtime }: Call, oneRecord: OneRecord): boolean {
  const { endings } = runtime.signIn
  if (endings === undefined || endings.users.model !== oneRecord.resource.model) return false
  if (oneRecord.change === 'insert') return false
  const columns = [...endings.columns].map((name) => endings.users.allColumns.get(name)?.dbName)
  return (
    oneRecord.record === null ||
    maySet(
      oneRecord,
      columns.filter((name) => name !== undefined),
    )
  )
}

function hasDependents({ registry }: Call, { resource, change, cascade }: OneRecord): boolean {
  const isReferredTo = change === 'delete' && dependentsOf(registry, resource).length > 0
  return isReferredTo || actsOnDependents(registry, resource, { cascade })
}

/** Whether somebody has to know what is written: callbacks, or the search for the record that a deferred constraint refuses. */
const notesChanges = ({ hooks, runtime }: Call): boolean =>
  needsChanges(hooks) || runtime.batch?.deferred !== undefined
