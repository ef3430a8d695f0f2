// Counts that several requests ask for at the same time: counted once, after the last of them has asked.

/** Who counts what at this moment. */
export interface SharedCounts {
  /**
   * What to do about a count. `own`: nobody is counting this, so count as you like, and say when you are done. `shared`:
   * somebody is; `total` is of a count that begins when that one ends, for all who asked in between. So a count never
   * began before its request, and whoever wrote something sees it counted.
   */
  join(key: string, count: () => Promise<number>): Turn
}

export type Turn =
  | { readonly kind: 'own'; readonly done: () => void }
  | { readonly kind: 'shared'; readonly total: () => Promise<number> }

/** A count that is under way, and the one that follows it. */
interface Counting {
  readonly ended: Promise<void>
  next: Promise<number> | undefined
  /** Milliseconds of the clock. */
  readonly since: number
}

/** Nobody joins a count that has been under way for longer: it may be one that never ends. */
const patience = 1_000

export function createSharedCounts(elapsed: () => number): SharedCounts {
  const underWay = new Map<string, Counting>()

  const begin = (key: string): (() => void) => {
    let end = (): void => {}
    const counting: Counting = {
      ended: new Promise((resolve) => {
        end = resolve
      }),
      next: undefined,
      since: elapsed(),
    }
    underWay.set(key, counting)
    return () => {
      if (counting.next === undefined && underWay.get(key) === counting) underWay.delete(key)
      end()
    }
  }

  return {
    join(key, count) {
      const counting = underWay.get(key)
      if (counting === undefined || elapsed() - counting.since > patience) {
        return { kind: 'own', done: begin(key) }
      }
      return {
        kind: 'shared',
        total: () => {
          counting.next ??= counting.ended.then(async () => {
            const done = begin(key)
            try {
              return await count()
            } finally {
              done()
            }
          })
          return counting.next
        },
      }
    },
  }
}
