// Draft: the lists to which the parser adds the nodes of each `name=value`; at the end, `parse-query.ts` makes the `QueryAst` of it.

import type { ListParameter, SingleParameter } from '../../model/query-words/parameter-names.ts'
import type {
  AggregateNode,
  ConditionNode,
  FieldNode,
  GroupByNode,
  JoinNode,
  OrderNode,
  OutputNode,
  RelationOptionNode,
  RelationWriteNode,
  TextNode,
} from './ast.ts'

/** The members of `QueryAst` while they are collected. */
export interface Draft {
  readonly where: ConditionNode[]
  readonly joins: JoinNode[]
  readonly fields: OutputNode[]
  readonly groupBy: GroupByNode[]
  readonly aggregates: AggregateNode[]
  readonly order: OrderNode[]
  readonly distinctOn: FieldNode[]
  readonly relationOptions: RelationOptionNode[]
  readonly relationWrites: RelationWriteNode[]
  // Keys come from the table of parameter names, never from the client's text.
  readonly single: Partial<Record<SingleParameter, TextNode>>
  readonly additional: { readonly name: string; readonly value: TextNode }[]
  /** The spelling that the query uses: `order_by` or `orderby`; both in one query are refused. */
  orderSpelling?: ListParameter
}

export function emptyDraft(): Draft {
  return {
    where: [],
    joins: [],
    fields: [],
    groupBy: [],
    aggregates: [],
    order: [],
    distinctOn: [],
    relationOptions: [],
    relationWrites: [],
    single: {},
    additional: [],
  }
}
