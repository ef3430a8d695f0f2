// JSON that the database built: whether what came has the form that was promised, and how many objects it holds.

import { type CellLocation, cellOf, type RawRow } from '../compile/cell.ts'
import type { CheckedObject, PageProgram, ReadProgram } from '../compile/read-program.ts'
import { fitsJson } from '../dialect/shared/json-text.ts'
import { ApiError } from '../errors.ts'

/** Thrown where what came cannot be sent as it is: the fallback of the program reads the same as values. */
class NotAsPromised extends Error {
  readonly because: 'form' | 'size'

  constructor(because: 'form' | 'size') {
    super(`the ${because} of what the database wrote is not as promised`)
    this.because = because
  }
}

/** Runs a program, and its fallback where what came is not as promised. */
export async function withFallback<P extends PageProgram | ReadProgram, T>(
  program: P,
  run: (program: P) => Promise<T>,
): Promise<T> {
  try {
    return await run(program)
  } catch (error) {
    const because = error instanceof NotAsPromised ? error.because : undefined
    if (because === undefined || program.fallback === undefined) throw error
    return run(program.fallback(because) as P)
  }
}

export function requireForm(fits: boolean): void {
  if (!fits) throw new NotAsPromised('form')
}

export function requireSize(fits: boolean): void {
  if (!fits) throw new NotAsPromised('size')
}

/** Requires that every object has the form that was promised; so it is where none was written. */
export function requireObjects(object: CheckedObject | undefined, raws: readonly RawRow[]): void {
  if (object === undefined) return
  for (const raw of raws) requireForm(object.fits(cellOf(raw, object.location)))
}

/** How many objects embedded relations hold that came as text, or more. */
export function objectsIn(
  texts: ReadonlyMap<string, CellLocation>,
  raws: readonly RawRow[],
): number {
  let count = 0
  for (const place of texts.values()) {
    for (const raw of raws) {
      const text = cellOf(raw, place)
      if (text === null || text === undefined) continue
      requireForm(typeof text === 'string' && fitsJson(text))
      count += openings(text as string)
    }
  }
  return count
}

/** A text value that ends with a brace looks like another object. */
function openings(text: string): number {
  let count = 0
  for (let at = text.indexOf('{"'); at !== -1; at = text.indexOf('{"', at + 2)) count += 1
  return count
}

/**
 * Embeds within what one request may embed. Where rows came in more than one way, too many of them are read again by the
 * fallback, which counts them in the order of the plan and so refuses the same relation as ever.
 */
export async function withinSize<T>(cameAlong: boolean, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    const isTooMany = error instanceof ApiError && error.body.code === 'too_many_embedded_rows'
    throw cameAlong && isTooMany ? new NotAsPromised('size') : error
  }
}
