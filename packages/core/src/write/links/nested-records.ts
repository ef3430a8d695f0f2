// The nested records of one level: to-one parents, which are written before the records, and children and links, which are written
// after them (docs/writing.md).

import type { JsonValue } from '../../lib/json/json-value.ts'
import { tableKey } from '../../lib/sql/table-name.ts'
import { unwritableKey } from '../../model/registry/checks/field-rules.ts'
import type { NamedColumn, ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import { keyChunks } from '../../query/compile/chunks.ts'
import { keyText } from '../../query/run/key.ts'
import { refuseWithoutVersion } from '../check/preconditions.ts'
import { compareSentBack, refuseInvisibleByParts, validateFilled } from '../check/write-checks.ts'
import { planRecords } from '../nodes/look-up-plan.ts'
import { pathTo, type RecordNode, type Values, type WriteNode } from '../nodes/node.ts'
import { keyIn, readUnscoped, valuesOf } from '../resolve/look-up-records.ts'
import { columnsToRead } from '../store/columns-to-read.ts'
import type { LevelOrder } from '../store/lists/level-order.ts'
import {
  CreateStep,
  type ManyStep,
  type MoveStep,
  type WriteNested,
} from '../store/lists/many-step.ts'
import { RepeatNeeded } from '../store/savepoint.ts'
import type { WriteContext } from '../store/write-context.ts'
import { findOrCreate, hasSentBack, isRecord, isReference, roundsOf } from './find-or-create.ts'
import type { LinkedRecord, LinkList } from './link-store.ts'
import { writeLinks } from './write-links.ts'

/** The nested objects that one record has in one relation. */
interface NestedList {
  /** The position of the record among those of its level. */
  readonly index: number
  readonly nodes: readonly WriteNode[]
}

/** The nested objects of all records of a level by relation, in the order in which the relations first occur. */
type NestedLists = ReadonlyMap<ResolvedRelation, readonly NestedList[]>

function addTo(
  lists: Map<ResolvedRelation, NestedList[]>,
  relation: ResolvedRelation,
  list: NestedList,
): void {
  const known = lists.get(relation)
  if (known === undefined) lists.set(relation, [list])
  else known.push(list)
}

function parentsOf(nodes: readonly (RecordNode | undefined)[]): NestedLists {
  const lists = new Map<ResolvedRelation, NestedList[]>()
  for (let index = 0; index < nodes.length; index++) {
    for (const { relation, node } of nodes[index]?.parents ?? []) {
      addTo(lists, relation, { index, nodes: [node] })
    }
  }
  return lists
}

/** Finds or creates the to-one parents of all records; returns the foreign keys to them, by the position of the record. */
export async function parentKeys(
  context: WriteContext,
  nodes: readonly (RecordNode | undefined)[],
  write: WriteNested,
): Promise<ReadonlyMap<number, Values>> {
  const keys = new Map<number, Record<string, JsonValue>>()
  for (const [relation, lists] of parentsOf(nodes)) {
    const { target, to, pairs } = relation
    const parents = lists.flatMap((list) => list.nodes)
    const records = await findOrCreate(context, target, parents, write, { columns: to })
    const known = await withColumns(context, target, records, to)
    for (let i = 0; i < lists.length; i++) {
      const { index } = lists[i] as NestedList
      const own = keys.get(index) ?? {}
      for (const { from, to } of pairs) own[from.name] = known[i]?.[to.name] ?? null
      keys.set(index, own)
    }
  }
  return keys
}

/** Completes the known values of records: reads each record from the database that lacks one of the columns. */
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
  for (const some of keyChunks(context.target.dialect, [...keys.values()], primaryKey)) {
    const plan = planRecords(resource, primaryKey, some, { read, includeDeleted: true })
    for (const row of await readUnscoped(context, plan, some.length)) {
      found.set(keyText(keyIn(resource, row) ?? []), row)
    }
  }
  const complete = [...known]
  for (const [i, text] of missing) complete[i] = { ...(known[i] as Values), ...found.get(text) }
  return complete
}

/** A written record whose children are written next. */
export interface WrittenParent {
  readonly node: RecordNode
  readonly known: Values
  /** The record before the write; undefined for a new one. Lists of an existing record replace its links. */
  readonly before: Values | undefined
  /** The record with the values that were sent to the database. */
  readonly saved: Values
}

