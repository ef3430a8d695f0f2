// PendingWrites: collects checked records of a list, so that few statements store them.

import type { Values } from '../plan/node.ts'

/** A record to insert, and its path in the body. */
export interface NewRow {
  readonly values: Values
  readonly path: string
}

/** A stored record, the values to write into it, and its path in the body. */
export interface ChangedRow {
  readonly stored: Values
  readonly written: Values
  readonly path: string
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

export function pendingWrites(store: StoreRows): PendingWrites {
  let inserts: Waiting<NewRow> = { rows: [], places: [] }
  let updates: Waiting<ChangedRow> = { rows: [], places: [] }
  let count = 0
  let last: Promise<void> = Promise.resolve()
  let failure: { readonly error: unknown } | undefined
  const stored: Values[] = []
  const refuse = (): void => {
    if (failure !== undefined) throw failure.error
  }
  const storeAll = async <R>(
    { rows, places }: Waiting<R>,
    run: (rows: readonly R[]) => Promise<readonly Values[]>,
  ): Promise<void> => {
    if (failure !== undefined || rows.length === 0) return
    try {
      const values = await run(rows)
      for (const [i, place] of places.entries()) stored[place] = values[i] ?? {}
    } catch (error) {
      failure = { error }
    }
  }
  const add = <R>({ rows, places }: Waiting<R>, row: R): void => {
    rows.push(row)
    places.push(count)
    count += 1
  }
  return {
    refuse,
    stored: () => stored,
    insert: (row) => add(inserts, row),
    update: (row) => add(updates, row),
    flush() {
      const [changed, made] = [updates, inserts]
      updates = { rows: [], places: [] }
      inserts = { rows: [], places: [] }
      if (changed.rows.length + made.rows.length > 0) {
        last = last
          .then(() => storeAll(changed, store.update))
          .then(() => storeAll(made, store.insert))
      }
      return last.then(refuse)
    },
  }
}
