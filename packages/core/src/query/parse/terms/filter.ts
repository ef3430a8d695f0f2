// Parses a filter: a condition on a column, `price__ge=30`, or on an aggregate of related rows, `count(books)__ge=2`.

import type { ApiError } from '../../../errors.ts'
import { excerpt } from '../../../lib/error-size.ts'
import type { FilterNode, RelatedAggregateNode } from '../ast.ts'
import { countCondition } from '../limits.ts'
import { type Pair, rawText, spanOf } from '../query-string.ts'
import { type Cursor, type Enclosure, endOfName, malformed } from '../text-cursor.ts'
import { readField } from './field.ts'
import { meaningOf, noSuchOperator, splitSuffix } from './suffix.ts'
import { readFilterValue } from './value-term.ts'

/**
 * filter = field "__" operator "=" value; the name is from the cursor to `nameEnd`, the index of the `=`. `inside`: what encloses the
 * filter, such as `or[…]`, where the value ends at a comma.
 */
export function readFilter(cursor: Cursor, nameEnd: number, inside: Enclosure): FilterNode {
  const { pair, position: start } = cursor
  const name = pair.text.slice(start, nameEnd)
  const at = rawText(pair, start, nameEnd)
  const suffix = splitSuffix(pair, start, nameEnd)
  if (name === '') {
    const reason = 'Expected a field and an operator before "=", such as title__eq=Emma.'
    throw malformed(pair, start, nameEnd, reason)
  }
  if (suffix === undefined) {
    const reason = `"${excerpt(name)}" is not a filter: expected field__operator=value, such as ${excerpt(name)}__eq=…`
    throw malformed(pair, start, nameEnd, reason)
  }
  const meaning = meaningOf(suffix)
  if (meaning === undefined) throw noSuchOperator(suffix, at)
  if (meaning.kind === 'function') {
    const reason = `"${excerpt(name)}" is an aggregate and cannot stand inside "${inside.opener}".`
    throw malformed(pair, start, nameEnd, reason)
  }
  if (suffix.at === start) {
    throw malformed(pair, start, nameEnd, `Expected a column before "__${suffix.text}".`)
  }
  const field = readField(pair, start, suffix.at)
  countCondition(cursor.tally, at)
  cursor.position = nameEnd + 1
  const value = readFilterValue(cursor, meaning.operator, inside)
  const span = spanOf(pair, start, cursor.position)
  return { kind: 'filter', field, operator: meaning.operator, value, span }
}

/**
 * Parses what follows the aggregate `field`, which began at `start` and ends at the cursor: "__" operator "=" value.
 * `separators` are those of the place where its "=" stands.
 */
export function readFilterAfterAggregate(
  cursor: Cursor,
  field: RelatedAggregateNode,
  { start, separators }: Pick<Enclosure, 'start' | 'separators'>,
  inside: Enclosure,
): FilterNode {
  const { pair, position } = cursor
  const end = endOfName(cursor, separators)
  const suffix = splitSuffix(pair, position, end)
  if (suffix?.at !== position || pair.text[end] !== '=') throw noOperator(field, pair, start, end)
  const meaning = meaningOf(suffix)
  if (meaning === undefined) throw noSuchOperator(suffix, rawText(pair, start, end))
  if (meaning.kind === 'function') throw noOperator(field, pair, start, end)
  cursor.position = end + 1
  const value = readFilterValue(cursor, meaning.operator, inside)
  const span = spanOf(pair, start, cursor.position)
  return { kind: 'filter', field, operator: meaning.operator, value, span }
}

/** Makes the 400 of an aggregate without operator and value; it is from `start` to `end`. */
function noOperator(
  { text }: RelatedAggregateNode,
  pair: Pair,
  start: number,
  end: number,
): ApiError {
  const reason = `Expected an operator and a value after "${excerpt(text)}", such as ${excerpt(text)}__ge=3.`
  return malformed(pair, start, end, reason)
}
