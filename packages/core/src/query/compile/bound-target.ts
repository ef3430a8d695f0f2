// BoundTarget: what compiling a statement needs besides its plan: the database, its dialect and how values become parameters. `Target`
// adds the access scopes of the sources; the condition of a policy is compiled for a BoundTarget, because no scope applies to it.

import type { Expression } from 'kysely'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { constant, type Decision, Param } from '../../lib/sql/param.ts'
import type { Slot } from '../plan/plan.ts'

export interface BoundTarget {
  /** A Kysely instance without plugins, so that identifiers reach the database as the registry has them. */
  readonly db: AnyDatabase
  readonly dialect: InternalDialect
  /** Collects the decisions about values of the request, for a statement that is stored; absent for a statement that is sent once. */
  readonly decisions?: Decision[]
  /** The values of the conditions of a policy that are being compiled. */
  readonly scopeValues?: Param<readonly unknown[]>
  /** The locks by which a write reads the newest rows in a transaction of the host; absent where plain reads do. */
  readonly locks?: ReadLocks
}

/** What ends the SELECTs of a statement that reads for a write: `for update`, for example. Made and used by `read-lock.ts`. */
export interface ReadLocks {
  /** For the rows that a statement is about. */
  readonly base: Expression<unknown>
  /** For rows that it joins, or tests for its conditions. */
  readonly related: Expression<unknown>
}

/**
 * A value of the request as a parameter. In a statement that is stored, it is the value of a slot, which a later request replaces by its
 * own; in one that is sent once, a constant.
 */
export const slotParam = <V>({ decisions }: BoundTarget, slot: object, value: V): Param<V> =>
  decisions === undefined ? constant(value) : new Param(value, { kind: 'slot', slot }, decisions)

/** A value of a condition as a parameter; without a slot, it is the same for all requests that share the plan, because it is in their key. */
export function valueParam<V>(target: BoundTarget, slot: Slot | undefined, value: V): Param<V> {
  if (slot === undefined) return constant(value)
  if (!('scope' in slot)) return slotParam(target, slot, value)
  // `scope` is the index of the value among those of the policy.
  const { scope } = slot
  return target.scopeValues?.map((values) => values[scope] as V) ?? constant(value)
}
