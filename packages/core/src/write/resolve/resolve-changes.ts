// resolveChanges: finds and locks the stored records that the nodes of a segment (nodes that are written together, ../README.md) change,
// restore or remove: sets `stored` and `decision` of each node, or `error` if there is no such record. The later steps throw that error.
// findLater does this after a refusal for the nodes that no segment has taken, only to find their problems.

import { missingReference, recordNotFound, validationFailed } from '../../errors.ts'
import { visibleNames } from '../../model/registry/checks/field-rules.ts'
import type { Resource } from '../../model/registry/resource.ts'
import { changedTwice } from '../../problems.ts'
import type { Value } from '../../query/plan/plan.ts'
import { keyText } from '../../query/run/key.ts'
import { checkPrecondition } from '../check/preconditions.ts'
import { lockLinked } from '../links/lock-linked.ts'
import type { LookUpOptions } from '../nodes/look-up-plan.ts'
import { pathTo, type Values } from '../nodes/node.ts'
import { withoutFields } from '../nodes/plain-node.ts'
import { nodesThatChange, removalOf, type WriteNode } from '../nodes/write-node.ts'
import type { Level, Segment } from '../segments/level.ts'
import type { LockedFor } from '../statements/statements.ts'
import { columnsToRead } from '../store/columns-to-read.ts'
import type { Precondition, WriteContext } from '../store/write-context.ts'
import { isCollated } from './is-collated.ts'
import { lockForChanges } from './lock-for-changes.ts'
import { keyIn, lockedRecord, lockedRecords, lockedRecordsBy } from './look-up-records.ts'

/**
 * The first segment of a level looks up the records of all its nodes, so that they are locked in the order of their keys. Each later one
 * reads its own records again, because the earlier ones may have changed them.
 */
export async function resolveChanges(context: WriteContext, segment: Segment): Promise<void> {
  const { level, isFirst } = segment
  const { options } = level
  const { isUpsert } = options
  if (isUpsert) segment.endBefore(repeatedAt(segment.nodes))
  const nodes = isFirst ? level.nodes : segment.nodes
  for (let i = 0; i < nodes.length; i++) (nodes[i] as WriteNode).error = undefined
  if (isFirst) {
    // `lockLinked` takes primary keys; the nodes of an upsert have values of other columns.
    const own = isUpsert ? [] : keysOf(nodes)
    await lockLinked(context, level.resource, nodesThatChange(nodes), own)
  }
  if (isUpsert) {
    await findForUpsert(context, level, nodes, { isFirst })
    // A collation may find a record by another spelling of its key, so the look-up of several nodes does not tell which of them names the
    // record. It has only locked the records, in the order of their keys; each node is then looked up alone.
    if (options.columns.some(isCollatedColumn) && nodes.length > 1) {
      segment.endBefore(1)
      level.stayAtOne()
      await findForUpsert(context, level, segment.nodes, { isFirst: false })
    }
  } else await findByKey(context, level, nodes, { isFirst })
  const names = namesOf(options)
  // Later segments of a removal call this only if hooks or the database may have changed the records, so the first decides for all nodes.
  const resolved = options.whenFound === 'remove' ? nodes : segment.nodes
  for (const node of resolved) decideChange(level, node, names)
  // Checked before anything is written, also nested objects.
  if (options.precondition !== undefined) checkVersions(options.precondition, segment.nodes)
}

/** Throws 412 unless the stored records meet the headers of the request. */
function checkVersions(precondition: Precondition, nodes: readonly WriteNode[]): void {
  for (const { stored } of nodes) {
    if (stored !== undefined) checkPrecondition(precondition, stored)
  }
}

/** The index of the first node with the key of an earlier one. */
function repeatedAt(nodes: readonly WriteNode[]): number {
  if (nodes.length < 2) return nodes.length
  const known = new Set<string>()
  for (let i = 0; i < nodes.length; i++) {
    const { key } = nodes[i] as WriteNode
    if (key === undefined) continue
    const text = keyText(key)
    if (known.has(text)) return i
    known.add(text)
  }
  return nodes.length
}

/** The keys by which the nodes name stored records. */
function keysOf(nodes: readonly WriteNode[]): readonly (readonly Value[])[] {
  const keys: (readonly Value[])[] = []
  for (let i = 0; i < nodes.length; i++) {
    const { key } = nodes[i] as WriteNode
    if (key !== undefined) keys.push(key)
  }
  return keys
}

