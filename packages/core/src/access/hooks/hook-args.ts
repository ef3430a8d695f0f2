// The last argument of every hook and policy function, `args`: `{ action, user, request, model, many, db, lock, … }`
// (docs/guide/hooks.md). Callers of hooks make it with a function of this file just before they call the hook with `hookCallerOf`.

import { runningOn, runsInRequest } from '../../database/leases/nested-requests.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import type { CallHook } from '../../model/hooks/call-hook.ts'
import { recordForHost } from '../../model/hooks/host-values.ts'
import type { Resource } from '../../model/registry/resource.ts'
import type { ApiRequest } from '../../model/request.ts'
import type { HookArgs, HookRecord, RequestArgs } from '../../model/settings/access/hook-types.ts'
import type { Action } from '../action.ts'
import { anonymous } from '../roles/roles.ts'
import type { RoutedRequest } from '../routed-request.ts'
import { ClientsOfCall } from './clients-of-call.ts'
import type { HookCall, HookRuntime } from './hook-call.ts'
import { lockOf } from './lock-of-call.ts'

/** The action and the rows that a hook decides about. */
export interface HookSubject {
  readonly action: Action
  readonly resource: Resource
  /** Whether the rows are a list, also if it has one record. */
  readonly many: boolean
  /** The name of the relation that leads to the rows: of a relation route or an embed; null for rows that no relation leads to. */
  readonly relation: string | null
}

/** Returns the arguments of a callback that belongs to the resource of the path: filter, dump, return, final and the commit callbacks. */
export const hookArgs = (call: HookCall & RoutedRequest): HookArgs =>
  subjectArgs(call, {
    action: call.action,
    resource: call.resource,
    many: call.many,
    relation: call.relation?.name ?? null,
  })

/** What is known of a request when setup, final or error is called: nothing before routing, no caller before authentication. */
export type KnownCall = Partial<
  Pick<HookCall, 'caller'> & Pick<RoutedRequest, 'action' | 'resource' | 'relation' | 'many'>
>

/**
 * Returns the arguments of setup, final and error. `carrier` is the request whose connection is used, if that is another one: for an
 * operation, the batch.
 */
export const requestArgs = (
  runtime: HookRuntime,
  request: ApiRequest,
  { caller, action, resource, relation, many = false }: KnownCall = {},
  carrier: ApiRequest = request,
): RequestArgs => ({
  action: action ?? null,
  user: caller?.user ?? null,
  request,
  model: resource?.model ?? null,
  many,
  relation_name: relation?.name ?? null,
  db: runtime.database.knownSession(carrier) ?? null,
  as: new ClientsOfCall(
    { runtime, request: carrier, caller: caller ?? anonymous },
    hooksOf(action, resource),
  ),
  before: null,
})

/** Returns the arguments of a hook about one record that is written; `before` is the record as it is stored, null for a new one. */
export const recordArgs = (
  call: HookCall & RoutedRequest,
  resource: Resource,
  before: Readonly<HookRecord> | null = null,
): HookArgs =>
  subjectArgs(
    call,
    { action: call.action, resource, many: call.many, relation: null },
    before && recordForHost(resource, before),
  )

/**
 * Returns the arguments of a hook about any rows, such as those of an embed. Throws while API_SESSION_GETTER has not yet resolved,
 * because `db` must be the connection that it returns. `before`: as in `recordArgs`; null for a hook about no single record.
 */
export const subjectArgs = (
  call: HookCall,
  { action, resource, many, relation }: HookSubject,
  before: HookRecord | null = null,
): HookArgs => ({
  action,
  user: call.caller.user,
  request: call.request,
  model: resource.model,
  many,
  relation_name: relation,
  db: databaseOf(call),
  as: new ClientsOfCall(call, hooksOf(action, resource)),
  lock: lockOf(call, databaseOf),
  toRow: call.runtime.access.sqlValues.toRow,
  toRecord: call.runtime.access.sqlValues.toRecord,
  toColumn: call.runtime.access.sqlValues.toColumn,
  before,
})

/** Names the hooks of a request in errors: `POST of Book`, or `a request` before routing. */
const hooksOf = (action = 'a request', resource?: Resource): string =>
  resource === undefined ? action : `${action} of ${resource.name}`

function databaseOf({ transaction, runtime, request }: HookCall): AnyDatabase {
  const db = transaction ?? runtime.database.session(request)
  if (db instanceof Promise) throw new Error('A hook was called before its connection was known.')
  return db
}

/**
 * Returns the function that calls hooks. On a pool of one connection, a hook that needs a second one gets an error instead of a
 * deadlock. On a transaction of the host (`runsInRequest`), the hook is noted as running on it, so that a request which it makes there does not
 * wait for the request of the hook.
 */
export function hookCallerOf({ transaction, runtime, request }: HookCall): CallHook {
  const db = transaction ?? runtime.database.session(request)
  if (db instanceof Promise) return runtime.host.callHook
  const callHook = runtime.host.callHookOn(db)
  return runsInRequest() ? (name, call) => callHook(name, () => runningOn(db, call)) : callHook
}
