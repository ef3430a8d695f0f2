// Counts that several requests ask for at the same time: counted once, after the last of them has asked.

/** Who counts what at this moment. */
export interface SharedCounts {
  /**
   * What to do about a count. `own`: nobody else asks for it, so count as you like, and say when you are done. `shared`:
   * others do; `total` is of a count that begins when it is first asked for and none is under way any more, for all who
   * joined before. So a count never began before its request, and whoever wrote something sees it counted.
   */
  join(key: string, count: () => Promise<number>): Turn
}

export type Turn =
  | { readonly kind: 'own'; readonly done: () => void }
  | { readonly kind: 'shared'; readonly total: () => Promise<number> }

/** What is known of one count. */
interface Known {
  /** The one that is under way: when it ends, and since when, by the clock. */
  running?: { readonly ended: Promise<void>; readonly since: number } | undefined
  /** The one that has not begun. */
  waiting?: Waiting | undefined
  /** When several shared one last. */
  shared: number
}

interface Waiting {
  joined: number
  total?: Promise<number>
}

/** Nobody joins a count that has been under way for longer: it may be one that never ends. */
const patience = 1_000

/** For so long after a shared count, the next ones are shared from the beginning: others will ask, too. */
const busy = 100

/** Most counts that are known of; those beyond are counted as if they were new. */
const most = 1_000

export function createSharedCounts(elapsed: () => number): SharedCounts {
  const known = new Map<string, Known>()

  const begin = (one: Known): (() => void) => {
    let end = (): void => {}
    const running = {
      ended: new Promise<void>((resolve) => {
        end = resolve
      }),
      since: elapsed(),
    }
    one.running = running
    return () => {
      if (one.running === running) one.running = undefined
      end()
    }
  }

  const share = (one: Known, count: () => Promise<number>): Turn => {
    one.waiting ??= { joined: 0 }
    const { waiting } = one
    waiting.joined += 1
    const run = async (): Promise<number> => {
      await one.running?.ended
      if (one.waiting === waiting) one.waiting = undefined
      if (waiting.joined > 1) one.shared = elapsed()
      const done = begin(one)
      return count().finally(done)
    }
    return {
      kind: 'shared',
      total: () => {
        waiting.total ??= run()
        return waiting.total
      },
    }
  }

  return {
    join(key, count) {
      const now = elapsed()
      const one = known.get(key)
      const stuck = one?.running !== undefined && now - one.running.since > patience
      const asked = one?.running !== undefined || one?.waiting !== undefined
      if (one !== undefined && !stuck && (asked || now - one.shared < busy))
        return share(one, count)
      if (known.size >= most) known.clear()
      const fresh: Known = { shared: Number.NEGATIVE_INFINITY }
      known.set(key, fresh)
      const end = begin(fresh)
      const done = (): void => {
        if (fresh.waiting === undefined && known.get(key) === fresh) known.delete(key)
        end()
      }
      return { kind: 'own', done }
    },
  }
}
