// refersToStored: whether the nested objects of a list only refer to records that are stored already.

import { ApiError } from '../../../../errors.ts'
import { tableKey } from '../../../../lib/sql/table-name.ts'
import type { ResolvedRelation } from '../../../../model/registry/resource.ts'
import { findOrCreate } from '../../../links/find-or-create.ts'
import type { WriteNode } from '../../../nodes/node.ts'
import type { WriteContext } from '../../write-context.ts'
import type { ManyStep } from '../many-step.ts'

/**
 * Whether every nested object of the list names a stored record that the caller may use, and every nested list is one of links in a
 * junction table without a published model. Such a list can be written together: nothing in it depends on its order, and links call no
 * hooks. Sends one look-up for each relation. If an object names no such record, the list must be written record by record, so that its
 * first mistake is the one that is reported.
 */
export async function refersToStored(
  context: WriteContext,
  steps: readonly ManyStep[],
): Promise<boolean> {
  const nested = nestedReferences(steps)
  if (nested === undefined) return false
  try {
    for (const [relation, nodes] of nested) {
      await findOrCreate(context, relation.target, nodes, createsNone)
    }
    return true
  } catch (error) {
    // A failure of the database ends the transaction.
    if (error instanceof ApiError && error.status < 500) return false
    throw error
  }
}

const createsNone = (): Promise<never> =>
  Promise.reject(new Error('A reference creates no record.'))

/** The nested objects by relation; undefined if one of them is no plain reference, or if two relations have the same links. */
function nestedReferences(
  steps: readonly ManyStep[],
): ReadonlyMap<ResolvedRelation, readonly WriteNode[]> | undefined {
  const nested = new Map<ResolvedRelation, WriteNode[]>()
  const junctions = new Map<string, ResolvedRelation>()
  const add = (relation: ResolvedRelation, nodes: readonly WriteNode[]): boolean => {
    const known = nested.get(relation) ?? []
    nested.set(relation, known)
    known.push(...nodes)
    return nodes.every((node) => node.kind === 'reference' && node.otherwise === null)
  }
  for (const { node } of steps) {
    if (node.kind === 'reference') return undefined
    for (const { relation, node: parent } of node.parents) {
      if (!add(relation, [parent])) return undefined
    }
    for (const { relation, nodes } of node.children) {
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
