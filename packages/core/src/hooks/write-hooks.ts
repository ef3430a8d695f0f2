// The callbacks of a write: add, update, remove; inside the transaction, after validation and policy (contract §8, §11).

import type { HookRecord } from '../config/hook-types.ts'
import type { MetaMethod } from '../config/meta.ts'
import type { WriteHooks } from '../execute/write-context.ts'
import type { JsonValue } from '../json/json-value.ts'
import type { Values } from '../plan/write-node.ts'
import { convertJson } from '../plan/write-value.ts'
import type { Resource } from '../registry/resource.ts'
import { runHook, runHookFor } from './run-hook.ts'

/** The callbacks of each record's own model; `method` is that of the request, for settings of one method. */
export function writeHooks(method: string): WriteHooks {
  const own = method.toLowerCase() as MetaMethod
  const hooksOf = ({ settings }: Resource, usual: MetaMethod) =>
    settings.hooks[own] ?? settings.hooks[usual]
  return {
    async add(resource, object) {
      const { add } = hooksOf(resource, 'post')
      if (add === undefined) return object
      const name = `add callback of ${resource.name}`
      const given = copyOf(object)
      return saved(resource, name, await runHookFor(name, () => add(given, resource.model)))
    },
    async update(resource, object) {
      const { update } = hooksOf(resource, 'patch')
      if (update === undefined) return object
      const name = `update callback of ${resource.name}`
      const given = copyOf(object)
      return saved(resource, name, await runHookFor(name, () => update(given, resource.model)))
    },
    async remove(resource, object) {
      const { remove } = hooksOf(resource, 'delete')
      if (remove === undefined) return
      const given = copyOf(object)
      await runHook(`remove callback of ${resource.name}`, () => remove(given, resource.model))
    },
  }
}

const copyOf = (object: Values): HookRecord => ({ ...object })

/** What a callback returned, in canonical forms; a value that is none of its column is a mistake of the callback. */
function saved(resource: Resource, hook: string, object: unknown): Values {
  if (typeof object !== 'object' || object === null) {
    throw new Error(`The ${hook} must return the record.`)
  }
  const values: Record<string, JsonValue> = {}
  for (const [name, column] of resource.allColumns) {
    const value = (object as HookRecord)[name] as JsonValue | undefined
    if (value === undefined) continue
    const converted = value === null ? { value } : convertJson(column, value)
    if ('expected' in converted && column.computed === undefined) {
      throw new Error(`The ${hook} returned a ${name} that is not ${converted.expected}.`)
    }
    values[name] = 'value' in converted ? converted.value : value
  }
  return values
}
