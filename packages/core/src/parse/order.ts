// Parses the items of `order_by=`: `-price`, `author.name.nullslast`.

import type { OrderNode } from './ast.ts'
import { readOutputName } from './group-by.ts'
import { type Pair, type Stretch, spanOf } from './query-string.ts'

const suffixes = [
  { text: '.nullsfirst', nulls: 'first' },
  { text: '.nullslast', nulls: 'last' },
] as const

/** order = [ "-" ] ( field / date part ) [ ".nullsfirst" / ".nullslast" ] */
export function readOrder(pair: Pair, item: Stretch): OrderNode {
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
