// serveCall: the stages of a routed request: setup, limit, authenticate, authorise, and its endpoint.

import { authorize } from '../../../access/authorize.ts'
import { callerOf, isUser } from '../../../access/caller.ts'
import { runSetup } from '../../../access/hooks/read-hooks.ts'
import { reachOf } from '../../../access/reach.ts'
import { anonymous, type Caller } from '../../../access/roles/roles.ts'
import { methodNotAllowed } from '../../../errors.ts'
import { andThen, type MaybePromise } from '../../../lib/maybe-promise.ts'
import type { Route } from '../../../model/route.ts'
import { shownBulkSetting } from '../../../model/settings/endpoints/bulk-methods.ts'
import { settingNames } from '../../../model/settings/setting-names.ts'
import { queryMediaType, wholeQuery } from '../../../write/body/query-body.ts'
import {
  type BodyLimit,
  jsonMediaType,
  patchMediaTypes,
} from '../../../write/body/text/request-body.ts'
import type { Runtime } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { asPreferred } from '../../preference.ts'
import { isRead } from '../reads/read-source.ts'
import { type Admission, type Admitted, admitCall, needsNoAdmission } from './admit.ts'
import { answerRoute } from './answer-route.ts'
import { routeForCaller } from './caller-route.ts'
import { runReturnAndTag } from './finish.ts'
import { factsOf, type MethodFacts } from './route-facts.ts'
import type { RoutedCall } from './route-request.ts'

/** Runs the stages after routing; headers added to `always` are sent even if a stage fails. */
export function serveCall(
  call: RoutedCall,
  route: Route,
  always: Record<string, string>,
): MaybePromise<Result> {
  if (call.method === 'OPTIONS') return optionsOf(route)
  const facts = methodFactsOf(route, call)
  // Continues synchronously if nothing must be awaited: a promise costs about as much as a small stage.
  return needsAdmission(call, facts)
    ? admit(call, facts, always).then(() => admitted(call, route, facts))
    : admitted(call, route, facts)
}

/** Returns the response to OPTIONS. */
export function optionsOf(route: Route): Result {
  const { allowed } = factsOf(route)
  const patches = route.kind === 'item' ? patchMediaTypes : jsonMediaType
  const headers = {
    allow: allowed.join(', '),
    ...(allowed.includes('PATCH') ? { 'accept-patch': patches } : {}),
    ...(allowed.includes('QUERY') ? { 'accept-query': queryMediaType } : {}),
  }
  return { status: 204, value: null, total: undefined, empty: true, headers }
}

/** Returns the facts of a method other than OPTIONS; throws 405 if the route does not have that method. */
export function methodFactsOf(
  route: Route,
  { method, isQuery }: Pick<RoutedCall, 'method' | 'isQuery'>,
): MethodFacts {
  const { allowed, methods } = factsOf(route)
  const facts = methods.get(method)
  const asked = isQuery ? 'QUERY' : method
  if (facts === undefined) throw methodNotAllowed(asked, allowed, bulkHint(route, method))
  return facts
}

/** Returns the end of the 405 message: if only bulk writes are disabled, it names the setting that enables them. */
const bulkHint = ({ kind, resource }: Route, method: string): string => {
  const changes = method === 'PATCH' || method === 'DELETE'
  return kind === 'collection' && changes && resource.settings.methods.has(method)
    ? ` Many records at once are not enabled here (${shownBulkSetting(resource.settings.bulkMethods)}).`
    : ''
}

/** Whether the request needs the stages setup, limit or authenticate. */
export const needsAdmission = (call: RoutedCall, facts: MethodFacts): boolean =>
  call.hooks.setup !== undefined || needsIdentity(call, facts)

/** Whether the request needs the stages limit and authenticate. The setup callback may have set `request.user`. */
export const needsIdentity = ({ request }: RoutedCall, { admission }: MethodFacts): boolean =>
  !needsNoAdmission(admission) || isUser(request.user)

/** Runs the stages setup, limit and authenticate. */
async function admit(
  call: RoutedCall,
  facts: MethodFacts,
  always: Record<string, string>,
): Promise<void> {
  await setUp(call)
  if (needsIdentity(call, facts)) await identify(call, facts.admission, always)
}

/** Runs the stage setup, if the request has a setup callback. */
export async function setUp(call: RoutedCall): Promise<void> {
  const { runtime, request, hooks, timing } = call
  if (hooks.setup === undefined) return
  timing?.enter('setup')
  await runSetup(runtime, hooks, request, call)
}

/** Runs the stages from authorize on. */
function admitted(call: RoutedCall, route: Route, { checks }: MethodFacts): MaybePromise<Result> {
  authorize(call.caller, checks)
  return answerAuthorized(call, route)
}

/** Runs the stages after authorize. */
export function answerAuthorized(call: RoutedCall, route: Route): MaybePromise<Result> {
  if (call.isQuery) call.query = wholeQuery(call.request, call.query, bodyLimitOf(call.runtime))
  call.timing?.enter('plan')
  return andThen(routeForCaller(call, route), (own) =>
    andThen(answerRoute(call, own), (result) =>
      isRead(call.method)
        ? runReturnAndTag(call, result)
        : andThen(runReturnAndTag(call, result), (tagged) => preferred(call, own, tagged)),
    ),
  )
}

/** Returns the result of a write in the form that the header `Prefer` requests. */
function preferred({ request, method }: RoutedCall, route: Route, result: Result): Result {
  const many = route.kind === 'collection' && method !== 'POST'
  return asPreferred({ request, many, removes: method === 'DELETE' }, result)
}

const bodyLimitOf = ({ settings }: Runtime): BodyLimit => ({
  bytes: settings.bodyLimit,
  setting: settingNames.bodyLimit,
})

/** Runs the stages limit and authenticate; sets the caller of the request. */
async function identify(
  call: RoutedCall,
  admission: Admission,
  always: Record<string, string>,
): Promise<void> {
  const { caller, headers } = await callerAdmittedTo(call, admission)
  Object.assign(always, headers)
  setCaller(call, caller)
}

/** Who sent a request, with its roles. */
export interface AdmittedCaller extends Admitted {
  readonly caller: Caller
}

/** Runs the stages limit and authenticate; returns the caller. */
export async function callerAdmittedTo(
  call: RoutedCall,
  admission: Admission,
): Promise<AdmittedCaller> {
  const admitted = await admitCall(call, call.isQuery ? { ...admission, reads: true } : admission)
  const { callHook, registry } = call.runtime
  const { user, strategy } = admitted
  const found = callerOf(callHook, user, registry.users?.model, strategy)
  const caller = found instanceof Promise ? await found : found
  call.runtime.hintMissingRoles(caller)
  return { ...admitted, caller }
}

/** Sets the caller of a request, and with it the resources that the request can reach. */
export function setCaller(call: RoutedCall, caller: Caller): void {
  if (caller === anonymous) return
  call.caller = caller
  call.reach = reachOf(caller)
}
