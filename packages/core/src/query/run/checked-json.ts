// Checks the JSON that the database built, before any of it is sent; if it cannot be sent as it is, the program's fallback reads the values
// instead: SQLite may have stored a word in an integer column, or embedded lists may be longer than the limit of a request.

import { type CellLocation, cellOf, type RawRow } from '../../database/cell.ts'
import { hasNoMark } from '../../dialect/shared/json/json-text.ts'
import { ApiError } from '../../errors.ts'
import type { CheckedObject, PageProgram, ReadProgram } from '../compile/read-program.ts'

/**
 * Thrown if the JSON has an unexpected form, or the response too many embedded rows. After `form`, later requests of the same query do
 * without JSON of the database; `size` concerns this request alone.
 */
class UnusableJson extends Error {
  readonly because: 'form' | 'size'

  constructor(because: 'form' | 'size') {
    super(`the JSON that the database built has an unexpected ${because}`)
    this.because = because
  }
}

/** Runs a program, and runs its fallback if the database's JSON is unusable. */
export async function withFallback<P extends PageProgram | ReadProgram, T>(
  program: P,
  run: (program: P) => Promise<T>,
): Promise<T> {
  try {
    return await run(program)
  } catch (error) {
    const because = error instanceof UnusableJson ? error.because : undefined
    if (because === undefined || program.fallback === undefined) throw error
    return run(program.fallback(because) as P)
  }
}

/** Throws unless the JSON has the expected form; `withFallback` then runs the fallback. */
export function requireForm(fits: boolean): void {
  if (!fits) throw new UnusableJson('form')
}

/** Throws unless the number of embedded rows is within the limit; `withFallback` then runs the fallback. */
export function requireSize(fits: boolean): void {
  if (!fits) throw new UnusableJson('size')
}

/** Requires that each row's object has the expected form; does nothing if the database built no objects. */
export function requireObjects(object: CheckedObject | undefined, raws: readonly RawRow[]): void {
  if (object === undefined) return
  for (const raw of raws) requireForm(object.fits(cellOf(raw, object.location)))
}

/** Returns an upper bound for the number of objects in the JSON of embedded relations, which the limit of embedded rows counts. */
export function countObjects(
  embeddedJson: ReadonlyMap<string, CellLocation>,
  raws: readonly RawRow[],
): number {
  let count = 0
  for (const location of embeddedJson.values()) {
    for (const raw of raws) {
      const text = cellOf(raw, location)
      if (text === null || text === undefined) continue
      // The mark may stand for a list that is too long. Then 'size' is the reason; 'form' would stop later pages from using JSON.
      requireSize(typeof text === 'string' && hasNoMark(text))
      count += countOpenings(text as string)
    }
  }
  return count
}

/** Counts `{"`. A string value that ends with a brace counts as well, so the result may be too high. */
function countOpenings(text: string): number {
  let count = 0
  for (let at = text.indexOf('{"'); at !== -1; at = text.indexOf('{"', at + 2)) count += 1
  return count
}

/**
 * Loads embedded rows. If they exceed the limit and the main statement contained some of them, the fallback runs: it counts all
 * embedded rows in plan order, so that the error always names the same relation.
 */
export async function fallBackIfTooMany<T>(
  embedsInStatement: boolean,
  load: () => Promise<T>,
): Promise<T> {
  try {
    return await load()
  } catch (error) {
    const isTooMany = error instanceof ApiError && error.body.code === 'too_many_embedded_rows'
    throw embedsInStatement && isTooMany ? new UnusableJson('size') : error
  }
}
