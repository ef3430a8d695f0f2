// The callbacks of a write: add, update, remove. `write/segments/call-hooks.ts` calls them for each record inside the transaction, after
// validation and policy and before the record is stored (docs/guide/writing.md, docs/guide/hooks.md).

import type { JsonValue } from '../../lib/json/json-value.ts'
import { andThen } from '../../lib/maybe-promise.ts'
import { didYouMean } from '../../lib/naming/suggest.ts'
import { returned, returnedCopy } from '../../model/hooks/call-hook.ts'
import { recordForHost } from '../../model/hooks/host-values.ts'
import type { Resource } from '../../model/registry/resource.ts'
import type { HookRecord } from '../../model/settings/access/hook-types.ts'
import { type HookSettings, hooksOf } from '../../model/settings/access/resolve-hooks.ts'
import { convertJson } from '../../write/nodes/convert-json.ts'
import type { Values } from '../../write/nodes/node.ts'
import type { WriteHooks } from '../../write/store/write-context.ts'
import type { RoutedRequest } from '../routed-request.ts'
import { atRecord } from './at-record.ts'
import { hookCallerOf, recordArgs } from './hook-args.ts'
import type { HookCall } from './hook-call.ts'

/**
 * Returns the functions that call the callbacks of a record's model, inside the transaction of `call`. `add` and `update` return the
 * values to store.
 */
export function writeHooks(call: HookCall & RoutedRequest): WriteHooks {
  const { method } = call
  const callHook = hookCallerOf(call)
  return {
    has: (resource, change) => hasCallback(resource, method, change),
    async add(resource, object, path) {
      const add = callbackOf(resource, method, 'add')
      if (add === undefined) return object
      const name = `add callback of ${resource.name}`
      const record = recordForHost(resource, object)
      const args = recordArgs(call, resource)
      const run = () => callHook(name, () => add(record, resource.model, args))
      return atRecord(path, () => andThen(run(), (answer) => valuesToStore(resource, name, answer)))
    },
    async update(resource, object, stored, path) {
      const update = callbackOf(resource, method, 'update')
      if (update === undefined) return object
      const name = `update callback of ${resource.name}`
      const record = recordForHost(resource, object)
      const args = recordArgs(call, resource, stored)
      const run = () => callHook(name, () => update(record, resource.model, args))
      return atRecord(path, () => andThen(run(), (answer) => valuesToStore(resource, name, answer)))
    },
    async remove(resource, object, path) {
      const remove = callbackOf(resource, method, 'remove')
      if (remove === undefined) return
      const args = recordArgs(call, resource, object)
      await atRecord(path, () =>
        callHook(`remove callback of ${resource.name}`, () =>
          remove(recordForHost(resource, object), resource.model, args),
        ),
      )
    },
  }
}

type Change = Parameters<WriteHooks['has']>[1]

/** The HTTP method that usually makes a change: `post_add_callback` also runs for records created in a nested write of a PATCH. */
const usualMethods = { add: 'post', update: 'patch', remove: 'delete' } as const

/**
 * Returns the callback of a change: the callback for the request's method, otherwise the callback for the method that usually makes
 * this change.
 */
const callbackOf = <C extends Change>(
  { settings: { hooks } }: Resource,
  method: string,
  change: C,
): HookSettings[C] => hooksOf(hooks, method)[change] ?? hooks[usualMethods[change]][change]

/** Whether a change of a record calls a callback in a request of this method. */
export const hasCallback = (resource: Resource, method: string, change: Change): boolean =>
  callbackOf(resource, method, change) !== undefined

/**
 * Returns the values of the record that a callback returned, in the types of its columns; throws if a value does not fit its column, or
 * has no column and would therefore not be stored.
 */
function valuesToStore(resource: Resource, hook: string, answer: unknown): Values {
  const object = returned(hook, answer)
  if (typeof object !== 'object' || object === null || Array.isArray(object)) {
    throw new Error(`The ${hook} must return the record.`)
  }
  const record = object as HookRecord
  const { allColumns } = resource
  const other = Object.keys(record).find(
    (name) => record[name] !== undefined && !allColumns.has(name),
  )
  if (other !== undefined) {
    const hint = didYouMean(other, allColumns.keys())
    throw new Error(`The ${hook} returned ${other}, which is no column of the model.${hint}`)
  }
  const values: Record<string, JsonValue> = {}
  for (const [name, column] of allColumns) {
    const value = returnedCopy(hook, record[name]) as JsonValue | undefined
    if (value === undefined) continue
    const converted = value === null ? { value } : convertJson(column, value)
    if ('expected' in converted && column.computed === undefined) {
      throw new Error(
        `The ${hook} returned a value of ${name} that is not ${converted.expected.text}.`,
      )
    }
    // A computed column is not stored, so its value is not checked.
    values[name] = 'value' in converted ? converted.value : value
  }
  return values
}
