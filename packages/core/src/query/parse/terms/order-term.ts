// Parses the items of `order_by=` and of options such as `books.order_by=`: `-price`, `author.name.nullslast`, `-count(books)`.

import { excerpt } from '../../../lib/error-size.ts'
import type { OrderNode } from '../ast.ts'
import { countCondition } from '../limits.ts'
import { rawText, spanOf } from '../query-string.ts'
import { type Cursor, malformed, peek, wholePair } from '../text-cursor.ts'
import { readItemText } from './comma-list.ts'
import { readRelatedAggregate } from './group.ts'
import { readOutputName } from './group-by.ts'
import { aggregateAt } from './related-aggregate-term.ts'

const suffixes = [
  { text: '.nullsfirst', nulls: 'first' },
  { text: '.nullslast', nulls: 'last' },
] as const

/** order = [ "-" ] ( field / date-part / related-aggregate ) [ ".nullsfirst" / ".nullslast" ] */
export function readOrder(cursor: Cursor): OrderNode {
  const { pair, tally, position: first } = cursor
  const descending = peek(cursor) === '-'
  if (descending) cursor.position += 1
  const { position: nameStart } = cursor
  const name = aggregateAt(cursor)
  const aggregate = name && readRelatedAggregate(cursor, name, nameStart + name.length, wholePair)
  // `author.name.nullslast`, or what follows an aggregate: `.nullslast`.
  const itemRest = readItemText(cursor)
  countCondition(tally, rawText(pair, first, itemRest.end), 'conditions and order terms')
  const text = pair.text.slice(itemRest.start, itemRest.end)
  const suffix = suffixes.find((known) => text.endsWith(known.text))
  const end = suffix === undefined ? itemRest.end : itemRest.end - suffix.text.length
  if (aggregate !== undefined && end > itemRest.start) {
    const found = excerpt(pair.text.slice(itemRest.start, end))
    const reason = `Unexpected "${found}" after "${excerpt(aggregate.text)}": expected ",", ".nullsfirst" or ".nullslast".`
    throw malformed(pair, first, itemRest.end, reason)
  }
  return {
    field: aggregate ?? readOutputName(pair, nameStart, end),
    descending,
    ...(suffix === undefined ? {} : { nulls: suffix.nulls }),
    span: spanOf(pair, first, itemRest.end),
  }
}
