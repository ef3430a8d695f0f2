// The AST while it grows: one list per part of the query, filled pair by pair.

import type {
  AggregateNode,
  ConditionNode,
  FieldNode,
  GroupByNode,
  JoinNode,
  OrderNode,
  RelationOptionNode,
  SingleParameter,
  TextNode,
} from './ast.ts'
import type { ListParameter } from './parameter-names.ts'

export interface Draft {
  readonly where: ConditionNode[]
  readonly joins: JoinNode[]
  readonly fields: FieldNode[]
  readonly groupBy: GroupByNode[]
  readonly aggregates: AggregateNode[]
  readonly order: OrderNode[]
  readonly relationOptions: RelationOptionNode[]
  // Keys are names of our own table, never the client's text.
  readonly single: Partial<Record<SingleParameter, TextNode>>
  readonly additional: { readonly name: string; readonly value: TextNode }[]
  /** Which spelling of `order_by` came first. */
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
    relationOptions: [],
    single: {},
    additional: [],
  }
}
