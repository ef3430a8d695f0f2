// Server-Timing: measures the stages of a request and formats the header (W3C Server Timing).

import type { DatabaseTiming } from '../database/leases/lease.ts'

const stages = ['route', 'setup', 'limit', 'authenticate', 'plan', 'database', 'serialize'] as const

/** The stages that are measured, in the order of the header. */
export type Stage = (typeof stages)[number]

/** The timer of a request; absent if API_SERVER_TIMING is off. */
export interface Timing extends DatabaseTiming {
  /** Starts a stage and ends the previous one. */
  enter(stage: Exclude<Stage, 'database'>): void
  /** Returns the stages that ran and their total, in milliseconds: `route;dur=0.05, database;dur=1.204, total;dur=1.31`. */
  header(): string
}

/** Starts the timer with the stage `route`; `elapsed` gives milliseconds from any fixed point. */
export function startTiming(elapsed: () => number): Timing {
  const began = elapsed()
  const spent = new Map<Stage, number>()
  let stage: Stage = 'route'
  let stageStart = began
  let running = 0

  const settle = (): void => {
    const until = elapsed()
    const current = running > 0 ? 'database' : stage
    spent.set(current, (spent.get(current) ?? 0) + until - stageStart)
    stageStart = until
  }
  const during = async <T>(statements: 1 | -1, work: () => Promise<T>): Promise<T> => {
    settle()
    running += statements
    try {
      return await work()
    } finally {
      settle()
      running -= statements
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
      return [...ran, metric('total', stageStart - began)].join(', ')
    },
  }
}

const metric = (name: string, ms: number): string => `${name};dur=${Math.round(ms * 1000) / 1000}`
