// Parses the items of `order_by=`: `-price`, `author.name.nullslast`.

import type { OrderNode } from '../ast.ts'
import { countCondition } from '../limits.ts'
import { rawText, type Stretch, spanOf } from '../query-string.ts'
import type { Cursor } from '../text-cursor.ts'
import { readOutputName } from './group-by.ts'

const suffixes = [
  { text: '.nullsfirst', nulls: 'first' },
  { text: '.nullslast', nulls: 'last' },
] as const

/** order = [ "-" ] ( field / date part ) [ ".nullsfirst" / ".nullslast" ] */
export function readOrder({ pair, tally }: Cursor, item: Stretch): OrderNode {
  countCondition(tally, rawText(pair, item.start, item.end), 'conditions and order terms')
  const text = pair.text.slice(item.start, item.end)
  const descending = text.startsWith('-')
  const suffix = suffixes.find((candidate) => text.endsWith(candidate.text))
  const start = descending ? item.start + 1 : item.start
  const end = suffix === undefined ? item.end : item.end - suffix.text.length
  return {
    field: readOutputName(pair, start, end),
    descending,
    ...(suffix === undefined ? {} : { nulls: suffix.nulls }),
    span: spanOf(pair, item.start, item.end),
  }
}
