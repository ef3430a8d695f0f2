// The only file that replaces methods of Kysely's objects. The service sends its own statements by a lease, but hooks send theirs by a
// Kysely instance (`args.db`), and Kysely itself sends BEGIN, COMMIT and ROLLBACK: here they get the bounds of the lease
// (interceptStatements). `beforeStatements` and `interceptConnection` see statements of hooks before they are sent, `answerStatements` and
// `instanceOn` serve dialects that cancel a statement.

import type { DatabaseConnection } from 'kysely'
import type { AnyDatabase, Executor } from '../../lib/sql/any-database.ts'
import { isWholeRollback } from './transaction-statements.ts'

/** Sends a statement on a connection. */
export type Execute = DatabaseConnection['executeQuery']

/** The connections whose statements pass through a lease. */
const intercepted = new WeakSet<DatabaseConnection>()

/** Whether all statements on the connection pass through a lease, which bounds them. */
export const isIntercepted = (connection: DatabaseConnection): boolean =>
  intercepted.has(connection)

/** The error with which the database has rolled back a whole transaction by itself. */
export interface EndedTransaction {
  readonly error: unknown
}

/** What sends all statements on a connection. */
interface Sender {
  readonly execute: Execute
  /** Returns the error if the database has ended a transaction of the host, whose code may send more statements after `release`. */
  readonly endedTransaction?: () => EndedTransaction | undefined
}

/** A connection whose statements `sender` sends until `release` is called. */
export interface InterceptedStatements<S> {
  readonly sender: S
  release(): void
}

/**
 * Sends all further statements on the connection by the sender that `makeSender` returns; it gets the driver's `executeQuery` as
 * `sendDirectly`. Changes and returns nothing if another request has intercepted them: two may share a transaction of the host.
 */
export function interceptStatements<S extends Sender>(
  connection: DatabaseConnection,
  makeSender: (sendDirectly: Execute) => S,
): InterceptedStatements<S> | undefined {
  if (intercepted.has(connection)) return undefined
  intercepted.add(connection)
  const replaced = connection.executeQuery
  const sendDirectly: Execute = (compiled, options) =>
    replaced.call(connection, compiled, options) as never
  const sender = makeSender(sendDirectly)
  // Kysely replaces the same method for its log, which may still call this function after `release`.
  let isOver = false
  // V8 allocates a function expression that is assigned directly to a property in its old generation. Everything the function refers
  // to, here the rows of the request, would then stay in memory until the next full garbage collection.
  const executeQuery: Execute = (compiled, options) =>
    isOver ? sendDirectly(compiled, options) : sender.execute(compiled, options)
  connection.executeQuery = executeQuery
  return {
    sender,
    release() {
      isOver = true
      intercepted.delete(connection)
      // `answerStatements` may have replaced it, too.
      if (connection.executeQuery !== executeQuery) return
      connection.executeQuery = replaced
      const ended = sender.endedTransaction?.()
      if (ended !== undefined) refuseUntilRollback(connection, ended)
    },
  }
}

/** Refuses all statements until ROLLBACK: the database would store each of them at once, because it has ended the transaction. */
function refuseUntilRollback(connection: DatabaseConnection, { error }: EndedTransaction): void {
  const replaced = connection.executeQuery
  const refuse: Execute = (compiled, options) => {
    if (!isWholeRollback(compiled)) return Promise.reject(error)
    connection.executeQuery = replaced
    return replaced.call(connection, compiled, options) as never
  }
  connection.executeQuery = refuse
}

/** Answers all further statements on a connection by `answer` instead of sending them, once a connection was closed at a deadline. */
export function answerStatements(
  connection: DatabaseConnection,
  answer: () => Promise<never>,
): void {
  connection.executeQuery = answer
}

/** A new instance without plugins whose only connection is this one of `db`, which is otherwise reserved for the running statement. */
export function instanceOn(db: AnyDatabase, connection: DatabaseConnection): AnyDatabase {
  const instance = db.withoutPlugins()
  const provideConnection: Executor['provideConnection'] = (use) => use(connection)
  instance.getExecutor().provideConnection = provideConnection
  return instance
}

/** Called with the function that provides the connection; its result is what the executor's `provideConnection` returns. */
export type Intercept = <T>(provide: () => Promise<T>) => Promise<T>

/**
 * Runs `intercept` each time that the executor provides its connection for statements, and so do all executors that are later derived
 * from it, because they have other plugins but the same connection. Leaves executors in `changed` as they are.
 */
export function interceptConnection(
  executor: Executor,
  intercept: Intercept,
  changed: WeakSet<Executor> = new WeakSet(),
): void {
  if (changed.has(executor)) return
  changed.add(executor)
  const provideOriginal = executor.provideConnection.bind(executor)
  // The functions are created before they are assigned, for the reason given in `interceptStatements`.
  const provideConnection: Executor['provideConnection'] = (consumer, ...options) =>
    intercept(() => provideOriginal(consumer, ...options))
  executor.provideConnection = provideConnection
  for (const name of derivations) {
    const derive = executor[name].bind(executor) as (...args: unknown[]) => Executor
    const intercepted = (...args: unknown[]): Executor => {
      const derived = derive(...args)
      interceptConnection(derived, intercept, changed)
      origins.set(derived, origins.get(executor) ?? executor)
      return derived
    }
    executor[name] = intercepted as never
  }
}

/** The executor of `beforeStatements` that an executor was derived from. */
const origins = new WeakMap<Executor, Executor>()

/** Returns the executor that `beforeStatements` made, for the instance that it returned and for instances derived from that one. */
export function originOf(db: AnyDatabase): Executor {
  const executor = db.getExecutor()
  return origins.get(executor) ?? executor
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
  const executor = derived.getExecutor()
  origins.set(executor, executor)
  interceptConnection(executor, async (provide) => {
    await before()
    return provide()
  })
  return derived
}