/**
 * The lock of a look-up: for a removal `anyChange`, for changes in the first look-up of a level the one that `lockForChanges` chooses.
 * Later look-ups find records that are locked already, so the weaker lock suffices.
 */
const lockOf = (
  context: WriteContext,
  { resource, options }: Level,
  nodes: readonly WriteNode[],
  isFirst: boolean,
): LockedFor => {
  if (options.whenFound === 'remove') return 'anyChange'
  return isFirst
    ? lockForChanges(context, resource, nodesThatChange(nodes), {
        replace: options.replace,
        identifying: namesOf(options),
      })
    : 'otherThanKeys'
}

/** The fields by which the records are looked up. */
const namesOf = ({ columns }: Level['options']): ReadonlySet<string> =>
  new Set(columns.map(({ name }) => name))

/** The columns to read of the stored records; undefined for all. */
function readOf(
  context: WriteContext,
  { resource, options }: Level,
  nodes: readonly WriteNode[],
): LookUpOptions['read'] {
  const { whenFound, replace, touches, precondition } = options
  if (whenFound === 'remove') {
    const soft = removalOf(options).how === 'mark'
    return columnsToRead(context, resource, { kind: 'remove', soft, precondition })
  }
  if (whenFound === 'restore') {
    return columnsToRead(context, resource, { kind: 'restore', precondition })
  }
  const change = { nodes: nodesThatChange(nodes), replace, touches, precondition }
  return columnsToRead(context, resource, { kind: 'change', ...change })
}

/** Finds the records by the columns of `on_conflict`, or children by their key and that of their parent. */
async function findForUpsert(
  context: WriteContext,
  level: Level,
  nodes: readonly WriteNode[],
  { isFirst }: Pick<Segment, 'isFirst'>,
): Promise<void> {
  const { resource, options } = level
  const { columns } = options
  const keys = keysOf(nodes)
  if (keys.length === 0) return
  const lockedFor = lockOf(context, level, nodes, isFirst || options.columns.some(isCollatedColumn))
  const read = readOf(context, level, nodes)
  const found = await lockedRecordsBy(context, resource, columns, keys, 'PATCH', lockedFor, read)
  const isCollatedName = columns.some(isCollatedColumn)
  for (let i = 0; i < nodes.length; i++) {
    const node = nodes[i] as WriteNode
    if (node.key === undefined) continue
    if (!isCollatedName) node.stored = found.get(keyText(node.key))
    // The only record that a look-up of one key finds is that of the node, even if its key has another spelling.
    else if (nodes.length === 1) [node.stored] = found.values()
  }
}

const isCollatedColumn = ({ collation }: Level['options']['columns'][number]): boolean =>
  collation !== undefined

/**
 * Finds the records by their primary keys. In the first segment, it leaves out nodes that came with their record, locked; in a later one it
 * reads these, too, because the earlier segments may have changed them.
 */
async function findByKey(
  context: WriteContext,
  level: Level,
  nodes: readonly WriteNode[],
  { isFirst }: Pick<Segment, 'isFirst'>,
): Promise<void> {
  const nodesToFind = isFirst ? nodes.filter(isUnknown) : nodes
  if (nodesToFind.length === 0) return
  const { resource, options } = level
  const { action } = options
  const lockedFor = lockOf(context, level, nodesToFind, isFirst)
  const read = readOf(context, level, nodesToFind)
  const lookUp = {
    read,
    includeDeleted: options.whenFound === 'restore',
    isExact: options.isOfPath,
  }
  /** Looks up one record. A collation may find it under another spelling of the key, unless `isExact`. */
  const findAlone = (key: readonly Value[]) =>
    lockedRecord(context, resource, key, action, lockedFor, lookUp)
  const [first] = nodesToFind
  if (nodesToFind.length === 1 && first !== undefined) {
    first.stored = await findAlone(keyOf(resource, first))
    return
  }
  const keys = nodesToFind.map((node) => keyOf(resource, node))
  const found = await lockedRecords(context, resource, keys, action, lockedFor, lookUp)
  const mayDiffer = isCollated(resource)
  const taken = new Set<string>()
  for (let i = 0; i < nodesToFind.length; i++) {
    const node = nodesToFind[i] as WriteNode
    const key = keys[i] as readonly Value[]
    // A collation may make the stored key equal to this one although their texts differ.
    node.stored = found.get(keyText(key)) ?? (mayDiffer ? await findAlone(key) : undefined)
    if (!mayDiffer || node.stored === undefined) continue
    const own = keyText(keyIn(resource, node.stored) ?? [])
    if (taken.has(own)) {
      node.error = validationFailed([{ path: node.path, ...changedTwice }])
    }
    taken.add(own)
  }
}

