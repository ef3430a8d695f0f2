// Embedded relations that the database wrote as text: whether what came can be sent as it is.

import { cellOf, type Place, type RawRow } from '../compile/cell.ts'
import { fitsJson } from '../dialect/json-text.ts'
import type { EmbedPlan } from '../plan/plan.ts'

/**
 * Whether all values have the form that was promised, and no more rows are embedded than a request may. Where not, the
 * relations are read row by row, and refused there where they must be.
 */
export function textsFit(
  texts: ReadonlyMap<string, Place>,
  raws: readonly RawRow[],
  most: number,
): boolean {
  let left = most
  for (const place of texts.values()) {
    for (const raw of raws) {
      const text = cellOf(raw, place)
      if (text === null || text === undefined) continue
      if (typeof text !== 'string' || !fitsJson(text)) return false
      left -= objectsIn(text)
      if (left < 0) return false
    }
  }
  return true
}

/** Objects in a text, or more: a text value that ends with a brace looks like another one. */
function objectsIn(text: string): number {
  let count = 0
  for (let at = text.indexOf('{"'); at !== -1; at = text.indexOf('{"', at + 2)) count += 1
  return count
}

/** The embeds that did not come as text. */
export const withoutTexts = (
  embeds: readonly EmbedPlan[],
  texts: ReadonlyMap<string, Place>,
): readonly EmbedPlan[] =>
  texts.size === 0 ? embeds : embeds.filter(({ relation }) => !texts.has(relation.name))
