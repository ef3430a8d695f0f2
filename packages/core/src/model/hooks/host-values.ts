// The copies of values that functions of the host receive, so that what they change there has no effect. `call-hook.ts` copies their results.

import { copyJson } from '../../lib/json/copy.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { columnTypes } from '../column-types.ts'
import type { NamedColumn, Resource } from '../registry/resource.ts'

/** Values by field name, in their JSON forms. */
type Values = Readonly<Record<string, JsonValue>>

/** Whether values may be objects or lists. Others are strings, numbers, booleans, and frozen `VerbatimNumber`s. */
const isMutable = ({ type }: NamedColumn): boolean =>
  columnTypes[type].json === 'any' || columnTypes[type].json === 'array'

const mutableFieldsOf = new WeakMap<Resource, readonly string[]>()

/** The fields whose values can be changed in place. */
function mutableFields(resource: Resource): readonly string[] {
  const known = mutableFieldsOf.get(resource)
  if (known !== undefined) return known
  const columns = [...resource.allColumns.values()].filter(isMutable)
  const names = columns.map(({ name }) => name)
  mutableFieldsOf.set(resource, names)
  return names
}

/**
 * Returns the copy of a record that a function of the host receives. Each call of a function gets its own.
 *
 * ```ts
 * callHook(name, () => add(recordForHost(resource, record), resource.model, args))
 * ```
 */
export function recordForHost(resource: Resource, record: Values): Record<string, JsonValue> {
  const copy: Record<string, JsonValue> = { ...record }
  const fields = mutableFields(resource)
  for (let i = 0; i < fields.length; i++) {
    const name = fields[i] as string
    const value = copy[name]
    if (value !== undefined) copy[name] = copyJson(value)
  }
  return copy
}

/** Returns the copy of a single value that a function of the host receives. */
export const valueForHost = (value: JsonValue): JsonValue => copyJson(value)
