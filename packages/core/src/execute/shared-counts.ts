// Counts that several requests ask for at the same time: one is under way, and all who come meanwhile share the next one.

/** Who counts what at this moment. */
export interface SharedCounts {
  /**
   * What to do about a count. `own`: nobody else is counting this, so count as you like, and say when you are done.
   * `shared`: somebody is; `total` is of one count for all who joined meanwhile, which begins when the other has ended. So
   * a count never began before its request, and whoever wrote something sees it counted.
   */
  join(key: string, count: () => Promise<number>): Turn
}

export type Turn =
  | { readonly kind: 'own'; readonly done: () => void }
  | { readonly kind: 'shared'; readonly total: () => Promise<number> }

/** A count that is under way, and the one after it. */
interface Flight {
  readonly since: number
  readonly ended: Promise<void>
  next?: Promise<number>
}

/** Milliseconds after which nobody joins a count that is under way: it may be one that never ends. */
const patience = 1_000

export function createSharedCounts(elapsed: () => number): SharedCounts {
  const flights = new Map<string, Flight>()

  /** Begins a count; gives the function that ends it. */
  const begin = (key: string): (() => void) => {
    let settle = (): void => {}
    const ended = new Promise<void>((resolve) => {
      settle = resolve
    })
    const flight: Flight = { since: elapsed(), ended }
    flights.set(key, flight)
    return () => {
      if (flights.get(key) === flight && flight.next === undefined) flights.delete(key)
      settle()
    }
  }

  const after = async (
    key: string,
    { ended }: Flight,
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
      const flight = flights.get(key)
      if (flight === undefined || elapsed() - flight.since > patience) {
        return { kind: 'own', done: begin(key) }
      }
      const total = (): Promise<number> => {
        flight.next ??= after(key, flight, count)
        return flight.next
      }
      return { kind: 'shared', total }
    },
  }
}
