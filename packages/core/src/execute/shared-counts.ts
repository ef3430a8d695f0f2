// SharedCounts: concurrent requests for the same count share statements. While one count runs, all that arrive share the next one.

/** The counts that are running. */
export interface SharedCounts {
  /**
   * Joins the requests for a count. `own`: no other request runs this count, so the caller runs it and calls `done`. `shared`:
   * another request runs it; `total` runs one more count for all that joined meanwhile, after that one has ended. So a count
   * never begins before the request that uses it, and includes everything that the client wrote before.
   */
  join(key: string, count: () => Promise<number>): Turn
}

export type Turn =
  | { readonly kind: 'own'; readonly done: () => void }
  | { readonly kind: 'shared'; readonly total: () => Promise<number> }

/** A running count, and the one that follows it. */
interface RunningCount {
  readonly since: number
  readonly ended: Promise<void>
  next?: Promise<number>
}

/** Milliseconds after which a running count is no longer joined, because it may never end. */
const maxAge = 1_000

export function createSharedCounts(elapsed: () => number): SharedCounts {
  const running = new Map<string, RunningCount>()

  /** Registers a running count; returns the function that ends it. */
  const begin = (key: string): (() => void) => {
    let settle = (): void => {}
    const ended = new Promise<void>((resolve) => {
      settle = resolve
    })
    const current: RunningCount = { since: elapsed(), ended }
    running.set(key, current)
    return () => {
      if (running.get(key) === current && current.next === undefined) running.delete(key)
      settle()
    }
  }

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
