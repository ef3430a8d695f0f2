// parseQuery: parses a query string into an AST, pair by pair, without looking at any model. Each `name=value` is recognised by the form of
// its name here, and its parts are parsed by `terms/`, whose comments have the grammar in ABNF (RFC 5234): `field "__" operator "=" value`.

import type { ApiError } from '../../errors.ts'
import { excerpt } from '../../lib/error-size.ts'
import { isListParameter, isSingleParameter } from '../../model/query-words/parameter-names.ts'
import type { QueryAst } from './ast.ts'
import { type Draft, emptyDraft } from './draft.ts'
import type { ParseLimits, Tally } from './limits.ts'
import { functionHint } from './misplaced-function.ts'
import { type FilterLike, noSuchParameter, readParameter } from './parameter.ts'
import { isRaw, type Pair, splitPairs, wholeText } from './query-string.ts'
import { readAggregate } from './terms/aggregate.ts'
import { textNode } from './terms/field.ts'
import { readFilter } from './terms/filter.ts'
import { readAggregateFilter, readGroup } from './terms/group.ts'
import { isGroupKind } from './terms/group-kind.ts'
import { isAggregateFunction } from './terms/related-aggregate-term.ts'
import { isRelationFilterKind, readRelationFilter } from './terms/relation-filter-term.ts'
import {
  readRelationOption,
  readRelationWhere,
  readRelationWrite,
  relationOptionOf,
  relationWriteOf,
} from './terms/relation-option.ts'
import { meaningOf, noSuchOperator, type Suffix, splitSuffix } from './terms/suffix.ts'
import { type Cursor, endOfName, expectEnd, malformed, wholePair } from './text-cursor.ts'

/** What the parser knows of the API. */
export interface ParseOptions {
  /** Names of the host's own parameters (API_ADDITIONAL_QUERY_PARAMS), whose values are passed on unparsed. */
  readonly additional?: readonly string[]
  readonly limits: ParseLimits
  /** The filters that an unknown parameter probably means, for its error; undefined if filters are not allowed. */
  readonly filterLike?: FilterLike
}

/**
 * Parses a raw query string (without `?`) into an AST; throws 400 with position and reason.
 *
 * ```ts
 * parseQuery('or[price__ge=30,title__ilike=emma]&order_by=-price', { limits })
 * // { where: [{ kind: 'or', items: [price ge "30", title ilike "emma"] }], order: [{ descending: true, … }], … }
 * ```
 */
export function parseQuery(raw: string, options: ParseOptions): QueryAst {
  if (raw === '') return emptyQuery
  const tally: Tally = { limits: options.limits, conditions: 0, relationFilters: 0, aggregates: 0 }
  const draft = emptyDraft()
  for (const pair of splitPairs(raw)) {
    readPair({ pair, tally, position: 0 }, draft, options)
  }
  return astOf(raw, draft)
}

/** Makes the AST of a draft to which all pairs were added. */
function astOf(raw: string, draft: Draft): QueryAst {
  const { where, joins, fields, groupBy, aggregates, order, distinctOn, single } = draft
  const { relationOptions, relationWrites } = draft
  const ast: QueryAst = {
    raw,
    where,
    joins,
    groupBy,
    aggregates,
    order,
    distinctOn,
    relationOptions,
    relationWrites,
    single,
    additional: draft.additional,
  }
  return fields.length === 0 ? ast : { ...ast, fields }
}

const none: readonly string[] = []

/** Shared, because most writes have no query. */
const emptyQuery = astOf('', emptyDraft())

/** Adds a pair to the draft: a group, relation filter, filter, aggregate, relation option, relation write or parameter. */
function readPair(cursor: Cursor, draft: Draft, options: ParseOptions): void {
  const { pair } = cursor
  const keyEnd = endOfKey(pair)
  const key = pair.text.slice(0, keyEnd)
  if (isSingleParameter(key) || isListParameter(key)) {
    readParameter(cursor, key, keyEnd, draft)
    return
  }
  const suffix = splitSuffix(pair, 0, keyEnd)
  // A name with an operator or a function is a filter or an aggregate, even if the host has a parameter of this name.
  if (options.additional?.includes(key) && meaningOf(suffix) === undefined) {
    draft.additional.push({ name: key, value: textNode(pair, keyEnd + 1, pair.text.length) })
    return
  }
  // Outside of brackets, a percent-encoded `=` or `,` is a part of the name.
  const nameEnd = endOfName(cursor, 'raw')
  const stop = pair.text.charAt(nameEnd)
  if (stop === '[' || stop === '(') readBracketed(cursor, nameEnd, draft)
  else if (nameEnd === keyEnd) readKeyed(cursor, keyEnd, suffix, draft, options)
  else throw unexpectedInKey(pair, nameEnd)
}

