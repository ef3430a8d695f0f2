/** The length of texts in growth tests. */
import { extent } from '../support/extent.ts'
import { notRun } from '../support/suite.ts'

const whole = 16_000

/**
 * Characters of the smallest text; the largest has four times as many. If a step takes a nanosecond, quadratic growth takes a
 * second for the largest text of a usual run, and four for that of a whole one; both differ clearly from growth in proportion.
 */
export const smallestText = extent === 'whole' ? whole : whole / 2

if (extent === 'usual') notRun('growth of texts beyond 32,000 characters', 'a whole run has 64,000')
