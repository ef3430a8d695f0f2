// Access to Node's worker threads, and the number of processors, without an import, so that this file also loads on other runtimes.

/** The part of a worker thread that is used here. */
export interface WorkerThread {
  postMessage(message: unknown): void
  // biome-ignore lint/suspicious/noExplicitAny: each event has a value of its own
  on(event: 'message' | 'error' | 'exit', listener: (value: any) => void): void
  /** `ref` keeps the process alive while the thread runs, `unref` does not. */
  ref(): void
  unref(): void
}

interface WorkerThreads {
  readonly Worker: new (file: URL) => WorkerThread
  /** Inside a worker, the port to the main thread; null on the main thread. */
  readonly parentPort: Pick<WorkerThread, 'on' | 'postMessage'> | null
}

/** Returns the module `node:worker_threads` (Node, Bun, Deno); undefined elsewhere. */
export function workerThreads(): WorkerThreads | undefined {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => unknown }
  }
  return process?.getBuiltinModule?.('worker_threads') as WorkerThreads | undefined
}

/** Returns the number of processors; undefined if the runtime does not report it. */
export function processors(): number | undefined {
  const { navigator } = globalThis as { navigator?: { hardwareConcurrency?: number } }
  return navigator?.hardwareConcurrency
}
