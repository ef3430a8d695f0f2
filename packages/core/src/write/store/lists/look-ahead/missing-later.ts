// missingLater: names the foreign keys of a list that refer to no record, after an earlier record was refused for one.

import type { ResolvedRelation, Resource } from '../../../../model/registry/resource.ts'
import { keyTextIn } from '../../../../query/run/key.ts'
import { mayRead, shownPaths } from '../../../check/write-checks.ts'
import { isSet } from '../../../nodes/hidden-references.ts'
import type { Values } from '../../../nodes/node.ts'
import type { WriteContext } from '../../write-context.ts'
import type { ManyStep } from '../many-step.ts'
import type { LookedUp } from './look-up-references.ts'

/**
 * The paths of the foreign keys after the record at `index` that a look-up of the list has not found; sends no statement. As in
 * `refuseInvisibleReferences`, callers who may read the records may send back the keys that are stored.
 */
export async function missingLater(
  context: WriteContext,
  resource: Resource,
  steps: readonly ManyStep[],
  index: number,
  keys: ReadonlyMap<number, Values>,
  { relations, isMissing }: LookedUp,
): Promise<readonly string[]> {
  const paths: string[] = []
  const isReadable = await mayRead(context, resource)
  for (let i = index + 1; i < steps.length; i++) {
    const step = steps[i] as ManyStep
    if (step.kind !== 'create' && step.kind !== 'change') continue
    const { values, path } = step.node
    const filled = step.kind === 'create' ? step.filled : undefined
    for (const relation of relations) {
      const text = keyTextIn(relation.from, values)
      if (text === undefined || !isMissing(relation, text)) continue
      if (isFilled(relation, filled) || isFilled(relation, keys.get(i))) continue
      const isStored = step.kind === 'change' && keyTextIn(relation.from, step.stored) === text
      if (isStored && isReadable) continue
      paths.push(...shownPaths(relation, path))
    }
  }
  return paths
}

/** Whether nested objects, or the record around this one, set a part of the foreign key to another value than the one sent. */
const isFilled = (relation: ResolvedRelation, filled: Values | undefined): boolean =>
  filled !== undefined && isSet(relation, filled)
