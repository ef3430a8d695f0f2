// changeChildren: writes the lists of children of stored records (docs/guide/writing.md), after the records that have them:
// `PATCH /api/orders/1 {"items": [{"id": 7, "count": 2}, {"count": 1}]}` changes item 7 and creates another one.

import type { ResolvedRelation, Resource } from '../../model/registry/resource.ts'
import { keyChunks } from '../../query/compile/chunks.ts'
import type { Value } from '../../query/plan/plan.ts'
import { keyFromRow, keyText } from '../../query/run/key.ts'
import { planReferrers } from '../nodes/look-up-plan.ts'
import { isEmpty, pathTo, type Values } from '../nodes/node.ts'
import {
  nestedNode,
  optionsForChildren,
  optionsForUnlisted,
  WriteNode,
} from '../nodes/write-node.ts'
import { keyIn, lockedRecordsBy, readScoped } from '../resolve/look-up-records.ts'
import { ChangedRow } from '../store/rows/rows.ts'
import type { WriteContext } from '../store/write-context.ts'
import { keyOfParent, type NestedList, type WriteNested } from './nested-lists.ts'

/**
 * Changes the children that the objects name by their keys, and creates the others. Before that, removes the children that a list with
 * `others: 'remove'` does not name. `parents` are the values of the records that have the lists, in the same order. Returns the parents
 * whose children have changed.
 */
export async function changeChildren(
  context: WriteContext,
  relation: ResolvedRelation,
  lists: readonly NestedList[],
  parents: readonly Values[],
  writeNested: WriteNested,
): Promise<ReadonlySet<WriteNode>> {
  const options = optionsForChildren(relation)
  const changed = new Set<WriteNode>()
  const owned: Owned[] = lists.map((list, i) => {
    const filled = keyOfParent(relation.pairs, parents[i])
    const nodes = list.nodes.map((node) => nestedNode(options, node, filled))
    return { list, filled, nodes }
  })
  const removing = owned.filter(({ list }) => list.others === 'remove')
  for (const parent of await removeOthers(context, relation, removing, writeNested))
    changed.add(parent)
  await writeNested(
    context,
    owned.flatMap(({ nodes }) => nodes),
  )
  for (const { list, nodes } of owned) if (nodes.some(isWritten)) changed.add(list.parent)
  return changed
}

/** A list of children, with the key of its parent. */
interface Owned {
  readonly list: NestedList
  /** The foreign key to the parent. */
  readonly filled: Values
  readonly nodes: readonly WriteNode[]
}

/** Whether a child was created or changed. */
const isWritten = ({ row }: WriteNode): boolean =>
  row !== undefined && !(row instanceof ChangedRow && isEmpty(row.written))

/** Removes the children that the lists do not name, as far as the caller may remove them. Returns their parents. */
async function removeOthers(
  context: WriteContext,
  relation: ResolvedRelation,
  lists: readonly Owned[],
  writeNested: WriteNested,
): Promise<readonly WriteNode[]> {
  const { target } = relation
  const found = await childrenOf(context, relation, lists)
  if (found.length === 0) return []
  const named = await namedIn(context, relation, lists)
  const others = found.filter((row) => !named.has(textOf(target, row)))
  if (others.length === 0) return []
  context.removedLinks.add(target, others.length)
  const options = optionsForUnlisted(target)
  const paths = pathsOf(relation, lists)
  const nodes = others.map((row) => {
    const path = paths.get(parentText(relation, row)) ?? ''
    return new WriteNode(options, { path, key: keyIn(target, row) })
  })
  await writeNested(context, nodes)
  return parentsOf(relation, lists, others)
}

/** The paths of the lists, by `parentText`. */
const pathsOf = (
  relation: ResolvedRelation,
  lists: readonly Owned[],
): ReadonlyMap<string, string> =>
  new Map(
    lists.map(({ list, filled }) => [
      parentText(relation, filled),
      pathTo(list.parent.path, relation.name),
    ]),
  )

/** The foreign key to the parent in the values of a child, as a text. */
const parentText = ({ to }: ResolvedRelation, child: Values): string =>
  keyText(keyFromRow(to, child) ?? [])

/** The children of the parents that the caller may remove, with their keys. */
async function childrenOf(
  context: WriteContext,
  { target, from, to }: ResolvedRelation,
  lists: readonly Owned[],
): Promise<readonly Values[]> {
  const parents: (readonly Value[])[] = []
  for (const { filled } of lists) {
    const key = keyFromRow(to, filled)
    if (key !== undefined) parents.push(key)
  }
  const read = [...new Set([...target.primaryKey, ...to])]
  const children = { resource: target, held: to, key: from.map((column) => ({ column })) }
  const rows: Values[] = []
  for (const keys of keyChunks(context.target.dialect, parents, to)) {
    const plan = planReferrers(context.target.dialect, children, keys, { read })
    for (const row of await readScoped(context, plan, 'DELETE')) rows.push(row)
  }
  return rows
}

/** The primary key of a child, as `keyText`. */
const textOf = (resource: Resource, row: Values): string => keyText(keyIn(resource, row) ?? [])

/**
 * The stored keys of the children that the lists name, as `keyText`. The database finds them, because a collation may find another
 * spelling.
 */
async function namedIn(
  context: WriteContext,
  relation: ResolvedRelation,
  lists: readonly Owned[],
): Promise<ReadonlySet<string>> {
  const { target } = relation
  const named = new Set<string>()
  const keys: (readonly Value[])[] = []
  for (const { nodes } of lists) for (const { key } of nodes) if (key !== undefined) keys.push(key)
  if (keys.length === 0) return named
  const { columns } = optionsForChildren(relation)
  const read = target.primaryKey
  const found = await lockedRecordsBy(context, target, columns, keys, 'PATCH', 'anyChange', read)
  for (const row of found.values()) named.add(textOf(target, row))
  return named
}

/** The parents of some children; all of them if a key does not tell, because a collation may find it equal to another one. */
function parentsOf(
  relation: ResolvedRelation,
  lists: readonly Owned[],
  children: readonly Values[],
): readonly WriteNode[] {
  const texts = new Set(children.map((row) => parentText(relation, row)))
  const found = lists.filter(({ filled }) => texts.has(parentText(relation, filled)))
  return (found.length === texts.size ? found : lists).map(({ list }) => list.parent)
}
