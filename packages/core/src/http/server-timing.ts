// Server-Timing: a stopwatch for the stages of one request, and the header that tells what it saw (W3C Server Timing).

const stages = ['route', 'setup', 'limit', 'authenticate', 'plan', 'database', 'serialize'] as const

/** What the time of a request is spent on, in the order of the header. */
export type Stage = (typeof stages)[number]

/** The stopwatch of one request; a request that is not timed has none. */
export interface Timing {
  /** From now on time is spent on this stage. */
  enter(stage: Exclude<Stage, 'database'>): void
  /** Runs `work`; what it takes is the database's time. Statements that overlap are counted once. */
  database<T>(work: () => Promise<T>): Promise<T>
  /** Inside `database`: runs `work`, which is the service's own, such as what a transaction is opened for. */
  ownWork<T>(work: () => Promise<T>): Promise<T>
  /** The stages that ran and their total, in milliseconds: `route;dur=0.05, database;dur=1.204, total;dur=1.31`. */
  header(): string
}

/** Starts with the stage `route`; `elapsed` gives milliseconds from any fixed point. */
export function startTiming(elapsed: () => number): Timing {
  const began = elapsed()
  const spent = new Map<Stage, number>()
  let stage: Stage = 'route'
  let since = began
  let underWay = 0

  const settle = (): void => {
    const until = elapsed()
    const current = underWay > 0 ? 'database' : stage
    spent.set(current, (spent.get(current) ?? 0) + until - since)
    since = until
  }
  const during = async <T>(statements: 1 | -1, work: () => Promise<T>): Promise<T> => {
    settle()
    underWay += statements
    try {
      return await work()
    } finally {
      settle()
      underWay -= statements
    }
  }

  return {
    enter(next) {
      settle()
      stage = next
    },
    database: (work) => during(1, work),
    ownWork: (work) => during(-1, work),
    header() {
      settle()
      const ran = stages.flatMap((name) => {
        const ms = spent.get(name)
        return ms === undefined ? [] : [metric(name, ms)]
      })
      return [...ran, metric('total', since - began)].join(', ')
    },
  }
}

const metric = (name: string, ms: number): string => `${name};dur=${Math.round(ms * 1000) / 1000}`
