// Splits the lists of `fields`, `order_by`, `groupby`, `aggregate`, `distinct_on` and `join` into items, which the caller parses: they
// contain only names, so both `,` and `%2C` separate items. Lists of values, `(1,2)`, are in `value-term.ts`.

import { excerpt } from '../../../lib/error-size.ts'
import { checkListLength } from '../limits.ts'
import { type PairPart, trimPart, wholeText } from '../query-string.ts'
import { atEnd, type Cursor, malformed, peek, skipBlanks } from '../text-cursor.ts'

/** item *( "," item ): returns the items from the cursor to the end of the pair, including empty ones. */
export function splitItems(cursor: Cursor): PairPart[] {
  const { pair } = cursor
  const { text } = pair
  const items: PairPart[] = []
  for (let start = cursor.position; start <= text.length; ) {
    const comma = text.indexOf(',', start)
    const end = comma === -1 ? text.length : comma
    items.push(trimPart(pair, start, end))
    start = end + 1
  }
  return items
}

/**
 * Reads the items of a list parameter; an empty item gives 400, since a name is missing.
 *
 * `name` is that of the parameter, for errors; `before` the number of items in its earlier occurrences.
 */
export function readList<T>(
  cursor: Cursor,
  name: string,
  before: number,
  readItem: (item: PairPart) => T,
): T[] {
  return splitItems(cursor).map((item, index) => {
    checkListLength(cursor.tally, before + index + 1, () => wholeText(cursor.pair))
    if (item.end > item.start) return readItem(item)
    throw emptyItem(cursor, name)
  })
}

const emptyItem = ({ pair }: Cursor, name: string) =>
  malformed(pair, 0, 0, `"${name}" has an empty item: expected names separated by commas.`)

/** `readList` for items that may have commas in brackets. `readItem` begins at the cursor, and leaves it at the end of the item. */
export function readTerms<T>(cursor: Cursor, name: string, before: number, readItem: () => T): T[] {
  const { pair, tally } = cursor
  const items: T[] = []
  for (;;) {
    skipBlanks(cursor)
    checkListLength(tally, before + items.length + 1, () => wholeText(pair))
    if (atEnd(cursor) || peek(cursor) === ',') throw emptyItem(cursor, name)
    items.push(readItem())
    skipBlanks(cursor)
    if (atEnd(cursor)) return items
    if (peek(cursor) !== ',') {
      const rest = excerpt(pair.text.slice(cursor.position))
      throw malformed(pair, 0, 0, `Expected "," instead of "${rest}" in "${name}".`)
    }
    cursor.position += 1
  }
}

/** Moves the cursor to the next comma or the end of the pair; returns the text before it, without blanks around it. */
export function readItemText(cursor: Cursor): PairPart {
  const { pair, position } = cursor
  const comma = pair.text.indexOf(',', position)
  cursor.position = comma === -1 ? pair.text.length : comma
  return trimPart(pair, position, cursor.position)
}
