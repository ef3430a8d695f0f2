// Stores one record: insertSingle is its INSERT, which finds the generated key; changesToStore asks the policy and the callback of a
// change, and updateStored is its UPDATE. The other functions are those of their parts that `rows/`, `links/` or `fusion/` use as well.

import { forbidden, validationFailed } from '../../errors.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import { sql } from '../../lib/sql/fragment.ts'
import { columnTypes } from '../../model/column-types.ts'
import { isWriteOnly } from '../../model/registry/checks/field-rules.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import { untoldDefault } from '../../problems.ts'
import { decodeRow } from '../../query/run/named-rows.ts'
import { setsTimestamps, updatedTimestamps } from '../check/defaults.ts'
import { outputOfColumns } from '../nodes/look-up-plan.ts'
import { pathTo, type Values } from '../nodes/node.ts'
import { sameValue } from '../nodes/same-value.ts'
import { type InsertedLink, refusedWrite, type WriteRefusal } from '../refusals/refusal.ts'
import { existsUnscoped, keyIn, keyMatches } from '../resolve/look-up-records.ts'
import { compileInsert, compileUpdate } from '../statements/statements.ts'
import { newKeyInView } from './key-in-view.ts'
import { noteWritten } from './note-written.ts'
import { runWrite } from './run-write.ts'
import type { WriteContext } from './write-context.ts'

/** What the error of a refusal needs to know about the record. */
interface InsertOptions {
  /** Given if the record is a link of a published junction. */
  readonly links?: () => readonly InsertedLink[]
  /** The foreign keys among the values that nested objects or the record around this one have set. */
  readonly filled?: Values | undefined
}

/** Inserts a record, and notes it; returns the known values, at least the key. `path` is that of the record in the body. */
export async function insertSingle(
  context: WriteContext,
  resource: Resource,
  values: Values,
  path: string,
  options: InsertOptions = {},
): Promise<Values> {
  const inserted = await insertRow(context, resource, values, path, options)
  noteWritten(context, resource, null, inserted, path)
  return inserted
}

/** Sends the INSERT. The key is among the values, or comes from RETURNING or the driver's insert id. */
async function insertRow(
  context: WriteContext,
  resource: Resource,
  values: Values,
  path: string,
  { links, filled }: InsertOptions,
): Promise<Values> {
  const { lease, target } = context
  const returns =
    lease.db.getExecutor().adapter.supportsReturning === true ||
    lease.dialect.insertReturns === true
  const known = returns ? values : await withDefaultKey(context, resource, values, path)
  const { generated, insertValues } = splitGeneratedKey(resource, known)
  const [counter] = generated
  // Given for a view, of which neither RETURNING nor the insert id gives the key.
  const ofView = counter && lease.dialect.keysOfView?.(resource, counter)
  const output = returns && ofView === undefined ? outputOfColumns(resource, generated) : []
  const { statement, readers } = compileInsert(target, resource, insertValues, output)
  const refused = { resource, path, key: null } as const
  const step =
    links === undefined
      ? ({ ...refused, step: 'insert', values: insertValues, filled } as const)
      : ({ ...refused, step: 'link', values: {}, links } as const)
  if (counter !== undefined && ofView !== undefined) {
    const run = () => runWrite(context, statement, step)
    const key = await newKeyInView(context, ofView, counter, run)
    if (key === undefined) throw skippedRow(step)
    const inserted = { ...insertValues, [counter.name]: key }
    context.generatedKeys.add(resource, generated, inserted)
    return inserted
  }
  const { rows, insertId, numAffectedRows } = await runWrite(context, statement, step)
  const [row] = rows
  // A trigger may have skipped the row.
  const isMissing =
    readers.length > 0
      ? row === undefined
      : numAffectedRows === 0n && !(await isStored(context, resource, insertValues))
  if (isMissing) throw skippedRow(step)
  const inserted =
    row !== undefined && readers.length > 0
      ? { ...insertValues, ...decodeRow(readers, row).values }
      : withInsertId(resource, insertValues, generated, insertId)
  context.generatedKeys.add(resource, generated, inserted)
  return inserted
}

/** The refusal of a row that a trigger has skipped without an error: `return null`, `raise(ignore)`. */
export const skippedRow = (step: Omit<WriteRefusal, 'failure'>): Error =>
  refusedWrite({ failure: { kind: 'trigger' }, ...step }, new Error('A trigger skipped the row.'))

