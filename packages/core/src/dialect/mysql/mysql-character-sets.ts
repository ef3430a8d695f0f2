// The characters that the character sets of columns lack, looked up when the dialect connects: the server refuses to compare a text that
// has one of them with the column (`title__eq=日本` with a `latin1` column), so no row contains it.

import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'

/** Sets whose characters are those of one UTF-16 code unit. */
const planeZero: ReadonlySet<string> = new Set(['utf8', 'utf8mb3', 'ucs2'])

/** Sets with all characters, and columns without a set. */
const complete = /^$|^binary$|^utf|^gb18030$/

type Lacks = (text: string) => boolean

/**
 * Returns for each set a function that tells whether it lacks a character of a text; a set without an entry lacks none. The server is
 * asked for the characters of most sets.
 */
export async function lackingBySet(
  db: AnyDatabase,
  sets: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Lacks>> {
  const lacking = new Map<string, Lacks>()
  const others: string[] = []
  for (const set of sets) {
    if (planeZero.has(set)) lacking.set(set, (text) => /[\ud800-\udfff]/.test(text))
    else if (set === 'ascii') lacking.set(set, (text) => /[\u0080-\uffff]/.test(text))
    else if (!complete.test(set)) others.push(set)
  }
  if (others.length === 0) return lacking
  const sizes = await rowsOf<{ name: unknown; size: unknown }>(db)`
    select character_set_name as name, maxlen as size from information_schema.character_sets
    where character_set_name in (${sql.join(others)})`
  for (const { name, size } of sizes) {
    const set = String(name)
    const characters =
      Number(size) === 1
        ? await charactersOfSingleByteSet(db, set)
        : await charactersOfMultiByteSet(db, set)
    lacking.set(set, (text) => [...text].some((character) => !characters.has(character)))
  }
  return lacking
}

/** Converts all 256 bytes from the set. */
async function charactersOfSingleByteSet(
  db: AnyDatabase,
  set: string,
): Promise<ReadonlySet<string>> {
  const bytes = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0')).join('')
  const [row] = await rowsOf<{ characters: unknown }>(db)`
    select convert(convert(unhex(${bytes}) using ${sql.id(set)}) using utf8mb4) as characters`
  return new Set(String(row?.characters ?? ''))
}

/** Converts every character of one UTF-16 code unit to the set and back, which makes those that it lacks a question mark. */
async function charactersOfMultiByteSet(
  db: AnyDatabase,
  set: string,
): Promise<ReadonlySet<string>> {
  const all = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit)).filter(
    (character) => !/[\ud800-\udfff]/.test(character),
  )
  const [row] = await rowsOf<{ characters: unknown }>(db)`
    select convert(convert(${all.join('')} using ${sql.id(set)}) using utf8mb4) as characters`
  const converted = Array.from(String(row?.characters ?? ''))
  return new Set(all.filter((character, i) => converted[i] === character))
}
