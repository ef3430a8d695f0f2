// writeFused: makes all steps of a write of one record by one statement, if `fusion-of.ts` has decided so: in autocommit mode, or in the
// transaction of a batch, of callbacks or of the host. The writer calls it in place of its steps.

import { sqlForArrays } from '../../database/leases/lease.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { andThen, inTurn, type MaybePromise } from '../../lib/maybe-promise.ts'
import type { ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import type { Value } from '../../query/plan/plan.ts'
import { keyFromRow } from '../../query/run/key.ts'
import { newRecord } from '../check/defaults.ts'
import type { RecordScope } from '../check/write-access.ts'
import type { RecordNode, Values } from '../nodes/node.ts'
import type { WriteNode } from '../nodes/write-node.ts'
import { independentChanges } from '../resolve/requested-changes.ts'
import { keyParts, matchesOf } from '../statements/statements-by-keys.ts'
import { type ScopedReference, storedSingleWrites } from '../statements/stored-single-writes.ts'
import { deletionMark } from '../store/deletion-marks.ts'
import type { WriteContext } from '../store/write-context.ts'
import { maySet } from './fusion-of.ts'
import type { FusedAttempt, OneRecord } from './one-record.ts'
import {
  insertRecord,
  removeRecord,
  type SingleWriteContext,
  updateRecord,
  type Written,
} from './single-statement.ts'

/**
 * Writes the record of a node, and sets `shown` of the node, the row for its response; returns the values of its key. Ends the attempt by
 * `fused.refuse` if the statement cannot make the write or has written nothing; the steps then make it, or find the error.
 */
export async function writeFused(
  context: WriteContext,
  fused: FusedAttempt,
  node: WriteNode,
): Promise<Values> {
  const { oneRecord, fusion, refuse } = fused
  const foundReferences = referencesOf(context, oneRecord, fusion.references)
  const references = foundReferences instanceof Promise ? await foundReferences : foundReferences
  // Asks the policy of the record only if nothing else requires the steps, which would ask it again.
  if (references === undefined) return refuse({ needTransaction: true })
  const foundScope = context.access.scopeOfRecord(oneRecord)
  const scope = foundScope instanceof Promise ? await foundScope : foundScope
  if (typeof scope === 'string') return refuse({ needTransaction: true })
  const single = singleWrite(context, fused, scope, references)
  const { key, row } = (await writeBy(single, context, fused)) ?? refuse({ needTransaction: false })
  node.shown = row ?? null
  return keyValues(oneRecord.resource, key)
}

/** A key as values by field name. */
function keyValues({ primaryKey }: Resource, key: readonly Value[]): Values {
  const values: Record<string, JsonValue> = {}
  for (const [i, { name }] of primaryKey.entries()) {
    const value = key[i] as Value
    values[name] = typeof value === 'bigint' ? String(value) : value
  }
  return values
}

/** Runs the statement; undefined if it has written nothing. */
function writeBy(
  single: SingleWriteContext,
  context: WriteContext,
  { oneRecord, fusion: { echo } }: FusedAttempt,
): MaybePromise<Written | undefined> {
  const { resource, key, replace, record, change, echoPlan } = oneRecord
  if (record === null || echoPlan === null) {
    const { softDelete } = resource.settings
    const mark = softDelete && deletionMark(context, resource, softDelete, null)
    return andThen(mark, async (values) =>
      (await removeRecord(single, resource, key, values, echo)) ? { key } : undefined,
    )
  }
  const read = { echo, rows: echoPlan.rows }
  return andThen(valuesToWrite(context, record, change === 'insert', replace), (values) =>
    change === 'insert'
      ? insertRecord(single, resource, values, read)
      : updateRecord(single, resource, key, values, read),
  )
}

/** The values of a new record with its defaults, or those that a change sets. */
const valuesToWrite = (
  context: WriteContext,
  record: RecordNode,
  isNew: boolean,
  replace: boolean,
) => (isNew ? newRecord(context, record) : independentChanges(context, record, { replace }))

/**
 * The references that the statement checks. Undefined if one statement cannot check them: a policy refuses or throws, or its scope
 * may read other rows. An error of a policy is not reported here. The steps, which come next, call the policy again, unless the
 * record has this reference already, and report the error.
 */
function referencesOf(
  { access }: WriteContext,
  { change, record }: OneRecord,
  relations: readonly ResolvedRelation[],
): MaybePromise<readonly ScopedReference[] | undefined> {
  if (relations.length === 0) return noReferences
  const found: ScopedReference[] = []
  /** Asks the policy of the model that the relation leads to; adds nothing if the statement cannot have its scope. */
  const find = (relation: ResolvedRelation): MaybePromise<void> => {
    const { to, from, target } = relation
    const key = keyFromRow(from, record?.values ?? {})
    if (key === undefined) return
    // A reference that is stored already may be sent back, even if it is hidden. A caller who may not list the model of the written record
    // could guess the reference that way, so steps make the update of such a caller (`permitted` of `FusionFacts`).
    const stored = change === 'update' ? matchesOf(keyParts(from), key) : undefined
    const reference = { relation, key: matchesOf(keyParts(to), key), stored }
    return andThen(access.mayWrite(target, 'GET_ONE'), (isReadable) => {
      // Without access to the resource, no policy is called: the row must only exist, as the database requires.
      if (!isReadable) {
        found.push({ ...reference, includeDeleted: true, scope: undefined })
        return
      }
      return andThen(access.scopeOfReferred(target), (scope) => {
        if (typeof scope === 'string') return
        const policyScope = scope.written === 'all' ? undefined : scope.written
        found.push({ ...reference, includeDeleted: false, scope: policyScope })
      })
    })
  }
  const all = () => (found.length < relations.length ? undefined : found)
  try {
    const finding = inTurn(relations, find)
    return finding instanceof Promise ? finding.then(all, () => undefined) : all()
  } catch {
    return undefined
  }
}

const noReferences: readonly ScopedReference[] = []

/** The context of the statement: it has the conditions of the policy and of the filter callback, and the references that it checks. */
function singleWrite(
  { lease, target }: WriteContext,
  { oneRecord, fusion, isInside }: FusedAttempt,
  scope: RecordScope,
  references: readonly ScopedReference[],
): SingleWriteContext {
  const writable = scope.written === 'all' ? undefined : scope.written
  const readable = scope.shown === 'all' || oneRecord.echoPlan === null ? undefined : scope.shown
  // A record in the scope of the policy stays in it if the change sets no column that the scope tests.
  const mayHide =
    readable !== undefined && (scope.shown !== scope.written || maySet(oneRecord, readable.columns))
  const finish = (text: string) => sqlForArrays(target.dialect, text)
  // A SELECT after the write (`read`) always has the condition, because a concurrent request may have changed the record.
  const tested = mayHide || fusion.echo === 'read' ? readable : undefined
  const narrowed = { written: writable, shown: tested, references }
  const statements = storedSingleWrites(target, finish, narrowed)
  return {
    lease,
    statements,
    inTransaction: isInside,
    mayHide,
    checksReferences: references.length > 0,
  }
}