/** Whether a record with a key of its own exists although its INSERT counted no row: a trigger may have stored it elsewhere. */
async function isStored(
  context: WriteContext,
  resource: Resource,
  values: Values,
): Promise<boolean> {
  const key = keyIn(resource, values)
  return key === undefined || existsUnscoped(context, resource, keyMatches(resource, key))
}

/**
 * Without RETURNING, the insert id tells the value of one counter, and no other generated value. This function asks the database for
 * the defaults of the other missing parts of the key, and adds them to the values. If the dialect does not know the SQL of a default,
 * the client must send the value: 400.
 */
async function withDefaultKey(
  context: WriteContext,
  resource: Resource,
  values: Values,
  path: string,
): Promise<Values> {
  const { lease } = context
  const missing = splitGeneratedKey(resource, values).generated
  const counters = missing.filter(isCounter)
  const columnsToAsk =
    counters.length > 1 ? missing : missing.filter((column) => !isCounter(column))
  if (columnsToAsk.length === 0) return values
  const made: Record<string, JsonValue> = {}
  for (const column of columnsToAsk) {
    const own = lease.dialect.defaultOf?.(column)
    if (own === undefined) {
      throw validationFailed([{ path: pathTo(path, column.name), ...untoldDefault }])
    }
    const [row] = await lease.rows(sql`select ${own} as ${sql.id('key')}`)
    made[column.name] = String(row?.key)
  }
  return { ...values, ...made }
}

/** Whether the column is a counter, whose generated value drivers report. */
export const isCounter = ({ type, definition }: NamedColumn): boolean =>
  definition.generated === true && columnTypes[type].number === 'whole'

/** The key columns that the database generates, because they have no value or null, and the values without them (`insertValues`). */
export function splitGeneratedKey(
  resource: Resource,
  values: Values,
): { readonly generated: readonly NamedColumn[]; readonly insertValues: Values } {
  const generated = resource.primaryKey.filter(({ name }) => (values[name] ?? null) === null)
  if (!generated.some(({ name }) => name in values)) return { generated, insertValues: values }
  const names = new Set(generated.map(({ name }) => name))
  const insertValues = Object.entries(values).filter(([name]) => !names.has(name))
  return { generated, insertValues: Object.fromEntries(insertValues) }
}

/** Adds the generated key, from the driver's insert id, to the values. */
export function withInsertId(
  resource: Resource,
  insertValues: Values,
  generated: readonly NamedColumn[],
  insertId: bigint | undefined,
): Values {
  const [counter, ...others] = generated
  if (counter === undefined) return insertValues
  if (others.length > 0 || insertId === undefined) {
    throw new Error(`The database does not tell the key of a new ${resource.name}.`)
  }
  const id = columnTypes[counter.type].json === 'number' ? Number(insertId) : String(insertId)
  return { ...insertValues, [counter.name]: id }
}

/**
 * Asks the policy (`can_update`) and calls the callback for a change of a stored record; returns the values to write, which are only those
 * that differ. Throws 403 if the policy refuses. With `touches`, `updated` columns are set even if `changes` equal the stored values.
 */
export function changesToStore(
  context: WriteContext,
  resource: Resource,
  stored: Values,
  changes: Values,
  path: string,
  touches: boolean,
): MaybePromise<Values> {
  const isAllowed = context.access.canUpdate(resource, stored, changes, path)
  return isAllowed === true
    ? changesAfterPolicy(context, resource, stored, changes, path, touches)
    : changesIf(isAllowed, context, resource, stored, changes, path, touches)
}

/** `changesToStore` if the policy returns a promise, or refuses. */
async function changesIf(
  isAllowed: MaybePromise<boolean>,
  context: WriteContext,
  resource: Resource,
  stored: Values,
  changes: Values,
  path: string,
  touches: boolean,
): Promise<Values> {
  if (!(await isAllowed)) throw forbidden(path)
  return changesAfterPolicy(context, resource, stored, changes, path, touches)
}

/** The values to write after the policy has agreed. */
function changesAfterPolicy(
  context: WriteContext,
  resource: Resource,
  stored: Values,
  changes: Values,
  path: string,
  touches: boolean,
): MaybePromise<Values> {
  const { hooks } = context
  const setsTimes = setsTimestamps(resource) && (touches || mayChange(resource, stored, changes))
  const requested = setsTimes ? withTimestamps(context, resource, changes) : changes
  if (!hooks.has(resource, 'update')) return changedValues(resource, stored, requested, requested)
  return savedChanges(context, resource, stored, requested, path)
}

