// The costs of bcrypt hashes: bcrypt runs 2^cost rounds.

/** The smallest cost that bcrypt knows. */
export const leastPasswordCost = 4

/** The largest cost that is computed, some seconds of a processor. A stored hash with a larger one matches no password. */
export const mostPasswordCost = 16

/** OWASP recommends at least 10. */
export const usualPasswordCost = 10