/** Writes the children and links of all records of a level; returns the existing records whose links have changed. */
export async function writeChildren(
  context: WriteContext,
  resource: Resource,
  records: readonly WrittenParent[],
  write: WriteNested,
  order: LevelOrder | undefined,
): Promise<ReadonlySet<WrittenParent>> {
  const relinked = new Set<WrittenParent>()
  const lists = new Map<ResolvedRelation, NestedList[]>()
  for (let index = 0; index < records.length; index++) {
    for (const { relation, nodes } of records[index]?.node.children ?? []) {
      addTo(lists, relation, { index, nodes })
    }
  }
  if (order !== undefined && records.length > 1 && shareJunction([...lists.keys()])) {
    throw new RepeatNeeded()
  }
  for (const [relation, ofRelation] of lists) {
    const known = ofRelation.map(({ index }) => (records[index] as WrittenParent).known)
    const parents = await withColumns(context, resource, known, relation.from)
    if (relation.through === undefined) {
      await writeOwned(context, relation, ofRelation, parents, write)
    } else {
      const all = ofRelation.flatMap(({ nodes }) => nodes)
      const linked = await findOrCreate(context, relation.target, all, write, { linked: true })
      const linkLists: LinkList[] = []
      let first = 0
      for (let i = 0; i < ofRelation.length; i++) {
        const { index, nodes } = ofRelation[i] as NestedList
        const { node, before } = records[index] as WrittenParent
        const isUpdate = before !== undefined
        linkLists.push({
          record: { values: known[i] as Values, path: node.path },
          own: valuesOf(relation.from, parents[i] as Values) ?? [],
          path: pathTo(node.path, relation.name),
          mayExist: isUpdate || mayBeLinked(node, relation),
          replaces: isUpdate,
          linked: linkedRecords(relation.target, nodes, linked, first),
        })
        first += nodes.length
      }
      const changed = await writeLinks(context, relation, linkLists, order)
      for (let i = 0; i < linkLists.length; i++) {
        const parent = records[ofRelation[i]?.index ?? -1] as WrittenParent
        if (parent.before !== undefined && changed.has(linkLists[i] as LinkList))
          relinked.add(parent)
      }
    }
  }
  return relinked
}

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
  nodes: readonly WriteNode[],
  records: readonly Values[],
  first: number,
): ReadonlyMap<string, LinkedRecord> {
  const linked = new Map<string, LinkedRecord>()
  for (let i = 0; i < nodes.length; i++) {
    const key = keyIn(resource, records[first + i] ?? {})
    if (key !== undefined) linked.set(keyText(key), { key, path: (nodes[i] as WriteNode).path })
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
 * Writes children that store the key of their parent. Moves existing ones to the parent, for which the caller needs the right to
 * change them.
 */
async function writeOwned(
  context: WriteContext,
  relation: ResolvedRelation,
  lists: readonly NestedList[],
  parents: readonly Values[],
  write: WriteNested,
): Promise<void> {
  const { target, pairs } = relation
  const nodes: WriteNode[] = []
  const filled: Values[] = []
  for (let i = 0; i < lists.length; i++) {
    const own: Record<string, JsonValue> = {}
    for (const { from, to } of pairs) own[to.name] = parents[i]?.[from.name] ?? null
    for (const node of lists[i]?.nodes ?? []) {
      nodes.push(node)
      filled.push(own)
    }
  }
  if (nodes.every(isRecord)) {
    const created = nodes.map((node, i) => new CreateStep(node, filled[i]))
    if (created.length > 0) await write(context, target, created)
    return
  }
  const moved = nodes.filter(isReference)
  const read = columnsToRead(context, target, { kind: 'move', nodes: moved, filled: relation.to })
  const finding = { action: 'PATCH', read } as const
  for await (const { found, toCreate } of roundsOf(context, target, nodes, finding)) {
    const steps: [index: number, step: ManyStep][] = []
    for (const { index, node, stored } of found) {
      const step = {
        kind: 'move',
        node,
        stored,
        relation,
        filled: filled[index] as Values,
      } as const
      steps.push([index, step])
    }
    for (const { index, node } of toCreate) {
      steps.push([index, new CreateStep(node, filled[index])])
    }
    steps.sort(byIndex)
    if (steps.length > 0) await write(context, target, steps.map(stepOf))
  }
}

type Indexed = readonly [index: number, step: ManyStep]

const byIndex = ([a]: Indexed, [b]: Indexed): number => a - b
const stepOf = ([, step]: Indexed): ManyStep => step

/**
 * The changes that move a child to its parent, after all checks except those of the policy. If the child cannot be moved, adds a
 * problem and returns undefined; throws 428 if its model requires If-Match.
 */
export async function changesOfMove(
  context: WriteContext,
  { node, relation, filled }: MoveStep,
  stored: Values,
): Promise<Values | undefined> {
  const { resource, path } = node
  refuseWithoutVersion(resource, path)
  if (hasSentBack(node)) await compareSentBack(context, resource, node.sentBack, stored, path)
  const fixed = relation.to.find(
    (column) => unwritableKey(resource, column, 'update') !== undefined,
  )
  if (fixed !== undefined) {
    const name = fixed.hidden ? 'relation to its parent' : `"${fixed.name}"`
    context.problems.add(path, `The record cannot be moved here: its ${name} is read-only.`)
    return undefined
  }
  const row = { ...stored, ...filled }
  const toParent = (other: ResolvedRelation): boolean => isInverse(other, relation)
  await refuseInvisibleByParts(context, resource, filled, row, path, stored, toParent)
  await validateFilled(context, resource, filled, row, path, stored)
  return filled
}

/** Whether a to-one relation leads from a child to the parent of `relation`. */
const isInverse = ({ target, from }: ResolvedRelation, relation: ResolvedRelation): boolean =>
  target === relation.source &&
  from.length === relation.to.length &&
  from.every((column) => relation.to.includes(column))

/**
 * Refuses a child whose nested to-one object sets a part of the foreign key to the parent to another value: the child would
 * belong to another parent. `filled` is the key of the parent, `keys` are those of the nested objects.
 */
export function refuseOtherParent(
  { problems }: WriteContext,
  { path, parents }: RecordNode,
  filled: Values,
  keys: Values,
): void {
  for (const { relation } of parents) {
    const other = relation.from.find(
      ({ name }) => filled[name] !== undefined && String(filled[name]) !== String(keys[name]),
    )
    if (other === undefined) continue
    const field = other.hidden ? 'key' : `"${other.name}"`
    problems.add(
      pathTo(path, relation.name),
      `Its ${field} differs from that of the parent record.`,
    )
  }
  problems.refuse()
}
