// strategyOf: decides, before anything is sent to the database, whether one statement can make a write, and whether it runs in a
// transaction.

import type { RowChange, SingleWriteEcho, SingleWrites } from '../../dialect/shared/sql/writes.ts'
import type { NamedColumn, ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import type { ReadPlan } from '../../query/plan/plan.ts'
import { readsStoredColumns } from './echo-plan.ts'
import { checkedReferences } from './hidden-references.ts'
import { isEmpty, type RecordNode } from './node.ts'

export type WriteStrategy =
  /** One statement; `echo` says how the response's record is read. */
  | {
      readonly kind: 'single statement'
      readonly echo: SingleWriteEcho
      /** Whether it runs in a transaction instead of autocommit mode. */
      readonly transaction: boolean
      /** The relations that the body sets and whose records may be hidden: the statement writes nothing unless the caller sees them. */
      readonly references: readonly ResolvedRelation[]
    }
  | { readonly kind: 'transaction'; readonly because: Reason }

/** Why a write takes several statements in a transaction. */
export type Reason =
  | 'it writes several records'
  | 'it has an Idempotency-Key'
  | 'it has a precondition'
  | 'a hook of the policy runs'
  | 'the policy refuses'
  | 'the scope may read other rows'
  | 'a callback runs'
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
  | 'the response shows more than the row'
  | 'the database does not support it'

/** A write of one record, before it runs. */
export interface PlannedWrite {
  readonly change: RowChange
  readonly resource: Resource
  /** The body; null for DELETE. */
  readonly node: RecordNode | null
  /** The plan that reads the record for the response; null for DELETE. */
  readonly echo: ReadPlan | null
  /** True for PUT, which also sets the fields that were not sent. */
  readonly replace: boolean
  /** Whether other records may refer to this one, which must be checked before it is deleted. */
  readonly dependents: boolean
}

/** The conditions that decide how a write runs: from the request, the access rules and the database. */
export interface WriteConditions {
  /** Whether the host application has begun a transaction, or a callback must be able to roll the write back. */
  readonly transaction: boolean
  readonly many: boolean
  readonly idempotencyKey: boolean
  readonly precondition: boolean
  /** Whether the policy of the resource has a hook that this action may call. */
  readonly policyHooks: boolean
  /** The scope of policy and filter callback: it allows no row (`none`), or depends on other rows, or only on the row itself. */
  readonly scope: 'none' | 'other rows' | 'of the row'
  /** Whether a callback of the model is called, or a callback receives the changes, which need the record as it was before. */
  readonly callback: boolean
  /** Whether methods and roles allow the write and the read of its response. */
  readonly permitted: boolean
  /** Whether a policy hides records of a resource. */
  readonly narrows: (resource: Resource) => boolean
  /** Whether a statement can lock the records of a resource to which it stores references. */
  readonly locksReferred: (resource: Resource) => boolean
  /** Whether an UPDATE may check references. */
  readonly checksInUpdates: boolean
  /** Which single-statement writes the database supports. */
  readonly singleWrites: SingleWrites | undefined
}

/**
 * Chooses a single statement if the write needs no other statement or check, and the written row holds everything that the
 * response shows.
 *
 * `PATCH /api/books/1 {"pages": 7}` → `{ kind: 'single statement', echo: 'returned', transaction: false, references: [] }`. Without
 * RETURNING, `echo` is `'read'`.
 */
export function strategyOf(write: PlannedWrite, conditions: WriteConditions): WriteStrategy {
  const because = reasonInConditions(conditions) ?? reasonInWrite(write, conditions)
  if (because !== undefined) return { kind: 'transaction', because }
  const echo = conditions.singleWrites?.(write.change, write.resource)
  // Without RETURNING, the row count of a DELETE tells whether the record existed. That of an UPDATE that marks the record does not:
  // some drivers count the rows that were found, and others those that were changed.
  const isSupported =
    echo === 'returned' || (echo === 'read' && (write.echo !== null || write.change === 'delete'))
  if (!isSupported) return { kind: 'transaction', because: 'the database does not support it' }
  const { transaction } = conditions
  return {
    kind: 'single statement',
    echo,
    transaction,
    references: referencesOf(write, conditions),
  }
}

const referencesOf = (
  { resource, node, change }: PlannedWrite,
  { narrows }: WriteConditions,
): readonly ResolvedRelation[] =>
  (node && checkedReferences(resource, node.values, narrows, change === 'insert')) ?? []

function reasonInConditions(conditions: WriteConditions): Reason | undefined {
  if (conditions.many) return 'it writes several records'
  if (conditions.idempotencyKey) return 'it has an Idempotency-Key'
  if (conditions.precondition) return 'it has a precondition'
  if (conditions.policyHooks) return 'a hook of the policy runs'
  if (conditions.scope === 'none') return 'the policy refuses'
  if (conditions.scope === 'other rows') return 'the scope may read other rows'
  if (conditions.callback) return 'a callback runs'
  return conditions.permitted ? undefined : 'the caller may not write or read the record'
}

function reasonInWrite(write: PlannedWrite, conditions: WriteConditions): Reason | undefined {
  const { resource, node, echo, dependents } = write
  if (dependents) return 'other records may refer to the record'
  const readsMore = echo !== null && (echo.embeds.length > 0 || !readsStoredColumns(echo.rows))
  if (readsMore) return 'the response shows more than the row'
  if (node !== null) return reasonInBody(write, node, resource, conditions)
  return resource.settings.softDelete?.deleted.kind === 'function'
    ? 'the soft-delete value is a function'
    : undefined
}

/**
 * Whether a write may change one of these columns, named as in the database: because it sets the column, or because the database
 * computes it.
 */
export function maySet(
  { change, resource, node, replace }: PlannedWrite,
  columns: readonly string[],
): boolean {
  if (change === 'insert' || replace) return true
  if (node === null) return false
  return columns.some((dbName) => {
    const column = columnStoredAs(resource, dbName)
    if (column === undefined || column.name in node.values) return true
    return column.definition.generated === true && !resource.primaryKey.includes(column)
  })
}

function columnStoredAs({ allColumns }: Resource, dbName: string): NamedColumn | undefined {
  for (const column of allColumns.values()) if (column.dbName === dbName) return column
  return undefined
}

function reasonInBody(
  { change, replace }: PlannedWrite,
  node: RecordNode,
  resource: Resource,
  { narrows, locksReferred, checksInUpdates }: WriteConditions,
): Reason | undefined {
  const { values, parents, children, sentBack, wholeRecordChecks, merges } = node
  if (parents.length > 0 || children.length > 0) return 'the body has nested records'
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
