// Threads that compute bcrypt, so that the event loop is free for other requests meanwhile.

import { type WorkerThread, workerThreads } from './worker-threads.ts'

/** What a thread is asked to compute. */
export type BcryptTask =
  | { readonly kind: 'hash'; readonly password: string; readonly cost: number }
  | { readonly kind: 'compare'; readonly password: string; readonly stored: string }

/** What it answers: the hash, or whether the password matches; or what bcrypt threw. */
export type BcryptAnswer = { readonly value: string | boolean } | { readonly error: unknown }

export interface BcryptThreads {
  /** Computes on a thread; undefined where none can be started or the thread was lost. Rejects with what bcrypt throws. */
  run(task: BcryptTask): Promise<string | boolean | undefined>
}

interface Thread {
  readonly worker: WorkerThread
  settle?: ((answer: BcryptAnswer | undefined) => void) | undefined
}

/** Bundlers that follow this form emit the worker as a file of its own; where there is none, no thread starts. */
const workerFile = (): URL =>
  import.meta.url.endsWith('.ts')
    ? new URL('./bcrypt-worker.ts', import.meta.url)
    : new URL('./bcrypt-worker.js', import.meta.url)

/** Starts a thread when a task finds none idle; the caller decides how many tasks run at once. */
export function createBcryptThreads(): BcryptThreads {
  const idle: Thread[] = []
  /** A thread that cannot start will not start the next time either. */
  let isAvailable = true

  const start = (): Thread | undefined => {
    const threads = workerThreads()
    if (threads === undefined) return undefined
    try {
      const thread: Thread = { worker: new threads.Worker(workerFile()) }
      const lost = (): void => {
        isAvailable = false
        const place = idle.indexOf(thread)
        if (place !== -1) idle.splice(place, 1)
        finish(thread, undefined)
      }
      thread.worker.on('message', (answer: BcryptAnswer) => {
        // An idle thread does not keep the process alive.
        thread.worker.unref()
        idle.push(thread)
        finish(thread, answer)
      })
      thread.worker.on('error', lost)
      thread.worker.on('exit', lost)
      return thread
    } catch {
      return undefined
    }
  }

  return {
    async run(task) {
      if (!isAvailable) return undefined
      const thread = idle.pop() ?? start()
      if (thread === undefined) {
        isAvailable = false
        return undefined
      }
      thread.worker.ref()
      const answer = await new Promise<BcryptAnswer | undefined>((resolve) => {
        thread.settle = resolve
        thread.worker.postMessage(task)
      })
      if (answer !== undefined && 'error' in answer) throw answer.error
      return answer?.value
    },
  }
}

function finish(thread: Thread, answer: BcryptAnswer | undefined): void {
  const { settle } = thread
  thread.settle = undefined
  settle?.(answer)
}
