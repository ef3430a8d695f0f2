// 503 errors for failures of the database that may pass, with the driver's error as cause.

import type { DatabaseFailure, Dialect } from '../../dialect/dialect.ts'
import { ApiError, databaseConflict, databaseUnavailable } from '../../errors.ts'

/** A 503 error with this cause. `kind` is that of the failure, if it is known: the error for a conflict (`retry`) says that it was one. */
export const unavailable = (cause: unknown, kind?: DatabaseFailure['kind']): ApiError =>
  Object.assign(kind === 'retry' ? databaseConflict() : databaseUnavailable(), { cause })

/**
 * A 503 error if the database was unavailable, read-only, too slow or locked, or kept reporting conflicts; undefined for
 * other errors, including API errors.
 */
export function asUnavailable(
  dialect: Pick<Dialect, 'classify'>,
  cause: unknown,
): ApiError | undefined {
  if (cause instanceof ApiError) return undefined
  const { kind } = dialect.classify(cause)
  return isTemporary(kind) ? unavailable(cause, kind) : undefined
}

/** Whether a failure of this kind is temporary. */
export const isTemporary = (kind: DatabaseFailure['kind']): boolean => temporaryKinds.has(kind)

const temporaryKinds: ReadonlySet<DatabaseFailure['kind']> = new Set([
  'unavailable',
  'timeout',
  'retry',
  'locked',
])
