// Stores one record: its INSERT with the generated key, and its UPDATE with the policy and the callback.

import { forbidden } from '../../errors.ts'
import { decodeRow } from '../../execute/run.ts'
import type { JsonValue } from '../../json/json-value.ts'
import type { NamedColumn, Resource } from '../../registry/resource.ts'
import { compileInsert, compileUpdate } from '../compile/statements.ts'
import { columnsOf } from '../plan/look-up.ts'
import type { Values } from '../plan/node.ts'
import { sameValue } from '../plan/same-value.ts'
import type { WriteContext } from './context.ts'
import { updatedTimestamps } from './defaults.ts'
import { keyIn, keyMatches } from './look-up.ts'
import { runWrite } from './run-step.ts'

/** The INSERT. The key comes from the values, from RETURNING, or from the driver's insert id. */
export async function insert(
  context: WriteContext,
  resource: Resource,
  values: Values,
  path: string,
): Promise<Values> {
  const { connection, target } = context
  const { generated, given } = splitGeneratedKey(resource, values)
  const returns = connection.db.getExecutor().adapter.supportsReturning === true
  const output = returns ? columnsOf(resource, generated) : []
  const { statement, readers } = compileInsert(target, resource, given, output)
  const step = { step: 'insert', resource, path, values: given, key: null } as const
  const { rows, insertId } = await runWrite(context, statement, step)
  const [row] = rows
  if (row !== undefined && readers.length > 0)
    return { ...given, ...decodeRow(readers, row).values }
  return withInsertId(resource, given, generated, insertId)
}

/** The key columns that the database generates, and the values without them. */
export function splitGeneratedKey(
  resource: Resource,
  values: Values,
): { readonly generated: readonly NamedColumn[]; readonly given: Values } {
  const generated = resource.primaryKey.filter(({ name }) => (values[name] ?? null) === null)
  if (!generated.some(({ name }) => name in values)) return { generated, given: values }
  const names = new Set(generated.map(({ name }) => name))
  const given = Object.entries(values).filter(([name]) => !names.has(name))
  return { generated, given: Object.fromEntries(given) }
}

/** The values with the generated key from the driver's insert id. */
export function withInsertId(
  resource: Resource,
  given: Values,
  generated: readonly NamedColumn[],
  insertId: bigint | undefined,
): Values {
  const [counter, ...others] = generated
  if (counter === undefined) return given
  if (others.length > 0 || insertId === undefined) {
    throw new Error(`The database does not tell the key of a new ${resource.name}.`)
  }
  const id = counter.type === 'bigint' ? String(insertId) : Number(insertId)
  return { ...given, [counter.name]: id }
}

/** Runs the policy, the callback and the UPDATE for a stored record; returns the changed record. */
export async function changeStored(
  context: WriteContext,
  resource: Resource,
  stored: Values,
  changes: Values,
  path: string,
): Promise<Values> {
  if (!(await context.access.canUpdate(resource, stored, changes))) throw forbidden()
  const timestamps = Object.keys(changes).length > 0 ? updatedTimestamps(context, resource) : {}
  const requested = { ...changes, ...timestamps }
  const saved = await context.hooks.update(resource, { ...stored, ...requested }, stored)
  return writeSaved(context, resource, stored, saved, requested, path)
}

/** Updates the requested columns, and those that a callback has changed. */
export async function writeSaved(
  context: WriteContext,
  resource: Resource,
  stored: Values,
  saved: Values,
  requested: Values,
  path: string,
): Promise<Values> {
  const written: Record<string, JsonValue> = {}
  for (const { name, ...column } of resource.allColumns.values()) {
    const value = saved[name]
    if (column.computed !== undefined || value === undefined) continue
    const same = sameValue({ name, ...column }, value, stored[name] ?? null)
    if (name in requested || !same) written[name] = value
  }
  const key = keyIn(resource, stored)
  if (key === undefined) throw new Error(`A ${resource.name} without a key was read.`)
  if (Object.keys(written).length > 0) {
    const matches = keyMatches(resource, key)
    const { statement } = compileUpdate(context.target, resource, written, matches)
    await runWrite(context, statement, { step: 'update', resource, path, values: written, key })
  }
  return { ...stored, ...written }
}
