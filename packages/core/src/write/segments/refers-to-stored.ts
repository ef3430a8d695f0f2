// refersToStored: whether the nested objects of a list only refer to records that are stored already, so that the list can be one segment.

import { ApiError } from '../../errors.ts'
import { tableKey } from '../../lib/sql/table-name.ts'
import type { ResolvedRelation } from '../../model/registry/resource.ts'
import type { WriteNested } from '../links/nested-lists.ts'
import type { NestedNode } from '../nodes/node.ts'
import { nestedNode, optionsForNew, recordNodeOf, type WriteNode } from '../nodes/write-node.ts'
import type { WriteContext } from '../store/write-context.ts'

/**
 * Whether every nested object of the list names a stored record that the caller may use, and every nested list is one of links in a
 * junction table without a published model. Such a list can be written together: nothing in it depends on its order, and links call no
 * hooks. Sends one look-up for each relation. If an object names no such record, the list must be written record by record, so that its
 * first mistake is the one that is reported.
 */
export async function refersToStored(
  context: WriteContext,
  nodes: readonly WriteNode[],
  writeNested: WriteNested,
): Promise<boolean> {
  const nested = nestedReferences(nodes)
  if (nested === undefined) return false
  try {
    for (const [{ target }, references] of nested) {
      const options = optionsForNew(target)
      // Writes nothing, because a reference only looks its record up; throws if one is not found.
      await writeNested(
        context,
        references.map((reference) => nestedNode(options, reference)),
      )
    }
    return true
  } catch (error) {
    // A failure of the database ends the transaction.
    if (error instanceof ApiError && error.status < 500) return false
    throw error
  }
}

/**
 * The nested objects by relation. Undefined if the list cannot be written together: because an object may create a record, because a nested
 * list has children, or links that are records, or because two relations have the same links.
 */
function nestedReferences(
  records: readonly WriteNode[],
): ReadonlyMap<ResolvedRelation, readonly NestedNode[]> | undefined {
  const nested = new Map<ResolvedRelation, NestedNode[]>()
  const junctions = new Map<string, ResolvedRelation>()
  const add = (relation: ResolvedRelation, nodes: readonly NestedNode[]): boolean => {
    const known = nested.get(relation) ?? []
    nested.set(relation, known)
    known.push(...nodes)
    return nodes.every((node) => node.kind === 'reference' && node.otherwise === null)
  }
  for (const record of records) {
    const { parents = [], children = [] } = recordNodeOf(record) ?? {}
    for (const { relation, node: parent } of parents) {
      if (!add(relation, [parent])) return undefined
    }
    for (const { relation, nodes } of children) {
      const { through } = relation
      if (through === undefined || through.resource !== undefined) return undefined
      const table = tableKey(through)
      if ((junctions.get(table) ?? relation) !== relation) return undefined
      junctions.set(table, relation)
      if (!add(relation, nodes)) return undefined
    }
  }
  return nested
}
