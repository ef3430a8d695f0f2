/** How long the texts of growth tests are. */
import { extent } from '../support/extent.ts'
import { notRun } from '../support/suite.ts'

const whole = 16_000

/**
 * Characters of the smallest text; the largest has four times as many. Where a step takes a nanosecond, the square of the largest takes
 * a second in a usual run, and four in a whole one: both are far from what grows in proportion.
 */
export const smallestText = extent === 'whole' ? whole : whole / 2

if (extent === 'usual') notRun('growth of texts beyond 32,000 characters', 'a whole run has 64,000')
