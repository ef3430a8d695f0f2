// TimeLimit: the time limit of a batch (API_BATCH_TIMEOUT). A batch has one, because it holds its locks and a connection of the pool until
// it ends.

import { isOutcomeUnknown } from '../../database/leases/in-transaction.ts'
import { deadlineOf } from '../../database/statements/bounds.ts'
import { asUnavailable } from '../../database/statements/unavailable.ts'
import type { InternalDialect } from '../../dialect/internal-dialect.ts'
import { ApiError, batchTimedOut } from '../../errors.ts'
import { settingNames } from '../../model/settings/setting-names.ts'

/** The codes of the errors that the end of the time may cause. */
const temporary: ReadonlySet<string | undefined> = new Set([
  'database_unavailable',
  'database_conflict',
])

/** The time starts when the object is created. All attempts of a batch share one object, so that a repetition gets no more time. */
export class TimeLimit {
  readonly #milliseconds: number
  readonly #end: number

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds
    this.#end = performance.now() + this.#milliseconds
  }

  /** When a running statement is cancelled, as `performance.now()`; later than the limit, to leave time for ROLLBACK. */
  get until(): number {
    return deadlineOf(this.#end)
  }

  /** Throws 503 if the time has elapsed; returns `performance.now()`. */
  check(): number {
    const now = performance.now()
    if (now >= this.#end) throw this.#error()
    return now
  }

  /** Returns the error of a statement, or the error that names the time limit if the limit ended the statement. */
  explained(error: unknown, dialect: InternalDialect): unknown {
    if (performance.now() < this.#end || isOutcomeUnknown(error)) return error
    const known = asUnavailable(dialect, error) ?? error
    const isTemporary = known instanceof ApiError && temporary.has(known.body.code)
    return isTemporary ? Object.assign(this.#error(), { cause: known.cause }) : error
  }

  #error(): ApiError {
    return batchTimedOut(settingNames.batchTimeout, this.#milliseconds)
  }
}
