// guardConnection: for pools of one connection, such as SQLite's. A hook inside a transaction that uses the host's `db` instead of `args.db`
// would wait forever for a second connection, so it gets an error instead. `createApi` makes the guard; all hooks are called through it.

import { interceptConnection } from '../../database/statements/kysely-methods.ts'
import { hasOneConnection } from '../../dialect/shared/session/one-connection.ts'
import { asyncContext } from '../../lib/async-context.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { AnyDatabase, Executor } from '../../lib/sql/any-database.ts'
import { type CallHook, HookTimeout } from '../../model/hooks/call-hook.ts'

/**
 * Milliseconds that a hook has to finish after it requests a second connection. A hook that does not await the statement finishes
 * in time.
 */
const graceMs = 20

/** A promise and the functions that settle it. */
interface Deferred<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (error: unknown) => void
}

/** Returns a promise that its holder settles. */
function deferred<T>(): Deferred<T> {
  let resolve: Deferred<T>['resolve'] = () => {}
  let reject: Deferred<T>['reject'] = () => {}
  const promise = new Promise<T>((resolves, rejects) => {
    resolve = resolves
    reject = rejects
  })
  return { promise, resolve, reject }
}

/** A hook that is running inside a transaction. Most hooks are synchronous and need none of its promises. */
class RunningHook {
  readonly name: string
  finished = false
  #ended: Deferred<void> | undefined
  #failed: Deferred<never> | undefined

  constructor(name: string) {
    this.name = name
  }

  /** Resolves when the hook has finished. */
  get ended(): Promise<void> {
    this.#ended ??= deferred()
    if (this.finished) this.#ended.resolve()
    return this.#ended.promise
  }

  /** Rejects when the hook has failed. */
  get failed(): Promise<never> {
    return this.#failure.promise
  }

  end(): void {
    this.finished = true
    this.#ended?.resolve()
  }

  /** Rejects the call of the hook, even if the hook catches the error. */
  fail(error: unknown): void {
    this.#failure.reject(error)
  }

  get #failure(): Deferred<never> {
    if (this.#failed === undefined) {
      this.#failed = deferred<never>()
      // Nothing awaits this promise if the hook has already settled. Without a handler, its rejection would end the process.
      this.#failed.promise.catch(() => {})
    }
    return this.#failed
  }
}

/** The executors whose connections are watched already: a second watch would call the guard twice. */
const watched = new WeakSet<Executor>()
/** The hook inside which code runs. */
const context = asyncContext<RunningHook>()

/** Prevents hooks from waiting for the connection that their own transaction holds. */
export interface ConnectionGuard {
  /** Watches a Kysely instance, and the instances derived from it later. */
  watch(db: AnyDatabase): void
  /** Returns the function that calls the hooks that receive this connection. */
  callHookOn(db: AnyDatabase): CallHook
  /** Whether the current code runs in a hook inside a transaction, so that its statements fail if they request another connection. */
  isInsideHook(): boolean
}

/**
 * Creates the guard of `db`. If `db` has a single connection and a hook inside a transaction requests it through another instance,
 * the hook fails with an error that says what to use instead, unless the hook ends within `graceMs`.
 *
 * ```ts
 * add_callback: async (book, model, args) => {
 *   await db.selectFrom('books').execute() // rejects: the transaction of the request has the connection
 *   await args.db.selectFrom('books').execute() // uses the transaction's connection
 * }
 * ```
 */
export function guardConnection(db: AnyDatabase, callHook: CallHook): ConnectionGuard {
  if (!hasOneConnection(db)) {
    return { watch: () => {}, callHookOn: () => callHook, isInsideHook: () => false }
  }
  const callInside = insideTransaction(callHook)
  const watch = (own: AnyDatabase): void => {
    if (!own.isTransaction) interceptConnection(own.getExecutor(), provideToHook, watched)
  }
  watch(db)
  return {
    watch,
    callHookOn: (own) => (own.isTransaction ? callInside : callHook),
    isInsideHook: () => context.current() !== undefined,
  }
}

/** Provides the connection, unless a hook inside a transaction requests it. */
function provideToHook<T>(provide: () => Promise<T>): Promise<T> {
  const hook = context.current()
  return hook === undefined || hook.finished ? provide() : failUnlessFinished(hook, provide)
}

/** Provides the connection if the hook finishes within `graceMs`, because the transaction then continues; otherwise makes the hook fail. */
async function failUnlessFinished<T>(hook: RunningHook, provide: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const grace = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs)
  })
  await Promise.race([hook.ended, grace])
  clearTimeout(timer)
  if (hook.finished) return provide()
  // A HookTimeout, because without the guard the hook would wait until that error: always 500, as it is a mistake of the host.
  const error = new HookTimeout(
    `The ${hook.name} requested a second connection while its transaction holds the only one, and would wait forever. Use the connection of the hook: args.db.`,
  )
  hook.fail(error)
  throw error
}

/** Returns a `callHook` for hooks inside a transaction on a watched connection. */
const insideTransaction =
  (callHook: CallHook): CallHook =>
  <T>(name: string, call: () => T | PromiseLike<T>): MaybePromise<T> => {
    const hook = new RunningHook(name)
    // Between `enter` and `leave` (in `endHook`), `context.current()` also returns the hook after an `await` in it.
    context.enter()
    let result: MaybePromise<T>
    try {
      result = callHook(name, () => context.run(hook, call))
    } catch (error) {
      endHook(hook)
      throw error
    }
    if (!(result instanceof Promise)) {
      endHook(hook)
      return result
    }
    return Promise.race([result, hook.failed]).finally(() => endHook(hook))
  }

function endHook(hook: RunningHook): void {
  hook.end()
  context.leave()
}
