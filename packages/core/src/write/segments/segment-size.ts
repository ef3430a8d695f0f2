// SegmentSize: how many of the next records of a list make a segment, and so are read together before their hooks are called.

/**
 * What was read before a statement of a hook may be outdated after it. Hooks send statements either for each record or once for a
 * transaction. One record is therefore read after a statement, and then two, four, eight, … together while no other statement comes: a
 * list whose hook asks once takes few look-ups, and one whose hook asks for each record reads no record for nothing.
 */
export class SegmentSize {
  #next: number
  #most = Number.POSITIVE_INFINITY
  #statements = 0

  /** `first`: the size of the first segment, unless a hook sends a statement before. */
  constructor(first: 1 | 'all') {
    this.#next = first === 'all' ? Number.POSITIVE_INFINITY : first
  }

  /** Returns the size of the next segment. `statements`: how many statements hooks have sent so far. */
  take(statements: number): number {
    if (statements !== this.#statements) this.#next = 1
    this.#statements = statements
    const size = Math.min(this.#next, this.#most)
    this.#next = size * 2
    return size
  }

  /** From now on, no segment is larger. */
  limit(most: number): void {
    this.#most = most
  }
}
