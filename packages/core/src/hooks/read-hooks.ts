// The callbacks around a read: setup, dump per object, return, final, error; in the drawn order (contract §11).

import type { HookArgs, HookQuery, HookRecord } from '../config/hook-types.ts'
import type { HookSettings } from '../config/resolve-hooks.ts'
import type { ApiRequest } from '../http/request.ts'
import type { JsonValue } from '../json/json-value.ts'
import type { QueryAst } from '../parse/ast.ts'
import type { EmbedPlan } from '../plan/plan.ts'
import type { Resource } from '../registry/resource.ts'
import { runHook, runHookFor } from './run-hook.ts'

/** A serialised object on its way to the client. */
type JsonObject = { readonly [key: string]: JsonValue }

/** setup: the first thing that happens once the route is known. */
export async function runSetup({ setup }: HookSettings, request: ApiRequest): Promise<void> {
  if (setup !== undefined) await runHook('setup callback', () => setup(request))
}

/** filter: the callback as a function of the base's query, with the host's own parameters; undefined where none is set. */
export function baseFilter(
  { filter }: HookSettings,
  { model }: Resource,
  { additional }: Pick<QueryAst, 'additional'>,
): ((query: HookQuery) => Promise<HookQuery>) | undefined {
  if (filter === undefined) return undefined
  const params = Object.fromEntries(additional.map(({ name, value }) => [name, value.text]))
  return (query) =>
    runHookFor(`filter callback of ${model.name}`, () => filter(query, model, params))
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
    const dumpOne = (child: JsonValue) =>
      runDump(target, embed.embeds, child as JsonObject, target.settings.hooks.get.dump, below)
    const value = data[relation.name]
    if (Array.isArray(value)) data[relation.name] = await Promise.all(value.map(dumpOne))
    else if (value !== null && value !== undefined) data[relation.name] = await dumpOne(value)
  }
  if (dump === undefined) return data
  return runHookFor(`dump callback of ${resource.name}`, () => dump(data, args))
}

/** return: the whole value of the answer. */
export async function runReturn(
  hooks: HookSettings,
  value: JsonValue,
  args: HookArgs,
): Promise<JsonValue> {
  const callback = hooks.return
  if (callback === undefined) return value
  return runHookFor(`return callback of ${args.model.name}`, () => callback(value, args))
}

/** final: the finished body. */
export async function runFinal(hooks: HookSettings, body: JsonValue): Promise<JsonValue> {
  const { final } = hooks
  return final === undefined ? body : runHookFor('final callback', () => final(body))
}

/** error: is told of every failure; what it throws is reported, never answered. */
export async function runError(
  { error: callback }: HookSettings,
  failure: unknown,
  request: ApiRequest,
): Promise<void> {
  if (callback !== undefined) await runHook('error callback', () => callback(failure, request))
}
