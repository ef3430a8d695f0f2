// The callbacks of a read, in call order: setup, filter, dump, return, final; and error (docs/guide/hooks.md). Each stage calls its own;
// setup, return, final and error also run for writes.

import type { JsonValue } from '../../lib/json/json-value.ts'
import { andThen, inTurn, type MaybePromise, mapAll } from '../../lib/maybe-promise.ts'
import {
  type CallHook,
  returned,
  returnedCopy,
  returnedJson,
  returnedText,
} from '../../model/hooks/call-hook.ts'
import type { Resource } from '../../model/registry/resource.ts'
import type { ApiRequest } from '../../model/request.ts'
import type {
  HookArgs,
  HookQuery,
  HookRecord,
  RequestArgs,
} from '../../model/settings/access/hook-types.ts'
import type { HookSettings } from '../../model/settings/access/resolve-hooks.ts'
import type { QueryAst } from '../../query/parse/ast.ts'
import type { EmbedPlan } from '../../query/plan/plan.ts'
import type { RoutedRequest } from '../routed-request.ts'
import { hookArgs, hookCallerOf, type KnownCall, requestArgs } from './hook-args.ts'
import type { HookCall, HookRuntime } from './hook-call.ts'

/** A serialised object. */
type JsonObject = { readonly [key: string]: JsonValue }
type MutableObject = { [key: string]: JsonValue }

/** Calls the functions of the host: `Runtime.host`, or `hookCallerOf` of a request inside its transaction. */
interface HookCaller {
  readonly callHook: CallHook
}

/** setup: runs first after routing, before authentication. */
export async function runSetup(
  runtime: HookRuntime,
  { setup }: HookSettings,
  request: ApiRequest,
  known?: KnownCall,
): Promise<void> {
  if (setup === undefined) return
  const args = requestArgs(runtime, request, known)
  await runtime.host.callHook('setup callback', () => setup(request, args))
}

/**
 * filter: returns the callback as a function of the base query, with the parameters of API_ADDITIONAL_QUERY_PARAMS; undefined
 * without callback.
 */
export function baseFilter(
  call: HookCall & RoutedRequest,
  { model }: Resource,
  { additional }: Pick<QueryAst, 'additional'>,
): ((query: HookQuery) => MaybePromise<HookQuery>) | undefined {
  const { filter } = call.hooks
  if (filter === undefined) return undefined
  const params = Object.fromEntries(additional.map(({ name, value }) => [name, value.text]))
  const name = `filter callback of ${model.name}`
  return (query) => {
    const narrow = () => filter(query, model, { ...params }, hookArgs(call))
    return andThen(hookCallerOf(call)(name, narrow), (result) => returned(name, result))
  }
}

/** Whether a resource or one of its embeds has a dump callback. */
export function hasDump(resource: Resource, embeds: readonly EmbedPlan[]): boolean {
  return (
    resource.settings.hooks.get.dump !== undefined ||
    embeds.some(({ relation, embeds: below }) => hasDump(relation.target, below))
  )
}

/** The function that calls dump callbacks. */
interface DumpHookCaller extends HookCaller {
  /**
   * Whether results of callbacks are only copied here (`returnedCopy`), not checked (`returnedJson`). Writing the response as JSON text
   * finds values that are not JSON; `http/endpoints/reads/read-result.ts` then calls `refuseNonJsonDumps`, which names the callback.
   */
  readonly refusesLater: boolean
}

/** Passes an object through dump callbacks; may change the object, which belongs to this response only. */
type Dumper = (object: JsonObject) => MaybePromise<JsonObject>

/**
 * dump: returns the function that passes each object through the callback of its own model, embedded objects first; undefined
 * without callback.
 *
 * Everything that is the same for all objects of a level is decided here, because a list may embed thousands of them.
 */
export function dumperOf(
  caller: DumpHookCaller,
  resource: Resource,
  embeds: readonly EmbedPlan[],
  dump: HookSettings['dump'],
  args: HookArgs,
): Dumper | undefined {
  const members = embeds.flatMap((embed) => memberDumper(caller, embed, args) ?? [])
  const own = dump && ownDumper(caller, resource, dump, args)
  if (members.length === 0) return own
  return (object) => {
    const dumped = inTurn(members, (dumpMember) => dumpMember(object as MutableObject))
    return andThen(dumped, () => (own === undefined ? object : own(object)))
  }
}

