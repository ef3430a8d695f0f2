// columnsToRead: with which columns a write reads stored records, by what it does with them, so that a look-up reads no more than the later
// steps need. All look-ups of writes take their columns from here; the others read keys alone, or whole records for the callbacks that
// receive the changes.

import { isWriteOnly } from '../../model/registry/checks/field-rules.ts'
import { dependentsOf, referredColumns } from '../../model/registry/relations/dependents.ts'
import type { NamedColumn, ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import { updatedColumns } from '../check/defaults.ts'
import { narrowedRelations } from '../nodes/hidden-references.ts'
import { hidesDetails } from '../nodes/hides-details.ts'
import type { RecordNode, ReferenceNode, SentBack } from '../nodes/node.ts'
import { isResetByPut } from '../resolve/requested-changes.ts'
import { maySetUnchangedColumns } from './rows/update-rows.ts'
import type { Precondition, WriteContext } from './write-context.ts'

/** What a write does with the stored records of one model. */
export type RecordUse = ChangeUse | MoveUse | RestoreUse | RemovalUse | LinkUse | ReferenceUse

/** A use by a request that may have `If-Match` or `If-None-Match`. */
interface Conditional {
  /** Its columns are read, to compute the ETag of the stored record. */
  readonly precondition?: Precondition | undefined
}

/** PATCH, PUT or an upsert changes the records. `replace` and `touches` are those of `NodeOptions`. */
export interface ChangeUse extends Conditional {
  readonly kind: 'change'
  readonly nodes: readonly RecordNode[]
  readonly replace?: boolean
  readonly touches?: boolean
}

/** Existing children get another parent, whose key is stored in the columns `filled`, or none: these are then set to NULL. */
export interface MoveUse {
  readonly kind: 'move'
  readonly nodes: readonly ReferenceNode[]
  readonly filled: readonly NamedColumn[]
}

/** The soft delete of the records is undone. */
export interface RestoreUse extends Conditional {
  readonly kind: 'restore'
}

/** The records are deleted, or marked as deleted if `soft`. `found` are the columns by which they were found, which are read, too. */
export interface RemovalUse extends Conditional {
  readonly kind: 'remove'
  readonly soft: boolean
  readonly found?: readonly NamedColumn[]
}

/** The records are soft-deleted links that become new ones: as such, all checks of new records apply to them. */
export interface LinkUse {
  readonly kind: 'link'
}

/** Nested objects or foreign keys only refer to the records. `columns` hold what is stored in the records that refer to them. */
export interface ReferenceUse {
  readonly kind: 'reference'
  readonly nodes?: readonly ReferenceNode[]
  readonly columns?: readonly NamedColumn[] | undefined
}

/**
 * Returns the columns to read; undefined if all are needed, because the write gives the records to functions of the host: callbacks, hooks
 * of the policy, validators that take the whole record, a function that makes the soft-delete value.
 *
 * The columns are always the primary key, and in addition:
 * - of records that are changed: the column that marks deleted records; those that the body sends back or merges, to compare them; those
 *   of which `hidesDetails` is true or which may hold special values, among those that are set, because they are not written if the JSON is
 *   equal; all that are set, if records to which nothing changes must not be written, or if an UPDATE may set only columns that change.
 *   Write-only columns are always written, so they are not compared;
 * - of records that are deleted: the columns to which other records refer, and those that refer to records of the same model;
 * - of a rule by which no two records overlap all columns, if one of them is set;
 * - of users those that are set of the columns that decide whether a user is active;
 * - of records that are restored: the foreign keys to records that may be deleted;
 * - of a unique key, of a composite foreign key and of one whose target hides records all columns, if one of them is set, because checks
 *   and errors are about the whole key; often all unique keys, as `mayMeetAnyKey` says;
 * - all visible columns, if a precondition needs the ETag.
 */
export function columnsToRead(
  context: WriteContext,
  resource: Resource,
  use: RecordUse,
): readonly NamedColumn[] | undefined {
  if (isGivenToHost(context, resource, use)) return undefined
  const names = new Set<string>()
  addAll(names, resource.primaryKey)
  if ('precondition' in use) addAll(names, use.precondition?.columns ?? [])
  if (use.kind === 'change') addForChange(names, context, resource, use)
  else if (use.kind === 'move') addForMove(names, context, resource, use)
  else if (use.kind === 'restore') addForRestore(names, context, resource)
  else if (use.kind === 'remove') addForRemoval(names, context, resource, use)
  else if (use.kind === 'reference') {
    addAll(names, use.columns ?? [])
    for (const { sentBack } of use.nodes ?? []) addSentBack(names, resource, sentBack)
  }
  if (mayMeetAnyKey(use)) addAll(names, resource.uniqueKeys.flat())
  return [...resource.allColumns.values()].filter(({ name }) => names.has(name))
}

/**
 * Whether all unique keys are read, so that the error of a taken one names its fields: a unique index may leave out records, such as
 * deleted ones, so that any change may make a record conflict. A list of changes reads only the keys of which it sets a part.
 */
const mayMeetAnyKey = (use: RecordUse): boolean =>
  use.kind === 'move' ||
  use.kind === 'restore' ||
  (use.kind === 'remove' && use.soft) ||
  (use.kind === 'change' && use.nodes.length === 1)

/** Whether functions of the host receive the records. */
function isGivenToHost(
  { access, hooks, changes }: WriteContext,
  resource: Resource,
  use: RecordUse,
): boolean {
  if (use.kind === 'reference') return false
  if (use.kind === 'link' || changes !== undefined) return true
  if (use.kind === 'remove') {
    const { softDelete } = resource.settings
    const isMade = use.soft && softDelete?.deleted.kind === 'function'
    return isMade || access.hasHook(resource, 'can_delete') || hooks.has(resource, 'remove')
  }
  if (access.hasHook(resource, 'can_update') || hooks.has(resource, 'update')) return true
  if (use.kind === 'move') return use.filled.some(isValidatedByHost)
  return use.kind === 'change' && use.nodes.some(isValidatedWhole)
}

/** Whether a validator receives the whole record: that of a field, or of a foreign key that a nested object sets. */
const isValidatedWhole = ({ wholeRecordChecks, parents }: RecordNode): boolean =>
  wholeRecordChecks.length > 0 ||
  (parents.length > 0 && parents.some(({ relation }) => relation.from.some(isValidatedByHost)))

/** Adds what a change needs: the columns that it compares, and with `addSet` those that it sets. */
function addForChange(
  names: Set<string>,
  context: WriteContext,
  resource: Resource,
  { nodes, replace = false, touches = true }: ChangeUse,
): void {
  const set = new Set<string>()
  let hasChildren = false
  for (let i = 0; i < nodes.length; i++) {
    const { values, parents, children, sentBack, merges } = nodes[i] as RecordNode
    for (const name in values) set.add(name)
    for (const { relation } of parents) addAll(set, relation.from)
    for (const { relation } of children) addAll(names, relation.from)
    hasChildren ||= children.length > 0
    addAll(names, merges)
    addSentBack(names, resource, sentBack)
    // A relation that is sent as null clears its foreign key.
    for (const name in sentBack.urls) addAll(set, resource.relations.get(name)?.from ?? [])
  }
  if (replace) {
    for (const column of resource.columns.values()) {
      if (isResetByPut(resource, column)) set.add(column.name)
    }
  }
  // Only links may change, and then the time of the change is compared.
  if (hasChildren) addAll(names, updatedColumns(resource))
  const { softDelete } = resource.settings
  if (softDelete !== null) names.add(softDelete.attribute)
  addSet(names, context, resource, set, { touches })
}

/** Adds what a child needs that gets another parent: the columns that it sends back, and its foreign key. */
function addForMove(
  names: Set<string>,
  context: WriteContext,
  resource: Resource,
  { nodes, filled }: MoveUse,
): void {
  for (const { sentBack } of nodes) addSentBack(names, resource, sentBack)
  addSet(names, context, resource, new Set(filled.map(nameOf)), { touches: true })
}

/** Adds what a restored record needs: the column that marks it, and its foreign keys to records that may be deleted. */
function addForRestore(names: Set<string>, context: WriteContext, resource: Resource): void {
  addMark(names, context, resource)
  for (const { kind, target, from, to } of resource.relations.values()) {
    if (kind !== 'belongsTo' || target.settings.softDelete === null) continue
    addAll(names, from)
    // A record may refer to itself.
    if (target === resource) addAll(names, to)
  }
}

/** Adds what a removal needs: the columns to which other records refer. */
function addForRemoval(
  names: Set<string>,
  context: WriteContext,
  resource: Resource,
  { soft, found = [] }: RemovalUse,
): void {
  addAll(names, found)
  if (soft) addMark(names, context, resource)
  for (const dependent of dependentsOf(context.registry, resource)) {
    addAll(names, referredColumns(dependent))
    if (dependent.resource === resource) addAll(names, dependent.held)
  }
}

/** Adds the column that marks deleted records, and what the check of keys needs when it changes. */
function addMark(names: Set<string>, context: WriteContext, resource: Resource): void {
  const { softDelete } = resource.settings
  if (softDelete === null) return
  names.add(softDelete.attribute)
  addSet(names, context, resource, new Set([softDelete.attribute]), { touches: true })
}

/** Adds what is needed of the stored record when columns are `set`: those to compare, and the whole keys of which they are a part. */
function addSet(
  names: Set<string>,
  { access, target, users }: WriteContext,
  resource: Resource,
  set: ReadonlySet<string>,
  { touches }: { readonly touches: boolean },
): void {
  const composite = [...resource.allRelations.values()].filter(
    ({ kind, from }) => kind === 'belongsTo' && from.length > 1,
  )
  const narrowed = narrowedRelations(resource, (other) => access.narrows(other))
  for (const columns of [...resource.uniqueKeys, ...[...composite, ...narrowed].map(fromOf)]) {
    if (columns.some(({ name }) => set.has(name))) addAll(names, columns)
  }
  for (const { reads, followsOthers } of resource.exclusions) {
    if (followsOthers || [...reads].some((name) => set.has(name))) {
      for (const name of reads) names.add(name)
    }
  }
  for (const name of users?.columnsOf(resource) ?? []) if (set.has(name)) names.add(name)
  const mayWriteEqual = touches && maySetUnchangedColumns(target.dialect, resource)
  for (const column of resource.allColumns.values()) {
    // The database may refuse a special value that it stores, such as a zero date, if it is written again.
    const mustStay = hidesDetails(column) || column.special !== undefined
    const isCompared = !isWriteOnly(column) && (!mayWriteEqual || mustStay)
    if (isCompared && set.has(column.name)) names.add(column.name)
  }
}

/** Adds the columns of fields and URLs that must equal those of the stored record. */
function addSentBack(
  names: Set<string>,
  { relations }: Resource,
  { fields, otherForms, urls }: SentBack,
): void {
  for (const name in fields) names.add(name)
  for (const name in otherForms) names.add(name)
  for (const name in urls) {
    const relation = relations.get(name)
    addAll(names, relation?.from ?? [])
    addAll(names, relation?.address?.key ?? [])
  }
}

function addAll(names: Set<string>, columns: Iterable<NamedColumn>): void {
  for (const { name } of columns) names.add(name)
}

const isValidatedByHost = ({ definition: { validator } }: NamedColumn): boolean =>
  typeof validator === 'function'
const nameOf = ({ name }: NamedColumn): string => name
const fromOf = ({ from }: ResolvedRelation): readonly NamedColumn[] => from
