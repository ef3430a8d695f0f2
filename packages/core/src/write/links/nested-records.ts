// writeParents, writeChildren: the nested records of one segment: to-one parents, which are written before the records, and children and
// links, which are written after them (docs/guide/writing.md). Each relation's records are a level of their own, written by the same steps.

import { missingReference } from '../../errors.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import { tableKey } from '../../lib/sql/table-name.ts'
import type { NamedColumn, ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import { keyChunks } from '../../query/compile/chunks.ts'
import { keyFromRow, keyText } from '../../query/run/key.ts'
import { planRecords } from '../nodes/look-up-plan.ts'
import { type NestedNode, pathTo, type RecordNode, type Values } from '../nodes/node.ts'
import {
  knownValues,
  type NodeOptions,
  nestedNode,
  optionsForNew,
  recordNodeOf,
  type WriteNode,
} from '../nodes/write-node.ts'
import { keyIn, readUnscoped } from '../resolve/look-up-records.ts'
import { columnsToRead } from '../store/columns-to-read.ts'
import type { WriteContext } from '../store/write-context.ts'
import { changeChildren } from './change-children.ts'
import type { LinkedRecord, LinkList } from './link-store.ts'
import { keyOfParent, type NestedList, type WriteNested } from './nested-lists.ts'
import { setUpdatedTimes } from './updated-times.ts'
import { writeLinks } from './write-links.ts'

/** The nested objects of all records of a segment by relation, in the order in which the relations first occur. */
type NestedLists = Map<ResolvedRelation, NestedList[]>

/** Adds the nested objects of one record. */
function addTo(lists: NestedLists, relation: ResolvedRelation, list: NestedList): void {
  const known = lists.get(relation)
  if (known === undefined) lists.set(relation, [list])
  else known.push(list)
}

/** Finds or creates the to-one parents of the nodes, and sets `parentKeys` of each node, the foreign keys to them. */
export async function writeParents(
  context: WriteContext,
  nodes: readonly WriteNode[],
  writeNested: WriteNested,
): Promise<void> {
  const lists: NestedLists = new Map()
  for (const parent of nodes) {
    // A node that has waited for another segment has its parents already.
    if (parent.parentKeys !== undefined) continue
    for (const { relation, node } of recordNodeOf(parent)?.parents ?? []) {
      addTo(lists, relation, { parent, nodes: [node] })
    }
  }
  for (const [relation, ofRelation] of lists) {
    const { target, to, pairs } = relation
    const options: NodeOptions = { ...optionsForNew(target), referencedColumns: to }
    const parents = ofRelation.flatMap(({ nodes }) =>
      nodes.map((node) => nestedNode(options, node)),
    )
    const known = await withColumns(context, target, await writeNested(context, parents), to)
    refuseWithoutKey(to, known, (i) => parents[i]?.path ?? '')
    for (let i = 0; i < ofRelation.length; i++) {
      const { parent } = ofRelation[i] as NestedList
      const own: Record<string, JsonValue> = { ...parent.parentKeys }
      for (const { from, to } of pairs) own[from.name] = known[i]?.[to.name] ?? null
      parent.parentKeys = own
    }
  }
}

/**
 * Throws 422 if a record has NULL in one of the columns to which foreign keys refer: they could not name it, and the reference would be
 * lost. `pathOf` is the path of the nested object or list with the reference; undefined if there is none.
 */
function refuseWithoutKey(
  columns: readonly NamedColumn[],
  records: readonly Values[],
  pathOf: (index: number) => string | undefined,
): void {
  const missing = records.flatMap((values, i) =>
    columns.some(({ name }) => (values[name] ?? null) === null) ? (pathOf(i) ?? []) : [],
  )
  if (missing.length > 0) throw missingReference(missing)
}

/** The known values of records with these columns: reads each record from the database that lacks one of them. */
async function withColumns(
  context: WriteContext,
  resource: Resource,
  known: readonly Values[],
  columns: readonly NamedColumn[],
): Promise<readonly Values[]> {
  const missing: (readonly [index: number, text: string])[] = []
  const keys = new Map<string, ReturnType<typeof keyIn> & object>()
  for (let i = 0; i < known.length; i++) {
    const values = known[i] as Values
    if (columns.every(({ name }) => values[name] !== undefined)) continue
    const key = keyIn(resource, values)
    if (key === undefined) continue
    missing.push([i, keyText(key)])
    keys.set(keyText(key), key)
  }
  if (missing.length === 0) return known
  const { primaryKey } = resource
  const found = new Map<string, Values>()
  const read = columnsToRead(context, resource, { kind: 'reference', columns })
  for (const keyChunk of keyChunks(context.target.dialect, [...keys.values()], primaryKey)) {
    const plan = planRecords(resource, primaryKey, keyChunk, { read, includeDeleted: true })
    for (const row of await readUnscoped(context, plan, keyChunk.length)) {
      found.set(keyText(keyIn(resource, row) ?? []), row)
    }
  }
  const complete = [...known]
  for (const [i, text] of missing) complete[i] = { ...(known[i] as Values), ...found.get(text) }
  return complete
}

/**
 * Writes the children and links of written records, and sets the `updated` columns of those that existed before and have other links now.
 */
export async function writeChildren(
  context: WriteContext,
  resource: Resource,
  nodes: readonly WriteNode[],
  writeNested: WriteNested,
): Promise<void> {
  const lists: NestedLists = new Map()
  for (const parent of nodes) {
    for (const { relation, nodes: children, others } of recordNodeOf(parent)?.children ?? []) {
      addTo(lists, relation, { parent, nodes: children, others })
    }
  }
  if (lists.size === 0) return
  // A list of one record may then remove a link that a list of another one creates, so that the order of the records matters.
  if (context.interrupt !== undefined && nodes.length > 1 && shareJunction([...lists.keys()])) {
    context.repeat?.()
  }
  /** The records that existed before and have other links or children now. */
  const relinked = new Set<WriteNode>()
  for (const [relation, ofRelation] of lists) {
    const known = ofRelation.map(({ parent }) => knownValues(parent))
    const parents = await withColumns(context, resource, known, relation.from)
    if (relation.through === undefined) {
      refuseWithoutKey(relation.from, parents, (i) => {
        const { parent, nodes } = ofRelation[i] as NestedList
        return nodes.length > 0 ? pathTo(parent.path, relation.name) : undefined
      })
      // Whether the children are those of stored records, which may have others already.
      const isOfStored = ofRelation.some(({ others }) => others !== undefined)
      if (!isOfStored) await writeNewChildren(context, relation, ofRelation, parents, writeNested)
      else {
        const changed = await changeChildren(context, relation, ofRelation, parents, writeNested)
        for (const parent of changed) relinked.add(parent)
      }
      continue
    }
    const options: NodeOptions = { ...optionsForNew(relation.target), isLinked: true }
    const all = ofRelation.flatMap((list) => list.nodes.map((node) => nestedNode(options, node)))
    const linked = await writeNested(context, all)
    const linkLists: LinkList[] = []
    /** The index in `linked` of the first record of the list. */
    let first = 0
    for (let i = 0; i < ofRelation.length; i++) {
      const { parent, nodes: own } = ofRelation[i] as NestedList
      const isUpdate = parent.decision === 'change'
      linkLists.push({
        record: { values: known[i] as Values, path: parent.path },
        own: keyFromRow(relation.from, parents[i] as Values) ?? [],
        path: pathTo(parent.path, relation.name),
        mayExist: isUpdate || mayBeLinked(recordNodeOf(parent) as RecordNode, relation),
        replaces: isUpdate,
        linked: linkedRecords(relation.target, own, linked, first),
      })
      first += own.length
    }
    const changed = await writeLinks(context, relation, linkLists, writeNested)
    for (let i = 0; i < linkLists.length; i++) {
      const { parent } = ofRelation[i] as NestedList
      if (parent.decision === 'change' && changed.has(linkLists[i] as LinkList))
        relinked.add(parent)
    }
  }
  // A link whose record needs more fields has become a problem. Problems of links of new records are thrown later, when all records are
  // written.
  if (nodes.some(isChanged)) context.problems.refuse()
  await setUpdatedTimes(context, resource, [...relinked])
}

const isChanged = ({ decision }: WriteNode): boolean => decision === 'change'

/**
 * Whether two of the relations have the same links, such as `friends` and `fans`. Then a list of one record may remove a link that
 * a list of another one creates, so that the order of the records matters.
 */
function shareJunction(relations: readonly ResolvedRelation[]): boolean {
  const known = new Set<string>()
  for (const { through } of relations) {
    if (through === undefined) continue
    const table = tableKey(through)
    if (known.has(table)) return true
    known.add(table)
  }
  return false
}

/**
 * The records that a list links, by `keyText`. `nodes` are the objects of the list; their records begin at the index `first` of
 * `records`.
 */
function linkedRecords(
  resource: Resource,
  nodes: readonly NestedNode[],
  records: readonly Values[],
  first: number,
): ReadonlyMap<string, LinkedRecord> {
  const linked = new Map<string, LinkedRecord>()
  for (let i = 0; i < nodes.length; i++) {
    const key = keyIn(resource, records[first + i] ?? {})
    if (key !== undefined) linked.set(keyText(key), { key, path: (nodes[i] as NestedNode).path })
  }
  return linked
}

/** Whether a new record can have links already: if its key was not generated, or another list of the body uses the same junction. */
function mayBeLinked({ resource, children }: RecordNode, { through }: ResolvedRelation): boolean {
  const keyWasChosen = !resource.primaryKey.some(({ definition }) => definition.generated)
  const junction = through && tableKey(through)
  const lists = children.filter(
    ({ relation }) => relation.through && tableKey(relation.through) === junction,
  )
  return keyWasChosen || lists.length > 1
}

/**
 * Writes children of new parents. Objects with a key name stored children, which get another parent; that needs the right to change them.
 */
async function writeNewChildren(
  context: WriteContext,
  relation: ResolvedRelation,
  lists: readonly NestedList[],
  parents: readonly Values[],
  writeNested: WriteNested,
): Promise<void> {
  const { target, pairs } = relation
  const options: NodeOptions = { ...optionsForNew(target), whenFound: 'move', relation }
  const children: WriteNode[] = []
  for (let i = 0; i < lists.length; i++) {
    const filled = keyOfParent(pairs, parents[i])
    for (const node of lists[i]?.nodes ?? []) children.push(nestedNode(options, node, filled))
  }
  await writeNested(context, children)
}
