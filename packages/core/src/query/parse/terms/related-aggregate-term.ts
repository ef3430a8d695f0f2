// Parses `count(books[price__gt=20])` and `max(books.published)`: aggregates of the rows related to each row, which items of `fields` and
// `order_by` and filters may be.

import type { ApiError } from '../../../errors.ts'
import { excerpt } from '../../../lib/error-size.ts'
import { type AggregateFunction, aggregateFunctions } from '../../../model/query-words/operators.ts'
import type { ConditionNode, FieldNode, RelatedAggregateNode } from '../ast.ts'
import { countRelatedAggregate } from '../limits.ts'
import { rawText, spanOf, trimPart } from '../query-string.ts'
import {
  atEnd,
  type Cursor,
  type Enclosure,
  endOfName,
  malformed,
  peek,
  type Separators,
  separatorsAfter,
} from '../text-cursor.ts'
import { readField, readPath } from './field.ts'

/** Whether a name before `(` is a function, such as `count`. */
export const isAggregateFunction = (name: string): name is AggregateFunction =>
  (aggregateFunctions as readonly string[]).includes(name)

/** `readConditions` of `group.ts`, passed as an argument, because `group.ts` imports this file. The `[` is at `nameEnd`. */
type ReadConditions = (cursor: Cursor, nameEnd: number, outer: Enclosure) => ConditionNode[]

/** Returns the function of the aggregate of related rows that begins at the cursor: `count` at `count(books)`; undefined for other text. */
export function aggregateAt({ pair, position }: Cursor): AggregateFunction | undefined {
  return aggregateFunctions.find((name) => pair.text.startsWith(`${name}(`, position))
}

/**
 * Reads the aggregate whose name is at the cursor; `nameEnd` is the index of its `(`.
 *
 * related-aggregate = "count(" path [ conditions ] ")" / ( "sum" / "avg" / "min" / "max" ) "(" path [ conditions ] "." column ")"
 * conditions = "[" item *( "," item ) "]"
 */
export function readAggregateCall(
  cursor: Cursor,
  name: AggregateFunction,
  nameEnd: number,
  outer: Enclosure,
  readConditions: ReadConditions,
): RelatedAggregateNode {
  const { pair, position: start } = cursor
  cursor.position = nameEnd
  // If the `(` is percent-encoded, so are the `,` and `=` that separate inside.
  const separators = separatorsAfter(cursor, outer.separators)
  // Skips the `(`.
  cursor.position += 1
  const end = endOfName(cursor, separators)
  const { start: from, end: to } = trimPart(pair, cursor.position, end)
  if (to === from) throw noRelationIn(cursor, name, start)
  const names = readPath(pair, from, to)
  const inside: Enclosure = {
    closer: ')',
    separators,
    start,
    opener: `${name}(`,
    depth: outer.depth + 1,
  }
  // `readConditions` begins at the name before the bracket, which its errors quote.
  cursor.position = from
  const hasWhere = pair.text[end] === '['
  const where = hasWhere ? readConditions(cursor, end, inside) : []
  if (!hasWhere) cursor.position = end
  const column = hasWhere ? readColumnAfter(cursor, separators) : undefined
  if (peek(cursor) !== ')') throw notClosedAggregate(cursor, name, start)
  cursor.position += 1
  countRelatedAggregate(cursor.tally, rawText(pair, start, cursor.position))
  const whole = {
    kind: 'related',
    function: name,
    where,
    text: pair.text.slice(start, cursor.position),
    span: spanOf(pair, start, cursor.position),
  } as const
  if (name === 'count') {
    if (column !== undefined) {
      const reason = `"count" counts rows, so no column follows its brackets; "${column.text}__isnull=false" in the brackets counts the values.`
      throw malformed(pair, start, cursor.position, reason)
    }
    return { ...whole, path: names }
  }
  if (column !== undefined) return { ...whole, path: names, column }
  if (names.length < 2 || hasWhere) throw noColumnIn(cursor, name, start)
  const dot = pair.text.slice(from, to).lastIndexOf('.')
  return { ...whole, path: names.slice(0, -1), column: readField(pair, from + dot + 1, to) }
}

/** [ "." column ] after the brackets of the conditions */
function readColumnAfter(cursor: Cursor, separators: Separators): FieldNode | undefined {
  const { pair } = cursor
  if (peek(cursor) !== '.') return undefined
  cursor.position += 1
  const end = endOfName(cursor, separators)
  const column = readField(pair, cursor.position, end)
  cursor.position = end
  return column
}

function noRelationIn({ pair, position }: Cursor, name: string, start: number): ApiError {
  const example = name === 'count' ? 'count(books)' : `${name}(books.price)`
  const reason = `Expected a relation in "${name}(…)", such as ${example}.`
  return malformed(pair, start, position, reason)
}

function noColumnIn({ pair, position }: Cursor, name: string, start: number): ApiError {
  const whole = excerpt(pair.text.slice(start, position))
  const reason = `"${whole}" has no column: expected a relation and its column, such as ${name}(books.price) or ${name}(books[in_stock__eq=true].price).`
  return malformed(pair, start, position, reason)
}

function notClosedAggregate(cursor: Cursor, name: string, start: number): ApiError {
  const { pair, position } = cursor
  const found = atEnd(cursor) ? '' : ` instead of "${excerpt(pair.text.slice(position))}"`
  const reason = `"${name}(" is not closed: expected ")"${found}.`
  return malformed(pair, start, pair.text.length, reason)
}
