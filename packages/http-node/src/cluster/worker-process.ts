// WorkerProcess: a worker process as its supervisor sees it; `forkWorker` starts one. Both exchange two messages: the worker says when it
// serves, and the supervisor when to stop.

import cluster from 'node:cluster'
import { fileURLToPath } from 'node:url'

/** How a worker process has ended. */
export interface WorkerEnd {
  /** Null if a signal ended it. */
  readonly code: number | null
  /** The signal; null if the process ended by itself. */
  readonly signal: string | null
}

export interface WorkerProcess {
  readonly pid: number
  /** Called when the worker has printed its start-up lines and accepts requests. */
  onServing(then: () => void): void
  onEnd(then: (end: WorkerEnd) => void): void
  /** Asks the worker to finish running requests and end. */
  stop(): void
  kill(): void
}

/** The messages between a worker and its supervisor. */
export const servingMessage = 'model-api: serving'
export const stopMessage = 'model-api: stop'
/** The environment variable that is `1` in the worker that prints the start-up lines for all workers. */
export const printsVariable = 'MODEL_API_WORKER_SPEAKS'

/** The worker's file, in the sources or beside this code in the bundle. */
const file = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url),
)

/** Starts a worker with command line arguments. All workers of this process share the listening address. */
export function forkWorker(words: readonly string[], prints: boolean): WorkerProcess {
  cluster.setupPrimary({ exec: file, args: [...words] })
  const worker = cluster.fork({ [printsVariable]: prints ? '1' : '' })
  let listens = false
  worker.on('message', (message) => {
    if (message === servingMessage) listens = true
  })
  return {
    pid: worker.process.pid ?? 0,
    onServing: (then) =>
      void worker.on('message', (message) => {
        if (message === servingMessage) then()
      }),
    onEnd: (then) => void worker.once('exit', (code, signal) => then({ code, signal })),
    stop: () => {
      // A message would be lost before the worker listens for messages, so a signal ends the worker then.
      if (listens && worker.isConnected()) worker.send(stopMessage)
      else worker.process.kill('SIGTERM')
    },
    kill: () => void worker.process.kill('SIGKILL'),
  }
}
