// Removes records: what refers to them is asked first, soft delete marks them, cascade_delete takes dependents along (contract §8).

import { compileDeleteByKeys, compileUpdateByKeys } from '../compile/link-query.ts'
import { compileDelete, compileUpdate } from '../compile/write-query.ts'
import { settingNames } from '../config/setting-names.ts'
import {
  type ApiError,
  forbidden,
  preconditionFailed,
  recordNotFound,
  referredTo,
  tooManyRecords,
} from '../errors.ts'
import type { JsonValue } from '../json/json-value.ts'
import type { Value } from '../plan/plan.ts'
import { planLookUp } from '../plan/write-look-up.ts'
import type { Values } from '../plan/write-node.ts'
import { type Dependent, dependentsOf } from '../registry/dependents.ts'
import type { Resource } from '../registry/resource.ts'
import { chunks } from './chunks.ts'
import { keyText } from './key.ts'
import {
  existsUnscoped,
  keyIn,
  keyMatches,
  keyParts,
  lockedRecord,
  readScoped,
  readUnscoped,
  valuesOf,
} from './look-up.ts'
import { type Precondition, renewed } from './write-change.ts'
import { demand } from './write-checks.ts'
import type { ValueSources, WriteContext } from './write-context.ts'
import { runWrite } from './write-run.ts'

export interface RemoveOptions {
  readonly cascade: boolean
  readonly precondition?: Precondition | undefined
}

/** What one removal with all its dependents has in common. */
interface Removal {
  readonly context: WriteContext
  readonly cascade: boolean
  /** Records taken along so far, so that cycles end and one request cannot empty a database. */
  readonly gone: Set<string>
  readonly most: number
}

/** Removes one record by its key: 404 where the caller sees none, 409 where others refer to it. */
export async function removeRecord(
  context: WriteContext,
  resource: Resource,
  key: readonly Value[],
  { cascade, precondition }: RemoveOptions,
): Promise<void> {
  await demand(context, resource, 'DELETE')
  const stored = await lockedRecord(context, resource, key, 'DELETE')
  if (stored === undefined) throw recordNotFound()
  if (precondition?.(stored) === false) throw preconditionFailed()
  const most = resource.settings.limits.bulk
  const soft = resource.settings.softDelete !== null
  await remove({ context, cascade, gone: new Set(), most }, resource, stored, soft)
}

/** Removes records that the caller sees, each by the rules of its model; in few statements where nobody is asked about them. */
export async function removeStored(
  context: WriteContext,
  resource: Resource,
  rows: readonly Values[],
): Promise<void> {
  const { access, hooks, registry, target } = context
  const { softDelete } = resource.settings
  const referredTo = softDelete === null && dependentsOf(registry, resource).length > 0
  if (referredTo || access.asks(resource, 'can_delete') || hooks.has(resource, 'remove')) {
    const removal = { context, cascade: false, gone: new Set<string>(), most: rows.length }
    for (const row of rows) await remove(removal, resource, row, softDelete !== null)
    return
  }
  const parts = keyParts(resource.primaryKey)
  const all = rows.flatMap((row) => [keyIn(resource, row) ?? []])
  for (const keys of chunks(all, parts.length)) {
    const step = { resource, path: '', values: {}, key: null } as const
    if (softDelete === null) {
      const statement = compileDeleteByKeys(target, resource.table, [], parts, keys)
      await runWrite(context, statement, { ...step, step: 'delete' })
    } else {
      const deleted = deletion(context, resource, softDelete)
      const statement = compileUpdateByKeys(target, resource, deleted, parts, keys)
      await runWrite(context, statement, { ...step, step: 'update' })
    }
  }
}

async function remove(
  removal: Removal,
  resource: Resource,
  stored: Values,
  soft: boolean,
): Promise<void> {
  const { context, gone, most } = removal
  const key = keyIn(resource, stored)
  if (key === undefined) throw new Error(`A ${resource.name} without a key was read.`)
  const mark = JSON.stringify([resource.name, ...key.map(String)])
  if (gone.has(mark)) return
  gone.add(mark)
  if (gone.size > most) throw tooManyRecords(settingNames.maxBulk, most, 'cascade_delete')
  if (!(await context.access.canDelete(resource, stored))) throw forbidden()
  await removeDependents(removal, resource, stored, soft)
  await context.hooks.remove(resource, stored)
  const matches = keyMatches(resource, key)
  const step = { resource, path: '', values: stored, key } as const
  const { softDelete } = resource.settings
  if (soft && softDelete !== null) {
    const deleted = deletion(context, resource, softDelete)
    const { statement } = compileUpdate(context.target, resource, deleted, matches)
    await runWrite(context, statement, { ...step, step: 'update' })
  } else {
    const statement = compileDelete(context.target, resource.table, matches)
    await runWrite(context, statement, { ...step, step: 'delete' })
  }
}

