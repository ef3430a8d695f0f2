// interceptConnection: runs code of the service each time that an executor of Kysely provides its connection for statements.

import type { AnyDatabase, Executor } from '../../lib/sql/any-database.ts'

/** Called with the function that provides the connection; its result is what the executor's `provideConnection` returns. */
export type Intercept = <T>(provide: () => Promise<T>) => Promise<T>

/**
 * Changes the executor, and all executors that are later derived from it, because they have other plugins but the same connection.
 * Leaves executors in `changed` as they are.
 */
export function interceptConnection(
  executor: Executor,
  intercept: Intercept,
  changed: WeakSet<Executor> = new WeakSet(),
): void {
  if (changed.has(executor)) return
  changed.add(executor)
  const own = executor.provideConnection.bind(executor)
  // The functions are created before they are assigned, for the reason given in `ConnectionBounds`.
  const provideConnection: Executor['provideConnection'] = (consumer, ...options) =>
    intercept(() => own(consumer, ...options))
  executor.provideConnection = provideConnection
  for (const name of derivations) {
    const derive = executor[name].bind(executor) as (...given: unknown[]) => Executor
    const intercepted = (...given: unknown[]): Executor => {
      const derived = derive(...given)
      interceptConnection(derived, intercept, changed)
      return derived
    }
    executor[name] = intercepted as never
  }
}

const derivations = ['withPlugins', 'withPlugin', 'withPluginAtFront', 'withoutPlugins'] as const

/** A plugin that changes nothing. An instance derived with it has a separate executor. */
const noPlugin: Parameters<AnyDatabase['withPlugin']>[0] = {
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => result,
}

/** An instance of the same connection that calls `before` ahead of each of its statements; `db` itself is not changed. */
export function beforeStatements(db: AnyDatabase, before: () => Promise<void>): AnyDatabase {
  const derived = db.withPlugin(noPlugin)
  interceptConnection(derived.getExecutor(), async (provide) => {
    await before()
    return provide()
  })
  return derived
}
