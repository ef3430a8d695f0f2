// fusionOf: decides, before anything is sent to the database, whether one statement makes all steps of a write of one record (a fusion of
// the steps), and whether it runs in a transaction. `oneRecordOf` makes what it decides about; `maySet` and `hasDefaultWithArgs` are two of
// its questions that other files ask, too.

import type { SingleWrites } from '../../dialect/shared/sql/single-writes.ts'
import type { NamedColumn, ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import type { QueryAst } from '../../query/parse/ast.ts'
import type { ReadPlan } from '../../query/plan/plan.ts'
import { readsStoredColumns } from '../nodes/echo-plan.ts'
import { checkedReferences } from '../nodes/hidden-references.ts'
import { isEmpty, type RecordNode } from '../nodes/node.ts'
import type { WriteNode } from '../nodes/write-node.ts'
import type { OneRecord, OneStatement } from './one-record.ts'

/** How a write of one record is made: by one statement, or by steps. */
export type Fusion = OneStatement | Steps

/** Each step has its own statements, in a transaction. */
export interface Steps {
  readonly kind: 'steps'
  readonly because: Reason
}

/** Why the write needs steps. Only tests read it. */
export type Reason =
  | 'it has a precondition'
  | 'a hook of the policy runs'
  | 'a callback runs'
  | 'a rule compares the record with others'
  | 'the caller may not write or read the record'
  | 'the body has nested records'
  | 'fields of the body must equal the stored ones'
  | 'a validator needs the whole record'
  | 'it merges documents into the stored ones'
  | 'a policy may hide a referenced record'
  | 'a referenced record cannot be locked'
  | 'the body changes no column'
  | 'it changes the primary key'
  | 'a default is a function that may use the connection'
  | 'it sets the soft-delete attribute'
  | 'the soft-delete value is a function'
  | 'other records may refer to the record'
  | 'what a user has may end with it'
  | 'the response shows more than the row'
  | 'the database does not support it'

/**
 * The write of a node as a OneRecord; an endpoint calls it if the request writes one record. `echoPlan` reads the record for the response;
 * null if it shows none. The filter callback receives `additional`.
 */
export function oneRecordOf(
  { options, key = [], asFound, asMissing }: WriteNode,
  { additional }: Pick<QueryAst, 'additional'>,
  echoPlan: ReadPlan | null,
): OneRecord {
  const { resource, removal, replace, isOfPath, precondition } = options
  const changed = asFound?.kind === 'record' ? asFound : null
  const isNew = changed === null && removal === undefined
  return {
    change: removal?.how === 'delete' ? 'delete' : isNew ? 'insert' : 'update',
    resource,
    key,
    record: changed ?? asMissing,
    replace,
    cascade: removal?.cascade === true,
    hasPrecondition: isOfPath && precondition !== undefined,
    echoPlan,
    additional,
  }
}

/**
 * The conditions that decide how a write runs: from the request, the access rules and the database. Made by
 * `http/endpoints/writes/fusion-facts.ts`.
 */
export interface FusionFacts {
  /** Whether the host application has begun a transaction, or a callback must be able to roll the write back. */
  readonly transaction: boolean
  /** Whether the policy of the resource has a hook that this action may call. */
  readonly policyHooks: boolean
  /** Whether a callback of the model is called, or a callback receives the changes, which need the record as it was before. */
  readonly callback: boolean
  /** Whether other records may refer to one that is removed, which must be checked before. */
  readonly dependents: boolean
  /** Whether tokens and keys of a user may end with the write, by statements of their own. */
  readonly endsUsers: boolean
  /** Whether methods and roles allow the write and the read of its response. */
  readonly permitted: boolean
  /** Whether a policy hides records of a resource. */
  readonly narrows: (resource: Resource) => boolean
  /** Whether a statement can lock the records of a resource to which it stores references. */
  readonly locksReferred: (resource: Resource) => boolean
  /** Whether an UPDATE may read the tables that references lead to, and so check them. */
  readonly checksInUpdates: boolean
  /** Which single-statement writes the database supports, and how each gives the written row; undefined if it supports none. */
  readonly singleWrites: SingleWrites | undefined
}

/**
 * Chooses one statement if the write needs no other statement or check, and the written row holds everything that the response shows.
 *
 * `PATCH /api/books/1 {"pages": 7}` → `{ kind: 'one statement', echo: 'returned', inTransaction: false, references: [] }`. Without
 * RETURNING, `echo` is `'read'`.
 */
export function fusionOf(oneRecord: OneRecord, facts: FusionFacts): Fusion {
  const because = reasonInFacts(oneRecord, facts) ?? reasonInWrite(oneRecord, facts)
  if (because !== undefined) return { kind: 'steps', because }
  const echo = facts.singleWrites?.(oneRecord.change, oneRecord.resource)
  // Without RETURNING, the row count of a DELETE tells whether the record existed. That of an UPDATE that marks the record does not:
  // some drivers count the rows that were found, and others those that were changed.
  const isSupported =
    echo === 'returned' ||
    (echo === 'read' && (oneRecord.echoPlan !== null || oneRecord.change === 'delete'))
  if (!isSupported) return { kind: 'steps', because: 'the database does not support it' }
  const references = referencesOf(oneRecord, facts)
  return { kind: 'one statement', echo, inTransaction: facts.transaction, references }
}

/** Whether one statement makes the write, so that the write needs no transaction, although its response may need other statements. */
export function isAtomic(oneRecord: OneRecord, facts: FusionFacts): boolean {
  const fusion = fusionOf({ ...oneRecord, echoPlan: null }, facts)
  return fusion.kind === 'one statement' && !fusion.inTransaction
}

/** The relations whose records the statement must check. */
const referencesOf = (
  { resource, record, change }: OneRecord,
  { narrows }: FusionFacts,
): readonly ResolvedRelation[] =>
  (record && checkedReferences(resource, record.values, narrows, change === 'insert')) ?? []

/** Why the write needs steps, from the facts alone; undefined if they do not say. */
function reasonInFacts({ hasPrecondition }: OneRecord, facts: FusionFacts): Reason | undefined {
  if (hasPrecondition) return 'it has a precondition'
  if (facts.policyHooks) return 'a hook of the policy runs'
  if (facts.callback) return 'a callback runs'
  return facts.permitted ? undefined : 'the caller may not write or read the record'
}

/** Why the write needs steps, from what is written and shown. */
function reasonInWrite(oneRecord: OneRecord, facts: FusionFacts): Reason | undefined {
  const { resource, record, echoPlan } = oneRecord
  if (facts.endsUsers) return 'what a user has may end with it'
  if (facts.dependents) return 'other records may refer to the record'
  const readsMore =
    echoPlan !== null && (echoPlan.embeds.length > 0 || !readsStoredColumns(echoPlan.rows))
  if (readsMore) return 'the response shows more than the row'
  if (record !== null) return reasonInBody(oneRecord, record, resource, facts)
  return resource.settings.softDelete?.deleted.kind === 'function'
    ? 'the soft-delete value is a function'
    : undefined
}

/**
 * Whether a write may change one of these columns, named as in the database: because it sets the column, or because the database
 * computes it.
 */
export function maySet(
  { change, resource, record, replace }: OneRecord,
  columns: readonly string[],
): boolean {
  if (change === 'insert' || replace) return true
  if (record === null) return false
  return columns.some((dbName) => {
    const column = columnStoredAs(resource, dbName)
    if (column === undefined || column.name in record.values) return true
    return column.definition.generated === true && !resource.primaryKey.includes(column)
  })
}

function columnStoredAs({ allColumns }: Resource, dbName: string): NamedColumn | undefined {
  for (const column of allColumns.values()) if (column.dbName === dbName) return column
  return undefined
}

/** Why the write needs steps, from the body and its columns. */
function reasonInBody(
  { change, replace }: OneRecord,
  { values, parents, children, sentBack, wholeRecordChecks, merges }: RecordNode,
  resource: Resource,
  { narrows, locksReferred, checksInUpdates }: FusionFacts,
): Reason | undefined {
  if (parents.length > 0 || children.length > 0) return 'the body has nested records'
  const isCompared = resource.exclusions.some(
    ({ reads, followsOthers }) =>
      change === 'insert' || replace || followsOthers || [...reads].some((name) => name in values),
  )
  if (isCompared) return 'a rule compares the record with others'
  const takesDefaults = change === 'insert' || replace
  if (takesDefaults && hasDefaultWithArgs(resource))
    return 'a default is a function that may use the connection'
  if (wholeRecordChecks.length > 0) return 'a validator needs the whole record'
  if (change === 'update') {
    const { fields, otherForms, urls } = sentBack
    if (!isEmpty(fields) || !isEmpty(otherForms) || !isEmpty(urls))
      return 'fields of the body must equal the stored ones'
    if (merges.length > 0) return 'it merges documents into the stored ones'
    if (isEmpty(values) && !replace) return 'the body changes no column'
    if (resource.primaryKey.some(({ name }) => name in values)) return 'it changes the primary key'
  }
  const references = checkedReferences(resource, values, narrows, change === 'insert')
  if (
    references === undefined ||
    (change === 'update' && !checksInUpdates && references.length > 0)
  )
    return 'a policy may hide a referenced record'
  if (
    references.some(({ target }) => target.settings.softDelete !== null && !locksReferred(target))
  )
    return 'a referenced record cannot be locked'
  // A write that marks the record as deleted returns no record.
  const { softDelete } = resource.settings
  return softDelete !== null && softDelete.attribute in values
    ? 'it sets the soft-delete attribute'
    : undefined
}

/** Whether a column's default is a function that takes the hook arguments, and may use their connection to write. */
export function hasDefaultWithArgs(resource: Resource): boolean {
  const known = withArgs.get(resource)
  if (known !== undefined) return known
  const found = [...resource.allColumns.values()].some(
    ({ definition }) => typeof definition.default === 'function' && definition.default.length > 0,
  )
  withArgs.set(resource, found)
  return found
}

const withArgs = new WeakMap<Resource, boolean>()