/** What marks a record as deleted. */
export const deletion = (
  moment: ValueSources,
  resource: Resource,
  { attribute, deleted }: NonNullable<Resource['settings']['softDelete']>,
): Values => ({ ...renewed(moment, resource), [attribute]: deleted as JsonValue })

/**
 * A marked record keeps its dependents unless they are to go with it; a removed one may have none left. Links of a
 * junction that is no published model always go with a removed record, once nothing else keeps it.
 */
async function removeDependents(
  removal: Removal,
  resource: Resource,
  stored: Values,
  soft: boolean,
): Promise<void> {
  const { context, cascade } = removal
  if (soft && !cascade) return
  const blocking: Dependent[] = []
  const links: (readonly [Dependent, readonly Value[]])[] = []
  for (const dependent of dependentsOf(context.registry, resource)) {
    const key = valuesOf(dependent.from, stored)
    if (key === undefined) continue
    if (dependent.resource === null) links.push([dependent, key])
    else if (cascade) await removeRows(removal, dependent, dependent.resource, key, soft)
    else if (await isReferredTo(context, resource, dependent, key, stored)) {
      blocking.push(dependent)
    }
  }
  if (blocking.length > 0) throw await keptBy(context, blocking)
  if (soft) return
  for (const [dependent, key] of links) await removeLinks(context, resource, dependent, key)
}

/** 409, which names the dependents that the caller may list: of the others it tells no more than that something refers. */
async function keptBy(
  { access }: WriteContext,
  dependents: readonly Dependent[],
): Promise<ApiError> {
  const names = new Set<string>()
  for (const { resource, name } of dependents) {
    if (resource !== null && (await access.mayWrite(resource, 'GET_MANY'))) names.add(name)
  }
  return referredTo([...names].sort())
}

const linkMatches = ({ columns, from }: Dependent, key: readonly Value[]) =>
  from.map((column, i) => ({ dbName: columns[i] ?? '', column, value: key[i] as Value }))

/** A record that refers to itself does not keep itself. */
async function isReferredTo(
  context: WriteContext,
  resource: Resource,
  dependent: Dependent,
  key: readonly Value[],
  stored: Values,
): Promise<boolean> {
  const own = dependent.resource === resource ? keyIn(resource, stored) : undefined
  const except = own === undefined ? [] : keyMatches(resource, own)
  return existsUnscoped(context, dependent.table, linkMatches(dependent, key), except)
}

/** Each dependent goes through its own methods, roles and policy; one that the caller may not see keeps everything. */
async function removeRows(
  removal: Removal,
  dependent: Dependent,
  resource: Resource,
  key: readonly Value[],
  soft: boolean,
): Promise<void> {
  const { context, most } = removal
  const equal = dependent.held.map((column, i) => ({ column, value: key[i] as Value }))
  // A row that is marked already still refers to a record that is about to be removed for good.
  const below = soft && resource.settings.softDelete !== null
  const plan = planLookUp(resource, equal, !below)
  const rows = await readUnscoped(context, plan, most + 1)
  if (rows.length === 0) return
  await demand(context, resource, 'DELETE')
  if (rows.length > most) throw tooManyRecords(settingNames.maxBulk, most, 'cascade_delete')
  const visible = await readScoped(context, plan, 'DELETE')
  // A policy that joins may give a row twice, so rows are compared and not counted.
  const seen = new Set(visible.map((row) => keyTextOf(resource, row)))
  if (rows.some((row) => !seen.has(keyTextOf(resource, row)))) {
    throw await keptBy(context, [dependent])
  }
  for (const row of rows) await remove(removal, resource, row, below)
}

const keyTextOf = (resource: Resource, row: Values): string => keyText(keyIn(resource, row) ?? [])

async function removeLinks(
  context: WriteContext,
  resource: Resource,
  dependent: Dependent,
  key: readonly Value[],
): Promise<void> {
  const statement = compileDelete(context.target, dependent.table, linkMatches(dependent, key))
  await runWrite(context, statement, { step: 'delete', resource, path: '', values: {}, key })
}
