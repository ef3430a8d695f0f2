// Changes existing records: PATCH, PUT, restore, and moving a child to another parent (docs/writing.md).

import { notDeleted, preconditionFailed, recordNotFound } from '../../errors.ts'
import type { JsonValue } from '../../json/json-value.ts'
import { mergePatch } from '../../json/merge-patch.ts'
import { andThen, type MaybePromise } from '../../maybe-promise.ts'
import type { Value } from '../../plan/plan.ts'
import { unwritableRelation } from '../../registry/field-rules.ts'
import type { NamedColumn, Resource } from '../../registry/resource.ts'
import { isEmpty, pathTo, type RecordNode, type SentBack, type Values } from '../plan/node.ts'
import { isDeleted } from '../plan/soft-delete.ts'
import {
  compareSentBack,
  type KnownReferences,
  mayRead,
  refuseInvisibleReferences,
  requireAccess,
  validateFilled,
} from './checks.ts'
import type { Precondition, ValueSources, WriteContext } from './context.ts'
import { parentKeys, writeChildren } from './create.ts'
import { initialValue, pendingRecord, setsTimestamps, updatedTimestamps } from './defaults.ts'
import { requireListAccess } from './links.ts'
import { lockedRecord } from './look-up.ts'
import { changeStored } from './save.ts'

export interface ChangeOptions {
  readonly action: 'PATCH' | 'PUT'
  /** PUT: writable columns that were not sent get their default, or NULL. */
  readonly replace: boolean
  readonly precondition?: Precondition | undefined
}

/** Changes one record by its key; returns it. Throws 404 if the caller sees none, 412 if the precondition fails. */
export async function changeRecord(
  context: WriteContext,
  node: RecordNode,
  key: readonly Value[],
  { action, replace, precondition }: ChangeOptions,
): Promise<Values> {
  const { resource, path } = node
  await requireAccess(context, resource, action)
  for (const { relation } of node.children) await requireListAccess(context, relation.target)
  const stored = await lockedRecord(context, resource, key, action)
  if (stored === undefined) throw recordNotFound()
  if (precondition?.(stored) === false) throw preconditionFailed()
  const changes = await requestedChanges(context, node, stored, { replace })
  const saved = await changeStored(context, resource, stored, changes, path)
  await writeChildren(context, node, saved, true)
  // Linked records may have added problems, because values in the body must equal theirs.
  context.problems.refuse()
  return saved
}

/** How a body changes a stored record. */
interface RequestedOptions {
  readonly replace: boolean
  readonly references?: KnownReferences
}

/** The changes that a body requests for a stored record, after all checks except those of the policy. */
export function requestedChanges(
  context: WriteContext,
  node: RecordNode,
  stored: Values,
  options: RequestedOptions,
): MaybePromise<Values> {
  if (options.replace || !hasOnlyValues(node)) {
    return requestedAfterChecks(context, node, stored, options)
  }
  const { resource, path, values } = node
  const { references } = options
  const isInValues = references?.relations.every(({ from }) => from.length === 1) === true
  const row = isInValues ? values : { ...stored, ...values }
  const checked = refuseInvisibleReferences(context, resource, values, row, path, references)
  return checked instanceof Promise ? checked.then(() => values) : values
}

/** Whether the body has only values that need no comparison with the stored record, and nothing nested. */
export const hasOnlyValues = ({
  sentBack,
  parents,
  wholeRecordChecks,
  merges,
}: RecordNode): boolean =>
  parents.length === 0 &&
  merges.length === 0 &&
  wholeRecordChecks.length === 0 &&
  isEmpty(sentBack.fields) &&
  isEmpty(sentBack.otherForms) &&
  isEmpty(sentBack.urls)

async function requestedAfterChecks(
  context: WriteContext,
  given: RecordNode,
  stored: Values,
  { replace, references }: RequestedOptions,
): Promise<Values> {
  const node = withMergedDocuments(context, given, stored)
  const { resource, path } = node
  await compareSentBack(context, resource, withoutNulls(node.sentBack), stored, path)
  const sent = { ...node.values, ...(await clearedRelations(context, node, stored)) }
  const keys = await parentKeys(context, node)
  const changes = { ...(replace ? await resetValues(context, resource) : {}), ...sent, ...keys }
  const row = { ...stored, ...changes }
  await refuseInvisibleReferences(context, resource, sent, row, path, references)
  await validateFilled(context, resource, keys, row, path, stored)
  await runWholeRecordChecks(context, node, row, stored)
  context.problems.refuse()
  return changes
}

