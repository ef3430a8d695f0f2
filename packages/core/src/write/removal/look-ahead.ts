// LookAhead: what is known of the records that a request will delete, so that few statements find it out.

import { ApiError } from '../../errors.ts'
import type { Values } from '../nodes/node.ts'
import type { GroupSize } from '../segments/group-size.ts'
import type { WriteContext } from '../store/write-context.ts'
import { findReferrers, type KnownRecord } from './find-referrers.ts'
import { type ListToRemove, nameOf, type ToRemove } from './to-remove.ts'

/** Reads records of a list again, and omits those that are gone. */
export type Refresh = (rows: readonly Values[]) => Promise<readonly Values[]>

/**
 * After a statement of a hook nothing is known any more, and the next records are looked up in the groups of `GroupSize`.
 *
 * If something prevents the deletion of one of the records, or if a look-up cannot tell, nothing is known from then on: each record finds
 * its dependents at its own turn, after the earlier ones are deleted, so that the error is that of its turn.
 */
export class LookAhead {
  readonly #context: WriteContext
  readonly #cascade: boolean
  readonly #flush: () => Promise<void>
  #isOneByOne: boolean
  /** Records by `nameOf`. */
  #known = new Map<string, KnownRecord>()
  #statements = 0

  /** `flush` stores the earlier deletions. */
  constructor(
    context: WriteContext,
    cascade: boolean,
    flush: () => Promise<void>,
    isOneByOne: boolean,
  ) {
    this.#context = context
    this.#cascade = cascade
    this.#flush = flush
    this.#isOneByOne = isOneByOne
  }

  /** Call it when a hook sends a statement. */
  outdate(): void {
    this.#known = new Map()
    this.#statements += 1
  }

  /** Whether hooks have sent statements. */
  get isOutdated(): boolean {
    return this.#statements > 0
  }

  /** What is known of a record; undefined if that must be read at its turn. */
  of(record: ToRemove): KnownRecord | undefined {
    return this.#known.get(nameOf(record))
  }

  /** Looks up the records of a list from `index` on, unless the one at `index` is known. */
  async lookUp(
    list: ListToRemove,
    index: number,
    groups: GroupSize,
    refresh?: Refresh,
  ): Promise<void> {
    const first = { ...list, stored: list.rows[index] as Values }
    if (this.#isOneByOne || this.of(first) !== undefined) return
    const before = this.#statements
    const size = groups.take(before)
    // The hooks of a record alone may send a statement at once, so it is read at its turn.
    if (size === 1) return
    await this.#flush()
    const next = list.rows.slice(index, index + size)
    let rows = refresh === undefined ? next : await refresh(next)
    let found = await this.#find({ ...list, rows })
    while (found === 'tooMany' && rows.length > 1) {
      rows = rows.slice(0, rows.length >> 1)
      groups.limit(rows.length)
      found = await this.#find({ ...list, rows })
    }
    // The scope of a policy has sent a statement. It would do so in each look-up, and each would be outdated at once.
    if (found === 'oneByOne' || this.#statements !== before) {
      this.#isOneByOne = true
      this.#known = new Map()
    } else if (found !== 'tooMany') this.#add(found)
  }

  #add(found: ReadonlyMap<string, KnownRecord>): void {
    for (const [name, record] of found) this.#known.set(name, record)
  }

  async #find(list: ListToRemove): ReturnType<typeof findReferrers> {
    try {
      return await findReferrers(this.#context, list, this.#cascade)
    } catch (error) {
      // A refusal is the error of one of the records. A failure of the database ends the transaction.
      if (error instanceof ApiError && error.status < 500) return 'oneByOne'
      throw error
    }
  }
}
