// Embedded relations that the database wrote as text: whether what came can be sent as it is.

import { cellOf, type Place, type RawRow } from '../compile/cell.ts'
import { fitsJson } from '../dialect/shared/json-text.ts'

/** How many objects the texts hold, or more; undefined where a value has another form than was promised. */
export function objectsInTexts(
  texts: ReadonlyMap<string, Place>,
  raws: readonly RawRow[],
): number | undefined {
  let count = 0
  for (const place of texts.values()) {
    for (const raw of raws) {
      const text = cellOf(raw, place)
      if (text === null || text === undefined) continue
      if (typeof text !== 'string' || !fitsJson(text)) return undefined
      count += objectsIn(text)
    }
  }
  return count
}

/** A text value that ends with a brace looks like another object. */
function objectsIn(text: string): number {
  let count = 0
  for (let at = text.indexOf('{"'); at !== -1; at = text.indexOf('{"', at + 2)) count += 1
  return count
}
