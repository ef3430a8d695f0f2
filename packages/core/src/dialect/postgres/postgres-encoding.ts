// The characters that the encoding of a database lacks, looked up when the dialect connects (lackingIn): PostgreSQL refuses a statement
// with a text that has such a character, so that no row contains it. Comparisons send the bytes of such a text instead (utf8Literal).

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import { classifyPostgres } from './postgres-errors.ts'

/** Tells whether a character of a text is lacking. */
export type Lacks = (text: string) => boolean

/**
 * Returns which texts the database of the connection cannot have; undefined if it can have all, or if its encoding has several bytes for
 * a character, so that its characters are not known. In a transaction of the host, only LATIN1 is known: to ask for others may fail.
 */
export async function lackingIn(db: AnyDatabase): Promise<Lacks | undefined> {
  const [row] = await rowsOf<{ encoding: unknown; size: unknown }>(db)`
    select current_setting('server_encoding') as encoding,
      (select pg_encoding_max_length(d.encoding) from pg_database d where d.datname = current_database()) as size`
  const encoding = String(row?.encoding)
  if (encoding === 'LATIN1') return (text) => /[^\0-\xff]/.test(text)
  if (encoding === 'SQL_ASCII' || Number(row?.size) !== 1 || db.isTransaction) return undefined
  const known = new Set(await charactersOf(db, encoding, 1, 255))
  return (text) => [...text].some((character) => !known.has(character))
}

/** The characters of a range of bytes; a range with a byte that is no character is an error, and is halved. */
async function charactersOf(
  db: AnyDatabase,
  encoding: string,
  first: number,
  last: number,
): Promise<string> {
  const bytes = Array.from({ length: last - first + 1 }, (_, i) =>
    (first + i).toString(16).padStart(2, '0'),
  ).join('')
  try {
    const [row] = await rowsOf<{ characters: unknown }>(db)`
      select convert_from(decode(${bytes}, 'hex'), ${encoding}) as characters`
    return String(row?.characters)
  } catch (error) {
    if (classifyPostgres(error).kind !== 'value') throw error
    if (first === last) return ''
    const middle = (first + last) >> 1
    const left = await charactersOf(db, encoding, first, middle)
    return left + (await charactersOf(db, encoding, middle + 1, last))
  }
}

/** The UTF-8 bytes of a text as a literal of the type `bytea`, `\x456d6d61`, which a database of any encoding reads. */
export const utf8Literal = (text: string): string =>
  `\\x${Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('')}`
