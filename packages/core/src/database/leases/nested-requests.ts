// NestedRequests: the requests that the hooks of one request make on its connection.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { beforeStatements } from '../statements/kysely-methods.ts'

/** Requests on one connection: one runs after the other, because each may roll back to its own savepoint, and none when `end` was called. */
export class NestedRequests {
  /** The requests, one inside another, whose hooks make these. */
  readonly trail: readonly string[]
  #last: Promise<unknown> = Promise.resolve()
  #isOver = false

  constructor(trail: readonly string[]) {
    this.trail = trail
  }

  /** Runs a request when the earlier ones are answered, with a connection of its own: those of its hooks must not wait for it. */
  inTurn<T>(
    db: AnyDatabase,
    trail: readonly string[],
    run: (own: AnyDatabase) => Promise<T>,
  ): Promise<T> {
    const turn = this.#last.then(async () => {
      const own = beforeStatements(db, async () => this.#checkOpen())
      const nested = nestOn(own, trail)
      try {
        const answer = await run(own)
        await nested.settled()
        return answer
      } finally {
        nested.end()
      }
    })
    this.#last = turn.catch(() => {})
    return turn
  }

  /** Resolves when all are answered. */
  async settled(): Promise<void> {
    let last: Promise<unknown> | undefined
    while (last !== this.#last) {
      last = this.#last
      await last
    }
  }

  /** Lets all further statements of these requests fail, because the request that they belong to has ended. */
  end(): void {
    this.#isOver = true
  }

  #checkOpen(): void {
    if (this.#isOver) throw new Error(ended)
  }
}

const ended =
  'The request whose hook made this request has ended. Await the calls of args.as in the hook.'

const known = new WeakMap<AnyDatabase, NestedRequests>()

/** Returns the requests that hooks make on the connection that they receive, or the host on a transaction of its own. */
export const nestedOn = (db: AnyDatabase): NestedRequests => known.get(db) ?? nestOn(db, [])

/** Says that hooks receive a connection, of a request with this trail. */
export function nestOn(db: AnyDatabase, trail: readonly string[]): NestedRequests {
  const nested = new NestedRequests(trail)
  known.set(db, nested)
  return nested
}
