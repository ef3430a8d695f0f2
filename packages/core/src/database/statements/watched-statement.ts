// WatchedStatement: cancels a running statement when its client disconnects, and closes its connection at the deadline.

import type { CompiledQuery, DatabaseConnection } from 'kysely'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import type { Interrupted } from '../../dialect/shared/session/interruption.ts'
import { asksForArrays, withoutArrayMark } from '../../dialect/shared/values/array-rows.ts'
import { clientGone } from '../../errors.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { type Bounds, timeLeft } from './bounds.ts'
import { answerStatements, instanceOn } from './kysely-methods.ts'
import { beginWaiting, endWaiting, ticksIn, type Waiting } from './shared-timer.ts'

/** The connection that a statement runs on, and its bounds. */
export interface StatementTarget {
  /** The instance that the connection belongs to. */
  readonly db: AnyDatabase
  readonly dialect: InternalDialect
  readonly connection: DatabaseConnection
  readonly bounds: Bounds
  /** Sends a statement over another connection, to cancel the one that runs. */
  readonly send: (statement: CompiledQuery) => Promise<readonly unknown[]>
}

/** The callbacks for a statement that is cancelled or exceeds its deadline. */
export interface OnInterrupted {
  /** The caller can stop waiting; the statement may still run. */
  reject(error: Error): void
  /** The connection was closed, so the statement may never settle, and the connection can be released. */
  closed(error: Error): void
}

/** Ticks of the shared timer, one every 100 ms, after which the signal of the client is read. */
const readSignalAt = 2
/** Milliseconds before the deadline at which the statement is cancelled, for servers without a time limit of their own. */
const beforeDeadline = 500
/** Ticks from the disconnect of the client until the connection is closed, if the statement has not ended. */
const cancelTime = ticksIn(1_000)

/** A statement that runs; it is watched from its construction until `end` is called. */
export class WatchedStatement implements Waiting {
  readonly #target: StatementTarget
  readonly #sql: string
  readonly #onInterrupted: OnInterrupted
  /** The tick at which the server is asked to cancel the statement. */
  readonly #cancelAt: number
  /** The tick at which the connection is closed; earlier if the client disconnects. */
  #closeAt: number
  #ticks = 0
  /** Why the statement is cancelled; undefined until then. */
  #error: Error | undefined
  #signal: AbortSignal | undefined

  constructor(target: StatementTarget, sql: string, onInterrupted: OnInterrupted) {
    const time = timeLeft(target.bounds)
    this.#target = target
    this.#sql = sql
    this.#onInterrupted = onInterrupted
    this.#cancelAt = ticksIn(time - beforeDeadline)
    this.#closeAt = Math.max(ticksIn(time), 1)
    beginWaiting(this)
  }

  /** Call when the statement has settled. */
  end(): void {
    endWaiting(this)
    this.#signal?.removeEventListener('abort', this.#clientLeft)
  }

  tick(): void {
    this.#ticks += 1
    if (this.#ticks === readSignalAt) this.#listen()
    if (this.#ticks === this.#cancelAt) this.#cancel(noAnswer(this.#target.bounds))
    if (this.#ticks === this.#closeAt) this.#close()
  }

  #listen(): void {
    const signal = this.#target.bounds.client?.signal
    if (signal === undefined) return
    this.#signal = signal
    if (signal.aborted) this.#clientLeft()
    else signal.addEventListener('abort', this.#clientLeft)
  }

  readonly #clientLeft = (): void => {
    const error = clientGone()
    this.#onInterrupted.reject(error)
    this.#closeAt = Math.min(this.#closeAt, this.#ticks + cancelTime)
    this.#cancel(error)
  }

  #cancel(error: Error): void {
    // Already cancelled.
    if (this.#error !== undefined) return
    this.#error = error
    this.#interrupt('cancel', error)
  }

  #close(): void {
    const error = this.#error ?? noAnswer(this.#target.bounds)
    this.#onInterrupted.reject(error)
    this.#interrupt('close', error)
  }

  #interrupt(how: 'cancel' | 'close', error: Error): void {
    this.#target.dialect.server?.interruption?.[how](this.#interrupted(error)).then(
      (isClosed) => {
        if (!isClosed) return
        this.end()
        this.#onInterrupted.closed(error)
      },
      // The caller is rejected anyway, and the connection remains occupied until the statement ends.
      () => {},
    )
  }

  #interrupted(error: Error): Interrupted {
    const { db, dialect, connection, send } = this.#target
    // As the server has it: without the mark that asks a wrapped driver for rows as arrays.
    const sql = asksForArrays(this.#sql) ? withoutArrayMark(this.#sql) : this.#sql
    return {
      db,
      connection,
      sql,
      // Only wrapped drivers return rows as arrays.
      isWrapped: dialect.shortcuts?.arrayRows === true,
      error,
      answerBy: (answer) => answerStatements(connection, answer),
      instance: () => instanceOn(db, connection),
      send,
    }
  }
}

/** The error code of a lost connection, so that it becomes 503. */
const noAnswer = ({ deadline }: Bounds): Error =>
  Object.assign(new Error(`The database gave no answer within ${deadline} ms.`), {
    code: 'ETIMEDOUT',
  })
