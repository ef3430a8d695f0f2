// Parses the items of `fields=` and of options such as `books.fields=`: `title`, `author.name`, `count(books)|n`, `*`, `-pages`.

import { excerpt } from '../../../lib/error-size.ts'
import type { OutputNode } from '../ast.ts'
import { spanOf } from '../query-string.ts'
import { type Cursor, malformed, peek, skipBlanks, wholePair } from '../text-cursor.ts'
import { readLabel } from './aggregate.ts'
import { readItemText } from './comma-list.ts'
import { readField } from './field.ts'
import { readRelatedAggregate } from './group.ts'
import { readOutputName } from './group-by.ts'
import { aggregateAt } from './related-aggregate-term.ts'

/** output = "*" / "-" field / field / date-part / related-aggregate [ "|" label ] */
export function readOutput(cursor: Cursor): OutputNode {
  const { pair, position } = cursor
  const name = aggregateAt(cursor)
  if (name !== undefined) {
    // `wholePair`: no bracket encloses the aggregate, so `%2C` is text inside it, unless its own bracket is encoded too.
    const node = readRelatedAggregate(cursor, name, position + name.length, wholePair)
    skipBlanks(cursor)
    if (peek(cursor) !== '|') return node
    cursor.position += 1
    const { start, end } = readItemText(cursor)
    return { ...node, label: readLabel(pair, start, end) }
  }
  const { start, end } = readItemText(cursor)
  const text = pair.text.slice(start, end)
  const span = spanOf(pair, start, end)
  if (text === '*') return { kind: 'all', text, span }
  if (text.includes('|')) {
    const reason = `"${excerpt(text)}" has a label, which only an aggregate of related rows takes here, such as count(books)|n.`
    throw malformed(pair, start, end, reason)
  }
  if (!text.startsWith('-')) return readOutputName(pair, start, end)
  if (aggregateAt({ ...cursor, position: start + 1 }) !== undefined) {
    const reason = `"${excerpt(text)}" leaves out an aggregate, which is sent only where "fields" names it.`
    throw malformed(pair, start, end, reason)
  }
  return { kind: 'without', field: readField(pair, start + 1, end), text, span }
}