/** Passes an object through the callback of its model. */
function ownDumper(
  { callHook, refusesLater }: DumpHookCaller,
  resource: Resource,
  dump: NonNullable<HookSettings['dump']>,
  args: HookArgs,
): Dumper {
  const name = dumpOf(resource)
  const isTaken = (result: unknown): boolean => refusesLater && typeof result === 'object'
  const checked = (result: JsonObject): JsonObject =>
    isTaken(result) ? returnedCopy(name, result) : returnedJson(name, result)
  return (object) => {
    const data = object as HookRecord & JsonObject
    return andThen(callHook(name, () => dump(data, args)) as MaybePromise<JsonObject>, checked)
  }
}

const dumpOf = ({ name }: Resource): string => `dump callback of ${name}`

/** Throws if the dump callback of an object, or of an object embedded in it, returned a value that is not JSON; names the callback. */
export function refuseNonJsonDumps(
  resource: Resource,
  embeds: readonly EmbedPlan[],
  object: JsonValue,
  dump: HookSettings['dump'],
): void {
  for (const { relation, embeds: below } of embeds) {
    const inside = (object as JsonObject | null)?.[relation.name]
    const { dump: own } = relation.target.settings.hooks.get
    for (const child of [inside ?? []].flat() as readonly JsonValue[])
      refuseNonJsonDumps(relation.target, below, child, own)
  }
  if (dump !== undefined) returnedJson(dumpOf(resource), object)
}

/** Returns the function that passes the objects embedded in a relation through their callbacks; undefined without callback. */
function memberDumper(
  caller: DumpHookCaller,
  { relation, embeds }: EmbedPlan,
  args: HookArgs,
): ((object: MutableObject) => MaybePromise<void>) | undefined {
  const { target, name, cardinality } = relation
  const below = { ...args, model: target.model, many: cardinality === 'many', relation_name: name }
  const dump = dumperOf(caller, target, embeds, target.settings.hooks.get.dump, below)
  if (dump === undefined) return undefined
  return (object) => {
    const value = object[name] as JsonObject | readonly JsonObject[] | null | undefined
    if (value === null || value === undefined) return
    const dumped: MaybePromise<JsonValue> = isList(value) ? mapAll(value, dump) : dump(value)
    return andThen(dumped, (result) => {
      object[name] = result
    })
  }
}

const isList = (value: JsonObject | readonly JsonObject[]): value is readonly JsonObject[] =>
  Array.isArray(value)

/** return: passes the whole value of the response through the callback. `asText`: the result is needed only as JSON text. */
export function runReturn(
  call: HookCall & RoutedRequest,
  callback: NonNullable<HookSettings['return']>,
  value: JsonValue,
  asText: boolean,
): MaybePromise<{ readonly value: JsonValue; readonly text?: string }> {
  const args = hookArgs(call)
  const name = `return callback of ${args.model.name}`
  const returned = hookCallerOf(call)(name, () => callback(value, args))
  return andThen(returned, (result) =>
    asText
      ? { value: null, text: returnedText(name, result) }
      : { value: returnedJson(name, result) },
  )
}

/** final: passes the finished body through the callback. */
export async function runFinal(
  { callHook }: HookCaller,
  { final }: HookSettings,
  body: JsonValue,
  args: () => RequestArgs,
): Promise<JsonValue> {
  if (final === undefined) return body
  const name = 'final callback'
  return andThen(
    callHook(name, () => final(body, args())),
    (result) => returnedJson(name, result),
  )
}

/** final, for a routed request; if the request writes, called before COMMIT. */
export const runFinalOf = (call: HookCall & RoutedRequest, body: JsonValue): Promise<JsonValue> =>
  runFinal({ callHook: hookCallerOf(call) }, call.hooks, body, () => ({
    ...hookArgs(call),
    before: null,
  }))

/** error: called for every failed request; an error that it throws is reported and does not change the response. */
export async function runError(
  { callHook }: HookCaller,
  { error: callback }: HookSettings,
  failure: unknown,
  args: () => RequestArgs,
): Promise<void> {
  if (callback === undefined) return
  const known = args()
  await callHook('error callback', () => callback(failure, known.request, known))
}
