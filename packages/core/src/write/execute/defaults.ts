// Values that the service sets in a record: managed columns, UUIDs and the model's defaults, which may be functions.

import type { DefaultFunction } from '../../config/hook-types.ts'
import type { JsonValue } from '../../json/json-value.ts'
import { andThen, type MaybePromise } from '../../maybe-promise.ts'
import type { NamedColumn, Resource } from '../../registry/resource.ts'
import type { RecordNode, Values } from '../plan/node.ts'
import { convertJson } from '../plan/value.ts'
import type { ValueSources } from './context.ts'

/** The values of a new record: the initial values, overridden by those that were sent. */
export function newRecord(
  sources: ValueSources,
  { resource, values: sent }: Pick<RecordNode, 'resource' | 'values'>,
): MaybePromise<Values> {
  const record = pendingRecord()
  const { softDelete } = resource.settings
  for (const column of resource.allColumns.values()) {
    const { name } = column
    if (name === softDelete?.attribute) continue
    const value = Object.hasOwn(sent, name) ? sent[name] : initialValue(resource, column, sources)
    if (value !== undefined) record.set(name, value)
  }
  if (softDelete !== null) record.set(softDelete.attribute, softDelete.active as JsonValue)
  for (const name of Object.keys(sent)) record.set(name, sent[name] as JsonValue)
  return record.complete()
}

/** The initial value of a column: managed, UUID or default; undefined if it has none. Throws if a default does not fit its column. */
export function initialValue(
  resource: Resource,
  column: NamedColumn,
  sources: ValueSources,
): MaybePromise<JsonValue> | undefined {
  const { managed, generated, default: own } = column.definition
  if (managed !== undefined) return column.type === 'date' ? sources.now.slice(0, 10) : sources.now
  if (generated === 'uuid') return sources.uuid()
  if (own === undefined) return undefined
  if (typeof own !== 'function') return defaultValue(resource, column, own)
  const given = sources.defaultOf(resource, column, own as DefaultFunction)
  return andThen(given, (value) => defaultValue(resource, column, value))
}

/** The values of `updated` columns, which each change sets. */
export function updatedTimestamps(sources: ValueSources, resource: Resource): Values {
  const values: Record<string, JsonValue> = {}
  for (const { name, type, definition } of resource.allColumns.values()) {
    if (definition.managed !== 'updated') continue
    values[name] = type === 'date' ? sources.now.slice(0, 10) : sources.now
  }
  return values
}

function defaultValue({ name }: Resource, column: NamedColumn, given: unknown): JsonValue {
  if (given === null) return null
  const converted = convertJson(column, given as JsonValue)
  if ('value' in converted) return converted.value
  throw new Error(`The default of ${name}.${column.name} is not ${converted.expected}.`)
}

/** A record whose values may be promises. Columns keep the order in which they were first set. */
export function pendingRecord(): {
  set(name: string, value: MaybePromise<JsonValue>): void
  complete(): MaybePromise<Values>
} {
  const values: Record<string, JsonValue> = {}
  const promises: Promise<void>[] = []
  return {
    set(name, value) {
      if (!(value instanceof Promise)) {
        values[name] = value
        return
      }
      values[name] = null
      const pending = value.then((resolved) => {
        values[name] = resolved
      })
      promises.push(pending)
    },
    complete: () => (promises.length === 0 ? values : Promise.all(promises).then(() => values)),
  }
}
