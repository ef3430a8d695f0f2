// Failures of the database that are no fault of a request: 503, with what the driver threw as its cause.

import type { DatabaseFailure, Dialect } from '../dialect/dialect.ts'
import { ApiError, databaseUnavailable } from '../errors.ts'

/** 503 because of what the driver threw. */
export const unavailable = (cause: unknown): ApiError =>
  Object.assign(databaseUnavailable(), { cause })

/**
 * 503 where the database is away, read-only, too slow, locked, or gave way to others for too long; undefined for every other
 * failure, and for what is an answer already.
 */
export function unavailableBecause(
  dialect: Pick<Dialect, 'classify'>,
  cause: unknown,
): ApiError | undefined {
  if (cause instanceof ApiError) return undefined
  const { kind } = dialect.classify(cause)
  return isUnavailable(kind) ? unavailable(cause) : undefined
}

/** Whether a failure of this kind is over sooner or later. */
export const isUnavailable = (kind: DatabaseFailure['kind']): boolean => passing.has(kind)

const passing: ReadonlySet<DatabaseFailure['kind']> = new Set([
  'unavailable',
  'timeout',
  'retry',
  'locked',
])
