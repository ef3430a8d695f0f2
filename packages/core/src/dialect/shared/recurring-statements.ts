// Prepares only statements that occur a second time.

import { lruMap } from '../../lru-map.ts'
import { asksForArrays, withoutMark } from './array-rows.ts'

/** A statement that has occurred before. */
export interface Recurring {
  /** The text that is sent to the database. */
  readonly text: string
  /** Its rows are asked for as arrays. */
  readonly arrays: boolean
}

/**
 * What is kept of the texts that come a second time, `size` of them at most: a statement that comes once costs more
 * prepared than not, and whoever invents new ones all the time must not push the others out.
 *
 * `keep` is asked at each of the first two times; what it answers undefined to is never kept.
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
