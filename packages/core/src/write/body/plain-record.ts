// plainRecord: reads a record without copying it, if it contains only columns and their values need no conversion, as most records of a
// list do. `read-record.ts` tries it first, and reads the other records member by member. `plainInMode` and `fieldTests` are for the
// shortcuts of `repeated-members.ts`.

import type { JsonValue } from '../../lib/json/json-value.ts'
import {
  isRequired,
  isValidated,
  unaddressable,
  unwritable,
  type WriteMode,
} from '../../model/registry/checks/field-rules.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import type { ReadOnlyReason } from '../../problems.ts'
import { canonicalTest } from '../nodes/convert-json.ts'
import type { RecordNode } from '../nodes/node.ts'
import { PlainRecord } from '../nodes/plain-node.ts'
import { hasLimits, outsideLimits } from './value-limits.ts'

/** The fields that identify a record, by name. The value says why the field is refused; undefined if it is accepted. */
export type Identifying = ReadonlyMap<string, ReadOnlyReason | undefined>

/** Whether `readField` (`read-record.ts`) would accept a value unchanged. */
export type FieldTest = (json: JsonValue) => boolean

/** How a field is read in one mode: `create`, `update` (PATCH) or `replace` (PUT). */
interface Field {
  readonly column: NamedColumn
  readonly accepts: FieldTest
  readonly isWritable: boolean
  readonly isRequired: boolean
}

/** The fields of a resource in one mode. */
interface Fields {
  /** The fields that bodies may have; `isWritable` is false for those that are read-only in this mode. */
  readonly byName: ReadonlyMap<string, Field>
  /** The number of required fields. */
  readonly required: number
  /** Whether one of the fields has a validator. */
  readonly areValidated: boolean
}

/**
 * The record, with the body itself as its values. Undefined if a member is not a writable column, a value is wrong or needs
 * conversion, or a required field is missing.
 */
export function plainRecord(
  resource: Resource,
  body: Readonly<Record<string, JsonValue>>,
  path: string,
  mode: WriteMode,
  identifying: Identifying,
): RecordNode | undefined {
  const { byName, required } = fieldsOf(resource, mode)
  let missing = required
  for (const name in body) {
    const field = byName.get(name)
    if (field === undefined || !field.accepts(body[name] as JsonValue)) return undefined
    if (!maySend(field, name, identifying)) return undefined
    if (field.isRequired) missing -= 1
  }
  if (missing > 0) return undefined
  return new PlainRecord(resource, path, body)
}

/**
 * Returns `node` if `plainRecord` would return it in this mode too, and undefined if not, or if a field has a validator. Does not
 * test the values again, because the values that a field accepts do not depend on the mode.
 */
export function plainInMode(
  node: RecordNode,
  body: JsonValue,
  mode: WriteMode,
  identifying: Identifying,
): RecordNode | undefined {
  const { resource, values } = node
  const { byName, required, areValidated } = fieldsOf(resource, mode)
  if (values !== body || areValidated) return undefined
  let missing = required
  for (const name in values) {
    const field = byName.get(name)
    if (field === undefined || !maySend(field, name, identifying)) return undefined
    if (field.isRequired) missing -= 1
  }
  return missing > 0 ? undefined : node
}

/** Whether clients may send the field in this mode. */
const maySend = ({ isWritable }: Field, name: string, identifying: Identifying): boolean =>
  identifying.has(name) ? identifying.get(name) === undefined : isWritable

/** The tests of these fields, which the resource has, in the order of `names`; for `RepeatedMembers`. */
export function fieldTests(
  resource: Resource,
  mode: WriteMode,
  names: readonly string[],
): readonly FieldTest[] {
  const { byName } = fieldsOf(resource, mode)
  return names.map((name) => byName.get(name)?.accepts ?? (() => false))
}

/** Whether any field of the resource has a validator. */
export const hasValidators = (resource: Resource, mode: WriteMode): boolean =>
  fieldsOf(resource, mode).areValidated

const fields = new WeakMap<Resource, Map<WriteMode, Fields>>()

function fieldsOf(resource: Resource, mode: WriteMode): Fields {
  const known = fields.get(resource)?.get(mode)
  if (known !== undefined) return known
  const columns = [...resource.bodyColumns.values()]
  const byName = new Map(columns.map((column) => [column.name, fieldOf(resource, column, mode)]))
  const required = [...byName.values()].filter((field) => field.isRequired).length
  const areValidated = columns.some(isValidated)
  const made = { byName, required, areValidated }
  const modes = fields.get(resource) ?? new Map<WriteMode, Fields>()
  fields.set(resource, modes.set(mode, made))
  return made
}

function fieldOf(resource: Resource, column: NamedColumn, mode: WriteMode): Field {
  const isCanonical = canonicalTest(column)
  const { definition, nullable } = column
  const isLimited = hasLimits(definition)
  const isKey = definition.primaryKey === true
  return {
    column,
    accepts: (json) => {
      if (json === null) return nullable
      if (!isCanonical(json)) return false
      if (isLimited && outsideLimits(definition, json) !== undefined) return false
      return !isKey || unaddressable(column, json) === undefined
    },
    isWritable: unwritable(resource, column, mode) === undefined,
    isRequired: isRequired(resource, column, mode),
  }
}
