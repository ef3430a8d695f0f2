// The query AST: what the client wrote, structured and decoded. `parseQuery` makes it, without looking at any model; `query/plan` resolves
// its names and converts its values. Types only, apart from `isField`.

import type { AggregateFunction, FilterOperator } from '../../model/query-words/operators.ts'
import type { SingleParameter } from '../../model/query-words/parameter-names.ts'

/** Offsets in the raw query string; `raw.slice(start, end)` is what the client wrote. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A decoded text and its position, for errors: `title` of `fields=title`. */
export interface TextNode {
  readonly text: string
  readonly span: Span
}

/** `author.publisher.name` → path ['author', 'publisher'], column 'name'; `text` is the whole decoded name. */
export interface FieldNode {
  readonly path: readonly string[]
  readonly column: string
  readonly text: string
  readonly span: Span
}

/**
 * `count(books[price__gt=20])`, `max(books.published)`: an aggregate of the rows that are related to each row. A condition of `where`
 * names fields relative to the end of the path, and so does `column`.
 */
export interface RelatedAggregateNode {
  readonly kind: 'related'
  readonly function: AggregateFunction
  readonly path: readonly TextNode[]
  readonly where: readonly ConditionNode[]
  /** The column whose values are aggregated; absent for `count`. */
  readonly column?: FieldNode
  readonly text: string
  readonly span: Span
}

/** What a filter tests and what an order sorts by: a column, a label, or an aggregate of related rows. */
export type OperandNode = FieldNode | RelatedAggregateNode

/** Whether a node is a plain field, such as `author.name`; the other nodes have a `kind`. */
export const isField = (node: OutputNode): node is FieldNode => !('kind' in node)

/** An item of `fields`: a field, `count(books)|n`, `*` for all that is sent without `fields`, or `-pages`, which leaves a field out. */
export type OutputNode =
  | FieldNode
  | (RelatedAggregateNode & { readonly label?: TextNode })
  | { readonly kind: 'all'; readonly text: string; readonly span: Span }
  | {
      readonly kind: 'without'
      readonly field: FieldNode
      readonly text: string
      readonly span: Span
    }

/** One value of a filter. Quoted text is unchanged; unquoted text is trimmed if it is in a list. */
export interface ScalarNode {
  readonly kind: 'scalar'
  readonly text: string
  readonly quoted: boolean
  readonly span: Span
}

/** `(1,2,3)`; `()` is the empty list, `("")` a list of one empty string. */
export interface ListNode {
  readonly kind: 'list'
  readonly items: readonly ScalarNode[]
  readonly span: Span
}

export type ValueNode = ScalarNode | ListNode

/** `price__ge=30` */
export interface FilterNode {
  readonly kind: 'filter'
  readonly field: OperandNode
  readonly operator: FilterOperator
  readonly value: ValueNode
  readonly span: Span
}

/** `or[a__eq=1,b__eq=2]`, `and[…]`, `not[…]`; groups nest. */
export interface GroupNode {
  readonly kind: 'or' | 'and' | 'not'
  readonly items: readonly ConditionNode[]
  readonly span: Span
}

/** `exists(books.price__gt=20,in_stock__eq=true)`, `missing(books)`; fields of `where` are relative to the path's end. */
export interface RelationFilterNode {
  readonly kind: 'exists' | 'missing'
  readonly path: readonly TextNode[]
  readonly where: readonly FilterNode[]
  readonly span: Span
}

export type ConditionNode = FilterNode | GroupNode | RelationFilterNode

/** `price|total__sum=1`, or an item of `groupby=` or `aggregate=`. */
export interface AggregateNode {
  readonly kind: 'aggregate'
  readonly function: AggregateFunction
  readonly field: FieldNode
  readonly label?: TextNode
  readonly span: Span
}

/** `groupby=country,year(born_on)|y` */
export interface GroupByNode {
  readonly kind: 'column' | 'year' | 'month' | 'day'
  readonly field: FieldNode
  readonly label?: TextNode
  /** The item as the client wrote it, without its label: the key of the result. */
  readonly text: string
  readonly span: Span
}

/** `order_by=-price.nullslast` */
export interface OrderNode {
  readonly field: OperandNode
  readonly descending: boolean
  readonly nulls?: 'first' | 'last'
  readonly span: Span
}

/** `join=author.publisher`: one token, split at its dots; `text` is as the client wrote it. */
export interface JoinNode {
  readonly path: readonly string[]
  readonly text: string
  readonly span: Span
}

/** `books.limit=3`, `books.order_by=-year`, `books.fields=id,title`, `books[price__gt=20]`. */
export type RelationOptionNode = {
  readonly path: readonly TextNode[]
  readonly span: Span
} & (
  | { readonly option: 'limit'; readonly limit: TextNode }
  | { readonly option: 'order_by'; readonly order: readonly OrderNode[] }
  | { readonly option: 'fields'; readonly fields: readonly OutputNode[] }
  | { readonly option: 'where'; readonly where: readonly ConditionNode[] }
)

/**
 * `labels.on_conflict=name`: the unique columns by which nested objects of a relation name stored records. `lines.on_missing=remove`: what
 * happens to the children that a list of a stored record does not name.
 */
export interface RelationWriteNode {
  readonly option: 'on_conflict' | 'on_missing'
  readonly path: readonly TextNode[]
  readonly value: TextNode
  readonly span: Span
}

/** A whole query string. Absent lists are empty; `fields` is undefined when the parameter is absent. */
export interface QueryAst {
  /** The raw query string, without the question mark; spans point into it. */
  readonly raw: string
  readonly where: readonly ConditionNode[]
  readonly joins: readonly JoinNode[]
  readonly fields?: readonly OutputNode[]
  readonly groupBy: readonly GroupByNode[]
  /** Of groups: `price__sum=1`, or items of `groupby=` and `aggregate=`; aggregates of related rows are in `fields`, `where` and `order`. */
  readonly aggregates: readonly AggregateNode[]
  readonly order: readonly OrderNode[]
  /** `distinct_on=author_id` */
  readonly distinctOn: readonly FieldNode[]
  readonly relationOptions: readonly RelationOptionNode[]
  readonly relationWrites: readonly RelationWriteNode[]
  /** The parameters that have one value, such as `page` and `limit`, by their names. */
  readonly single: Readonly<Partial<Record<SingleParameter, TextNode>>>
  /** The host's own parameters (API_ADDITIONAL_QUERY_PARAMS), in order. */
  readonly additional: readonly { readonly name: string; readonly value: TextNode }[]
}
