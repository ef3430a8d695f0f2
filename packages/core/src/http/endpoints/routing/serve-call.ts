// serveCall: the stages of a routed request: setup, limit, authenticate, authorise, its endpoint and the return callback. `handle.ts` calls
// it and sends the result; a batch calls the single stages.

import { authorize } from '../../../access/authorize.ts'
import { isUser } from '../../../access/caller.ts'
import { runSetup } from '../../../access/hooks/read-hooks.ts'
import { reachOf } from '../../../access/reach.ts'
import { anonymous, type Caller } from '../../../access/roles/roles.ts'
import { methodNotAllowed } from '../../../errors.ts'
import { andThen, type MaybePromise } from '../../../lib/maybe-promise.ts'
import type { Route } from '../../../model/route.ts'
import { shownBulkSetting } from '../../../model/settings/setting-names.ts'
import { queryMediaType, wholeQuery } from '../../../write/body/query-body.ts'
import {
  bodyLimitOf,
  jsonMediaType,
  patchMediaTypes,
} from '../../../write/body/text/request-body.ts'
import type { Call, LatestCall } from '../../call/call.ts'
import type { Result } from '../../envelope.ts'
import { asPreferred } from '../../preference.ts'
import { isRead } from '../reads/database/read-source.ts'
import {
  type Admission,
  type Admitted,
  admitCall,
  lookUpCaller,
  needsNoAdmission,
} from './admit.ts'
import { answerRoute } from './answer-route.ts'
import { narrowedToCaller } from './caller-route.ts'
import { runReturnAndTag } from './finish.ts'
import { factsOf, type MethodFacts } from './route-facts.ts'

/** What the stages note of a request besides its result: its latest call, and headers that are sent even if a later stage fails. */
interface StageNotes extends LatestCall {
  readonly always: Record<string, string>
}

/** Runs the stages after routing. */
export function serveCall(call: Call, route: Route, notes: StageNotes): MaybePromise<Result> {
  if (call.method === 'OPTIONS') return optionsOf(route)
  const facts = methodFactsOf(route, call)
  // Continues synchronously if nothing must be awaited: a promise costs about as much as a small stage.
  return needsAdmission(call, facts)
    ? setUpAndIdentify(call, facts, notes).then((own) =>
        authorizeAndAnswer(own, route, facts, notes),
      )
    : authorizeAndAnswer(call, route, facts, notes)
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
  { method, isQuery }: Pick<Call, 'method' | 'isQuery'>,
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
export const needsAdmission = (call: Call, facts: MethodFacts): boolean =>
  call.hooks.setup !== undefined || needsIdentity(call, facts)

/** Whether the request needs the stages limit and authenticate. The setup callback may have set `request.user`. */
export const needsIdentity = ({ runtime, request }: Call, { admission }: MethodFacts): boolean =>
  !needsNoAdmission(admission) || isUser(request.user) || runtime.signIn.given !== undefined

/** Runs the stages setup, limit and authenticate. */
async function setUpAndIdentify(call: Call, facts: MethodFacts, notes: StageNotes): Promise<Call> {
  await setUp(call)
  return needsIdentity(call, facts) ? identify(call, facts.admission, notes) : call
}

/** Runs the stage setup, if the request has a setup callback. */
export async function setUp(call: Call): Promise<void> {
  const { runtime, request, hooks } = call
  if (hooks.setup === undefined) return
  await runSetup(runtime, hooks, request, call)
}

/** Runs the stages from authorize on. */
function authorizeAndAnswer(
  call: Call,
  route: Route,
  { checks }: MethodFacts,
  notes: LatestCall,
): MaybePromise<Result> {
  authorize(call.caller, checks)
  return answerAuthorized(call, route, notes)
}

/** Runs the stages after authorize. */
export function answerAuthorized(
  call: Call,
  route: Route,
  notes: LatestCall,
): MaybePromise<Result> {
  const whole = call.isQuery ? withWholeQuery(call) : call
  return andThen(narrowedToCaller(whole, route), (narrowed) => {
    notes.call = narrowed?.call ?? whole
    return answer(notes.call, narrowed?.route ?? route)
  })
}

const withWholeQuery = (call: Call): Call => ({
  ...call,
  query: wholeQuery(call.request, call.query, bodyLimitOf(call.runtime.settings)),
})

/** Runs the endpoint and the return callback, and applies the header `Prefer`. */
const answer = (call: Call, route: Route): MaybePromise<Result> =>
  andThen(answerRoute(call, route), (result) => finishResult(call, route, result))

/** Runs the return callback for what an endpoint returned, adds the ETag, and applies the header `Prefer` of a write. */
export const finishResult = (call: Call, route: Route, result: Result): MaybePromise<Result> =>
  isRead(call.method)
    ? runReturnAndTag(call, result)
    : andThen(runReturnAndTag(call, result), (tagged) => preferred(call, route, tagged))

/** Returns the result of a write in the form that the header `Prefer` requests. */
function preferred({ request, method }: Call, route: Route, result: Result): Result {
  const many = route.kind === 'collection' && method !== 'POST'
  return asPreferred({ request, many, removes: method === 'DELETE' }, result)
}

/** Runs the stages limit and authenticate; returns the call with its caller. */
async function identify(call: Call, admission: Admission, notes: StageNotes): Promise<Call> {
  const { caller, headers } = await limitAndAuthenticate(call, admission)
  Object.assign(notes.always, headers)
  const identified = withCaller(call, caller)
  notes.call = identified
  return identified
}

/** Who sent a request, with its roles. */
export interface AdmittedCaller extends Admitted {
  readonly caller: Caller
}

/** Runs the stages limit and authenticate; returns the caller. */
export async function limitAndAuthenticate(
  call: Call,
  admission: Admission,
): Promise<AdmittedCaller> {
  const admitted = await admitCall(
    call.runtime,
    call.request,
    call.isQuery ? { ...admission, reads: true } : admission,
  )
  const found = lookUpCaller(call.runtime, admitted)
  const caller = found instanceof Promise ? await found : found
  call.runtime.access.hintMissingRoles(caller)
  return { ...admitted, caller }
}

/** Returns the call of a caller, with the resources that this caller can reach. */
export const withCaller = (call: Call, caller: Caller): Call =>
  caller === anonymous ? call : { ...call, caller, reach: reachOf(caller) }
