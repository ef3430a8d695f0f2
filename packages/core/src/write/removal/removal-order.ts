// removalOrder: in which order a DELETE removes the dependents of a record (the tables that refer to it), so that records of two relations
// which are both deleted with it do not prevent each other's deletion.

import {
  type Dependent,
  dependentsOf,
  hasModel,
  type RemovalReach,
  removalReach,
} from '../../model/registry/relations/dependents.ts'
import type { Registry, Resource } from '../../model/registry/resource.ts'
import type { OnDelete } from '../../model/relation.ts'

/** The order of the dependents of one model. */
export interface RemovalOrder {
  /** All dependents of the record, in their order. */
  readonly dependents: readonly Dependent[]
  /** Whether dependents of one model are sorted, because some of them may prevent the deletion of others. */
  readonly isSorted: boolean
}

/** The orders without `cascade`, which depend on the models alone. */
const knownOrders = new WeakMap<Registry, Map<Resource, RemovalOrder>>()

/**
 * First come dependents that prevent the deletion whatever else is deleted, then those that are deleted, and then those that lose their
 * reference, so that no hook is called for a change of a record that is deleted. Last come those that prevent the deletion unless they
 * were deleted by then.
 *
 * With a project, its issues and its milestones are deleted. Issues also refer to milestones, so they are deleted first, although the
 * project declares the milestones first.
 *
 * `cascade`: whether the request says `cascade_delete`, which deletes all dependents, so that any order will do. Otherwise `on_delete` of
 * each relation says what happens.
 */
export function removalOrder(
  registry: Registry,
  resource: Resource,
  cascade: boolean,
): RemovalOrder {
  const dependents = dependentsOf(registry, resource)
  if (cascade) return { dependents, isSorted: false }
  const orders = knownOrders.get(registry) ?? new Map<Resource, RemovalOrder>()
  knownOrders.set(registry, orders)
  const order = orders.get(resource) ?? ordered(registry, resource, dependents)
  orders.set(resource, order)
  return order
}

/** The dependents in the order that `removalOrder` describes. */
function ordered(
  registry: Registry,
  resource: Resource,
  dependents: readonly Dependent[],
): RemovalOrder {
  /** The models of which records are deleted too. */
  const { deleted } = removalReach(registry, resource, { cascade: false })
  const isDeleted = (dependent: Dependent): boolean =>
    dependent.resource !== null && deleted.has(dependent.resource)
  const withAction = (action: OnDelete) => dependents.filter(({ onDelete }) => onDelete === action)
  const refusing = withAction('restrict')
  return {
    dependents: [
      ...refusing.filter((dependent) => !isDeleted(dependent)),
      ...referrersBefore(registry, withAction('cascade')),
      ...withAction('null'),
      ...refusing.filter(isDeleted),
    ],
    isSorted: [...deleted].some((model) => preventsBelow(registry, model, deleted)),
  }
}

/** Sorts dependents that are deleted: those first whose records prevent the deletion of records of others. */
function referrersBefore(
  registry: Registry,
  dependents: readonly Dependent[],
): readonly Dependent[] {
  const dependentsLeft = dependents.filter(hasModel).map((dependent) => ({
    dependent,
    deleted: removalReach(registry, dependent.resource, { cascade: false }).deleted,
  }))
  const sorted: Dependent[] = []
  while (dependentsLeft.length > 0) {
    const isFree = ({ deleted }: Pick<RemovalReach, 'deleted'>): boolean =>
      dependentsLeft.every(
        (other) =>
          other.deleted === deleted ||
          ![...deleted].some((model) => preventsBelow(registry, model, other.deleted)),
      )
    // Of models that refer to each other, none is free.
    const next = Math.max(0, dependentsLeft.findIndex(isFree))
    for (const { dependent } of dependentsLeft.splice(next, 1)) sorted.push(dependent)
  }
  return sorted
}

/** Whether records of `resources` may prevent the deletion of those of `resource`. */
const preventsBelow = (
  registry: Registry,
  resource: Resource,
  resources: ReadonlySet<Resource>,
): boolean =>
  dependentsOf(registry, resource).some(
    (dependent) =>
      hasModel(dependent) && dependent.onDelete === 'restrict' && resources.has(dependent.resource),
  )
