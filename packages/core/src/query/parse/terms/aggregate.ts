// Parses `price|total__sum`: an aggregate function over a column of each group, with an optional label (`readLabel`), in `price|total__sum=1`,
// `groupby=country,price__sum` and `aggregate=price__sum`. `count(books)`, over related rows, is in `related-aggregate-term.ts`.

import { type ApiError, unknownFunction } from '../../../errors.ts'
import { excerpt } from '../../../lib/error-size.ts'
import { didYouMean } from '../../../lib/naming/suggest.ts'
import { aggregateFunctions } from '../../../model/query-words/operators.ts'
import type { AggregateNode, TextNode } from '../ast.ts'
import { countCondition } from '../limits.ts'
import { type Pair, rawText, spanOf } from '../query-string.ts'
import { type Cursor, malformed } from '../text-cursor.ts'
import { readField, textNode } from './field.ts'
import { meaningOf, splitSuffix } from './suffix.ts'

/** aggregate = field [ "|" label ] "__" function, from `start` to `end`; the caller skips the `=` and the value after it. */
export function readAggregate(cursor: Cursor, start: number, end: number): AggregateNode {
  const { pair } = cursor
  const text = excerpt(pair.text.slice(start, end))
  const at = rawText(pair, start, end)
  const suffix = splitSuffix(pair, start, end)
  if (suffix === undefined || suffix.text.includes('|')) {
    const reason = `"${text}" is not an aggregate: expected column__function or column|label__function, such as price|total__sum.`
    throw malformed(pair, start, end, reason)
  }
  const meaning = meaningOf(suffix)
  if (meaning?.kind === 'operator') {
    const reason = `"${text}" is a filter; here an aggregate is expected, such as price|total__sum. A label belongs to an aggregate only.`
    throw malformed(pair, start, end, reason)
  }
  if (meaning === undefined) throw noSuchFunction(suffix.text, at)
  const { field, label } = readLabelled(pair, start, suffix.at)
  countCondition(cursor.tally, at)
  const span = spanOf(pair, start, end)
  return {
    kind: 'aggregate',
    function: meaning.function,
    field,
    ...(label === undefined ? {} : { label }),
    span,
  }
}

/** field [ "|" label ] */
function readLabelled(pair: Pair, start: number, end: number) {
  const bar = pair.text.slice(start, end).indexOf('|')
  if (bar === -1) return { field: readField(pair, start, end), label: undefined }
  const field = readField(pair, start, start + bar)
  return { field, label: readLabel(pair, start + bar + 1, end) }
}

/** label = ( ALPHA / "_" ) *62( ALPHA / DIGIT / "_" ): it becomes a JSON key and a column alias. */
export function readLabel(pair: Pair, start: number, end: number): TextNode {
  const label = textNode(pair, start, end)
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(label.text)) {
    const reason = `"${excerpt(label.text)}" is not a label: expected a letter or "_" and then at most 62 letters, digits or "_".`
    throw malformed(pair, start, end, reason)
  }
  // A label becomes a member of an object, which inherits members such as `constructor`.
  if (label.text in Object.prototype || label.text === 'prototype') {
    throw malformed(pair, start, end, `"${label.text}" cannot be used as a label.`)
  }
  return label
}

/** Makes the 400 for an unknown function; `at` is the part of the query string that it quotes. */
export function noSuchFunction(name: string, at: string): ApiError {
  const known = aggregateFunctions.join(', ')
  return unknownFunction(
    excerpt(name),
    `${didYouMean(name, aggregateFunctions)} Functions are ${known}.`,
    at,
  )
}
