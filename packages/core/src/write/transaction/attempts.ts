// inAttempts: makes attempts of a write or of a batch, each in a transaction of its own, until one succeeds or its error is final.

import { refusedCommit } from '../../database/leases/in-transaction.ts'
import type { DatabaseFailure } from '../../dialect/dialect.ts'

/** Ends an attempt, which is then repeated from BEGIN. */
class Repeat extends Error {}

/** What every attempt depends on. */
export interface AnyAttempt {
  /** How the database refused the COMMIT of an earlier attempt, if it did; this attempt finds the record before it commits. */
  readonly deferred: DatabaseFailure | undefined
}

/** Ends the attempt; the next one begins anew with these fields changed. */
export type RepeatAs<A> = (changes: Partial<A>) => never

/**
 * Calls `make` for the attempt `first`. Repeats it, changed, if it calls `repeatAs`, and once if the database refuses its COMMIT, changed
 * by `afterCommit`. `failed` receives every other error: it throws the final one, or returns if the attempt is to be made again.
 */
export async function inAttempts<A extends AnyAttempt, R>(
  first: A,
  make: (attempt: A, repeatAs: RepeatAs<A>) => Promise<R>,
  failed: (error: unknown, attempt: A) => Promise<void>,
  afterCommit: Partial<A> = {},
): Promise<R> {
  let attempt = first
  for (;;) {
    // Not a field of the error, because a function of the host may catch the error.
    let changes: Partial<A> | undefined
    try {
      return await make(attempt, (next) => {
        changes = next
        throw new Repeat()
      })
    } catch (error) {
      const deferred = attempt.deferred ?? refusedCommit(error)
      if (deferred !== attempt.deferred) attempt = { ...attempt, ...afterCommit, deferred }
      else if (changes !== undefined) attempt = { ...attempt, ...changes }
      else await failed(error, attempt)
    }
  }
}
