// PendingWrites: collects checked records of a list, so that few statements store them.

import type { Values } from '../../../nodes/node.ts'
import { WriteQueue } from './write-queue.ts'

/** A record to insert, and its path in the body. A class, as `CreateStep` says. */
export class NewRow {
  readonly values: Values
  readonly path: string
  /** `filled` of `Refusal`. */
  readonly filled: Values | undefined

  constructor(values: Values, path: string, filled: Values | undefined) {
    this.values = values
    this.path = path
    this.filled = filled
  }
}

/** A stored record, the values to write into it, and its path in the body. A class, as `CreateStep` says. */
export class ChangedRow {
  readonly stored: Values
  readonly written: Values
  readonly path: string
  /** The values that the body requests, including those that equal the stored ones. */
  readonly requested: Values

  constructor(stored: Values, written: Values, path: string, requested: Values) {
    this.stored = stored
    this.written = written
    this.path = path
    this.requested = requested
  }
}

/** Stores rows; returns the values of each, at least its key. */
export interface StoreRows {
  insert(rows: readonly NewRow[]): Promise<readonly Values[]>
  update(rows: readonly ChangedRow[]): Promise<readonly Values[]>
}

export interface PendingWrites {
  insert(row: NewRow): void
  update(row: ChangedRow): void
  /** Stores the pending records: changed ones, then new ones. Rejects if that fails or has failed before. */
  flush(): Promise<void>
  /** The values of the stored records, with their keys, in the order in which they were added. */
  stored(): readonly Values[]
  /** Throws the error of an earlier `flush`, which a hook may have caught. */
  refuse(): void
}

/** Rows that are not stored yet, each with its index in the result of `stored`. */
interface Waiting<R> {
  readonly rows: R[]
  readonly places: number[]
}

/** A class, because V8 drops the optimised code of closures that are made for each request. */
class Pending implements PendingWrites {
  readonly #store: StoreRows
  #inserts: Waiting<NewRow> = { rows: [], places: [] }
  #updates: Waiting<ChangedRow> = { rows: [], places: [] }
  #count = 0
  readonly #queue = new WriteQueue()
  readonly #stored: Values[] = []

  constructor(store: StoreRows) {
    this.#store = store
  }

  refuse(): void {
    this.#queue.refuse()
  }

  stored(): readonly Values[] {
    return this.#stored
  }

  insert(row: NewRow): void {
    this.#add(this.#inserts, row)
  }

  update(row: ChangedRow): void {
    this.#add(this.#updates, row)
  }

  flush(): Promise<void> {
    const [changed, made] = [this.#updates, this.#inserts]
    this.#updates = { rows: [], places: [] }
    this.#inserts = { rows: [], places: [] }
    if (changed.rows.length > 0) {
      this.#queue.add(() => this.#storeAll(changed, this.#store.update))
    }
    if (made.rows.length > 0) this.#queue.add(() => this.#storeAll(made, this.#store.insert))
    return this.#queue.done()
  }

  #add<R>({ rows, places }: Waiting<R>, row: R): void {
    rows.push(row)
    places.push(this.#count)
    this.#count += 1
  }

  async #storeAll<R>(
    { rows, places }: Waiting<R>,
    run: (rows: readonly R[]) => Promise<readonly Values[]>,
  ): Promise<void> {
    const values = await run(rows)
    for (let i = 0; i < places.length; i++) this.#stored[places[i] ?? 0] = values[i] ?? {}
  }
}

export const pendingWrites = (store: StoreRows): PendingWrites => new Pending(store)
