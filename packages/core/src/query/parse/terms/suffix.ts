// The suffix after the last `__` of a name decides what a parameter is: `price__ge` has an operator, so it is a filter; `price__sum` has a
// function, so it is an aggregate; others are refused.

import { type ApiError, malformedQuery, unknownOperator } from '../../../errors.ts'
import { excerpt } from '../../../lib/error-size.ts'
import { didYouMean } from '../../../lib/naming/suggest.ts'
import {
  type AggregateFunction,
  aggregateFunctions,
  type FilterOperator,
  filterOperators,
  operatorAliases,
} from '../../../model/query-words/operators.ts'
import type { Pair } from '../query-string.ts'

/** A name split at its last `__`; `at` is the index of the underscores. */
export interface Suffix {
  readonly at: number
  readonly text: string
}

/** What the suffix of a name means. */
export type SuffixMeaning =
  | { readonly kind: 'operator'; readonly operator: FilterOperator }
  | { readonly kind: 'function'; readonly function: AggregateFunction }

const operators = Object.keys(filterOperators) as FilterOperator[]

// A Map, because the client chooses the text: `__proto__` must not be found.
const meanings: ReadonlyMap<string, SuffixMeaning> = new Map<string, SuffixMeaning>([
  ...operators.map((operator) => [operator, { kind: 'operator', operator }] as const),
  ...Object.entries(operatorAliases).map(
    ([alias, operator]) => [alias, { kind: 'operator', operator }] as const,
  ),
  ...aggregateFunctions.map((name) => [name, { kind: 'function', function: name }] as const),
])

/** Finds the suffix of a name: `price__ge` → `ge`; undefined without `__`. */
export function splitSuffix(pair: Pair, start: number, end: number): Suffix | undefined {
  const name = pair.text.slice(start, end)
  const underscores = name.lastIndexOf('__')
  if (underscores === -1) return undefined
  return { at: start + underscores, text: name.slice(underscores + 2) }
}

/** Returns what a suffix means; undefined if it is neither an operator nor a function. */
export function meaningOf(suffix: Suffix | undefined): SuffixMeaning | undefined {
  return suffix === undefined ? undefined : meanings.get(suffix.text)
}

/** Makes the 400 for an unknown suffix; `at` is the part of the query string that it quotes. */
export function noSuchOperator(suffix: Suffix, at: string): ApiError {
  if (suffix.text === '') return malformedQuery('Expected an operator after "__".', at)
  const encoded = suffix.text.includes('=') ? ' An "=" that separates is not written %3D.' : ''
  const hint = `${didYouMean(suffix.text, meanings.keys())} Operators are ${operators.join(', ')}.${encoded}`
  return unknownOperator(excerpt(suffix.text), hint, at)
}
