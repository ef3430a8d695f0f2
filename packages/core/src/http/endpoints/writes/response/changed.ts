// Notes which resources a write may change, for API_CACHE_GROUPS.

import { removalReach } from '../../../../model/registry/relations/dependents.ts'
import type { Registry, Resource } from '../../../../model/registry/resource.ts'
import { type NestedNode, recordsOf } from '../../../../write/nodes/node.ts'
import type { Call } from '../../../call/call.ts'

type Changing = Pick<Call, 'changed' | 'registry'>

/** Notes the resources of a body: its own, those of nested records, and those of their links. */
export function noteChanged({ changed, registry }: Changing, node: NestedNode): void {
  if (changed !== undefined) addNode(changed, registry, node)
}

function addNode(changed: Set<Resource>, registry: Registry, node: NestedNode): void {
  changed.add(node.resource)
  for (const { parents, children } of recordsOf(node)) {
    for (const { node: parent } of parents) addNode(changed, registry, parent)
    for (const { relation, nodes, others } of children) {
      changed.add(relation.target)
      const junction = relation.through?.resource
      if (junction !== undefined) addRemoved(changed, registry, junction, false)
      if (others === 'remove') addRemoved(changed, registry, relation.target, false)
      for (const child of nodes) addNode(changed, registry, child)
    }
  }
}

/** Notes the resources whose records a DELETE may delete or change. */
export function noteRemoved(
  { changed, registry }: Changing,
  resource: Resource,
  cascade: boolean,
): void {
  if (changed !== undefined) addRemoved(changed, registry, resource, cascade)
}

function addRemoved(
  changed: Set<Resource>,
  registry: Registry,
  resource: Resource,
  cascade: boolean,
): void {
  const { deleted, emptied } = removalReach(registry, resource, cascade)
  for (const one of [...deleted, ...emptied]) changed.add(one)
}
