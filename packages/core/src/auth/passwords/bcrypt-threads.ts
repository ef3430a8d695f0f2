// Worker threads that compute bcrypt, so that hashing does not block the event loop.

import { type WorkerThread, workerThreads } from './worker-threads.ts'

/** What a thread computes: the hash of a password, or whether a password matches a stored hash. */
export type BcryptTask =
  | { readonly kind: 'hash'; readonly password: string; readonly cost: number }
  | {
      readonly kind: 'compare'
      readonly password: string
      readonly stored: string
      /** Hashes that are compared too, for their time alone. */
      readonly padding: readonly string[]
    }

/** The result of a task: the hash, whether the password matches, or the error that bcrypt threw. */
export type BcryptAnswer = { readonly value: string | boolean } | { readonly error: unknown }

/** The threads of the process, which all APIs in it share. */
export interface BcryptThreads {
  /** Runs a task on a thread; undefined if no thread can be started or the thread ended. Rejects with bcrypt's errors. */
  run(task: BcryptTask): Promise<string | boolean | undefined>
}

interface Thread {
  readonly worker: WorkerThread
  /** Resolves the promise of the task that the thread runs; undefined while it is idle. */
  resolve?: ((answer: BcryptAnswer | undefined) => void) | undefined
}

/**
 * Bundlers recognise `new URL('…', import.meta.url)` and fail if the file does not exist, so only the name of the file in `dist`,
 * where both files lie side by side, is written in this form. A bundle in which the worker is missing or does not load starts no thread.
 */
const workerFile = (): URL =>
  import.meta.url.endsWith('.ts')
    ? new URL(import.meta.url.replace('bcrypt-threads', 'bcrypt-worker'))
    : new URL('./bcrypt-worker.js', import.meta.url)

/** Starts a thread if a task finds none idle; the caller limits how many tasks run at once. */
export function createBcryptThreads(): BcryptThreads {
  const idle: Thread[] = []
  /** False once a thread failed to start or ended: threads are not tried again. */
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
        thread.resolve = resolve
        thread.worker.postMessage(task)
      })
      if (answer !== undefined && 'error' in answer) throw answer.error
      return answer?.value
    },
  }
}

function finish(thread: Thread, answer: BcryptAnswer | undefined): void {
  const { resolve } = thread
  thread.resolve = undefined
  resolve?.(answer)
}
