// The errors of statements that failed for a temporary reason. A hook may let such an error of its own statement through, so that the request
// fails with it; `handle.ts` then responds with 503, as the same failure does elsewhere.

import type { DatabaseFailure } from '../../dialect/dialect.ts'
import { ApiError } from '../../errors.ts'
import { isTemporary, unavailable } from './unavailable.ts'

const temporary = new WeakMap<object, DatabaseFailure['kind']>()

/** Notes why the database failed to run a statement of a request. */
export function noteFailure(error: unknown, { kind }: DatabaseFailure): void {
  if (typeof error === 'object' && error !== null && isTemporary(kind)) temporary.set(error, kind)
}

/** How many causes of an error are looked through. */
const mostCauses = 5

/** Returns the 503 error for an error that `noteFailure` has noted as temporary, or that has one as its cause; undefined for other errors. */
export function unavailableFor(error: unknown): ApiError | undefined {
  let cause = error
  for (let depth = 0; depth <= mostCauses; depth++) {
    if (typeof cause !== 'object' || cause === null || cause instanceof ApiError) return undefined
    const kind = temporary.get(cause)
    if (kind !== undefined) return unavailable(error, kind)
    cause = (cause as { readonly cause?: unknown }).cause
  }
  return undefined
}
