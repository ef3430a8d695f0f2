// The callbacks of a read, in call order: setup, filter, dump, return, final; and error (docs/hooks.md).

import { hookArgs, hookCallerOf } from '../access/hook-args.ts'
import type { HookCall } from '../call/hook-call.ts'
import type { RoutedRequest } from '../call/routed-request.ts'
import { type CallHook, returned, returnedJson, returnedText } from '../call-hook.ts'
import type { HookArgs, HookQuery, HookRecord } from '../config/hook-types.ts'
import type { HookSettings } from '../config/resolve-hooks.ts'
import type { Result } from '../http/envelope.ts'
import type { ApiRequest } from '../http/request.ts'
import type { JsonValue } from '../json/json-value.ts'
import { andThen, inTurn, type MaybePromise, mapAll } from '../maybe-promise.ts'
import type { QueryAst } from '../parse/ast.ts'
import type { EmbedPlan } from '../plan/plan.ts'
import type { Resource } from '../registry/resource.ts'

/** A serialised object. */
type JsonObject = { readonly [key: string]: JsonValue }

/** The function that calls hooks: the API's, or that of a request inside its transaction. */
interface Caller {
  readonly callHook: CallHook
}

/** setup: runs first after routing, before authentication. */
export async function runSetup(
  { callHook }: Caller,
  { setup }: HookSettings,
  request: ApiRequest,
): Promise<void> {
  if (setup !== undefined) await callHook('setup callback', () => setup(request))
}

/** filter: returns the callback as a function of the base query, with the parameters of API_ADDITIONAL_QUERY_PARAMS; undefined without callback. */
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

/** The function that calls dump callbacks. */
interface DumpCaller extends Caller {
  /** Whether the results of callbacks are checked later, by `refuseDumped`, and only if they cannot be serialised. */
  readonly refusesLater: boolean
}

/**
 * dump: passes each object through the callback of its own model, embedded objects first; may change `object`, which belongs to
 * this response only.
 */
export function runDump(
  caller: DumpCaller,
  resource: Resource,
  embeds: readonly EmbedPlan[],
  object: JsonObject,
  dump: HookSettings['dump'],
  args: HookArgs,
): MaybePromise<JsonObject> {
  const data = object as HookRecord & JsonObject
  const dumped = inTurn(embeds, (embed) => dumpEmbed(caller, embed, data, args))
  if (dump === undefined) return andThen(dumped, () => data)
  const name = dumpOf(resource)
  const run = () => caller.callHook(name, () => dump(data, args))
  return andThen(andThen(dumped, run), (result) =>
    caller.refusesLater && typeof result === 'object' ? result : returnedJson(name, result),
  )
}

const dumpOf = ({ name }: Resource): string => `dump callback of ${name}`

/** Throws if the dump callback of an object, or of an object embedded in it, returned a value that is not JSON. */
export function refuseDumped(
  resource: Resource,
  embeds: readonly EmbedPlan[],
  object: JsonValue,
  dump: HookSettings['dump'],
): void {
  for (const { relation, embeds: below } of embeds) {
    const inside = (object as JsonObject | null)?.[relation.name]
    const { dump: own } = relation.target.settings.hooks.get
    for (const child of [inside ?? []].flat() as readonly JsonValue[])
      refuseDumped(relation.target, below, child, own)
  }
  if (dump !== undefined) returnedJson(dumpOf(resource), object)
}

/** Passes the embedded objects of a record through their callbacks. */
function dumpEmbed(
  caller: DumpCaller,
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

/** return: passes the whole value of the response through the callback. `asText`: the result is needed only as JSON text. */
export function runReturn(
  call: HookCall & RoutedRequest,
  callback: NonNullable<HookSettings['return']>,
  value: JsonValue,
  asText: boolean,
): MaybePromise<Pick<Result, 'value' | 'text'>> {
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
  { callHook }: Caller,
  { final }: HookSettings,
  body: JsonValue,
): Promise<JsonValue> {
  if (final === undefined) return body
  return returnedJson('final callback', await callHook('final callback', () => final(body)))
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
