/** Which way the requests of a run take: a file may run again, its requests sent in another form or served in another way. */

/**
 * `plain`: unwrapped drivers, `handle`, and dialects without shortcuts (`plain-dialect.ts`). `query`: each GET of a list is sent
 * as QUERY. `batch`: each request is sent as a batch of one, each GET besides as itself.
 */
export type Way = 'usual' | 'plain' | 'query' | 'batch'

/** Set by the runner for the further runs of files whose answers must be equal. */
export const way = (process.env.TEST_WAY ?? 'usual') as Way

/** Whether a run uses the plain ways. */
export const plainOnly = way === 'plain'
