// Parses the lists of `fields`, `order_by`, `groupby`, `aggregate` and `join`: they contain only names, so both `,` and `%2C`
// separate items.

import { checkListLength } from '../limits.ts'
import { rawText, type Stretch, trim } from '../query-string.ts'
import { type Cursor, malformed } from '../text-cursor.ts'

/** item *( "," item ): returns the items from the cursor to the end of the pair, including empty ones. */
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

/**
 * Reads the items of a list parameter; an empty item gives 400, since a name is missing.
 *
 * `before`: the number of items in earlier occurrences of the parameter.
 */
export function readList<T>(
  cursor: Cursor,
  name: string,
  before: number,
  readItem: (item: Stretch) => T,
): T[] {
  return splitItems(cursor).map((item, index) => {
    checkListLength(cursor.tally, before + index + 1, () => rawText(cursor.pair, 0, 0))
    if (item.end > item.start) return readItem(item)
    const reason = `"${name}" has an empty item: expected names separated by commas.`
    throw malformed(cursor.pair, 0, 0, reason)
  })
}