/** The node with merge patches replaced by the merged documents. */
function withMergedDocuments(
  { problems, mergedDocumentProblem }: WriteContext,
  node: RecordNode,
  stored: Values,
): RecordNode {
  if (node.merges.length === 0) return node
  const values: Record<string, JsonValue> = { ...node.values }
  for (const { name } of node.merges) {
    const before = stored[name] ?? null
    const merged = mergePatch(before, values[name] ?? null)
    const problem = mergedDocumentProblem(before, merged)
    if (problem !== undefined) problems.add(pathTo(node.path, name), problem)
    values[name] = merged
  }
  return { ...node, values }
}

/** Without the relations that were sent as null, about which `clearedRelations` decides. */
const withoutNulls = (sentBack: SentBack): SentBack => ({
  ...sentBack,
  urls: Object.fromEntries(Object.entries(sentBack.urls).filter(([, url]) => url !== null)),
})

/**
 * The foreign keys of to-one relations that were sent as null, unless they are null already. A caller who may not read the
 * record is not told whether they are.
 */
async function clearedRelations(
  context: WriteContext,
  node: RecordNode,
  stored: Values,
): Promise<Values> {
  const keys: Record<string, JsonValue> = {}
  const { resource, sentBack, path } = node
  const { problems } = context
  const isReadable = await mayRead(context, resource)
  for (const [name, url] of Object.entries(sentBack.urls)) {
    const relation = resource.relations.get(name)
    if (url !== null || relation === undefined) continue
    const exists = relation.from.every((column) => (stored[column.name] ?? null) !== null)
    if (!exists && isReadable) continue
    const sent = relation.from.some((column) => (node.values[column.name] ?? null) !== null)
    const isFixed = unwritableRelation(relation, 'update') !== undefined
    if (sent || isFixed || !resource.settings.allowNestedWrites) {
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

/** The changes of a PATCH or PUT that do not depend on the stored record. */
export function independentChanges(
  sources: ValueSources,
  { resource, values }: RecordNode,
  replace: boolean,
): MaybePromise<Values> {
  if (!replace && !setsTimestamps(resource)) return values
  return andThen(replace ? resetValues(sources, resource) : {}, (rest) => ({
    ...rest,
    ...values,
    ...updatedTimestamps(sources, resource),
  }))
}

/** The values that PUT gives to fields that were not sent. */
function resetValues(sources: ValueSources, resource: Resource): MaybePromise<Values> {
  const record = pendingRecord()
  for (const column of resource.columns.values()) {
    if (!isReplaceable(resource, column)) continue
    record.set(column.name, initialValue(resource, column, sources) ?? null)
  }
  return record.complete()
}

function isReplaceable(
  { settings }: Resource,
  { name, computed, withheld, definition }: NamedColumn,
): boolean {
  const { primaryKey, generated, managed, readOnly } = definition
  const kept = primaryKey === true || readOnly === true || (generated ?? false) !== false
  return (
    !kept &&
    withheld === undefined &&
    managed === undefined &&
    computed === undefined &&
    name !== settings.softDelete?.attribute
  )
}

async function runWholeRecordChecks(
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

/** Undoes a soft delete; throws 409 if the record is not deleted. */
export async function restoreRecord(
  context: WriteContext,
  resource: Resource,
  key: readonly Value[],
  precondition?: Precondition,
): Promise<void> {
  const { softDelete } = resource.settings
  if (softDelete === null) throw recordNotFound()
  await requireAccess(context, resource, 'RESTORE')
  const stored = await lockedRecord(context, resource, key, 'RESTORE', true)
  if (stored === undefined) throw recordNotFound()
  if (precondition?.(stored) === false) throw preconditionFailed()
  if (!isDeleted(resource, stored)) throw notDeleted()
  const active = { [softDelete.attribute]: softDelete.active }
  await changeStored(context, resource, stored, active, '')
}