/** The values to write after the callback, which receives the record as it would be and returns it, perhaps changed. */
async function savedChanges(
  context: WriteContext,
  resource: Resource,
  stored: Values,
  requested: Values,
  path: string,
): Promise<Values> {
  const saved = await context.hooks.update(resource, { ...stored, ...requested }, stored, path)
  const written = changedValues(resource, stored, saved, requested)
  if (!setsTimestamps(resource) || Object.keys(written).length === 0) return written
  return { ...missingTimestamps(context, resource, saved, requested), ...written }
}

/**
 * The values of `updated` columns for changes that only the callback has made, because `requested` changed nothing. A column that the
 * callback has left out of its record is not written.
 */
function missingTimestamps(
  context: WriteContext,
  resource: Resource,
  saved: Values,
  requested: Values,
): Values {
  const times = Object.entries(updatedTimestamps(context, resource))
  return Object.fromEntries(
    times.filter(([name]) => saved[name] !== undefined && !(name in requested)),
  )
}

/** Adds the values of `updated` columns to the changes, unless there are no changes. */
const withTimestamps = (context: WriteContext, resource: Resource, changes: Values): Values =>
  Object.keys(changes).length > 0
    ? { ...changes, ...updatedTimestamps(context, resource) }
    : changes

/** Whether one of these values differs from the stored one. A value that was not read, or is write-only, counts as different. */
function mayChange({ allColumns }: Resource, stored: Values, changes: Values): boolean {
  for (const name in changes) {
    const column = allColumns.get(name)
    const before = stored[name]
    if (column === undefined || before === undefined || isWriteOnly(column)) return true
    if (!sameValue(column, changes[name] ?? null, before)) return true
  }
  return false
}

/**
 * Updates the columns of `saved`, the record that a callback has returned, that differ from the `stored` one; `requested` are its changes.
 */
export const writeSaved = (
  context: WriteContext,
  resource: Resource,
  stored: Values,
  saved: Values,
  requested: Values,
  path: string,
): Promise<Values> =>
  updateStored(context, resource, stored, changedValues(resource, stored, saved, requested), path)

/**
 * The values that differ from the stored ones, whether the body or a callback has set them. Equal values are not written, because the
 * stored value may have details that its JSON form lacks, such as microseconds or the spaces of a JSON text. A requested value counts as
 * different if its column was not read. So does one of a write-only column, because the time of the last change would otherwise tell
 * whether a guess equals the stored value.
 */
function changedValues(
  resource: Resource,
  stored: Values,
  saved: Values,
  requested: Values,
): Values {
  if (saved === requested && areNew(resource, stored, saved)) return saved
  const written: Record<string, JsonValue> = {}
  for (const column of resource.allColumns.values()) {
    const { name } = column
    const value = saved[name]
    if (value === undefined || column.computed !== undefined) continue
    const isRequested = name in requested
    const isNew = stored[name] === undefined && isRequested && !(name in stored)
    const isSecret = isRequested && isWriteOnly(column)
    if (isNew || isSecret || !sameValue(column, value, stored[name] ?? null)) written[name] = value
  }
  return written
}

/** Whether none of these columns was read, so that there is nothing to compare. */
function areNew({ allColumns }: Resource, stored: Values, values: Values): boolean {
  for (const name in values) {
    const column = allColumns.get(name)
    if (name in stored || values[name] === undefined || column === undefined) return false
    if (column.computed !== undefined) return false
  }
  return true
}

/** Updates a stored record, unless `written` is empty; returns the changed record. */
export async function updateStored(
  context: WriteContext,
  resource: Resource,
  stored: Values,
  written: Values,
  path: string,
  filled?: Values,
): Promise<Values> {
  const key = keyIn(resource, stored)
  if (key === undefined) throw new Error(`A ${resource.name} without a key was read.`)
  const changed = { ...stored, ...written }
  if (Object.keys(written).length > 0) {
    const matches = keyMatches(resource, key)
    const { statement } = compileUpdate(context.target, resource, written, matches)
    const step = { step: 'update', resource, path, values: changed, key, filled } as const
    await runWrite(context, statement, step)
    noteWritten(context, resource, stored, changed, path)
  }
  return changed
}
