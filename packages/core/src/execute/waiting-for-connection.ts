// Waiting for a connection of the pool, which may be exhausted, or connecting to a server that does not answer.

import { clientGone } from '../errors.ts'
import { type Bounds, timeLeft } from './bounds.ts'
import { beginWaiting, endWaiting, ticksIn, type Waiting } from './shared-timer.ts'

export class WaitingForConnection implements Waiting {
  readonly #bounds: Bounds
  readonly #leave: (error: Error) => void
  readonly #until: number
  #ticks = 0
  #isOver = false

  /** `leave` is told when nobody need wait any more. */
  constructor(bounds: Bounds, leave: (error: Error) => void) {
    this.#bounds = bounds
    this.#leave = leave
    this.#until = ticksIn(timeLeft(bounds))
    beginWaiting(this)
  }

  /** There is one, or none can be had; false where nobody waited for it any more. */
  end(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    endWaiting(this)
    return true
  }

  tick(): void {
    this.#ticks += 1
    if (this.#bounds.client?.signal?.aborted === true) this.#end(clientGone())
    else if (this.#ticks >= this.#until) this.#end(noConnection(this.#bounds))
  }

  #end(error: Error): void {
    if (this.end()) this.#leave(error)
  }
}

/** As pools report it: nothing was sent, so nothing can have happened. */
const noConnection = ({ deadline }: Bounds): Error =>
  Object.assign(new Error(`No database connection became free within ${deadline} ms.`), {
    code: 'ETIMEDOUT',
  })
