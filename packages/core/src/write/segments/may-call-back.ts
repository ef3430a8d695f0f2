// mayCallBack: whether callbacks of the host may run while the records of a body and their nested ones are written. If so, the transaction
// is not repeated only to find a refused record, because callbacks may have effects outside of it.

import { removalReach } from '../../model/registry/relations/dependents.ts'
import type { Resource } from '../../model/registry/resource.ts'
import { type NestedNode, recordsOf } from '../nodes/node.ts'
import type { WriteNode } from '../nodes/write-node.ts'
import type { WriteContext } from '../store/write-context.ts'

/** The models of a body: those of its records, those of the links between them, and those of which its lists may remove records. */
interface Models {
  readonly records: Set<Resource>
  readonly junctions: Set<Resource>
  readonly removed: Set<Resource>
}

/** Whether one of the models of the records, of their nested ones or of their links has a callback for writes. */
export function mayCallBack(
  context: Pick<WriteContext, 'hooks' | 'registry'>,
  resource: Resource,
  nodes: readonly WriteNode[],
): boolean {
  const { hooks } = context
  const removal = nodes[0]?.options.removal
  if (removal !== undefined) return mayCallBackFor(context, resource, removal)
  const models: Models = { records: new Set([resource]), junctions: new Set(), removed: new Set() }
  for (let i = 0; i < nodes.length; i++) {
    const { asFound, asMissing } = nodes[i] as WriteNode
    if (asFound !== undefined) addNested(models, asFound)
    if (asMissing !== null) addNested(models, asMissing)
  }
  for (const model of [...models.records, ...models.junctions]) {
    if (hooks.has(model, 'add') || hooks.has(model, 'update')) return true
  }
  // A many-to-many list may delete links, and a list of children those that it does not name; neither with `cascade_delete`.
  for (const model of [...models.junctions, ...models.removed]) {
    if (mayCallBackFor(context, model, { cascade: false })) return true
  }
  return false
}

/** Whether one of the models whose records a removal may remove or change has a callback for that. */
function mayCallBackFor(
  { hooks, registry }: Pick<WriteContext, 'hooks' | 'registry'>,
  resource: Resource,
  { cascade }: { readonly cascade: boolean },
): boolean {
  const { deleted, emptied } = removalReach(registry, resource, { cascade })
  return (
    [...deleted].some((model) => hooks.has(model, 'remove')) ||
    [...emptied].some((model) => hooks.has(model, 'update'))
  )
}

/** Adds the models of all that is nested in an object. */
function addNested(models: Models, node: NestedNode): void {
  if (node.kind !== 'record') {
    for (const record of recordsOf(node)) addNested(models, record)
    return
  }
  if (node.parents.length + node.children.length === 0) return
  for (const { relation, node: parent } of node.parents) {
    models.records.add(relation.target)
    addNested(models, parent)
  }
  for (const { relation, nodes, others } of node.children) {
    models.records.add(relation.target)
    if (others === 'remove') models.removed.add(relation.target)
    if (relation.through?.resource !== undefined) models.junctions.add(relation.through.resource)
    for (const child of nodes) addNested(models, child)
  }
}