/** Whether the record of the node still has to be looked up. */
const isUnknown = ({ isResolved }: WriteNode): boolean => !isResolved

/** The primary key that the node names, or that of the record which came with it. */
const keyOf = (resource: Resource, { key, stored }: WriteNode): readonly Value[] =>
  key ?? (stored === undefined ? [] : (keyIn(resource, stored) ?? []))

/** The paths of the parts of a child's key that its object has. */
const keyPaths = ({ options, path, filled = {} }: WriteNode): readonly string[] =>
  visibleNames(options.resource.primaryKey)
    .filter((name) => !(name in filled))
    .map((name) => pathTo(path, name))

/** Decides what is done with the record of a node, after its look-up. `identifying`: the fields by which it was looked up. */
function decideChange({ options }: Level, node: WriteNode, identifying: ReadonlySet<string>): void {
  const { stored, asFound, asMissing, key, path } = node
  if (stored !== undefined) {
    // The fields by which the record was found are left out, because they stay the same. If the decision is 'change' already, an earlier
    // segment has left them out.
    if (options.isUpsert && node.decision !== 'change' && asFound?.kind === 'record') {
      node.asFound = withoutFields(asFound, identifying)
    }
    node.decision = options.whenFound
    return
  }
  if (asMissing === null) {
    node.decision = undefined
    // A child of another parent gives the same error as one that does not exist.
    node.error =
      options.relation === undefined ? recordNotFound(path) : missingReference(keyPaths(node))
    return
  }
  node.decision = 'create'
  if (options.relation !== undefined) return
  // Clients cannot choose a generated key.
  if (key !== undefined && options.columns.some(({ definition }) => definition.generated)) {
    node.error = missingReference(visibleNames(options.columns).map((name) => pathTo(path, name)))
  }
}

/**
 * Returns those of the nodes that no segment has taken for which one look-up tells what would be done, so that their problems are reported
 * with those of the refused segment. Of changes by primary key, these are the nodes whose record is found. Of an upsert, these are all
 * nodes but two kinds: those that have the key of an earlier node, which may change or create the record; and, if the key has a collation,
 * those that are not found by the text of their key, because the record may be stored with another spelling. For restored and removed
 * records the list is empty.
 */
export async function findLater(
  context: WriteContext,
  level: Level,
): Promise<readonly WriteNode[]> {
  const { options, resource, nodes, waiting } = level
  const { columns } = options
  if (options.whenFound !== 'change') return []
  const later: WriteNode[] = []
  if (!options.isUpsert) {
    await findByKey(context, level, waiting, { isFirst: false })
    later.push(...waiting.filter(({ stored }) => stored !== undefined))
  } else {
    const keys = keysOf(waiting)
    const read = readOf(context, level, waiting)
    const found =
      keys.length === 0
        ? new Map<string, Values>()
        : await lockedRecordsBy(context, resource, columns, keys, 'PATCH', 'otherThanKeys', read)
    const mayDiffer = columns.some(isCollatedColumn)
    const taken = new Set<string>()
    const isWaiting = new Set(waiting)
    for (const { key } of nodes.filter((node) => !isWaiting.has(node))) {
      if (key !== undefined) taken.add(keyText(key))
    }
    for (const node of waiting) {
      const text = node.key && keyText(node.key)
      node.stored = text === undefined ? undefined : found.get(text)
      const isKnown = text === undefined || (!taken.has(text) && !(mayDiffer && !node.stored))
      if (text !== undefined) taken.add(text)
      if (isKnown) later.push(node)
    }
  }
  const names = namesOf(options)
  for (const node of later) decideChange(level, node, names)
  return later
}
