// The values that the service itself sets in a record: managed columns, UUIDs and the model's defaults, which may be functions of the host.
// `newRecord` adds them to a new record, before the policy and the callback receive it, and `initialWithoutHost` before validators receive
// it. `initialValue` is that of one column: for a PUT that does not send the field, and for look-ups by a unique key. The `updated…`
// functions are for the columns that each change sets, and `momentOf` also for soft deletes.

import type { JsonValue } from '../../lib/json/json-value.ts'
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts'
import { columnTypes } from '../../model/column-types.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import type { DefaultFunction } from '../../model/settings/access/hook-types.ts'
import { convertJson } from '../nodes/convert-json.ts'
import type { RecordNode, Values } from '../nodes/node.ts'
import type { ValueSources } from '../store/write-context.ts'

/** The columns of a resource that the service sets. */
interface ServiceColumns {
  /** The columns that get a value in each new record: managed, UUID or default. */
  readonly initial: readonly NamedColumn[]
  /** The columns that each change sets. */
  readonly updated: readonly NamedColumn[]
}

const byResource = new WeakMap<Resource, ServiceColumns>()

function serviceColumns(resource: Resource): ServiceColumns {
  const known = byResource.get(resource)
  if (known !== undefined) return known
  const { softDelete } = resource.settings
  const columns = [...resource.allColumns.values()]
  const made: ServiceColumns = {
    initial: columns.filter(({ name, definition }) => {
      const { managed, generated, default: own } = definition
      const hasInitial = managed !== undefined || generated === 'uuid' || own !== undefined
      return hasInitial && name !== softDelete?.attribute
    }),
    updated: columns.filter(({ definition }) => definition.managed === 'updated'),
  }
  byResource.set(resource, made)
  return made
}

/**
 * The values of a new record: those that were sent, and the initial values of other columns, except the foreign keys that nested objects or
 * the record around this one set (`filled`). `initial` of the node has initial values that an earlier step has made. They are used as they
 * are: another call of a default, or another UUID, would give other values than those that a validator or a look-up has received.
 */
export function newRecord(
  sources: ValueSources,
  {
    resource,
    values: sent,
    initial: known = {},
  }: Pick<RecordNode, 'resource' | 'values' | 'initial'>,
  filled?: Values,
): MaybePromise<Values> {
  const { initial } = serviceColumns(resource)
  const { softDelete } = resource.settings
  if (initial.length === 0 && softDelete === null) return sent
  const values: Record<string, JsonValue> = { ...sent }
  const promises: Promise<void>[] = []
  for (const column of initial) {
    const { name } = column
    if (Object.hasOwn(sent, name) || (filled !== undefined && Object.hasOwn(filled, name))) continue
    const value = Object.hasOwn(known, name) ? known[name] : initialValue(resource, column, sources)
    if (value !== undefined) set(values, promises, name, value)
  }
  if (softDelete !== null && !Object.hasOwn(sent, softDelete.attribute)) {
    values[softDelete.attribute] = softDelete.active
  }
  return completed(values, promises)
}

/**
 * The initial values of the fields that the body of a new record omits; undefined if a function of the host makes one of them. Validators
 * that take the whole record can then run when the body is read. The caller keeps the values in `initial` of the node, so that `newRecord`
 * stores the UUIDs that the validators have received.
 */
export function initialWithoutHost(
  sources: OwnSources,
  { resource, values: sent }: Pick<RecordNode, 'resource' | 'values'>,
): Values | undefined {
  const { softDelete } = resource.settings
  const values: Record<string, JsonValue> = {}
  for (const column of serviceColumns(resource).initial) {
    const { name } = column
    if (Object.hasOwn(sent, name)) continue
    const value = ownValue(resource, column, sources)
    if (value === undefined) return undefined
    values[name] = value
  }
  if (softDelete !== null && !Object.hasOwn(sent, softDelete.attribute)) {
    values[softDelete.attribute] = softDelete.active
  }
  return values
}

/** The sources that call no function of the host. */
type OwnSources = Pick<ValueSources, 'now' | 'uuid'>

/** The initial value of a column; undefined if it has none, or a function of the host makes it. */
function ownValue(
  resource: Resource,
  column: NamedColumn,
  sources: OwnSources,
): JsonValue | undefined {
  const { managed, generated, default: own } = column.definition
  if (managed !== undefined) return momentOf(column, sources)
  if (generated === 'uuid') return sources.uuid()
  return own === undefined || typeof own === 'function'
    ? undefined
    : defaultValue(resource, column, own)
}

/** The initial value of a column: managed, UUID or default; undefined if it has none. Throws if a default does not fit its column. */
export function initialValue(
  resource: Resource,
  column: NamedColumn,
  sources: ValueSources,
): MaybePromise<JsonValue> | undefined {
  const value = ownValue(resource, column, sources)
  const { default: own } = column.definition
  if (value !== undefined || typeof own !== 'function') return value
  const returned = sources.defaultOf(resource, column, own as DefaultFunction)
  return andThen(returned, (made) => defaultValue(resource, column, made))
}

/** Whether the resource has `updated` columns, which each change sets. */
export const setsTimestamps = (resource: Resource): boolean =>
  serviceColumns(resource).updated.length > 0

/** The `updated` columns. */
export const updatedColumns = (resource: Resource): readonly NamedColumn[] =>
  serviceColumns(resource).updated

/** The values of `updated` columns, which each change sets. */
export function updatedTimestamps(sources: ValueSources, resource: Resource): Values {
  const values: Record<string, JsonValue> = {}
  for (const column of serviceColumns(resource).updated) {
    values[column.name] = momentOf(column, sources)
  }
  return values
}

/** The time of the write, as a value of a datetime or date column. */
export function momentOf({ type }: NamedColumn, { now }: Pick<ValueSources, 'now'>): string {
  const { fromClock } = columnTypes[type]
  // Never false here: only date and datetime columns can be managed or have the soft-delete value 'now'. The test narrows the type.
  return fromClock === false ? now() : fromClock(now())
}

/** A default in the JSON form of its column; throws if it is no value of the column, which is a mistake of the host. */
function defaultValue({ name }: Resource, column: NamedColumn, declared: unknown): JsonValue {
  if (declared === null) return null
  const converted = convertJson(column, declared as JsonValue)
  if ('value' in converted) return converted.value
  const wrong =
    declared === undefined
      ? 'returned undefined; it must return a value, or null for none'
      : `is not ${converted.expected.text}`
  throw new Error(`The default of ${name}.${column.name} ${wrong}.`)
}

/** Collects the values that PUT sets (`resetValues`), which may be promises. Columns keep the order in which they were first set. */
export function pendingRecord(): {
  set(name: string, value: MaybePromise<JsonValue>): void
  complete(): MaybePromise<Values>
} {
  const values: Record<string, JsonValue> = {}
  const promises: Promise<void>[] = []
  return {
    set: (name, value) => set(values, promises, name, value),
    complete: () => completed(values, promises),
  }
}

/** Sets a value, or sets it when its promise resolves and adds that promise to `promises`. */
function set(
  values: Record<string, JsonValue>,
  promises: Promise<void>[],
  name: string,
  value: MaybePromise<JsonValue>,
): void {
  if (!(value instanceof Promise)) {
    values[name] = value
    return
  }
  // Keeps the place of the column.
  values[name] = null
  const pending = value.then((resolved) => {
    values[name] = resolved
  })
  promises.push(pending)
}

const completed = (values: Values, promises: readonly Promise<void>[]): MaybePromise<Values> =>
  promises.length === 0 ? values : Promise.all(promises).then(() => values)
