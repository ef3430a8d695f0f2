// Parses the parameters of the query language that have a fixed name, such as `page=2` or `fields=id,title`, into the draft of the AST.
// Also makes the 400 of an unknown name, with what the client probably means: `?titel=Emma` → `title__eq=Emma`.

import {
  type ApiError,
  conflictingParameters,
  repeatedParameter,
  unknownParameter,
} from '../../errors.ts'
import { excerpt } from '../../lib/error-size.ts'
import { didYouMean, nearest } from '../../lib/naming/suggest.ts'
import type { FilterOperator } from '../../model/query-words/operators.ts'
import type { SingleParameter } from '../../model/query-words/parameter-names.ts'
import {
  isSingleParameter,
  type ListParameter,
  listParameters,
  singleParameters,
} from '../../model/query-words/parameter-names.ts'
import type { Draft } from './draft.ts'
import { countCondition } from './limits.ts'
import { type Pair, rawText, wholeText } from './query-string.ts'
import { readAggregate } from './terms/aggregate.ts'
import { readList, readTerms } from './terms/comma-list.ts'
import { readField, textNode } from './terms/field.ts'
import { readGroupItem } from './terms/group-by.ts'
import { isGroupKind } from './terms/group-kind.ts'
import { readJoins } from './terms/join.ts'
import { readOrder } from './terms/order-term.ts'
import { readOutput } from './terms/output-term.ts'
import { isRelationFilterKind } from './terms/relation-filter-term.ts'
import { relationOptions, relationWrites } from './terms/relation-option.ts'
import { meaningOf } from './terms/suffix.ts'
import { type Cursor, malformed } from './text-cursor.ts'

/**
 * Parses a parameter into the draft; `keyEnd` is the index of its `=`. The grammar is written in ABNF (RFC 5234).
 *
 * parameter = name [ "=" ( text | item *( "," item ) ) ]; a name without `=` has an empty value, as in HTML forms.
 */
export function readParameter(
  cursor: Cursor,
  name: SingleParameter | ListParameter,
  keyEnd: number,
  draft: Draft,
): void {
  const { pair } = cursor
  cursor.position = Math.min(keyEnd + 1, pair.text.length)
  if (isSingleParameter(name)) readSingle(cursor, name, draft)
  else readListParameter(cursor, name, draft)
}

/** name "=" text, once */
function readSingle({ pair, position }: Cursor, name: SingleParameter, draft: Draft): void {
  if (draft.single[name] !== undefined) throw repeatedParameter(name, wholeText(pair))
  draft.single[name] = textNode(pair, position, pair.text.length)
}

/** name "=" item *( "," item ), concatenated when repeated */
function readListParameter(cursor: Cursor, name: ListParameter, draft: Draft): void {
  const { pair } = cursor
  switch (name) {
    case 'join':
      // Not `push(...)`: the number of joins is not limited yet, and arguments use the stack.
      for (const node of readJoins(cursor)) draft.joins.push(node)
      return
    case 'fields':
      draft.fields.push(...readTerms(cursor, name, draft.fields.length, () => readOutput(cursor)))
      return
    case 'order_by':
    case 'orderby':
      draft.orderSpelling ??= name
      if (draft.orderSpelling !== name) {
        const reason = '"order_by" and "orderby" are the same parameter: use one of them.'
        throw conflictingParameters(reason, wholeText(pair))
      }
      draft.order.push(...readTerms(cursor, name, draft.order.length, () => readOrder(cursor)))
      return
    case 'distinct_on':
      draft.distinctOn.push(
        ...readList(cursor, name, draft.distinctOn.length, (item) => {
          countCondition(cursor.tally, rawText(pair, item.start, item.end))
          return readField(pair, item.start, item.end)
        }),
      )
      return
    case 'groupby':
      for (const node of readList(cursor, name, 0, (item) => readGroupItem(cursor, item))) {
        if (node.kind === 'aggregate') draft.aggregates.push(node)
        else draft.groupBy.push(node)
      }
      return
    case 'aggregate':
      draft.aggregates.push(
        ...readList(cursor, name, 0, ({ start, end }) => {
          // `aggregate=price__sum=1`: the value of an item is ignored, as that of the parameter `price__sum=1` is.
          const equals = pair.text.slice(start, end).indexOf('=')
          return readAggregate(cursor, start, equals === -1 ? end : start + equals)
        }),
      )
  }
}

