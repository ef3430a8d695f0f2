// AsyncContext: a value that a function and everything it awaits can read, such as the request whose hook is running. Uses
// AsyncLocalStorage, if the runtime has it, without importing it.

export interface AsyncContext<T> {
  /** Calls a function; inside it `current` returns the value. */
  run<R>(value: T, call: () => R): R
  /**
   * Returns the value of the innermost `run`; undefined outside of `run`, or before `enter`. Without AsyncLocalStorage, only until the
   * function's first await.
   */
  current(): T | undefined
  /** Activates the storage; call it before `run`, and `leave` when the work has settled. */
  enter(): void
  /** Ends what `enter` began; the storage is off while no work has entered. */
  leave(): void
}

/** The part of AsyncLocalStorage (Node, Bun, Deno) that is used here. */
interface Storage<T> {
  run<R>(value: T, call: () => R): R
  getStore(): T | undefined
  disable(): void
}

interface AsyncHooks {
  readonly AsyncLocalStorage: new <T>() => Storage<T>
}

/** Creates a context, one for each kind of value. */
export function asyncContext<T>(): AsyncContext<T> {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => unknown }
  }
  const hooks = process?.getBuiltinModule?.('async_hooks') as AsyncHooks | undefined
  return hooks === undefined ? syncContext() : storageContext(new hooks.AsyncLocalStorage<T>())
}

function storageContext<T>(storage: Storage<T>): AsyncContext<T> {
  let entered = 0
  return {
    run: (value, call) => storage.run(value, call),
    // Skips the look-up for statements outside of any `enter`.
    current: () => (entered === 0 ? undefined : storage.getStore()),
    enter() {
      entered += 1
    },
    leave() {
      entered -= 1
      // On older versions of Node an enabled storage slows down every promise of the process.
      if (entered === 0) storage.disable()
    },
  }
}

function syncContext<T>(): AsyncContext<T> {
  let now: T | undefined
  return {
    run(value, call) {
      const before = now
      now = value
      try {
        return call()
      } finally {
        now = before
      }
    },
    current: () => now,
    enter() {},
    leave() {},
  }
}
