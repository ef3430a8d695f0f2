// A statement under way: called off when its client goes away, and given up at its deadline with its connection closed.

import type { CompiledQuery, DatabaseConnection } from 'kysely'
import type { InternalDialect } from '../dialect/internal-dialect.ts'
import { asksForArrays, withoutMark } from '../dialect/shared/array-rows.ts'
import type { Interrupted } from '../dialect/shared/interruption.ts'
import { clientGone } from '../errors.ts'
import type { AnyDatabase } from '../sql/any-database.ts'
import { type Bounds, timeLeft } from './bounds.ts'
import { beginWaiting, endWaiting, ticksIn, type Waiting } from './shared-timer.ts'

/** Where a statement runs. */
export interface Place {
  /** The instance that the connection belongs to. */
  readonly db: AnyDatabase
  readonly dialect: InternalDialect
  readonly connection: DatabaseConnection
  readonly bounds: Bounds
  /** Sends a statement over another connection. */
  readonly send: (statement: CompiledQuery) => Promise<readonly unknown[]>
}

/** What becomes of a statement that is called off or given up. */
export interface GivenUp {
  /** Nobody need wait for it any more. */
  leave(error: Error): void
  /** Its connection is closed: it will never settle by itself, and the connection can be released. */
  free(error: Error): void
}

/** A client is only asked about once its statement has run for so long, 100 to 200 ms. */
const longRunning = 2
/** The server is asked to end a statement so long before the deadline, in case it has no time limit of its own. */
const beforeDeadline = 500
/** How long it may take the server to end a statement whose client is gone. */
const grace = ticksIn(1_000)

export class WatchedStatement implements Waiting {
  readonly #place: Place
  readonly #sql: string
  readonly #givenUp: GivenUp
  readonly #cancelAt: number
  #closeAt: number
  #ticks = 0
  #error: Error | undefined
  #signal: AbortSignal | undefined

  constructor(place: Place, sql: string, givenUp: GivenUp) {
    const time = timeLeft(place.bounds)
    this.#place = place
    this.#sql = sql
    this.#givenUp = givenUp
    this.#cancelAt = ticksIn(time - beforeDeadline)
    this.#closeAt = Math.max(ticksIn(time), 1)
    beginWaiting(this)
  }

  /** It has settled. */
  end(): void {
    endWaiting(this)
    this.#signal?.removeEventListener('abort', this.#callOff)
  }

  tick(): void {
    this.#ticks += 1
    if (this.#ticks === longRunning) this.#listen()
    if (this.#ticks === this.#cancelAt) this.#cancel(noAnswer(this.#place.bounds))
    if (this.#ticks === this.#closeAt) this.#close()
  }

  #listen(): void {
    const signal = this.#place.bounds.client?.signal
    if (signal === undefined) return
    this.#signal = signal
    if (signal.aborted) this.#callOff()
    else signal.addEventListener('abort', this.#callOff)
  }

  readonly #callOff = (): void => {
    const error = clientGone()
    this.#givenUp.leave(error)
    this.#closeAt = Math.min(this.#closeAt, this.#ticks + grace)
    this.#cancel(error)
  }

  #cancel(error: Error): void {
    // Once is enough.
    if (this.#error !== undefined) return
    this.#error = error
    this.#interrupt('cancel', error)
  }

  #close(): void {
    const error = this.#error ?? noAnswer(this.#place.bounds)
    this.#givenUp.leave(error)
    this.#interrupt('close', error)
  }

  #interrupt(how: 'cancel' | 'close', error: Error): void {
    this.#place.dialect.server?.interruption?.[how](this.#interrupted(error)).then(
      (isClosed) => {
        if (!isClosed) return
        this.end()
        this.#givenUp.free(error)
      },
      () => {},
    )
  }

  #interrupted(error: Error): Interrupted {
    const { db, dialect, connection, send } = this.#place
    const sql = asksForArrays(this.#sql) ? withoutMark(this.#sql) : this.#sql
    return { db, connection, sql, isWrapped: dialect.shortcuts?.arrayRows === true, error, send }
  }
}

/** As drivers report a connection that went silent, so that it is answered as a database that is away. */
export const noAnswer = ({ deadline }: Bounds): Error =>
  Object.assign(new Error(`The database gave no answer within ${deadline} ms.`), {
    code: 'ETIMEDOUT',
  })