/** A pair whose name ends with a bracket, at `nameEnd`: `or[…]`, `exists(…)`, `count(books)__ge=2`, `books[price__gt=20]`. */
function readBracketed(cursor: Cursor, nameEnd: number, draft: Draft): void {
  const { pair } = cursor
  const name = pair.text.slice(0, nameEnd)
  if (pair.text[nameEnd] === '[') {
    if (isGroupKind(name)) draft.where.push(readGroup(cursor, name, nameEnd, wholePair))
    else draft.relationOptions.push(readRelationWhere(cursor, nameEnd))
  } else if (isAggregateFunction(name)) {
    draft.where.push(readAggregateFilter(cursor, name, nameEnd, wholePair))
    // The filter's value ends the pair, so there is no end to check.
    return
  } else {
    if (!isRelationFilterKind(name)) throw unexpectedInKey(pair, nameEnd)
    draft.where.push(readRelationFilter(cursor, name, nameEnd, wholePair, readAggregateFilter))
  }
  expectEnd(cursor)
}

/** A pair with a plain name: the filter `price__ge=30`, the aggregate `price__sum=1`, or an option such as `books.limit=3`. */
function readKeyed(
  cursor: Cursor,
  keyEnd: number,
  suffix: Suffix | undefined,
  draft: Draft,
  { additional, filterLike }: ParseOptions,
): void {
  const { pair } = cursor
  const key = pair.text.slice(0, keyEnd)
  const meaning = meaningOf(suffix)
  const option = relationOptionOf(key)
  const write = relationWriteOf(key)
  // Only an aggregate has a `|`, before its label.
  if (meaning?.kind === 'function' || key.includes('|')) {
    expectEquals(pair, keyEnd)
    draft.aggregates.push(readAggregate(cursor, 0, keyEnd))
  } else if (meaning !== undefined) {
    expectEquals(pair, keyEnd)
    draft.where.push(readFilter(cursor, keyEnd, wholePair))
  } else if (write !== undefined) {
    expectEquals(pair, keyEnd)
    draft.relationWrites.push(readRelationWrite(cursor, write, keyEnd))
  } else if (option !== undefined) {
    expectEquals(pair, keyEnd)
    draft.relationOptions.push(readRelationOption(cursor, option, keyEnd))
  } else if (suffix !== undefined) {
    throw noSuchOperator(suffix, wholeText(pair))
  } else {
    throw noSuchParameter(pair, key, additional ?? none, filterLike)
  }
}

/** Throws the 400 for a pair without `=`. */
function expectEquals(pair: Pair, keyEnd: number): void {
  if (keyEnd < pair.text.length) return
  throw malformed(pair, 0, 0, `Expected "=" and a value after "${excerpt(pair.text)}".`)
}

/** Finds the end of a pair's key: its first `=` that is not percent-encoded. */
function endOfKey(pair: Pair): number {
  for (
    let index = pair.text.indexOf('=');
    index !== -1;
    index = pair.text.indexOf('=', index + 1)
  ) {
    if (isRaw(pair, index)) return index
  }
  return pair.text.length
}

/** Makes the 400 for a bracket or comma at `index` of a name. */
function unexpectedInKey(pair: Pair, index: number): ApiError {
  const name = excerpt(pair.text.slice(0, index))
  const stop = pair.text.charAt(index)
  const hint = stop === '(' ? functionHint(pair.text) : ''
  const reason =
    stop === ','
      ? `Unexpected "," after "${name}": conditions are joined by "&", or stand inside "or[…]".`
      : `Unexpected "${stop}" after "${name}": parentheses follow "exists", "missing" and functions such as "count", brackets "or", "and", "not" and relations.${hint}`
  return malformed(pair, 0, 0, reason)
}