/** Returns the filters that an unknown parameter probably means (`plan/conditions/filter-like.ts`); undefined if filters are not allowed. */
export type FilterLike = (unknown: UnknownParameter) => readonly string[] | undefined

/** A parameter that the query language does not have; `value` is shortened for the message. */
export interface UnknownParameter {
  readonly name: string
  readonly value: string
  /** `price_gte=9`: `price` and `ge`, the parts around the last underscore, if the second is an operator. */
  readonly parts?: { readonly field: string; readonly operator: FilterOperator } | undefined
}

/**
 * Makes the 400 for an unknown parameter `key`. It is usually a column name without operator, so the message shows a filter.
 * `additional`: the host's own parameters, which the message may suggest.
 */
export function noSuchParameter(
  pair: Pair,
  key: string,
  additional: readonly string[],
  filterLike: FilterLike = asWritten,
): ApiError {
  if (key === '') return malformed(pair, 0, 0, 'Expected a parameter or a filter before "=".')
  const written = wholeText(pair)
  const equals = written.indexOf('=')
  const value = equals === -1 ? '' : excerpt(written.slice(equals + 1))
  const nameHere = namesElsewhere.get(key.toLowerCase())
  const similarName =
    nameHere === undefined ? nearParameter(key, additional) : ` Did you mean "${nameHere}"?`
  const example = isGroupKind(key)
    ? ` A group is written "${key}[price__ge=30,title__like=Emma]".`
    : isRelationFilterKind(key)
      ? ` A relation filter is written "${key}(books.price__gt=20)".`
      : filterExample(key, value === '' ? '…' : value, filterLike, similarName === '')
  return unknownParameter(excerpt(key), `${similarName}${example}`, written)
}

/** Returns how the filter would be written: on a similar column, or else in general if no parameter is similar either. */
function filterExample(
  key: string,
  value: string,
  filterLike: FilterLike,
  isGeneral: boolean,
): string {
  const underscore = key.lastIndexOf('_')
  const suffix = { at: underscore, text: key.slice(underscore + 1) }
  const meaning = underscore < 1 ? undefined : meaningOf(suffix)
  const parts =
    meaning?.kind === 'operator'
      ? { field: key.slice(0, underscore), operator: meaning.operator }
      : undefined
  const filters = filterLike({ name: key, value, parts })
  if (filters === undefined || (filters.length === 0 && !isGeneral)) return ''
  const shown = filters.length === 0 ? [`<column>__eq=${value}`] : filters
  return ` A filter is written ${shown.map((filter) => `"${filter}"`).join(' or ')}.`
}

/**
 * Returns the filters without knowing the columns. `price_gt=9` is either a filter on `price` with one underscore too few, or a column
 * without operator.
 */
const asWritten: FilterLike = ({ name, value, parts }) => [
  ...(parts === undefined ? [] : [`${excerpt(parts.field)}__${parts.operator}=${value}`]),
  `${excerpt(name)}__eq=${value}`,
]

/** Names of the parameters in other APIs, for suggestions; a Map, because the client chooses the name. */
const namesElsewhere: ReadonlyMap<string, SingleParameter | ListParameter> = new Map([
  ...(['sort', 'sort_by', 'sortby', 'order', 'ordering'] as const).map(
    (name) => [name, 'order_by'] as const,
  ),
  ...(['page_size', 'pagesize', 'per_page', 'perpage', 'size', 'take', 'top'] as const).map(
    (name) => [name, 'limit'] as const,
  ),
  ...(['include', 'expand', 'embed', 'populate', 'with'] as const).map(
    (name) => [name, 'join'] as const,
  ),
  ...(['select', 'columns', 'attributes'] as const).map((name) => [name, 'fields'] as const),
  ...(['group', 'group_by'] as const).map((name) => [name, 'groupby'] as const),
  ...(['skip', 'offset'] as const).map((name) => [name, 'page'] as const),
  ['cursor', 'after'],
  ['q', 'search'],
  ['find', 'search'],
])

/** Suggests a similar parameter. Compares only the last part of a dotted key with relation options: `books.limt` → `books.limit`. */
function nearParameter(key: string, additional: readonly string[]): string {
  const dot = key.lastIndexOf('.')
  if (dot === -1) return didYouMean(key, [...singleParameters, ...listParameters, ...additional])
  const option = nearest(key.slice(dot + 1), [...relationOptions, ...relationWrites])
  return option === undefined ? '' : ` Did you mean "${excerpt(key.slice(0, dot))}.${option}"?`
}
