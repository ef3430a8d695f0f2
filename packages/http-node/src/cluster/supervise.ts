// supervise: starts the workers of `serve --workers`, replaces those that end, and stops them gracefully. Processes are abstracted as
// WorkerProcess, so that tests need none.

import { restartAfter } from './restarts.ts'
import type { WorkerEnd, WorkerProcess } from './worker-process.ts'

/** What the supervisor is given; tests replace processes and clock. */
export interface Supervised {
  readonly count: number
  /** Milliseconds for which a worker still accepts requests after it was asked to end. */
  readonly drainDelay: number
  /** Starts a worker; if `prints` is true, it prints the start-up lines for all workers. */
  readonly fork: (prints: boolean) => WorkerProcess
  /** Resolves when all workers should end. */
  readonly stopped: Promise<void>
  readonly out: (line: string) => void
  readonly err: (line: string) => void
  readonly now: () => number
  /** Calls `then` after the given milliseconds; the returned function cancels it. */
  readonly later: (milliseconds: number, then: () => void) => () => void
}

/** Milliseconds after which a worker that was asked to end is killed. A worker waits for running requests for a shorter time. */
const killAfter = 15_000

/**
 * Supervises the workers. Resolves when every worker has ended, to the exit code: 0 if stopped on request; that of a worker that fails at
 * start-up (1 if that is 0 or a signal ended it); 1 if replacing workers is given up, or one had to be killed.
 *
 * The first worker starts alone, so that a mistake is printed once; the others start when it serves. At start-up all of them must
 * succeed. Later, a worker that ends is replaced.
 */
export function supervise(given: Supervised): Promise<number> {
  const { count, drainDelay, fork, stopped, out, err, now, later } = given
  return new Promise((settle) => {
    const running = new Map<WorkerProcess, 'starts' | 'serves'>()
    /** Cancels the pending restart or kill. */
    const waiting = new Set<() => void>()
    let ends: readonly number[] = []
    let phase: 'starting' | 'up' | { code: number } = 'starting'

    const start = ({ prints } = { prints: false }): void => {
      const worker = fork(prints)
      running.set(worker, 'starts')
      worker.onServing(() => serves(worker))
      worker.onEnd((end) => ended(worker, end))
    }

    const serves = (worker: WorkerProcess): void => {
      running.set(worker, 'serves')
      if (phase === 'up') out(`Worker ${worker.pid} serves.`)
      if (phase !== 'starting') return
      if (running.size < count) for (let i = running.size; i < count; i++) start()
      else if ([...running.values()].every((state) => state === 'serves')) {
        phase = 'up'
        out('')
        out(`${count} workers: processes ${[...running.keys()].map(({ pid }) => pid).join(', ')}`)
      }
    }

    const ended = (worker: WorkerProcess, end: WorkerEnd): void => {
      const alone = running.size === 1
      running.delete(worker)
      if (typeof phase === 'object') finish(phase.code)
      else if (phase === 'starting') {
        // The first worker has printed the reason, unless a signal ended it.
        if (!alone || end.code === null)
          err(`Worker ${worker.pid} ended before it served (${how(end)}).`)
        endAll(end.code || 1)
      } else replace(worker, end)
    }

    const replace = (worker: WorkerProcess, end: WorkerEnd): void => {
      // The last ten are more than `restartAfter` tells apart: seven within a minute give the longest pause.
      ends = [...ends.slice(-9), now()]
      const othersServe = [...running.values()].includes('serves')
      const pause = restartAfter(ends, now(), othersServe)
      const what = `Worker ${worker.pid} ended (${how(end)}).`
      if (pause === 'never') {
        err(`${what} Workers end as soon as they are started, and none serves any more.`)
        endAll(1)
        return
      }
      err(`${what} Another is started${pause === 0 ? '' : ` in ${Math.round(pause / 1000)} s`}.`)
      if (pause === 0) start()
      else {
        const cancel = later(pause, () => {
          waiting.delete(cancel)
          start()
        })
        waiting.add(cancel)
      }
    }

    const endAll = (code: number): void => {
      const ending = { code }
      phase = ending
      for (const cancel of waiting) cancel()
      waiting.clear()
      for (const worker of running.keys()) worker.stop()
      const late = later(drainDelay + killAfter, () => {
        for (const worker of running.keys()) {
          err(`Worker ${worker.pid} did not end in time.`)
          ending.code = 1
          worker.kill()
        }
      })
      waiting.add(late)
      finish(code)
    }

    const finish = (code: number): void => {
      if (running.size > 0) return
      for (const cancel of waiting) cancel()
      settle(code)
    }

    void stopped.then(() => {
      if (typeof phase === 'object') return
      out('')
      out('Stopping …')
      endAll(0)
    })
    start({ prints: true })
  })
}

const how = ({ code, signal }: WorkerEnd): string =>
  code === null ? `signal ${signal}` : `exit code ${code}`
