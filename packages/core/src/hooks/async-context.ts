// Async context: a value that a function and everything it waits for can see, where the runtime has AsyncLocalStorage; nothing is imported.

export interface AsyncContext<T> {
  /** Calls a function with a value that `current` gives inside it. */
  run<R>(value: T, call: () => R): R
  /** The value of the innermost `run`; without AsyncLocalStorage only until the function first waits. */
  current(): T | undefined
  /** Must surround `run` with what it waits for; the returned function ends it. */
  enter(): () => void
}

/** What is used of AsyncLocalStorage of Node, as Bun and Deno have it too. */
interface Storage<T> {
  run<R>(value: T, call: () => R): R
  getStore(): T | undefined
  disable(): void
}

interface AsyncHooks {
  readonly AsyncLocalStorage: new <T>() => Storage<T>
}

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
    // Most statements are sent while nobody has entered.
    current: () => (entered === 0 ? undefined : storage.getStore()),
    enter() {
      entered += 1
      return () => {
        entered -= 1
        // While it is enabled, every promise of the process costs more on older versions of Node.
        if (entered === 0) storage.disable()
      }
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
    enter: () => () => {},
  }
}
