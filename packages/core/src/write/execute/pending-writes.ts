// PendingWrites: records of a list that are checked, but not stored yet, so that few statements store them.

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
  /** Stores what is pending: changed records, then new ones. Rejects if that fails, or has failed before. */
  flush(): Promise<void>
  /** The values of the stored records, with their keys, in the order in which they were added. */
  stored(): readonly Values[]
  /** Throws the error of an earlier `flush`, which a hook may have caught. */
  refuse(): void
}

interface Waiting<R> {
  readonly index: number
  readonly row: R
}

export function pendingWrites(store: StoreRows): PendingWrites {
  let inserts: Waiting<NewRow>[] = []
  let updates: Waiting<ChangedRow>[] = []
  let count = 0
  let last: Promise<void> = Promise.resolve()
  let failure: { readonly error: unknown } | undefined
  const stored: Values[] = []
  const refuse = (): void => {
    if (failure !== undefined) throw failure.error
  }
  const storeAll = async <R>(
    waiting: readonly Waiting<R>[],
    run: (rows: readonly R[]) => Promise<readonly Values[]>,
  ): Promise<void> => {
    if (failure !== undefined || waiting.length === 0) return
    try {
      const values = await run(waiting.map(({ row }) => row))
      for (const [i, { index }] of waiting.entries()) stored[index] = values[i] ?? {}
    } catch (error) {
      failure = { error }
    }
  }
  const next = (): number => {
    count += 1
    return count - 1
  }
  return {
    refuse,
    stored: () => stored,
    insert: (row) => void inserts.push({ index: next(), row }),
    update: (row) => void updates.push({ index: next(), row }),
    flush() {
      const [changed, made] = [updates, inserts]
      updates = []
      inserts = []
      if (changed.length + made.length > 0) {
        last = last
          .then(() => storeAll(changed, store.update))
          .then(() => storeAll(made, store.insert))
      }
      return last.then(refuse)
    },
  }
}
