// How a body changes a stored record, by PATCH or PUT (docs/guide/writing.md). `hasOnlyValues` tells whether the change depends on that
// record; `independentChanges` gives the values of one that does not, without a look-up. For the others, `checkSegment` calls
// `compareWithStored` and `resetValues` when the record is found, and `callHooks` then runs `runWholeRecordChecks`. `isResetByPut` also
// decides which columns a look-up reads.

import type { JsonValue } from '../../lib/json/json-value.ts'
import { mergePatch } from '../../lib/json/merge-patch.ts'
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts'
import { unwritableRelation } from '../../model/registry/checks/field-rules.ts'
import type { NamedColumn, Resource } from '../../model/registry/resource.ts'
import { nullRelation, otherRelationValue } from '../../problems.ts'
import {
  initialValue,
  pendingRecord,
  setsTimestamps,
  updatedTimestamps,
} from '../check/defaults.ts'
import { compareSentBack, mayRead } from '../check/write-checks.ts'
import { isEmpty, pathTo, type RecordNode, type SentBack, type Values } from '../nodes/node.ts'
import type { ValueSources, WriteContext } from '../store/write-context.ts'

/**
 * Whether the body has only values that can be written whatever the stored record is: no nested to-one objects, no merge patches, no
 * members that must equal stored ones, and no values whose validator takes the whole record.
 */
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

/** A node after its comparison with the stored record. */
interface Compared {
  /** The node with merged documents. */
  readonly node: RecordNode
  /** The result of `clearedRelations`. */
  readonly cleared: Values
}

/**
 * Adds the problems that show when a body is compared with the stored record, and returns what depends on that record. Calls no hooks and
 * sends no statements.
 */
export async function compareWithStored(
  context: WriteContext,
  requested: RecordNode,
  stored: Values,
): Promise<Compared> {
  const node = withMergedDocuments(context, requested, stored)
  const { resource, path } = node
  await compareSentBack(context, resource, withoutNulls(node.sentBack), stored, path)
  return { node, cleared: await clearedRelations(context, node, stored) }
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

/** Without the relations that were sent as null, which `clearedRelations` handles. */
const withoutNulls = (sentBack: SentBack): SentBack => ({
  ...sentBack,
  urls: Object.fromEntries(Object.entries(sentBack.urls).filter(([, url]) => url !== null)),
})

/**
 * The foreign keys to set to NULL, because their to-one relations were sent as null. If the caller may read the record, keys that are
 * NULL already are left out; a caller who may not read it must not learn which these are.
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
      problems.add(pathTo(path, name), otherRelationValue)
      continue
    }
    for (const column of relation.from) {
      if (column.nullable) keys[column.name] = null
      else problems.add(pathTo(path, name), nullRelation)
    }
  }
  return keys
}

/** The values that a PATCH, or a PUT (`replace`), sets if they do not depend on the stored record, which then need not be read. */
export function independentChanges(
  sources: ValueSources,
  { resource, values }: RecordNode,
  { replace }: { readonly replace: boolean },
): MaybePromise<Values> {
  if (!replace && !setsTimestamps(resource)) return values
  return andThen(replace ? resetValues(sources, resource, values) : {}, (reset) => ({
    ...reset,
    ...values,
    ...updatedTimestamps(sources, resource),
  }))
}

/**
 * The values that PUT sets in visible fields that were not sent (`isResetByPut`): their defaults, or NULL. Hidden and write-only columns
 * keep their values, because a client cannot send back what it cannot read.
 */
export function resetValues(
  sources: ValueSources,
  resource: Resource,
  sent: Values,
): MaybePromise<Values> {
  const record = pendingRecord()
  for (const column of resource.columns.values()) {
    if (Object.hasOwn(sent, column.name) || !isResetByPut(resource, column)) continue
    record.set(column.name, initialValue(resource, column, sources) ?? null)
  }
  return record.complete()
}

/**
 * Whether a PUT that does not send a visible column sets it to its default or NULL. The columns that the caller cannot change keep their
 * values: keys, generated, read-only, immutable, managed and computed ones, that of the soft delete, and those for which the caller lacks
 * the right (`withheld`).
 */
export function isResetByPut(
  { settings }: Resource,
  { name, computed, withheld, definition }: NamedColumn,
): boolean {
  const { primaryKey, generated, immutable, managed, readOnly } = definition
  const keepsValue = primaryKey === true || readOnly === true || (generated ?? false) !== false
  return (
    !keepsValue &&
    immutable !== true &&
    withheld === undefined &&
    managed === undefined &&
    computed === undefined &&
    name !== settings.softDelete?.attribute
  )
}

/**
 * Runs the validators that take the whole record, and adds their problems; `row` is the record to be stored, `before` the stored one, null
 * for a new record.
 */
export async function runWholeRecordChecks(
  context: WriteContext,
  node: RecordNode,
  row: Values,
  before: Values | null,
): Promise<void> {
  const sent = { ...node.values, ...node.beforeTransform }
  await context.validate(
    node.wholeRecordChecks.map((column) => ({
      resource: node.resource,
      column,
      value: sent[column.name] ?? null,
      row: { ...row, ...node.beforeTransform },
      before,
      path: pathTo(node.path, column.name),
    })),
  )
}
