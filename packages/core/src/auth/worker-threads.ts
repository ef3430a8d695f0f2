// Worker threads, where the runtime has those of Node; nothing is imported, so that other runtimes load this file, too.

/** What is used of a worker. */
export interface WorkerThread {
  postMessage(message: unknown): void
  // biome-ignore lint/suspicious/noExplicitAny: each event has a value of its own
  on(event: 'message' | 'error' | 'exit', listener: (value: any) => void): void
  /** Whether the process stays alive because of it. */
  ref(): void
  unref(): void
}

interface WorkerThreads {
  readonly Worker: new (file: URL) => WorkerThread
  /** The other side, inside a worker. */
  readonly parentPort: Pick<WorkerThread, 'on' | 'postMessage'> | null
}

/** Node's module of worker threads, also as Bun and Deno have it; undefined elsewhere. */
export function workerThreads(): WorkerThreads | undefined {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => unknown }
  }
  return process?.getBuiltinModule?.('worker_threads') as WorkerThreads | undefined
}

/** How many processors there are, where the runtime tells. */
export function processors(): number | undefined {
  const { navigator } = globalThis as { navigator?: { hardwareConcurrency?: number } }
  return navigator?.hardwareConcurrency
}
