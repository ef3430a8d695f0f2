// SharedCounts: concurrent requests share the `count(*)` statements of their lists. All requests that arrive while a count runs share the
// next count of the same rows.

/** The counts that are running. */
export interface SharedCounts {
  /**
   * Joins the requests for a count, which `key` identifies by its SQL and values. `own`: no other request runs it, so the caller counts and
   * then calls `done`. `shared`: another request is counting; after it ends, `total` counts once for all requests that joined meanwhile.
   *
   * A count therefore never begins before a request that uses it, and includes everything that its client has written.
   */
  join(key: string, count: () => Promise<number>): Turn
}

/** How a request gets its count. */
export type Turn =
  | { readonly kind: 'own'; readonly done: () => void }
  | { readonly kind: 'shared'; readonly total: () => Promise<number> }

/** A running count, and the count that follows it. */
interface RunningCount {
  /** When it began, on the clock `elapsed`. */
  readonly since: number
  readonly ended: Promise<void>
  /** The count that begins when this one ends; set by the first request that joins it. */
  next?: Promise<number>
}

/** Milliseconds after which requests no longer wait for a running count, because it may never end. */
const maxAge = 1_000

/** Creates the counts of one database; `elapsed` is a monotonic clock in milliseconds. */
export function createSharedCounts(elapsed: () => number): SharedCounts {
  const running = new Map<string, RunningCount>()

  /** Registers a running count; returns the function that ends it. */
  const begin = (key: string): (() => void) => {
    let resolveEnded = (): void => {}
    const ended = new Promise<void>((resolve) => {
      resolveEnded = resolve
    })
    const current: RunningCount = { since: elapsed(), ended }
    running.set(key, current)
    return () => {
      // The next count takes the place of this one in the map by itself.
      if (running.get(key) === current && current.next === undefined) running.delete(key)
      resolveEnded()
    }
  }

  /** Counts once the running count has ended. */
  const after = async (
    key: string,
    { ended }: RunningCount,
    count: () => Promise<number>,
  ): Promise<number> => {
    await ended
    const done = begin(key)
    try {
      return await count()
    } finally {
      done()
    }
  }

  return {
    join(key, count) {
      const current = running.get(key)
      if (current === undefined || elapsed() - current.since > maxAge) {
        return { kind: 'own', done: begin(key) }
      }
      const total = (): Promise<number> => {
        current.next ??= after(key, current, count)
        return current.next
      }
      return { kind: 'shared', total }
    },
  }
}
