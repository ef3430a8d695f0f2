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
  /** When several shared one last, how many they were, and how long it took. */
  shared: number
  size: number
  took: number
  /** So many counts begin without gathering, since it was in vain. */
  hurried: number
}

interface Waiting {
  joined: number
  total?: Promise<number>
  /** Tells whoever gathers that somebody has joined. */
  notify?: () => void
}

/** Nobody joins a count that has been under way for longer: it may be one that never ends. */
const patience = 1_000

/** For so long after a shared count, the next ones are shared from the beginning: others will ask, too. */
const busy = 100

/**
 * Clients that were answered together ask again together, but not in one moment: a count that begins with the first of
 * them makes the others wait for another one. So it waits until as many as before have joined, for as long as the last
 * one took, and for so many milliseconds at most.
 */
const longestGathering = 25

/** So many counts begin at once after one that waited in vain. */
const hurry = 8

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

  /** `expected`: how many would be all. */
  const gather = async (one: Known, waiting: Waiting, expected: number): Promise<void> => {
    const longest = Math.min(one.took, longestGathering)
    // Timers know milliseconds.
    if (waiting.joined >= expected || longest < 1) return
    if (one.hurried > 0) {
      one.hurried -= 1
      return
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        one.hurried = hurry
        resolve()
      }, longest)
      waiting.notify = () => {
        if (waiting.joined < expected) return
        clearTimeout(timer)
        resolve()
      }
    })
  }

  const share = (one: Known, count: () => Promise<number>): Turn => {
    one.waiting ??= { joined: 0 }
    const { waiting } = one
    waiting.joined += 1
    waiting.notify?.()
    const run = async (): Promise<number> => {
      const isRunning = one.running !== undefined
      await one.running?.ended
      // Those who were just answered, and those who waited meanwhile.
      await gather(one, waiting, one.size + (isRunning ? waiting.joined : 0))
      if (one.waiting === waiting) one.waiting = undefined
      const [{ joined }, since, done] = [waiting, elapsed(), begin(one)]
      try {
        return await count()
      } finally {
        done()
        const now = elapsed()
        if (joined > 1) Object.assign(one, { shared: now, size: joined, took: now - since })
      }
    }
    const total = (): Promise<number> => {
      waiting.total ??= run()
      return waiting.total
    }
    // Where totals of this set were just shared, this one will be asked for, too: a long one is counted while the rows are read.
    if (one.took >= 1 && elapsed() - one.shared < busy) total().catch(() => {})
    return { kind: 'shared', total }
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
      const fresh: Known = { shared: Number.NEGATIVE_INFINITY, size: 0, took: 0, hurried: 0 }
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
