// The lists of `fields`, `order_by`, `groupby`, `aggregate` and `join`: names only, so a comma separates however it is spelt.

import type { Cursor } from './cursor.ts'
import { malformed } from './cursor.ts'
import { checkListLength } from './limits.ts'
import { type Pair, rawText } from './query-string.ts'

/** A stretch of the decoded pair, blanks around it left out. */
export interface Stretch {
  readonly start: number
  readonly end: number
}

/** item *( "," item ): from the cursor to the end of the pair, empty items included. */
export function splitItems(cursor: Cursor): Stretch[] {
  const { pair } = cursor
  const { text } = pair
  const items: Stretch[] = []
  for (let start = cursor.position; start <= text.length; ) {
    const comma = text.indexOf(',', start)
    const end = comma === -1 ? text.length : comma
    items.push(trim(pair, start, end))
    start = end + 1
  }
  return items
}

/** Reads the items of a list parameter; an empty one is a 400, because it is a name that got lost. */
export function readList<T>(cursor: Cursor, name: string, readItem: (item: Stretch) => T): T[] {
  const at = rawText(cursor.pair, 0, 0)
  return splitItems(cursor).map((item, index) => {
    checkListLength(cursor.tally, index + 1, at)
    if (item.end > item.start) return readItem(item)
    throw malformed(
      cursor.pair,
      0,
      0,
      `"${name}" has an empty item: expected names separated by commas.`,
    )
  })
}

function trim(pair: Pair, from: number, to: number): Stretch {
  let start = from
  let end = to
  while (start < end && pair.text[start] === ' ') start += 1
  while (end > start && pair.text[end - 1] === ' ') end -= 1
  return { start, end }
}
