// refuseMove, refuseOtherParent: the checks of nested children against the record around them; `checkSegment` calls them before any hook.

import type { JsonValue } from '../../lib/json/json-value.ts'
import { unwritableKey } from '../../model/registry/checks/field-rules.ts'
import type { ResolvedRelation } from '../../model/registry/resource.ts'
import { cannotMove, differsFromParent } from '../../problems.ts'
import { compareSentBack, hasSentBack, refuseInvisibleByParts } from '../check/write-checks.ts'
import { pathTo, type RecordNode, type ReferenceNode, type Values } from '../nodes/node.ts'
import type { WriteNode } from '../nodes/write-node.ts'
import type { WriteContext } from '../store/write-context.ts'

/** Adds problems, or throws 422, if a stored child (`stored`) cannot get the parent whose key is in `filled` of its node. */
export async function refuseMove(
  context: WriteContext,
  { options, filled = {} }: WriteNode,
  node: ReferenceNode,
  stored: Values,
): Promise<void> {
  const { resource, path } = node
  const { relation } = options
  if (relation === undefined) return
  if (hasSentBack(node)) await compareSentBack(context, resource, node.sentBack, stored, path)
  const fixed = relation.to.find(
    (column) => unwritableKey(resource, column, 'update') !== undefined,
  )
  if (fixed !== undefined) {
    context.problems.add(path, cannotMove(fixed))
    return
  }
  const row = { ...stored, ...filled }
  const toParent = (other: ResolvedRelation): boolean => isInverse(other, relation)
  await refuseInvisibleByParts(context, resource, filled, row, path, stored, toParent)
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
  keys: Readonly<Record<string, JsonValue>>,
): void {
  for (const { relation } of parents) {
    const other = relation.from.find(
      ({ name }) => filled[name] !== undefined && String(filled[name]) !== String(keys[name]),
    )
    if (other === undefined) continue
    problems.add(pathTo(path, relation.name), differsFromParent(other))
  }
  problems.refuse()
}
