// ManyStep: what happens to a record of a list, or to a nested record.

import type { ResolvedRelation, Resource } from '../../../model/registry/resource.ts'
import type { InputProblems } from '../../body/input-problems.ts'
import type { RecordNode, ReferenceNode, Values } from '../../nodes/node.ts'
import type { WriteContext } from '../write-context.ts'

/** What to do with one record. `stored` is the record as it is now, locked. */
export type ManyStep = CreateStep | ChangeStep | MoveStep | RefusedStep

/**
 * A class, like all objects of which a list needs one for each record: if most objects of a literal survive a garbage collection, V8
 * allocates later ones among its old objects, which then hold their records until the next full collection.
 */
export class CreateStep {
  readonly kind = 'create'
  readonly node: RecordNode
  /** The foreign key to the record that it is nested in. */
  readonly filled: Values | undefined

  constructor(node: RecordNode, filled?: Values) {
    this.node = node
    this.filled = filled
  }
}

export class ChangeStep {
  readonly kind = 'change'
  readonly node: RecordNode
  readonly stored: Values
  readonly replace: boolean
  readonly touches: boolean

  constructor(node: RecordNode, stored: Values, { replace, touches }: ChangeOptions = {}) {
    this.node = node
    this.stored = stored
    this.replace = replace ?? false
    this.touches = touches ?? true
  }
}

/** How a stored record is changed. */
export interface ChangeOptions {
  /** PUT: writable columns that were not sent get their default, or NULL. False unless given. */
  readonly replace?: boolean
  /**
   * Whether the `managed: 'updated'` columns are set even if nothing else changes. True unless given; false for an upsert, so that a repeated
   * import changes nothing.
   */
  readonly touches?: boolean
}

/** An existing child gets another parent. */
export interface MoveStep {
  readonly kind: 'move'
  readonly node: ReferenceNode
  readonly stored: Values
  /** The relation from the parent to the child. */
  readonly relation: ResolvedRelation
  /** The key of the parent, in the columns of the child. */
  readonly filled: Values
}

/** A record that cannot be written. `error` is thrown, unless an earlier record throws another one. */
export interface RefusedStep {
  readonly kind: 'refused'
  readonly node: RecordNode
  readonly error: unknown
  /** The problems of the record, if `error` reports them. */
  readonly problems?: InputProblems | undefined
}

/**
 * `writeMany` for nested records. Functions that `writeMany` calls take it as an argument, because an import would be a cycle. Returns the
 * known values of each record, at least its key, in the same order.
 */
export type WriteNested = (
  context: WriteContext,
  resource: Resource,
  steps: readonly ManyStep[],
) => Promise<readonly Values[]>
