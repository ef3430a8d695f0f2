// Pools of one connection: a hook inside a transaction that requests a second connection would deadlock; it gets an error instead.

import { type CallHook, HookTimeout } from '../call-hook.ts'
import { hasOneConnection } from '../dialect/shared/one-connection.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { AnyDatabase } from '../sql/any-database.ts'
import { asyncContext } from './async-context.ts'

/** Milliseconds a hook has to finish after it requests a second connection; one that does not await the statement finishes in time. */
const graceMs = 20

/** A hook that is running inside a transaction. */
interface RunningHook {
  readonly name: string
  finished: boolean
  /** Resolves when the hook has finished. */
  readonly ended: Promise<void>
  /** Rejects the call of the hook, even if the hook catches the error. */
  fail(error: unknown): void
}

type Executor = ReturnType<AnyDatabase['getExecutor']>

const watched = new WeakSet<Executor>()
const context = asyncContext<RunningHook>()

/** Prevents hooks from waiting for the connection that their own transaction holds. */
export interface ConnectionGuard {
  /** Watches a Kysely instance, and the instances derived from it later. */
  watch(db: AnyDatabase): void
  /** The function that calls hooks which receive this connection. */
  callHookOn(db: AnyDatabase): CallHook
}

/**
 * If `db` has a single connection, a hook inside a transaction that requests it through another instance fails immediately,
 * with an error that says what to use instead.
 *
 * ```ts
 * add_callback: async (book, model, args) => {
 *   await db.selectFrom('books').execute() // rejects: the transaction of the request has the connection
 *   await args.db.selectFrom('books').execute() // uses the transaction's connection
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
    return hook === undefined || hook.finished
      ? provide(consumer, ...options)
      : failUnlessFinished(hook, () => provide(consumer, ...options))
  }
  // Instances with other plugins have executors of their own for the same connection.
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

/** Provides the connection if the hook finishes within 20 ms, since the transaction then goes on; otherwise makes the hook fail. */
async function failUnlessFinished<T>(hook: RunningHook, provide: () => Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const moment = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs)
  })
  await Promise.race([hook.ended, moment])
  clearTimeout(timer)
  if (hook.finished) return provide()
  const error = new HookTimeout(
    `The ${hook.name} requested a second connection while its transaction holds the only one, and would wait forever. Use the connection of the hook: args.db.`,
  )
  hook.fail(error)
  throw error
}

/** A `callHook` for hooks inside a transaction on a watched connection. */
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
    // Not awaited if the hook settled before; an unhandled rejection must not end the process.
    failed.catch(() => {})
    const hook: RunningHook = { name, finished: false, ended, fail }
    const leave = context.enter()
    const end = (): void => {
      hook.finished = true
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
