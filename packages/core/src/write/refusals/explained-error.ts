// explainedError, errorForClient: turn an error of a write into the one that the client receives, after the transaction was rolled back,
// and warn the host of mistakes that the error shows.

import { counterBehind, explainRefusal, hiddenValueMissing } from './explain-refusal.ts'
import { type RefusalConnection, writeRefusalOf } from './refusal.ts'

/** Where a refusal is reported that a mistake of the host has probably caused, such as a counter that is behind. */
export interface WarningSink {
  /** Passes the message to the host's log. */
  warn(message: string): void
}

/**
 * Turns a refusal of the database into the API error that explains it; returns other errors unchanged. In a batch it returns all errors
 * unchanged, because the batch explains them.
 */
export const explainedError = async (
  request: WarningSink & { readonly batch?: unknown },
  opened: RefusalConnection,
  error: unknown,
): Promise<unknown> =>
  request.batch === undefined ? errorForClient(request, opened, error) : error

/** `explainedError`, also for a batch, which calls it when its transaction has ended. `opened` is for the queries that find the reason. */
export async function errorForClient(
  warnings: WarningSink,
  opened: RefusalConnection,
  error: unknown,
): Promise<unknown> {
  const refusal = writeRefusalOf(error)
  if (refusal === undefined) return error
  const behind = await counterBehind(opened, refusal)
  if (behind !== undefined) warnings.warn(behind)
  const missing = await hiddenValueMissing(opened, refusal)
  if (missing !== undefined) warnings.warn(missing)
  const explanation = refusal.explained ?? (await explainRefusal(opened, refusal))
  return Object.assign(explanation, { cause: error })
}
