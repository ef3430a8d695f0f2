// A worker as its supervisor sees it: a process that says when it serves, ends, and can be asked to.

import cluster from 'node:cluster'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface WorkerEnd {
  /** Null where a signal ended it. */
  readonly code: number | null
  readonly signal: string | null
}

export interface WorkerProcess {
  readonly pid: number
  /** Called when it has said all it says at its start, and answers requests. */
  onServing(then: () => void): void
  onEnd(then: (end: WorkerEnd) => void): void
  /** Asks it to finish its answers and end. */
  stop(): void
  kill(): void
}

/** What a worker says, and what it is told. */
export const serving = 'model-api: serving'
export const stop = 'model-api: stop'
/** In the environment of a worker whose words nobody else has said yet. */
export const speaks = 'MODEL_API_WORKER_SPEAKS'

/** The file that a worker runs, as source or as built. */
const file = fileURLToPath(new URL(`../worker${extname(import.meta.url)}`, import.meta.url))

/** Starts a worker with the words of a command line. Its address is shared by all workers of this process. */
export function forkWorker(words: readonly string[], speaking: boolean): WorkerProcess {
  cluster.setupPrimary({ exec: file, args: [...words] })
  const worker = cluster.fork({ [speaks]: speaking ? '1' : '' })
  let listens = false
  worker.on('message', (message) => {
    if (message === serving) listens = true
  })
  return {
    pid: worker.process.pid ?? 0,
    onServing: (then) =>
      void worker.on('message', (message) => {
        if (message === serving) then()
      }),
    onEnd: (then) => void worker.once('exit', (code, signal) => then({ code, signal })),
    stop: () => {
      // A message would be lost before it listens to them; a signal ends it at once, then.
      if (listens && worker.isConnected()) worker.send(stop)
      else worker.process.kill('SIGTERM')
    },
    kill: () => void worker.process.kill('SIGKILL'),
  }
}
