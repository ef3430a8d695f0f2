// Parses the items of `order_by=`: `-price`, `author.name.nullslast`, `-count(books)`.

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

/** order = [ "-" ] ( field / date part / relagg ) [ ".nullsfirst" / ".nullslast" ] */
export function readOrder(cursor: Cursor): OrderNode {
  const { pair, tally, position: first } = cursor
  const descending = peek(cursor) === '-'
  if (descending) cursor.position += 1
  const { position: named } = cursor
  const name = aggregateAt(cursor)
  const aggregate = name && readRelatedAggregate(cursor, name, named + name.length, wholePair)
  const rest = readItemText(cursor)
  countCondition(tally, rawText(pair, first, rest.end), 'conditions and order terms')
  const text = pair.text.slice(rest.start, rest.end)
  const suffix = suffixes.find((candidate) => text.endsWith(candidate.text))
  const end = suffix === undefined ? rest.end : rest.end - suffix.text.length
  if (aggregate !== undefined && end > rest.start) {
    const found = excerpt(pair.text.slice(rest.start, end))
    const reason = `Unexpected "${found}" after "${excerpt(aggregate.text)}": expected ",", ".nullsfirst" or ".nullslast".`
    throw malformed(pair, first, rest.end, reason)
  }
  return {
    field: aggregate ?? readOutputName(pair, named, end),
    descending,
    ...(suffix === undefined ? {} : { nulls: suffix.nulls }),
    span: spanOf(pair, first, rest.end),
  }
}
