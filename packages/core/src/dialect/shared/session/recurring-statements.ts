// Prepares only statements that occur a second time.

import { lruMap } from '../../../lib/lru-map.ts'
import { asksForArrays, withoutArrayMark } from '../values/array-rows.ts'

/** A statement that has occurred before. */
export interface Recurring {
  /** The text that is sent to the database. */
  readonly text: string
  /** Whether the statement asks for its rows as arrays. */
  readonly arrays: boolean
}

/**
 * Returns an LRU cache of at most `size` statements that have occurred at least twice. Preparing a statement that occurs only once
 * costs more than it saves, and a client that sends ever new statements must not evict the others.
 *
 * `isWorth` is called at the first and second occurrence; a statement for which it returns false is never cached. `prepare` makes
 * the cached value at the second occurrence.
 */
export function recurringStatements<T extends Recurring>(
  size: number,
  isWorth: (statement: Recurring) => boolean,
  prepare: (statement: Recurring) => T,
): (text: string) => T | undefined {
  const seen = lruMap<true>(size * 2)
  const kept = lruMap<T>(size)
  return (text) => {
    const known = kept.get(text)
    if (known !== undefined) return known
    const arrays = asksForArrays(text)
    const statement = { text: arrays ? withoutArrayMark(text) : text, arrays }
    if (!isWorth(statement)) return undefined
    if (seen.get(text) === undefined) {
      seen.set(text, true)
      return undefined
    }
    const prepared = prepare(statement)
    kept.set(text, prepared)
    return prepared
  }
}
