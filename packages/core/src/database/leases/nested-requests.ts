// NestedRequests: the requests that code of the host makes on one transaction: its own, or that of the request whose hook it is.

import { type AsyncContext, asyncContext } from '../../lib/async-context.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import { beforeStatements, originOf } from '../statements/kysely-methods.ts'

/** Requests on one connection: one runs after the other, because each may roll back to its own savepoint, and none when `end` was called. */
export class NestedRequests {
  /** The requests, one inside another, whose hooks make these. */
  readonly trail: readonly string[]
  /** The requests among which is the one whose hooks make these. */
  readonly #outer: NestedRequests | undefined
  #last: Promise<unknown> = Promise.resolve()
  #isOver = false

  constructor(trail: readonly string[], outer?: NestedRequests) {
    this.trail = trail
    this.#outer = outer
  }

  /** Runs a request when the earlier ones are answered, with a connection of its own: those of its hooks must not wait for it. */
  inTurn<T>(
    db: AnyDatabase,
    trail: readonly string[],
    run: (own: AnyDatabase) => Promise<T>,
  ): Promise<T> {
    const turn = this.#last.then(async () => {
      const own = beforeStatements(db, async () => this.#checkOpen())
      const nested = openNested(own, trail, this)
      running.enter()
      try {
        const answer = await runningOn(own, () => run(own))
        await nested.settled()
        return answer
      } finally {
        running.leave()
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

  /** Whether one of `requests` waits for these. */
  isAwaitedBy(requests: NestedRequests): boolean {
    if (this.#isOver) return false
    return this === requests || this.#outer?.isAwaitedBy(requests) === true
  }

  #checkOpen(): void {
    if (this.#isOver) throw new Error(ended)
  }
}

const ended =
  'The request whose hook made this request has ended. Await the calls of args.as in the hook.'

/** By the executor of what hooks receive, and by the connection of a transaction of the host. */
const known = new WeakMap<object, NestedRequests>()

/** Begins to collect the requests that hooks make on `db`, so that `nestedOf` finds them. The hooks are those of a request of `outer`. */
export function openNested(
  db: AnyDatabase,
  trail: readonly string[],
  outer: NestedRequests | undefined,
): NestedRequests {
  const nested = new NestedRequests(trail, outer)
  known.set(originOf(db), nested)
  return nested
}

/** Returns the requests on what a hook has received, or on an instance derived from that; undefined for other instances. */
export const nestedOf = (db: AnyDatabase): NestedRequests | undefined => known.get(originOf(db))

/** Where a request of the host is sent. */
interface Place {
  readonly db: AnyDatabase
  readonly nested: NestedRequests
}

/**
 * Returns where a request on a transaction is sent: there, or on the connection of the hook that makes the request, if the request of
 * this hook has the transaction and would wait for it. Only with AsyncLocalStorage the hook is known after its first `await`.
 * `timeout`: milliseconds of the longest wait for the connection of the transaction.
 */
export async function placeOn(db: AnyDatabase, timeout: number): Promise<Place> {
  const inside = running.current()
  const nested = nestedOf(db) ?? (await nestedOnTransaction(db, timeout))
  for (let at = inside; at !== undefined; at = at.outer) {
    const own = nestedOf(at.db)
    if (own?.isAwaitedBy(nested)) return { db: at.db, nested: own }
  }
  return { db, nested }
}

/** Returns the requests on a transaction of the host, the same for all instances derived from it. */
async function nestedOnTransaction(db: AnyDatabase, timeout: number): Promise<NestedRequests> {
  const provide = async () => db.getExecutor().provideConnection(async (own) => own)
  // The request itself then fails, for the same reason: the transaction is over, or a statement of the host does not end.
  const connection = await withTimeLimit(provide(), timeout, () => new Error()).catch(() => ({}))
  const nested = known.get(connection) ?? new NestedRequests([])
  known.set(connection, nested)
  known.set(originOf(db), nested)
  return nested
}

/** A request or hook that is running. */
interface Running {
  /** The connection that it has received. */
  readonly db: AnyDatabase
  /** What it is running inside of. */
  readonly outer: Running | undefined
}

const running: AsyncContext<Running> = asyncContext()

/** Calls a hook, or serves a request, that has received `db`. */
export function runningOn<T>(db: AnyDatabase, call: () => T): T {
  return running.run({ db, outer: running.current() }, call)
}

/** Whether the current code runs in a request on a transaction of the host, or in one that a hook has made. */
export const runsInRequest = (): boolean => running.current() !== undefined
