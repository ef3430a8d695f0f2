// lockLinked: locks the linked records of many-to-many lists so that locks have one order, whichever end of the relation a request writes:
// `PATCH /api/people/1 {"teams": [2]}` and `PATCH /api/teams/2 {"people": [1]}` both lock the person before the team.

import type { Resource } from '../../model/registry/resource.ts'
import type { Value } from '../../query/plan/plan.ts'
import { mayCallHost } from '../check/referred-records.ts'
import type { RecordNode } from '../nodes/node.ts'
import { lockRecords } from '../resolve/look-up-records.ts'
import type { WriteContext } from '../store/write-context.ts'
import type { StoredKey } from './link-store.ts'

/**
 * Locks the records that the lists of `nodes` link, if their model comes before `resource` by name. Called before the records of `nodes`
 * are locked, of which `own` are the keys; the other linked records are locked by their look-up, later. So two requests that write links
 * of the same records from both ends lock these in the same order, and the second one finds the links of the first. If functions of the
 * host may run, which could need stronger locks, the linked records are locked at the end.
 */
export async function lockLinked(
  context: WriteContext,
  resource: Resource,
  nodes: readonly RecordNode[],
  own: readonly StoredKey[] = [],
): Promise<void> {
  if (!context.target.dialect.capabilities.locksRows) return
  const linked = new Map<string, { readonly target: Resource; readonly keys: StoredKey[] }>()
  for (let i = 0; i < nodes.length; i++) addLinked(linked, resource, nodes[i] as RecordNode)
  if (linked.size === 0 || mayCallHost(context, undefined)) return
  for (const { target, keys } of [...linked.values()].sort(byName)) {
    // Records of one model have one order, whether they have the list or are in it.
    const isOwn = target.name === resource.name
    const all = (isOwn ? [...own, ...keys] : keys).sort(byValues)
    await lockRecords(context, target, all, isOwn ? 'anyChange' : 'reference')
  }
}

/** Adds the keys that the many-to-many lists of a node name, by model. */
function addLinked(
  linked: Map<string, { readonly target: Resource; readonly keys: StoredKey[] }>,
  resource: Resource,
  { children }: RecordNode,
): void {
  for (const { relation, nodes } of children) {
    const { target, through } = relation
    if (through === undefined || target.name > resource.name) continue
    const known = linked.get(target.name) ?? { target, keys: [] }
    for (const node of nodes) if (node.kind === 'reference') known.keys.push(node.key)
    if (known.keys.length > 0) linked.set(target.name, known)
  }
}

const byName = (a: { readonly target: Resource }, b: { readonly target: Resource }): number =>
  a.target.name < b.target.name ? -1 : 1

function byValues(a: StoredKey, b: StoredKey): number {
  for (let i = 0; i < a.length; i++) {
    const [valueA, valueB] = [a[i] as Value, b[i] as Value]
    if (valueA !== valueB) return valueA < valueB ? -1 : 1
  }
  return 0
}
