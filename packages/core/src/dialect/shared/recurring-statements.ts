// Prepares only statements that occur a second time.

import { lruMap } from '../../lru-map.ts'
import { asksForArrays, withoutMark } from './array-rows.ts'

/** A statement that has occurred before. */
export interface Recurring {
  /** The text that is sent to the database. */
  readonly text: string
  /** Whether it requests its rows as arrays. */
  readonly arrays: boolean
}

/**
 * An LRU cache of at most `size` statements that have occurred at least twice. Preparing a statement that occurs only once costs
 * more than it saves, and a client that sends ever new statements must not evict the others.
 *
 * `keep` is called for the first two occurrences; a text for which it returns undefined is never cached.
 */
export function recurringStatements<T extends Recurring>(
  size: number,
  keep: (statement: Recurring) => T | undefined,
): (text: string) => T | undefined {
  const seen = lruMap<true>(size * 2)
  const kept = lruMap<T>(size)
  return (text) => {
    const known = kept.get(text)
    if (known !== undefined) return known
    const arrays = asksForArrays(text)
    const statement = keep({ text: arrays ? withoutMark(text) : text, arrays })
    if (statement === undefined) return undefined
    if (seen.get(text) === undefined) {
      seen.set(text, true)
      return undefined
    }
    kept.set(text, statement)
    return statement
  }
}
