// RelatedLookUp: how a condition on related rows, such as `author.name__ilike=w`, is looked up. The plan chooses it, and the dialect writes
// the subquery (`keysIn`). Types only.

/**
 * How related rows are looked up:
 * - `each`: for each row of the base, with a correlated subquery;
 * - `nested`: for each row of another subquery;
 * - `once`: all related rows at once, with an uncorrelated subquery;
 * - `any`: the dialect chooses, because all of these give the same rows;
 * - `unmerged`: like `each`, but as a subquery that the optimiser cannot merge into the outer query's join. Used in queries with
 *   many relations, where planning one join of all tables takes too long.
 */
export type RelatedLookUp = 'each' | 'nested' | 'once' | 'any' | 'unmerged'
