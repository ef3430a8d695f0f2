// The callbacks of a read, in call order: setup, filter, dump, return, final; and error (docs/hooks.md).

import { hookArgs, hookCallerOf } from '../access/hook-args.ts'
import type { HookCall } from '../call/hook-call.ts'
import type { RoutedRequest } from '../call/routed-request.ts'
import { type CallHook, returned, returnedJson } from '../call-hook.ts'
import type { HookArgs, HookQuery, HookRecord } from '../config/hook-types.ts'
import type { HookSettings } from '../config/resolve-hooks.ts'
import type { ApiRequest } from '../http/request.ts'
import type { JsonValue } from '../json/json-value.ts'
import { andThen, type MaybePromise, mapAll } from '../maybe-promise.ts'
import type { QueryAst } from '../parse/ast.ts'
import type { EmbedPlan } from '../plan/plan.ts'
import type { Resource } from '../registry/resource.ts'

/** A serialised object. */
type JsonObject = { readonly [key: string]: JsonValue }

/** The function that calls hooks: that of the API, or of a request inside its transaction. */
interface Caller {
  readonly callHook: CallHook
}

/** Runs a callback whose result is sent to the client, and checks that it is JSON. */
function runForJson<T>(
  { callHook }: Caller,
  name: string,
  call: () => T | Promise<T>,
): MaybePromise<T> {
  return andThen(callHook(name, call), (result) => returnedJson(name, result))
}

/** setup: runs first after routing, before authentication. */
export async function runSetup(
  { callHook }: Caller,
  { setup }: HookSettings,
  request: ApiRequest,
): Promise<void> {
  if (setup !== undefined) await callHook('setup callback', () => setup(request))
}

/** filter: the callback as a function of the base query, with the parameters of API_ADDITIONAL_QUERY_PARAMS; undefined if none is set. */
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
    const narrow = () => filter(query, model, params, hookArgs(call))
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

/**
 * dump: passes each object through the callback of its own model, embedded objects first; may change `object`, which belongs to
 * this response only.
 */
export function runDump(
  caller: Caller,
  resource: Resource,
  embeds: readonly EmbedPlan[],
  object: JsonObject,
  dump: HookSettings['dump'],
  args: HookArgs,
): MaybePromise<JsonObject> {
  const data = object as HookRecord & JsonObject
  return andThen(dumpEmbeds(caller, embeds, data, args), () =>
    dump === undefined
      ? data
      : runForJson(caller, `dump callback of ${resource.name}`, () => dump(data, args)),
  )
}

/** Passes the embedded objects of a record through their callbacks, one relation after the other. */
function dumpEmbeds(
  caller: Caller,
  [embed, ...others]: readonly EmbedPlan[],
  data: HookRecord,
  args: HookArgs,
): MaybePromise<void> {
  if (embed === undefined) return
  return andThen(dumpEmbed(caller, embed, data, args), () => dumpEmbeds(caller, others, data, args))
}

function dumpEmbed(
  caller: Caller,
  { relation, embeds }: EmbedPlan,
  data: HookRecord,
  args: HookArgs,
): MaybePromise<void> {
  const { target, name } = relation
  const value = data[name]
  if (value === null || value === undefined || !hasDump(target, embeds)) return
  const many = relation.cardinality === 'many'
  const below: HookArgs = { ...args, model: target.model, many, relation_name: name }
  const { dump } = target.settings.hooks.get
  const dumpOne = (child: JsonValue) =>
    runDump(caller, target, embeds, child as JsonObject, dump, below)
  const dumped: MaybePromise<unknown> = Array.isArray(value)
    ? mapAll(value, dumpOne)
    : dumpOne(value)
  return andThen(dumped, (result) => {
    data[name] = result
  })
}

/** return: passes the whole value of the response through the callback. */
export async function runReturn(
  call: HookCall & RoutedRequest,
  value: JsonValue,
): Promise<JsonValue> {
  const callback = call.hooks.return
  if (callback === undefined) return value
  const args = hookArgs(call)
  return runForJson({ callHook: hookCallerOf(call) }, `return callback of ${args.model.name}`, () =>
    callback(value, args),
  )
}

/** final: passes the finished body through the callback. */
export async function runFinal(
  caller: Caller,
  { final }: HookSettings,
  body: JsonValue,
): Promise<JsonValue> {
  return final === undefined ? body : runForJson(caller, 'final callback', () => final(body))
}

/** error: called for every failed request; an error that it throws is reported and does not change the response. */
export async function runError(
  { callHook }: Caller,
  { error: callback }: HookSettings,
  failure: unknown,
  request: ApiRequest,
): Promise<void> {
  if (callback !== undefined) await callHook('error callback', () => callback(failure, request))
}
