// For pools of several connections: warns of a before-commit callback whose statements are not part of the transaction.

import { interceptConnection } from '../../database/statements/kysely-methods.ts'
import { hasOneConnection } from '../../dialect/shared/session/one-connection.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { AnyDatabase, Executor } from '../../lib/sql/any-database.ts'
import type { CallHook } from '../../model/hooks/call-hook.ts'
import { settingNames } from '../../model/settings/setting-names.ts'
import { asyncContext } from './async-context.ts'

/** A before-commit callback that is running. */
interface RunningCallback {
  isOver: boolean
  /** Called when the callback takes another connection than that of its transaction. */
  readonly notice: () => void
}

const watched = new WeakSet<Executor>()
const context = asyncContext<RunningCallback>()

/** Notices statements of before-commit callbacks that another connection than `args.db` sends. */
export interface OutsideStatements {
  /** Watches a Kysely instance, and the instances derived from it later. */
  watch(db: AnyDatabase): void
  /** Returns a `callHook` for before-commit callbacks that receive this connection. */
  noticing(callHook: CallHook, db: AnyDatabase): CallHook
}

const nothing: OutsideStatements = { watch: () => {}, noticing: (callHook) => callHook }

/**
 * Watches `db` if before-commit callbacks are configured. A pool of one connection needs no warning, because such a callback fails
 * there (`guardConnection`). Without AsyncLocalStorage, nobody knows which code a statement comes from.
 *
 * ```ts
 * before_commit_callback: async (changes, args) => {
 *   await db.insertInto('audit').values(rows).execute() // warns: the rows stay if the request is rolled back
 *   await args.db.insertInto('audit').values(rows).execute() // in the transaction
 * }
 * ```
 */
export function watchOutsideStatements(
  db: AnyDatabase,
  isNeeded: boolean,
  warn: (message: string) => void,
): OutsideStatements {
  if (!isNeeded || !context.crossesAwaits || hasOneConnection(db)) return nothing
  let hasWarned = false
  const notice = (): void => {
    if (hasWarned) return
    hasWarned = true
    warn(
      `The before-commit callback (${settingNames.beforeCommitCallback}) sent a statement through another connection than args.db. It is not part of the transaction: what it writes stays stored if the request is rolled back. Use args.db.`,
    )
  }
  const watch = (own: AnyDatabase): void => {
    if (!own.isTransaction) interceptConnection(own.getExecutor(), noticed, watched)
  }
  watch(db)
  return {
    watch,
    // Without a transaction, args.db is the instance itself.
    noticing: (callHook, own) => (own.isTransaction ? around(callHook, notice) : callHook),
  }
}

function noticed<T>(provide: () => Promise<T>): Promise<T> {
  const running = context.current()
  if (running !== undefined && !running.isOver) running.notice()
  return provide()
}

const around =
  (callHook: CallHook, notice: () => void): CallHook =>
  <T>(name: string, call: () => T | PromiseLike<T>): MaybePromise<T> => {
    const running: RunningCallback = { isOver: false, notice }
    const end = (): void => {
      running.isOver = true
      context.leave()
    }
    context.enter()
    let result: MaybePromise<T>
    try {
      result = callHook(name, () => context.run(running, call))
    } catch (error) {
      end()
      throw error
    }
    if (result instanceof Promise) return result.finally(end)
    end()
    return result
  }
