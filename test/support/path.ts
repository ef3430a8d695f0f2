/** The way of a test run: how its requests are sent and served. Some files run in several ways. */

/**
 * `plain`: drivers are not wrapped, requests go to `handle`, and dialects have no shortcuts (`plain-dialect.ts`). `query`: each GET
 * of a list is sent as QUERY. `batch`: each request is sent as a batch of one, and a GET also without a batch.
 */
export type Way = 'usual' | 'plain' | 'query' | 'batch'

/** The way of this process, which the runner sets. */
export const way = (process.env.TEST_WAY ?? 'usual') as Way

/** Whether this is the plain way. */
export const plainOnly = way === 'plain'
