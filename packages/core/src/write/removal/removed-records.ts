// RemovedRecords: the records whose hooks a list of removals has called so far, so that none is removed twice, and those that have lost
// references to deleted ones.

import type { Resource } from '../../model/registry/resource.ts'
import type { Values } from '../nodes/node.ts'
import type { HowRemoved } from '../nodes/write-node.ts'
import { idOf } from './removal-types.ts'

/** What is known of a removed record. */
interface Removed {
  /** One more than the largest height of the records that refer to it; 0 if none does. */
  readonly height: number
  readonly how: HowRemoved
}

/** `Removals.removed`: one for a list and its dependents. */
export class RemovedRecords {
  readonly #removed = new Map<string, Removed>()
  readonly #changes = new Map<string, Values>()

  /** Notes a record whose hooks were called. */
  add(resource: Resource, stored: Values, how: HowRemoved, height: number): void {
    this.#removed.set(idOf(resource, stored), { height, how })
  }

  /** Whether the record is removed already, in this way: the row of a record that is only marked can still be deleted. */
  has(resource: Resource, stored: Values, how: HowRemoved): boolean {
    const removed = this.#removed.get(idOf(resource, stored))
    return removed !== undefined && (how === 'mark' || removed.how === 'delete')
  }

  /** Whether the record was marked as deleted, and its row must be deleted now. */
  isOnlyMarked(resource: Resource, stored: Values, how: HowRemoved): boolean {
    return how === 'delete' && this.#removed.get(idOf(resource, stored))?.how === 'mark'
  }

  /** Notes what was written into a record that is not removed. */
  change(resource: Resource, stored: Values, written: Values): void {
    const id = idOf(resource, stored)
    this.#changes.set(id, { ...this.#changes.get(id), ...written })
  }

  /** A record as it is now, if it was read before it was changed. */
  now(resource: Resource, stored: Values): Values {
    const written = this.#changes.get(idOf(resource, stored))
    return written === undefined ? stored : { ...stored, ...written }
  }

  /** Called when a hook sends a statement: the changes are stored before it, and rows are read again. */
  forgetChanges(): void {
    this.#changes.clear()
  }

  /** The height of a record to which these refer. Those that are deleted later, as one of each cycle is, do not count. */
  heightAbove(resource: Resource, referrers: readonly Values[]): number {
    let height = 0
    for (const row of referrers) {
      const below = this.#removed.get(idOf(resource, row))
      if (below !== undefined) height = Math.max(height, below.height + 1)
    }
    return height
  }
}
