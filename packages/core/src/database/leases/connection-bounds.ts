// ConnectionBounds: gives every statement of a connection a deadline while a lease holds the connection, also those of hooks and the
// BEGIN, COMMIT and ROLLBACK that Kysely sends.

import type { CompiledQuery, QueryResult } from 'kysely'
import type { Bounds } from '../statements/bounds.ts'
import { noteFailure } from '../statements/failed-statements.ts'
import type { EndedTransaction, Execute } from '../statements/kysely-methods.ts'
import {
  isBegin,
  isCommit,
  isRollback,
  isWholeRollback,
} from '../statements/transaction-statements.ts'
import { type StatementTarget, WatchedStatement } from '../statements/watched-statement.ts'

/** The sender that `interceptStatements` puts in front of a connection. */
export class ConnectionBounds {
  readonly #target: StatementTarget
  readonly #sendDirectly: Execute
  readonly #onTimeout: ((error: Error) => void) | undefined
  #running = 0
  /** The error of a statement that was rejected before it ended; all later ones but ROLLBACK reject with it. */
  #failure: Error | undefined
  #isInTransaction: boolean
  /**
   * The error with which the database has ended the transaction, such as that of a deadlock; all later statements but ROLLBACK reject with
   * it.
   */
  #ended: EndedTransaction | undefined
  readonly #whenSettled: (() => void)[] = []

  /**
   * `sendDirectly` is the driver's own `executeQuery`. `onTimeout` is called when a statement exceeds its deadline or its client
   * disconnects.
   */
  constructor(target: StatementTarget, sendDirectly: Execute, onTimeout?: (error: Error) => void) {
    this.#target = target
    this.#sendDirectly = sendDirectly
    this.#onTimeout = onTimeout
    this.#isInTransaction = target.db.isTransaction
  }

  /** Sends a statement within the bounds. */
  readonly execute: Execute = <R>(
    compiled: CompiledQuery,
    options?: object,
  ): Promise<QueryResult<R>> => {
    if (this.#ended !== undefined && !isWholeRollback(compiled)) {
      return Promise.reject(this.#ended.error)
    }
    if (this.#failure === undefined) return this.#send(compiled, options)
    // After a rejected statement the transaction must not continue or commit.
    if (!isRollback(compiled)) return Promise.reject(this.#failure)
    // Kysely cancels the last statement sent, so the rejected statement must end before ROLLBACK is sent.
    return this.#running === 0
      ? this.#send(compiled, options)
      : this.#allSettled().then(() => this.#send(compiled, options))
  }

  /** The error with which the database has ended a transaction of the host, whose code may send more statements after `release`. */
  readonly endedTransaction = (): EndedTransaction | undefined =>
    this.#target.db.isTransaction ? this.#ended : undefined

  /** Resolves when statements that were rejected have ended, or the connection was closed; undefined if none runs. */
  settled(): Promise<void> | undefined {
    return this.#running > 0 ? this.#allSettled() : undefined
  }

  #allSettled(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenSettled.push(resolve)
    })
  }

  #send<R>(compiled: CompiledQuery, options?: object): Promise<QueryResult<R>> {
    return new Promise((resolve, reject) => {
      // Once closed, the connection does not wait for the statement, which may still settle later.
      let isOver = false
      const end = (): void => {
        if (isOver) return
        isOver = true
        this.#running -= 1
        if (this.#running === 0) for (const settle of this.#whenSettled.splice(0)) settle()
      }
      const running = new WatchedStatement(this.#targetFor(compiled), compiled.sql, {
        reject: (error) => {
          this.#failure = error
          this.#note(error)
          reject(error)
          this.#onTimeout?.(error)
        },
        closed: (error) => {
          this.#failure = error
          this.#note(error)
          reject(error)
          end()
        },
      })
      this.#running += 1
      this.#sendDirectly<R>(compiled, options).then(
        (result) => {
          running.end()
          if (isBegin(compiled)) this.#isInTransaction = true
          resolve(result)
          end()
        },
        (error: unknown) => {
          running.end()
          this.#note(error)
          reject(error)
          end()
        },
      )
    })
  }

  #note(error: unknown): void {
    const failure = this.#target.dialect.classify(error)
    noteFailure(error, failure)
    // Otherwise code that catches the error would go on outside of the transaction.
    if (this.#isInTransaction && failure.ended === true) this.#ended ??= { error }
  }

  /** COMMIT and ROLLBACK are not cancelled when the client disconnects: the outcome of a cancelled COMMIT would be unknown. */
  #targetFor(compiled: CompiledQuery): StatementTarget {
    if (!isCommit(compiled) && !isRollback(compiled)) return this.#target
    const { client: _, ...bounds }: Bounds = this.#target.bounds
    return { ...this.#target, bounds }
  }
}
