// RemovedRecords: the records that a request has deleted so far, and those that have lost references to deleted ones.

import type { Resource } from '../../model/registry/resource.ts'
import type { Values } from '../nodes/node.ts'
import { idOf, type ToRemove } from './to-remove.ts'

/** What is known of a deleted record. */
interface Removed {
  /** One more than the largest height of the records that refer to it; 0 if none does. */
  readonly height: number
  readonly soft: boolean
}

export class RemovedRecords {
  readonly #removed = new Map<string, Removed>()
  readonly #changes = new Map<string, Values>()

  add({ resource, stored, soft }: ToRemove, height: number): void {
    this.#removed.set(idOf(resource, stored), { height, soft })
  }

  /** Whether the record is deleted already, in this way: the row of a record that is only marked can still be deleted. */
  has({ resource, stored, soft }: ToRemove): boolean {
    const removed = this.#removed.get(idOf(resource, stored))
    return removed !== undefined && (soft || !removed.soft)
  }

  /** Whether the record was marked as deleted, and its row must be deleted now. */
  isOnlyMarked({ resource, stored, soft }: ToRemove): boolean {
    return !soft && this.#removed.get(idOf(resource, stored))?.soft === true
  }

  /** Notes what was written into a record that is not deleted. */
  change(resource: Resource, stored: Values, written: Values): void {
    const id = idOf(resource, stored)
    this.#changes.set(id, { ...this.#changes.get(id), ...written })
  }

  /** A record as it is now, if it was read before it was changed. */
  now(resource: Resource, stored: Values): Values {
    const written = this.#changes.get(idOf(resource, stored))
    return written === undefined ? stored : { ...stored, ...written }
  }

  /** Call it when a hook sends a statement: what is stored is read again. */
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
