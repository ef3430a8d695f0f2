// Names for prepared statements, by which `prepared-postgres.ts` sends them: a statement gets one when it occurs for the second time, made
// of a hash of its text.

import { asksForArrays, withoutArrayMark } from '../../dialect/shared/values/array-rows.ts'
import { lruMap } from '../../lib/lru-map.ts'
import { hashOfText } from '../../lib/text-hash.ts'

/** A statement that has a name. */
export interface NamedStatement {
  readonly name: string
  /** The text that is sent to the database. */
  readonly text: string
  /** Whether the statement asked for its rows as arrays, by the mark of `array-rows.ts`, which `text` does not have. */
  readonly arrays: boolean
}

/**
 * Returns a statement with its name; undefined if it is sent without one: at its first execution, or if PostgreSQL does not plan it.
 * `whole` is its text, with the mark if it has it.
 */
export type NameOf = (whole: string) => NamedStatement | undefined

/** Statements that PostgreSQL plans; preparing `begin`, `set` and the like saves nothing. */
const planned = /^(?:select|insert|update|delete|with) /i

/**
 * Names statements from their second execution on; the `size` most recently used ones keep their names. Preparing a statement that occurs
 * only once costs more than it saves, and a client that sends ever new statements must not evict the others.
 */
export function statementNames(size: number): NameOf {
  const seen = lruMap<true>(size * 2)
  const named = lruMap<NamedStatement>(size)
  return (whole) => {
    const known = named.get(whole)
    if (known !== undefined) return known
    const arrays = asksForArrays(whole)
    const text = arrays ? withoutArrayMark(whole) : whole
    if (!planned.test(text)) return undefined
    if (seen.get(whole) === undefined) {
      seen.set(whole, true)
      return undefined
    }
    const statement = { name: nameFrom(text), text, arrays }
    named.set(whole, statement)
    return statement
  }
}

/**
 * The same text has the same name in every process, so that a pooler can share the statement. Two texts never have the same name,
 * because the name contains 192 bits of SHA-256: otherwise a connection could execute another statement than was sent.
 */
const nameFrom = (text: string): string => `model_api_${hashOfText(text)}`
