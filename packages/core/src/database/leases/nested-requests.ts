// NestedRequests: the requests that code of the host makes on one transaction: its own, by the client in the process, or that of the
// request whose hook it is, by `args.as`. `openNested` and `nestedOf` find them by the instance that a hook has, `placeOn` chooses where
// the client sends a request, and `runningOn` and `runsInRequest` follow which hook or request the current code belongs to.

import { type AsyncContext, asyncContext } from '../../lib/async-context.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import { beforeStatements, originOf } from '../statements/kysely-methods.ts'

/** Requests on one connection: one runs after the other, because each may roll back to its own savepoint, and none when `end` was called. */
export class NestedRequests {
  /** The requests, one inside another, whose hooks make these: `['create of books', 'update of authors']`. Their number is limited. */
  readonly trail: readonly string[]
  /** The collection that contains the request whose hooks make these; undefined if no hook made that one, or if no hook makes these. */
  readonly #outer: NestedRequests | undefined
  #last: Promise<unknown> = Promise.resolve()
  #isOver = false

  constructor(trail: readonly string[], outer?: NestedRequests) {
    this.trail = trail
    this.#outer = outer
  }

  /**
   * Runs a request when the earlier ones are answered. It gets an instance and a collection of its own, so that the requests of its
   * hooks do not wait for it. Resolves when those are answered too.
   */
  inTurn<T>(
    db: AnyDatabase,
    trail: readonly string[],
    run: (nestedDb: AnyDatabase) => Promise<T>,
  ): Promise<T> {
    const turn = this.#last.then(async () => {
      const nestedDb = beforeStatements(db, async () => this.#checkOpen())
      const nested = openNested(nestedDb, trail, this)
      runningCall.enter()
      try {
        const answer = await runningOn(nestedDb, () => run(nestedDb))
        await nested.settled()
        return answer
      } finally {
        runningCall.leave()
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
    if (this.#isOver) throw new Error(endedMessage)
  }
}

const endedMessage =
  'The request whose hook made this request has ended. Await the calls of args.as in the hook.'

/** By the executor of what hooks receive, and by the connection of a transaction of the host. */
const requestsByOrigin = new WeakMap<object, NestedRequests>()

/** Begins to collect the requests that hooks make on `db`, so that `nestedOf` finds them. `outer` contains the request of these hooks. */
export function openNested(
  db: AnyDatabase,
  trail: readonly string[],
  outer: NestedRequests | undefined,
): NestedRequests {
  const nested = new NestedRequests(trail, outer)
  requestsByOrigin.set(originOf(db), nested)
  return nested
}

/** Returns the requests on the `args.db` of a hook, or on an instance derived from it; undefined for other instances. */
export const nestedOf = (db: AnyDatabase): NestedRequests | undefined =>
  requestsByOrigin.get(originOf(db))

/** Where a request of the host is sent. */
interface Destination {
  readonly db: AnyDatabase
  readonly nested: NestedRequests
}

/**
 * Returns where a request on a transaction is sent: there, or on the connection of the hook that makes the request, if the request of
 * this hook has the transaction and would wait for it. Only with AsyncLocalStorage the hook is known after its first `await`.
 * `timeout`: milliseconds of the longest wait for the connection of the transaction.
 */
export async function placeOn(db: AnyDatabase, timeout: number): Promise<Destination> {
  const inside = runningCall.current()
  const nested = nestedOf(db) ?? (await nestedOnTransaction(db, timeout))
  for (let at = inside; at !== undefined; at = at.outer) {
    const requests = nestedOf(at.db)
    if (requests?.isAwaitedBy(nested)) return { db: at.db, nested: requests }
  }
  return { db, nested }
}

/** Returns the requests on a transaction of the host, the same for all instances derived from it. */
async function nestedOnTransaction(db: AnyDatabase, timeout: number): Promise<NestedRequests> {
  const provide = async () => db.getExecutor().provideConnection(async (provided) => provided)
  // The request itself then fails, for the same reason: the transaction is over, or a statement of the host does not end.
  const connection = await withTimeLimit(provide(), timeout, () => new Error()).catch(() => ({}))
  const nested = requestsByOrigin.get(connection) ?? new NestedRequests([])
  requestsByOrigin.set(connection, nested)
  requestsByOrigin.set(originOf(db), nested)
  return nested
}

/** A request or hook that is running. */
interface Running {
  /** The connection that it has received. */
  readonly db: AnyDatabase
  /** The request or hook that it is running inside of; undefined for the outermost. */
  readonly outer: Running | undefined
}

const runningCall: AsyncContext<Running> = asyncContext()

/** Calls a hook, or serves a request, that has received `db`. */
export function runningOn<T>(db: AnyDatabase, call: () => T): T {
  return runningCall.run({ db, outer: runningCall.current() }, call)
}

/** Whether the current code runs in a request on a transaction of the host, or in one that a hook has made. */
export const runsInRequest = (): boolean => runningCall.current() !== undefined
