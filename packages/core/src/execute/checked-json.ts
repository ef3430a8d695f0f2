// Checks the JSON that the database built; if it cannot be sent as it is, the program's fallback reads the values instead.

import { type CellLocation, cellOf, type RawRow } from '../compile/cell.ts'
import type { CheckedObject, PageProgram, ReadProgram } from '../compile/read-program.ts'
import { fitsJson } from '../dialect/shared/json-text.ts'
import { ApiError } from '../errors.ts'

/** Thrown if the JSON has an unexpected form, or the response too many embedded rows. */
class UnusableJson extends Error {
  readonly because: 'form' | 'size'

  constructor(because: 'form' | 'size') {
    super(`the ${because} of what the database wrote is not as promised`)
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

/** Continues with the fallback unless JSON has the expected form. */
export function requireForm(fits: boolean): void {
  if (!fits) throw new UnusableJson('form')
}

/** Continues with the fallback unless the number of embedded rows is within the limit. */
export function requireSize(fits: boolean): void {
  if (!fits) throw new UnusableJson('size')
}

/** Requires that each row's object has the expected form; does nothing if the database built no objects. */
export function requireObjects(object: CheckedObject | undefined, raws: readonly RawRow[]): void {
  if (object === undefined) return
  for (const raw of raws) requireForm(object.fits(cellOf(raw, object.location)))
}

/** An upper bound for the number of objects in the JSON of embedded relations. */
export function countObjects(
  embeddedJson: ReadonlyMap<string, CellLocation>,
  raws: readonly RawRow[],
): number {
  let count = 0
  for (const location of embeddedJson.values()) {
    for (const raw of raws) {
      const text = cellOf(raw, location)
      if (text === null || text === undefined) continue
      // The mark can also mean a list that is longer than its share, so this must not disable JSON for other pages.
      requireSize(typeof text === 'string' && fitsJson(text))
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
 * Loads embedded rows. If some were part of the main statement and the limit is exceeded, continues with the fallback: it
 * counts all of them in plan order, so that the same request always fails with the same relation.
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
