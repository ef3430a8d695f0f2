// Databases with one connection: a hook inside a transaction that asks another instance for it would wait for ever, and is told so instead.

import { type CallHook, StuckHook } from '../call-hook.ts'
import { hasOneConnection } from '../dialect/shared/one-connection.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { AnyDatabase } from '../sql/any-database.ts'
import { asyncContext } from './async-context.ts'

/** Milliseconds that a hook may go on after it asked: one that did not wait for its statement is over by then. */
const grace = 20

/** A hook that is running inside a transaction. */
interface RunningHook {
  readonly name: string
  over: boolean
  /** Settles when the hook is over. */
  readonly ended: Promise<void>
  /** Makes the hook fail, whatever it does with the error itself. */
  fail(error: unknown): void
}

type Executor = ReturnType<AnyDatabase['getExecutor']>

const watched = new WeakSet<Executor>()
const context = asyncContext<RunningHook>()

/** How hooks are kept from waiting for the connection that their own transaction holds. */
export interface ConnectionGuard {
  /** Watches an instance of the host's, and those that are made of it from now on. */
  watch(db: AnyDatabase): void
  /** How hooks that are given this connection are called. */
  callHookOn(db: AnyDatabase): CallHook
}

/**
 * Where all statements of `db` go over one connection, a hook inside a transaction that asks an instance for it fails at
 * once, by an error that says what to use instead.
 *
 * ```ts
 * add_callback: async (book, model, args) => {
 *   await db.selectFrom('books').execute() // rejects: the transaction of the request has the connection
 *   await args.db.selectFrom('books').execute() // goes over it
 * }
 * ```
 */
export function guardConnection(db: AnyDatabase, callHook: CallHook): ConnectionGuard {
  if (!hasOneConnection(db)) return { watch: () => {}, callHookOn: () => callHook }
  const callInside = insideTransaction(callHook)
  const watch = (own: AnyDatabase): void => {
    if (!own.isTransaction) watchExecutor(own.getExecutor())
  }
  watch(db)
  return { watch, callHookOn: (own) => (own.isTransaction ? callInside : callHook) }
}

function watchExecutor(executor: Executor): void {
  if (watched.has(executor)) return
  watched.add(executor)
  const provide = executor.provideConnection.bind(executor)
  executor.provideConnection = (consumer, ...options) => {
    const hook = context.current()
    return hook === undefined || hook.over
      ? provide(consumer, ...options)
      : refused(hook, () => provide(consumer, ...options))
  }
  // Instances with other plugins have executors of their own, before the same connection.
  for (const name of derivations) {
    const derive = executor[name].bind(executor) as (...given: unknown[]) => Executor
    executor[name] = ((...given: unknown[]) => {
      const derived = derive(...given)
      watchExecutor(derived)
      return derived
    }) as never
  }
}

const derivations = ['withPlugins', 'withPlugin', 'withPluginAtFront', 'withoutPlugins'] as const

/** Waits a moment for the hook to end: what it does not wait for is answered after the transaction. */
async function refused<T>(hook: RunningHook, provide: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const moment = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, grace)
  })
  await Promise.race([hook.ended, moment])
  clearTimeout(timer)
  if (hook.over) return provide()
  const error = new StuckHook(
    `The ${hook.name} asked for a second connection while its transaction holds the only one, and would wait for ever. Use the connection that it is given: args.db.`,
  )
  hook.fail(error)
  throw error
}

/** Calls hooks as `callHook` does, inside a transaction on a connection that is watched. */
const insideTransaction =
  (callHook: CallHook): CallHook =>
  <T>(name: string, call: () => T | PromiseLike<T>): MaybePromise<T> => {
    let ends = (): void => {}
    let fail = (_: unknown): void => {}
    const ended = new Promise<void>((resolve) => {
      ends = resolve
    })
    const failed = new Promise<never>((_, reject) => {
      fail = reject
    })
    // Nobody looks at it where the hook has settled before.
    failed.catch(() => {})
    const hook: RunningHook = { name, over: false, ended, fail }
    const leave = context.enter()
    const end = (): void => {
      hook.over = true
      ends()
      leave()
    }
    let result: MaybePromise<T>
    try {
      result = callHook(name, () => context.run(hook, call))
    } catch (error) {
      end()
      throw error
    }
    if (!(result instanceof Promise)) {
      end()
      return result
    }
    return Promise.race([result, failed]).finally(end)
  }
