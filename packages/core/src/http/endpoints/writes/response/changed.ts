// Notes which resources a write may change, for API_CACHE_GROUPS.

import { dependentsOf } from '../../../../model/registry/relations/dependents.ts'
import type { Resource } from '../../../../model/registry/resource.ts'
import type { WriteNode } from '../../../../write/nodes/node.ts'
import type { Call } from '../../../call/call.ts'

type Changing = Pick<Call, 'changed' | 'registry'>

/** Notes the resources of a body: its own, those of nested records, and those of their links. */
export function noteChanged({ changed }: Changing, node: WriteNode): void {
  if (changed !== undefined) addNode(changed, node)
}

function addNode(changed: Set<Resource>, node: WriteNode): void {
  changed.add(node.resource)
  if (node.kind === 'reference') {
    if (node.otherwise !== null) addNode(changed, node.otherwise)
    return
  }
  for (const { node: parent } of node.parents) addNode(changed, parent)
  for (const { relation, nodes } of node.children) {
    changed.add(relation.target)
    if (relation.through?.resource !== undefined) changed.add(relation.through.resource)
    for (const child of nodes) addNode(changed, child)
  }
}

/** Notes the resources whose records a DELETE with `cascade_delete` may delete. */
export function noteCascade({ changed, registry }: Changing, resource: Resource): void {
  if (changed === undefined) return
  const waiting = [resource]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (changed.has(next)) continue
    changed.add(next)
    for (const { resource: dependent } of dependentsOf(registry, next)) {
      if (dependent !== null) waiting.push(dependent)
    }
  }
}
