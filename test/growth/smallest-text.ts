/** The length of texts in growth tests. */

/**
 * Characters of the smallest text; the largest has four times as many. If a step takes a nanosecond, quadratic growth takes four
 * seconds for the largest text, which differs clearly from growth in proportion.
 */
export const smallestText = 16_000
