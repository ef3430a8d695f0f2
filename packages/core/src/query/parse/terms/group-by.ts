// Parses the items of `groupby=`: columns, date parts, and aggregates: `groupby=country,year(born_on)|y,price__sum`. By `readOutputName`,
// `fields` and `order_by` name the date parts.

import { unknownFunction } from '../../../errors.ts'
import { excerpt } from '../../../lib/error-size.ts'
import { didYouMean, nearest } from '../../../lib/naming/suggest.ts'
import { aggregateFunctions } from '../../../model/query-words/operators.ts'
import type { AggregateNode, FieldNode, GroupByNode, TextNode } from '../ast.ts'
import { countCondition } from '../limits.ts'
import { type Pair, type PairPart, rawText, spanOf } from '../query-string.ts'
import { type Cursor, malformed } from '../text-cursor.ts'
import { noSuchFunction, readAggregate, readLabel } from './aggregate.ts'
import { readField } from './field.ts'
import { isAggregateFunction } from './related-aggregate-term.ts'
import { meaningOf, splitSuffix } from './suffix.ts'

/** The functions of dates that groups can use: `groupby=year(born_on)`. */
export const dateParts = ['year', 'month', 'day'] as const

/** group-item = aggregate [ "=" any ] / key [ "|" label ] */
export function readGroupItem(cursor: Cursor, item: PairPart): GroupByNode | AggregateNode {
  const { pair } = cursor
  const equals = pair.text.slice(item.start, item.end).indexOf('=')
  const end = equals === -1 ? item.end : item.start + equals
  const suffix = splitSuffix(pair, item.start, end)
  const meaning = meaningOf(suffix)
  if (meaning?.kind === 'function') return readAggregate(cursor, item.start, end)
  if (equals !== -1 || meaning !== undefined) {
    const text = excerpt(pair.text.slice(item.start, item.end))
    const reason = `"${text}" cannot be grouped by: a filter is a parameter of its own.`
    throw malformed(pair, item.start, item.end, reason)
  }
  countCondition(cursor.tally, rawText(pair, item.start, item.end))
  return readGroupKey(pair, item)
}

/** key = field / ( "year" / "month" / "day" ) "(" field ")" */
function readGroupKey(pair: Pair, item: PairPart): GroupByNode {
  const bar = pair.text.slice(item.start, item.end).indexOf('|')
  const end = bar === -1 ? item.end : item.start + bar
  const label = bar === -1 ? undefined : readGroupLabel(pair, end + 1, item.end)
  const span = spanOf(pair, item.start, item.end)
  const keyNode = {
    text: pair.text.slice(item.start, end),
    ...(label === undefined ? {} : { label }),
    span,
  }
  const paren = keyNode.text.indexOf('(')
  if (paren === -1) return { kind: 'column', field: readField(pair, item.start, end), ...keyNode }
  const name = keyNode.text.slice(0, paren)
  const kind = dateParts.find((part) => part === name)
  const at = rawText(pair, item.start, end)
  if (isAggregateFunction(name)) {
    const reason = `"${excerpt(keyNode.text)}" cannot be grouped by. Aggregates of related records choose the rows of groups, such as ${name}(${name === 'count' ? 'books' : 'books.price'})__ge=3.`
    throw malformed(pair, item.start, end, reason)
  }
  if (kind === undefined) {
    const hint = `${didYouMean(name, dateParts)} Groups can use ${dateParts.join(', ')}.`
    throw unknownFunction(excerpt(name), hint, at)
  }
  if (!keyNode.text.endsWith(')')) {
    const reason = `"${excerpt(keyNode.text)}" is not complete: expected one column in parentheses, such as ${kind}(born_on).`
    throw malformed(pair, item.start, end, reason)
  }
  return { kind, field: readField(pair, item.start + paren + 1, end - 1), ...keyNode }
}

/** field, or a date part as `groupby` names it: `year(born_on)`. `plan` looks up its text among the grouping keys. */
export function readOutputName(pair: Pair, start: number, end: number): FieldNode {
  const text = pair.text.slice(start, end)
  const isDatePart = text.endsWith(')') && dateParts.some((part) => text.startsWith(`${part}(`))
  return isDatePart
    ? { path: [], column: text, text, span: spanOf(pair, start, end) }
    : readField(pair, start, end)
}

/** Reads a label. Refuses one with a suffix like a function: `total__summ` is a misspelt aggregate, not a label of a grouping key. */
function readGroupLabel(pair: Pair, start: number, end: number): TextNode {
  const suffix = splitSuffix(pair, start, end)
  if (suffix !== undefined && nearest(suffix.text, aggregateFunctions) !== undefined) {
    throw noSuchFunction(suffix.text, rawText(pair, start, end))
  }
  return readLabel(pair, start, end)
}
