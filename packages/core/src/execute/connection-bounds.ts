// Bounds every statement of a connection for as long as it is in use.

import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { Bounds } from './bounds.ts'
import { isCommit, isRollback } from './transaction-statements.ts'
import { type Place, WatchedStatement } from './watched-statement.ts'

const guarded = new WeakSet<DatabaseConnection>()

/** Whether the statements of a connection are bounded at this moment. */
export const isBounded = (connection: DatabaseConnection): boolean => guarded.has(connection)

type Execute = DatabaseConnection['executeQuery']

/** Replaces a method of the connection until it ends; Kysely itself replaces the same one, to log. */
export class ConnectionBounds {
  readonly #place: Place
  readonly #giveUp: ((error: Error) => void) | undefined
  readonly #own: Execute
  readonly #bounded: Execute
  #underWay = 0
  #lost: Error | undefined
  readonly #whenSettled: (() => void)[] = []

  /** `giveUp` is told when a statement is given up. */
  constructor(place: Place, giveUp?: (error: Error) => void) {
    const { connection } = place
    this.#place = place
    this.#giveUp = giveUp
    this.#own = connection.executeQuery
    this.#bounded = (compiled, options) => this.#execute(compiled, options)
    connection.executeQuery = this.#bounded
    guarded.add(connection)
  }

  /** Waits for the statements that were given up, unless the connection was closed. */
  async end(): Promise<void> {
    if (this.#underWay > 0) await this.#allSettled()
    const { connection } = this.#place
    guarded.delete(connection)
    // A connection that was closed answers for itself.
    if (connection.executeQuery === this.#bounded) connection.executeQuery = this.#own
  }

  #execute<R>(compiled: CompiledQuery, options?: object): Promise<QueryResult<R>> {
    if (this.#lost === undefined) return this.#send(compiled, options)
    // Nothing may be sent or committed after a statement that was given up.
    if (!isRollback(compiled)) return Promise.reject(this.#lost)
    // Kysely calls off the last statement that was sent, so the one that was given up has to end first.
    return this.#underWay === 0
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
        this.#underWay -= 1
        if (this.#underWay === 0) for (const tell of this.#whenSettled.splice(0)) tell()
      }
      const running = new WatchedStatement(this.#placeOf(compiled), compiled.sql, {
        leave: (error) => {
          this.#lost = error
          reject(error)
          this.#giveUp?.(error)
        },
        free: (error) => {
          this.#lost = error
          reject(error)
          end()
        },
      })
      this.#underWay += 1
      this.#own.call(this.#place.connection, compiled, options).then(
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

  /** Whoever goes away calls off no COMMIT, whose outcome would be unknown, and no ROLLBACK. */
  #placeOf(compiled: CompiledQuery): Place {
    if (!isCommit(compiled) && !isRollback(compiled)) return this.#place
    const { client: _, ...bounds }: Bounds = this.#place.bounds
    return { ...this.#place, bounds }
  }
}
