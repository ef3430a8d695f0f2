/** Which way the answers of a run take: the shorter ways of the service where there are any, or the plain ones. */

/** Set by the runner for its second look at the suites that must not see any difference. */
export const plainOnly = process.env.TEST_PLAIN === '1'
