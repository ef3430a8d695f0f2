// What the service itself puts into a record: managed columns, UUIDs and the defaults of the model, which may be functions.

import type { DefaultFunction } from '../config/hook-types.ts'
import type { JsonValue } from '../json/json-value.ts'
import { andThen, type MaybePromise } from '../maybe-promise.ts'
import type { RecordNode, Values } from '../plan/write-node.ts'
import { convertJson } from '../plan/write-value.ts'
import type { NamedColumn, Resource } from '../registry/resource.ts'
import type { ValueSources } from './write-context.ts'

/** A new record: what the service itself puts into it, and what was sent. */
export function newRecord(
  moment: ValueSources,
  { resource, values: sent }: Pick<RecordNode, 'resource' | 'values'>,
): MaybePromise<Values> {
  const record = openRecord()
  const { softDelete } = resource.settings
  for (const column of resource.allColumns.values()) {
    const { name } = column
    if (name === softDelete?.attribute) continue
    const value = Object.hasOwn(sent, name) ? sent[name] : firstValue(resource, column, moment)
    if (value !== undefined) record.set(name, value)
  }
  if (softDelete !== null) record.set(softDelete.attribute, softDelete.active as JsonValue)
  for (const name of Object.keys(sent)) record.set(name, sent[name] as JsonValue)
  return record.complete()
}

/** Managed columns, UUIDs and defaults; a default that is no value of its column is a mistake of the model. */
export function firstValue(
  resource: Resource,
  column: NamedColumn,
  moment: ValueSources,
): MaybePromise<JsonValue> | undefined {
  const { managed, generated, default: own } = column.definition
  if (managed !== undefined) return column.type === 'date' ? moment.now.slice(0, 10) : moment.now
  if (generated === 'uuid') return moment.uuid()
  if (own === undefined) return undefined
  if (typeof own !== 'function') return defaultValue(resource, column, own)
  const given = moment.defaultOf(resource, column, own as DefaultFunction)
  return andThen(given, (value) => defaultValue(resource, column, value))
}

function defaultValue({ name }: Resource, column: NamedColumn, given: unknown): JsonValue {
  if (given === null) return null
  const converted = convertJson(column, given as JsonValue)
  if ('value' in converted) return converted.value
  throw new Error(`The default of ${name}.${column.name} is not ${converted.expected}.`)
}

/** A record whose values may still be to come; a column keeps the place at which it was first set. */
export function openRecord(): {
  set(name: string, value: MaybePromise<JsonValue>): void
  complete(): MaybePromise<Values>
} {
  const values: Record<string, JsonValue> = {}
  const late: Promise<void>[] = []
  return {
    set(name, value) {
      if (!(value instanceof Promise)) {
        values[name] = value
        return
      }
      values[name] = null
      const known = value.then((there) => {
        values[name] = there
      })
      late.push(known)
    },
    complete: () => (late.length === 0 ? values : Promise.all(late).then(() => values)),
  }
}
