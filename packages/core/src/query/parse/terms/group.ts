// Parses `or[…]`, `and[…]`, `not[…]` and the conditions inside them. Also aggregates of related rows with their conditions, `count(books[…])`,
// and filters on these, because groups and aggregates contain each other.

import type { ApiError } from '../../../errors.ts'
import { excerpt } from '../../../lib/error-size.ts'
import type { AggregateFunction } from '../../../model/query-words/operators.ts'
import type { ConditionNode, FilterNode, GroupNode, RelatedAggregateNode } from '../ast.ts'
import { checkDepth } from '../limits.ts'
import { functionHint } from '../misplaced-function.ts'
import { rawText, spanOf } from '../query-string.ts'
import {
  type Cursor,
  type Enclosure,
  endOfName,
  malformed,
  readItems,
  separatorsAfter,
} from '../text-cursor.ts'
import { readFilter, readFilterAfterAggregate } from './filter.ts'
import { type GroupKind, isGroupKind } from './group-kind.ts'
import { isAggregateFunction, readAggregateCall } from './related-aggregate-term.ts'
import { isRelationFilterKind, readRelationFilter } from './relation-filter-term.ts'

/** group = ( "or" / "and" / "not" ) "[" item *( "," item ) "]" */
export function readGroup(
  cursor: Cursor,
  kind: GroupKind,
  nameEnd: number,
  outer: Enclosure,
): GroupNode {
  const start = cursor.position
  const items = readConditions(cursor, nameEnd, outer)
  return { kind, items, span: spanOf(cursor.pair, start, cursor.position) }
}

/**
 * "[" item *( "," item ) "]": the inside of a group, and of `books[…]`. The name before the bracket is from the cursor to `nameEnd`;
 * `outer` is what encloses the group.
 */
export function readConditions(cursor: Cursor, nameEnd: number, outer: Enclosure): ConditionNode[] {
  const { pair, position: start } = cursor
  const opener = `${excerpt(pair.text.slice(start, nameEnd))}[`
  cursor.position = nameEnd
  const separators = separatorsAfter(cursor, outer.separators)
  const inside: Enclosure = { closer: ']', separators, start, opener, depth: outer.depth + 1 }
  checkDepth(inside.depth, () => rawText(pair, start, pair.text.length))
  const items = readItems(cursor, inside, () => readCondition(cursor, inside))
  if (items.length > 0) return items
  const reason = `"${opener}]" is empty: expected at least one condition.`
  throw malformed(pair, start, cursor.position, reason)
}

/** item = group / relation-filter / filter / aggregate-filter */
function readCondition(cursor: Cursor, inside: Enclosure): ConditionNode {
  const { pair, position: start } = cursor
  const nameEnd = endOfName(cursor, inside.separators)
  const name = pair.text.slice(start, nameEnd)
  const stop = pair.text.charAt(nameEnd)
  if (stop === '[' && isGroupKind(name)) return readGroup(cursor, name, nameEnd, inside)
  if (stop === '(' && isRelationFilterKind(name)) {
    return readRelationFilter(cursor, name, nameEnd, inside, readAggregateFilter)
  }
  if (stop === '(' && isAggregateFunction(name)) {
    return readAggregateFilter(cursor, name, nameEnd, inside)
  }
  if (stop === '=') return readFilter(cursor, nameEnd, inside)
  throw notACondition(cursor, nameEnd, inside)
}

/** Makes the 400 for an item that is no condition: `or[price]` → `"price" inside "or[" has no "="`. */
function notACondition(cursor: Cursor, nameEnd: number, inside: Enclosure): ApiError {
  const { pair, position: start } = cursor
  const name = excerpt(pair.text.slice(start, nameEnd))
  const stop = pair.text.charAt(nameEnd)
  const expected = 'expected a condition such as title__eq=Emma'
  if (stop === '') {
    const reason = `"${inside.opener}" is not closed: expected "]". An "&" inside it is written %26.`
    return malformed(pair, inside.start, pair.text.length, reason)
  }
  if (name === '') {
    const reason = `Unexpected "${stop}" inside "${inside.opener}": ${expected}.`
    return malformed(pair, inside.start, nameEnd + 1, reason)
  }
  if (stop === '[' || stop === '(') {
    const hint = stop === '(' ? functionHint(pair.text.slice(start)) : ''
    const reason = `"${name}${stop}" cannot stand inside "${inside.opener}": ${expected}, or or[, and[, not[, exists(, missing(, or a function such as count(.${hint}`
    return malformed(pair, start, nameEnd + 1, reason)
  }
  const encoded = name.includes('=') ? ' An "=" written as %3D is part of the text here.' : ''
  const reason = `"${name}" inside "${inside.opener}" has no "=": ${expected}.${encoded}`
  return malformed(pair, start, nameEnd, reason)
}

/**
 * Parses `count(books[price__gt=20])`, whose `(` is at `nameEnd`. Its conditions are those of a group, and may have aggregates themselves.
 */
export const readRelatedAggregate = (
  cursor: Cursor,
  name: AggregateFunction,
  nameEnd: number,
  outer: Enclosure,
): RelatedAggregateNode => readAggregateCall(cursor, name, nameEnd, outer, readConditions)

/** aggregate-filter = related-aggregate "__" operator "=" value; the name of the function is from the cursor to `nameEnd`. */
export function readAggregateFilter(
  cursor: Cursor,
  name: AggregateFunction,
  nameEnd: number,
  inside: Enclosure,
): FilterNode {
  const start = cursor.position
  // A form encoder splits at the first "=", which is in the brackets, and encodes the one after them as it does the brackets.
  const separators = separatorsAfter({ ...cursor, position: nameEnd }, inside.separators)
  const field = readRelatedAggregate(cursor, name, nameEnd, inside)
  return readFilterAfterAggregate(cursor, field, { start, separators }, inside)
}
