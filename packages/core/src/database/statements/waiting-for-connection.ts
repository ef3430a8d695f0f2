// WaitingForConnection: a deadline for getting a connection, since the pool may be exhausted or the server not respond. A
// `WatchedStatement` follows it, for the statement itself.

import { clientGone } from '../../errors.ts'
import { type Bounds, timeLeft } from './bounds.ts'
import { beginWaiting, endWaiting, ticksIn, type Waiting } from './shared-timer.ts'

/** A wait that begins with its construction and ends when `end` is called, once there is a connection, or with `reject`. */
export class WaitingForConnection implements Waiting {
  readonly #bounds: Bounds
  readonly #reject: (error: Error) => void
  /** The number of ticks until the deadline. */
  readonly #most: number
  #ticks = 0
  #isOver = false

  /** `reject` is called at the deadline, or when the client disconnects. */
  constructor(bounds: Bounds, reject: (error: Error) => void) {
    this.#bounds = bounds
    this.#reject = reject
    this.#most = ticksIn(timeLeft(bounds))
    beginWaiting(this)
  }

  /** Ends the wait; false if it had ended before. */
  end(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    endWaiting(this)
    return true
  }

  tick(): void {
    this.#ticks += 1
    if (this.#bounds.client?.signal?.aborted === true) this.#rejectWith(clientGone())
    else if (this.#ticks >= this.#most) this.#rejectWith(noConnection(this.#bounds))
  }

  #rejectWith(error: Error): void {
    if (this.end()) this.#reject(error)
  }
}

/** The error code that pools use for this timeout. No statement was sent, so nothing was written. */
const noConnection = ({ deadline }: Bounds): Error =>
  Object.assign(new Error(`No database connection became free within ${deadline} ms.`), {
    code: 'ETIMEDOUT',
  })
