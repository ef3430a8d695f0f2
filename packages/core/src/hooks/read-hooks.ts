// The callbacks around a read: setup, dump per object, return, final, error; in the drawn order (contract §11).

import { hookArgs, hookCallerOf } from '../access/hook-args.ts'
import type { Call } from '../call.ts'
import { type CallHook, returned, returnedJson } from '../call-hook.ts'
import type { HookArgs, HookQuery, HookRecord } from '../config/hook-types.ts'
import type { HookSettings } from '../config/resolve-hooks.ts'
import type { ApiRequest } from '../http/request.ts'
import type { JsonValue } from '../json/json-value.ts'
import { andThen, type MaybePromise } from '../maybe-promise.ts'
import type { QueryAst } from '../parse/ast.ts'
import type { EmbedPlan } from '../plan/plan.ts'
import type { Resource } from '../registry/resource.ts'

/** A serialised object on its way to the client. */
type JsonObject = { readonly [key: string]: JsonValue }

/** What calls hooks: the API, or a call inside its transaction. */
interface Caller {
  readonly callHook: CallHook
}

/** A callback whose result goes to the client. */
function runForJson<T>(
  { callHook }: Caller,
  name: string,
  call: () => T | Promise<T>,
): MaybePromise<T> {
  return andThen(callHook(name, call), (result) => returnedJson(name, result))
}

/** setup: the first thing that happens once the route is known. */
export async function runSetup(
  { callHook }: Caller,
  { setup }: HookSettings,
  request: ApiRequest,
): Promise<void> {
  if (setup !== undefined) await callHook('setup callback', () => setup(request))
}

/** filter: the callback as a function of the base's query, with the host's own parameters; undefined where none is set. */
export function baseFilter(
  call: Call,
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

/** Whether a dump callback has to see any of these objects. */
export function hasDump(resource: Resource, embeds: readonly EmbedPlan[]): boolean {
  return (
    resource.settings.hooks.get.dump !== undefined ||
    embeds.some(({ relation, embeds: below }) => hasDump(relation.target, below))
  )
}

/** dump: each object of the answer, embedded ones first, through the callback of its own model. */
export async function runDump(
  caller: Caller,
  resource: Resource,
  embeds: readonly EmbedPlan[],
  object: JsonObject,
  dump: HookSettings['dump'],
  args: HookArgs,
): Promise<JsonObject> {
  const data: HookRecord = { ...object }
  for (const embed of embeds) {
    const { relation } = embed
    const { target } = relation
    if (!hasDump(target, embed.embeds)) continue
    const below: HookArgs = {
      ...args,
      model: target.model,
      many: relation.cardinality === 'many',
      relation_name: relation.name,
    }
    const { dump: own } = target.settings.hooks.get
    const dumpOne = (child: JsonValue) =>
      runDump(caller, target, embed.embeds, child as JsonObject, own, below)
    const value = data[relation.name]
    if (Array.isArray(value)) data[relation.name] = await Promise.all(value.map(dumpOne))
    else if (value !== null && value !== undefined) data[relation.name] = await dumpOne(value)
  }
  if (dump === undefined) return data
  return runForJson(caller, `dump callback of ${resource.name}`, () => dump(data, args))
}

/** return: the whole value of the answer. */
export async function runReturn(call: Call, value: JsonValue): Promise<JsonValue> {
  const callback = call.hooks.return
  if (callback === undefined) return value
  const args = hookArgs(call)
  return runForJson({ callHook: hookCallerOf(call) }, `return callback of ${args.model.name}`, () =>
    callback(value, args),
  )
}

/** final: the finished body. */
export async function runFinal(
  caller: Caller,
  { final }: HookSettings,
  body: JsonValue,
): Promise<JsonValue> {
  return final === undefined ? body : runForJson(caller, 'final callback', () => final(body))
}

/** error: is told of every failure; what it throws is reported, never answered. */
export async function runError(
  { callHook }: Caller,
  { error: callback }: HookSettings,
  failure: unknown,
  request: ApiRequest,
): Promise<void> {
  if (callback !== undefined) await callHook('error callback', () => callback(failure, request))
}
