// Parses `exists(books.price__gt=20,in_stock__eq=true)`, `missing(books)`, `exists(books.count(tags)__ge=2)`: conditions on related rows
// that need no `join=`.

import type { ApiError } from '../../../errors.ts'
import { excerpt } from '../../../lib/error-size.ts'
import type { AggregateFunction } from '../../../model/query-words/operators.ts'
import type { FilterNode, RelationFilterNode, TextNode } from '../ast.ts'
import { countCondition, countRelationFilter } from '../limits.ts'
import { rawText, spanOf, trimPart } from '../query-string.ts'
import {
  type Cursor,
  type Enclosure,
  endOfName,
  malformed,
  readItems,
  separatorsAfter,
} from '../text-cursor.ts'
import { readPath } from './field.ts'
import { readFilter } from './filter.ts'
import { isGroupKind } from './group-kind.ts'
import { isAggregateFunction } from './related-aggregate-term.ts'
import { meaningOf, splitSuffix } from './suffix.ts'

export type RelationFilterKind = RelationFilterNode['kind']

export const relationFilterKinds: readonly RelationFilterKind[] = ['exists', 'missing']

/** Whether a name before `(` opens a relation filter. */
export const isRelationFilterKind = (name: string): name is RelationFilterKind =>
  (relationFilterKinds as readonly string[]).includes(name)

/**
 * `readAggregateFilter` of `group.ts`, passed as an argument, because `group.ts` imports this file. The `(` after the function is at
 * `nameEnd`.
 */
type ReadAggregateFilter = (
  cursor: Cursor,
  name: AggregateFunction,
  nameEnd: number,
  inside: Enclosure,
) => FilterNode

/** relation-filter = ( "exists" / "missing" ) "(" path [ "." filter ] *( "," filter ) ")" */
export function readRelationFilter(
  cursor: Cursor,
  kind: RelationFilterKind,
  nameEnd: number,
  outer: Enclosure,
  readAggregateFilter: ReadAggregateFilter,
): RelationFilterNode {
  const { pair, position: start } = cursor
  cursor.position = nameEnd
  const inside: Enclosure = {
    closer: ')',
    separators: separatorsAfter(cursor, outer.separators),
    start,
    opener: `${kind}(`,
    depth: outer.depth + 1,
  }
  countCondition(cursor.tally, rawText(pair, start, nameEnd))
  let path: readonly TextNode[] | undefined
  const where: FilterNode[] = []
  readItems(cursor, inside, () => {
    if (path === undefined) {
      path = readFirstPath(cursor, inside)
      if (endsItem(cursor, inside)) return
    }
    where.push(readOneFilter(cursor, inside, readAggregateFilter))
  })
  if (path === undefined) {
    const reason = `Expected a relation in "${kind}()", such as ${kind}(books) or ${kind}(books.price__gt=20).`
    throw malformed(pair, start, cursor.position, reason)
  }
  countRelationFilter(cursor.tally, path.length, () => rawText(pair, start, cursor.position))
  return { kind, path, where, span: spanOf(pair, start, cursor.position) }
}

/** path [ "." filter ]: moves the cursor to the filter, or to the `,` or `)` after a path without one. */
function readFirstPath(cursor: Cursor, inside: Enclosure): TextNode[] {
  const { pair, position: start } = cursor
  const end = endOfName(cursor, inside.separators)
  const suffix = splitSuffix(pair, start, end)
  if (pair.text[end] !== '=') {
    const meansFilter = meaningOf(suffix) !== undefined || suffix?.text.includes('=')
    if (meansFilter) throw noEquals(cursor, end)
    if (pair.text[end] === '[') throw inBrackets(cursor, end, inside)
    if (pair.text[end] === '(') return readPathBeforeAggregate(cursor, end, inside)
    cursor.position = end
    return readPath(pair, start, trimPart(pair, start, end).end)
  }
  const dot = pair.text.slice(start, suffix?.at ?? end).lastIndexOf('.')
  if (dot === -1)
    throw noPathBefore(cursor, end, `${excerpt(pair.text.slice(start, end))}=…`, inside)
  cursor.position = start + dot + 1
  return readPath(pair, start, start + dot)
}

