// Types and names of removals: which records a request removes, and how (`HowRemoved`: deleted, or marked as deleted).

import type { DependentModel } from '../../model/registry/relations/dependents.ts'
import type { Resource } from '../../model/registry/resource.ts'
import type { OnDelete } from '../../model/relation.ts'
import { keyText } from '../../query/run/key.ts'
import type { Values } from '../nodes/node.ts'
import type { HowRemoved } from '../nodes/write-node.ts'
import { keyIn } from '../resolve/look-up-records.ts'

/** What happens to dependents that do not prevent the deletion: they are deleted too, or lose their reference. */
export type RemovalEffect = Exclude<OnDelete, 'restrict'>

/** Rows of one model that are removed in the same way. */
export interface RemovedRows {
  readonly resource: Resource
  readonly how: HowRemoved
  readonly rows: readonly Values[]
}

/**
 * How a removal goes on to dependents. Before the row of a record is deleted, the rows of dependents must go as well, even those that are
 * marked already, since they still refer to the record.
 */
export const howBelow = (how: HowRemoved, { resource }: DependentModel): HowRemoved =>
  how === 'mark' && resource.settings.softDelete !== null ? 'mark' : 'delete'

/** Identifies a record among those of all models: `Book 7`. */
export const idOf = (resource: Resource, stored: Values): string =>
  `${resource.name} ${keyText(keyIn(resource, stored) ?? [])}`

/** `idOf` with how it is removed, `mark Book 7`: a request may first mark a record and later, for another record, delete its row. */
export const removalName = (resource: Resource, stored: Values, how: HowRemoved): string =>
  `${how} ${idOf(resource, stored)}`
