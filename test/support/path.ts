/** Whether a run uses unwrapped drivers, `handle` and dialects without shortcuts (`plain-dialect.ts`). */

/** Set by the runner for the second run of files whose answers must be equal. */
export const plainOnly = process.env.TEST_PLAIN === '1'
