// Changes records that are there: PATCH, PUT, restore, and the move of a child to another parent (contract §8).

import { compileUpdate } from '../compile/write-query.ts'
import { forbidden, notDeleted, preconditionFailed, recordNotFound } from '../errors.ts'
import type { JsonValue } from '../json/json-value.ts'
import { andThen, type MaybePromise } from '../maybe-promise.ts'
import type { Value } from '../plan/plan.ts'
import { sameValue } from '../plan/same-value.ts'
import { pathTo, type RecordNode, type Values } from '../plan/write-node.ts'
import type { NamedColumn, Resource } from '../registry/resource.ts'
import { keyIn, keyMatches, lockedRecord } from './look-up.ts'
import { checkFilled, compareEchoes, demand, refuseUnseenReferences } from './write-checks.ts'
import type { ValueSources, WriteContext } from './write-context.ts'
import { parentKeys, writeChildren } from './write-create.ts'
import { firstValue, openRecord } from './write-defaults.ts'
import { demandList } from './write-links.ts'
import { runWrite } from './write-run.ts'

/** Whether the stored record is the one the client has read; absent: it does not mind. */
export type Precondition = (stored: Values) => boolean

export interface ChangeOptions {
  readonly action: 'PATCH' | 'PUT'
  /** PUT: writable columns that were not sent go back to their default, or to NULL. */
  readonly replace: boolean
  readonly precondition?: Precondition | undefined
}

/** Changes one record by its key: 404 where the caller sees none, 412 where it is no longer the one that was read. */
export async function changeRecord(
  context: WriteContext,
  node: RecordNode,
  key: readonly Value[],
  { action, replace, precondition }: ChangeOptions,
): Promise<void> {
  const { resource, path } = node
  await demand(context, resource, action)
  for (const { relation } of node.children) await demandList(context, relation.target)
  const stored = await lockedRecord(context, resource, key, action)
  if (stored === undefined) throw recordNotFound()
  if (precondition?.(stored) === false) throw preconditionFailed()
  compareEchoes(context, resource, node.echoed, stored, path)
  const sent = { ...node.values, ...undone(context, node, stored) }
  const keys = await parentKeys(context, node)
  const changes = { ...(replace ? await emptied(context, resource) : {}), ...sent, ...keys }
  const row = { ...stored, ...changes }
  await refuseUnseenReferences(context, resource, sent, row, path)
  await checkFilled(context, resource, keys, row, path, stored)
  await lateChecks(context, node, row, stored)
  context.problems.refuse()
  const saved = await changeStored(context, resource, stored, changes, path)
  await writeChildren(context, node, saved, true)
  // Records that are linked are compared with what the body says of them.
  context.problems.refuse()
}

/** To-one relations that were sent as null: their foreign keys, where they are not null already. */
function undone({ problems }: WriteContext, node: RecordNode, stored: Values): Values {
  const keys: Record<string, JsonValue> = {}
  const { resource, echoed, path } = node
  for (const [name, url] of Object.entries(echoed.urls)) {
    const relation = resource.relations.get(name)
    if (url !== null || relation === undefined) continue
    const there = relation.from.every((column) => (stored[column.name] ?? null) !== null)
    if (!there) continue
    const sent = relation.from.some((column) => (node.values[column.name] ?? null) !== null)
    if (sent || !resource.settings.allowNestedWrites) {
      problems.add(pathTo(path, name), 'This is not what the relation holds; leave it out.')
      continue
    }
    for (const column of relation.from) {
      if (column.nullable) keys[column.name] = null
      else problems.add(pathTo(path, name), 'This relation cannot be null.')
    }
  }
  return keys
}

/** What a change sets that does not depend on the stored record. */
export const plainChanges = (
  moment: ValueSources,
  { resource, values }: RecordNode,
  replace: boolean,
): MaybePromise<Values> =>
  andThen(replace ? emptied(moment, resource) : {}, (rest) => ({
    ...rest,
    ...values,
    ...renewed(moment, resource),
  }))

/** What PUT makes of fields that are not sent. */
function emptied(moment: ValueSources, resource: Resource): MaybePromise<Values> {
  const record = openRecord()
  for (const column of resource.columns.values()) {
    if (!isReplaceable(resource, column)) continue
    record.set(column.name, firstValue(resource, column, moment) ?? null)
  }
  return record.complete()
}

function isReplaceable(
  { settings }: Resource,
  { name, computed, definition }: NamedColumn,
): boolean {
  const { primaryKey, generated, managed, readOnly } = definition
  const kept = primaryKey === true || readOnly === true || (generated ?? false) !== false
  return (
    !kept &&
    managed === undefined &&
    computed === undefined &&
    name !== settings.softDelete?.attribute
  )
}

async function lateChecks(
  context: WriteContext,
  node: RecordNode,
  row: Values,
  before: Values,
): Promise<void> {
  await context.validate(
    node.wholeRecordChecks.map((column) => ({
      resource: node.resource,
      column,
      value: node.values[column.name] ?? null,
      row,
      before,
      path: pathTo(node.path, column.name),
    })),
  )
}

/** Policy, callback and UPDATE of a stored record; answers it as it is afterwards. */
export async function changeStored(
  context: WriteContext,
  resource: Resource,
  stored: Values,
  changes: Values,
  path: string,
): Promise<Values> {
  if (!(await context.access.canUpdate(resource, stored, changes))) throw forbidden()
  const touched = Object.keys(changes).length > 0 ? renewed(context, resource) : {}
  const asked = { ...changes, ...touched }
  const saved = await context.hooks.update(resource, { ...stored, ...asked }, stored)
  return writeSaved(context, resource, stored, saved, asked, path)
}

/** The UPDATE: of the columns that were asked for, and of those that a callback has changed. */
export async function writeSaved(
  context: WriteContext,
  resource: Resource,
  stored: Values,
  saved: Values,
  asked: Values,
  path: string,
): Promise<Values> {
  const written: Record<string, JsonValue> = {}
  for (const { name, ...column } of resource.allColumns.values()) {
    const value = saved[name]
    if (column.computed !== undefined || value === undefined) continue
    const same = sameValue({ name, ...column }, value, stored[name] ?? null)
    if (name in asked || !same) written[name] = value
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

/** Columns that are set whenever a record changes. */
export function renewed(moment: ValueSources, resource: Resource): Values {
  const values: Record<string, JsonValue> = {}
  for (const { name, type, definition } of resource.allColumns.values()) {
    if (definition.managed !== 'updated') continue
    values[name] = type === 'date' ? moment.now.slice(0, 10) : moment.now
  }
  return values
}

/** Undoes a soft delete; 409 where there is nothing to undo. */
export async function restoreRecord(
  context: WriteContext,
  resource: Resource,
  key: readonly Value[],
  precondition?: Precondition,
): Promise<void> {
  const { softDelete } = resource.settings
  if (softDelete === null) throw recordNotFound()
  await demand(context, resource, 'RESTORE')
  const stored = await lockedRecord(context, resource, key, 'RESTORE', true)
  if (stored === undefined) throw recordNotFound()
  if (precondition?.(stored) === false) throw preconditionFailed()
  if (stored[softDelete.attribute] === softDelete.active) throw notDeleted()
  const active = { [softDelete.attribute]: softDelete.active as JsonValue }
  await changeStored(context, resource, stored, active, '')
}