/** `books.count(tags)__ge=2`: moves the cursor to the function, whose `(` is at `end`. */
function readPathBeforeAggregate(cursor: Cursor, end: number, inside: Enclosure): TextNode[] {
  const { pair, position: start } = cursor
  const dot = pair.text.slice(start, end).lastIndexOf('.')
  const name = pair.text.slice(start + dot + 1, end)
  if (!isAggregateFunction(name)) throw noEquals(cursor, end)
  if (dot === -1) throw noPathBefore(cursor, end, `${name}(…)__ge=2`, inside)
  cursor.position = start + dot + 1
  return readPath(pair, start, start + dot)
}

/** Makes the 400 of `exists(price__gt=20)`, which names no relation; `filter` is how the message writes it after one. */
function noPathBefore(cursor: Cursor, end: number, filter: string, inside: Enclosure): ApiError {
  const { pair, position } = cursor
  const name = excerpt(pair.text.slice(position, end))
  const reason = `Expected a relation before "${name}", such as ${inside.opener}books.${filter}).`
  return malformed(pair, position, end, reason)
}

/** Reads a filter after the path, on a column or an aggregate. Groups are refused here. */
function readOneFilter(
  cursor: Cursor,
  inside: Enclosure,
  readAggregateFilter: ReadAggregateFilter,
): FilterNode {
  const { pair, position } = cursor
  const end = endOfName(cursor, inside.separators)
  if (pair.text[end] === '=') return readFilter(cursor, end, inside)
  const name = pair.text.slice(position, end)
  if (pair.text[end] === '(' && isAggregateFunction(name)) {
    return readAggregateFilter(cursor, name, end, inside)
  }
  throw noEquals(cursor, end)
}

/** Makes the 400 of an item that is no filter; its name is from the cursor to `end`. */
function noEquals(cursor: Cursor, end: number): ApiError {
  const { pair, position } = cursor
  const name = excerpt(pair.text.slice(position, end))
  const encoded = name.includes('=') ? ' An "=" written as %3D is part of the text here.' : ''
  const found = name === '' ? '' : ` instead of "${name}"`
  const reason = `Expected a filter such as price__gt=20${found}: only filters follow the relation.${encoded}`
  return malformed(pair, position, end, reason)
}

/** Makes the 400 of `exists(labels[id__eq=1])`, with the form that is meant, and of a group in place of the relation. */
function inBrackets(cursor: Cursor, end: number, { opener }: Enclosure): ApiError {
  const { pair, position } = cursor
  const name = pair.text.slice(position, end)
  const path = excerpt(name)
  if (name === '' || isGroupKind(name)) {
    const reason = `Expected a relation in "${opener}" instead of "${path}[", such as ${opener}books.price__gt=20).`
    return malformed(pair, position, end + 1, reason)
  }
  const [filters = ''] = /^[^\]]*/.exec(pair.text.slice(end + 1)) ?? []
  if (isGroupKind(name.slice(name.lastIndexOf('.') + 1)) || /[[(]/.test(filters)) {
    const reason = `"[" after "${path}" cannot stand inside "${opener}": only filters follow the relation, such as ${opener}books.price__gt=20,in_stock__eq=true). Groups enclose ${opener}…).`
    return malformed(pair, position, end + 1, reason)
  }
  const meant = filters === '' ? path : `${path}.${excerpt(filters)}`
  const reason = `Unexpected "[" after "${path}": conditions follow a dot, as in ${opener}${meant}).`
  return malformed(pair, position, end + 1, reason)
}

/** Whether the item ends at the cursor, so that the path has no filter. */
function endsItem(cursor: Cursor, inside: Enclosure): boolean {
  const end = endOfName(cursor, inside.separators)
  return end === cursor.position && cursor.pair.text[end] !== '='
}
