// ConnectionBounds: gives every statement of a connection a deadline while the connection is in use.

import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { Bounds } from '../statements/bounds.ts'
import { isCommit, isRollback } from '../statements/transaction-statements.ts'
import { type StatementTarget, WatchedStatement } from '../statements/watched-statement.ts'

const boundedConnections = new WeakSet<DatabaseConnection>()

/** Whether a ConnectionBounds is active on the connection. */
export const isBounded = (connection: DatabaseConnection): boolean =>
  boundedConnections.has(connection)

type Execute = DatabaseConnection['executeQuery']

/** Replaces `executeQuery` of the connection until `end` is called. Kysely replaces the same method for logging. */
export class ConnectionBounds {
  readonly #target: StatementTarget
  readonly #onTimeout: ((error: Error) => void) | undefined
  readonly #own: Execute
  readonly #bounded: Execute
  #running = 0
  #failure: Error | undefined
  readonly #whenSettled: (() => void)[] = []

  /** `onTimeout` is called when a statement exceeds its deadline or its client disconnects. */
  constructor(target: StatementTarget, onTimeout?: (error: Error) => void) {
    const { connection } = target
    this.#target = target
    this.#onTimeout = onTimeout
    this.#own = connection.executeQuery
    // V8 allocates a function expression that is assigned directly to a property in its old generation. Everything the function refers
    // to, here the rows of the request, would then stay in memory until the next full garbage collection.
    const bounded: Execute = (compiled, options) => this.#execute(compiled, options)
    this.#bounded = bounded
    connection.executeQuery = bounded
    boundedConnections.add(connection)
  }

  /** Waits for statements that were rejected but still run, unless the connection was closed, and restores the method. */
  async end(): Promise<void> {
    if (this.#running > 0) await this.#allSettled()
    const { connection } = this.#target
    boundedConnections.delete(connection)
    // Closing the connection may have replaced the method, too.
    if (connection.executeQuery === this.#bounded) connection.executeQuery = this.#own
  }

  #execute<R>(compiled: CompiledQuery, options?: object): Promise<QueryResult<R>> {
    if (this.#failure === undefined) return this.#send(compiled, options)
    // After a rejected statement the transaction must not continue or commit.
    if (!isRollback(compiled)) return Promise.reject(this.#failure)
    // Kysely cancels the last statement sent, so the rejected statement must end before ROLLBACK is sent.
    return this.#running === 0
      ? this.#send(compiled, options)
      : this.#allSettled().then(() => this.#send(compiled, options))
  }

  #allSettled(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenSettled.push(resolve)
    })
  }

  #send<R>(compiled: CompiledQuery, options?: object): Promise<QueryResult<R>> {
    return new Promise((resolve, reject) => {
      let isOver = false
      const end = (): void => {
        if (isOver) return
        isOver = true
        this.#running -= 1
        if (this.#running === 0) for (const resolve of this.#whenSettled.splice(0)) resolve()
      }
      const running = new WatchedStatement(this.#targetFor(compiled), compiled.sql, {
        reject: (error) => {
          this.#failure = error
          reject(error)
          this.#onTimeout?.(error)
        },
        closed: (error) => {
          this.#failure = error
          reject(error)
          end()
        },
      })
      this.#running += 1
      this.#own.call(this.#target.connection, compiled, options).then(
        (result) => {
          running.end()
          resolve(result as QueryResult<R>)
          end()
        },
        (error: unknown) => {
          running.end()
          reject(error)
          end()
        },
      )
    })
  }

  /** COMMIT and ROLLBACK are not canceled when the client disconnects: the outcome of a canceled COMMIT would be unknown. */
  #targetFor(compiled: CompiledQuery): StatementTarget {
    if (!isCommit(compiled) && !isRollback(compiled)) return this.#target
    const { client: _, ...bounds }: Bounds = this.#target.bounds
    return { ...this.#target, bounds }
  }
}
