// The plan: a query with every name resolved and every value typed; plain data, no SQL, no client text but bound values. Types only.

import type { AggregateFunction } from '../parse/operators.ts'
import type { NamedColumn, ResolvedRelation, Resource } from '../registry/resource.ts'

/** A value as planned, by column type: bigint as bigint, decimal as canonical digits, date `YYYY-MM-DD`, datetime `YYYY-MM-DDTHH:MM:SS.sssZ`, time `HH:MM:SS`. */
export type Value = string | number | bigint | boolean

/** One table the plan reads, under one alias; access narrows it, compile turns it into a table or derived table. */
export interface Source {
  readonly resource: Resource
  /** Alias in SQL: the relation keys that lead here, or the table's name for the base. */
  readonly alias: string
  /** The relation that leads here, null for the base. */
  readonly relation: ResolvedRelation | null
  /** The rows of the junction that leads here, where they belong to a published model: its own rules narrow them. */
  readonly links?: Source
  /** Whether many rows are being read: false for GET one and to-one relations. */
  readonly many: boolean
  readonly includeDeleted: boolean
}

declare const resolved: unique symbol

/** A column of a source. Branded: only `plan/names.ts` can make one. */
export interface ColumnRef {
  readonly [resolved]: true
  readonly kind: 'column'
  readonly source: Source
  readonly column: NamedColumn
}

/** An aggregate over a column, as an output or in HAVING. */
export interface AggregateRef {
  readonly kind: 'aggregate'
  readonly function: AggregateFunction
  readonly of: ColumnRef
  /** Whether it counts a column that has a value in every row: then it counts the rows, which no value is read for. */
  readonly countsRows?: true
}

/** A calendar bucket of a date or datetime column. */
export interface BucketRef {
  readonly kind: 'bucket'
  readonly unit: 'year' | 'month' | 'day'
  readonly of: ColumnRef
}

export type Operand = ColumnRef | AggregateRef | BucketRef

export type Comparison = 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'

/**
 * Where a condition's value stood: at this offset of the raw query, or in this part of the path's key. What was planned
 * once can be filled in again with the value of another request.
 */
export type Slot = { readonly query: number } | { readonly key: number }

/**
 * How related rows are looked up: for `each` row of the base, for each row that is being looked up itself (`nested`),
 * `once` for all rows, or in `any` of these ways, as the database does best. `apart` is `each` in a query of many relations,
 * which the database is not to plan as one join.
 */
export type LookUp = 'each' | 'apart' | 'nested' | 'once' | 'any'

export type Condition =
  | {
      readonly kind: 'compare'
      readonly operand: Operand
      readonly operator: Comparison
      readonly value: Value
      readonly slot?: Slot
    }
  | {
      readonly kind: 'between'
      readonly operand: Operand
      readonly low: Value
      readonly high: Value
    }
  | {
      readonly kind: 'oneOf'
      readonly operand: Operand
      readonly values: readonly Value[]
      readonly negated: boolean
    }
  | {
      readonly kind: 'text'
      readonly operand: Operand
      readonly match: 'contains' | 'startsWith' | 'endsWith'
      readonly text: string
      readonly ignoreCase: boolean
      readonly negated: boolean
      readonly slot?: Slot
    }
  | { readonly kind: 'isNull'; readonly operand: Operand; readonly negated: boolean }
  | { readonly kind: 'and' | 'or'; readonly all: readonly Condition[] }
  | { readonly kind: 'not'; readonly one: Condition }
  | {
      readonly kind: 'exists'
      /** The row the relation starts from. */
      readonly from: Source
      readonly relation: ResolvedRelation
      /** The related rows. */
      readonly source: Source
      /** Holds for one and the same related row. */
      readonly where: readonly Condition[]
      readonly negated: boolean
      readonly lookUp: LookUp
      /** Whether it must be true or false, and never unknown, also where the row it starts from is one of NULLs: it may be negated. */
      readonly exact?: true
    }
  | {
      /** Rows at the end of a relation, for one parent: a relation route. */
      readonly kind: 'linked'
      readonly relation: ResolvedRelation
      readonly source: Source
      /** The parent's values of `relation.from`, in order. */
      readonly key: readonly Value[]
    }

/** A relation joined to the query, from a source that stands before it. */
export interface PlannedJoin {
  readonly from: Source
  readonly relation: ResolvedRelation
  readonly source: Source
  readonly type: 'inner' | 'left' | 'right'
}

/** One selected value: a member of the result object, or a key that links and embeds need. */
export interface Output {
  /** JSON key. */
  readonly key: string
  readonly value: Operand
  /** False for keys that are read for links and embeds only. */
  readonly visible: boolean
}

export interface PlannedOrder {
  readonly operand: Operand
  readonly descending: boolean
  /** Where NULLs go; last ascending and first descending unless the client says otherwise. */
  readonly nulls: 'first' | 'last'
}

/** `page` and `limit`: `limit` rows after `offset`. */
export interface NumberedPage {
  readonly kind: 'numbered'
  readonly number: number
  readonly limit: number
  readonly offset: number
}

/** One term of a total order, by which a cursor finds its place. */
export interface KeysetTerm {
  readonly ref: ColumnRef
  readonly descending: boolean
  readonly nulls: 'first' | 'last'
  /** Also where the column itself is not nullable: an outer join may leave it empty. */
  readonly mayBeNull: boolean
}

/** `after`, `before`, `paging=cursor`: `limit` rows from a place in the order; `values` null begins at the start. */
export interface KeysetPage {
  readonly kind: 'keyset'
  readonly limit: number
  /** The order in words, written into cursors. */
  readonly signature: string
  readonly direction: 'after' | 'before'
  readonly terms: readonly KeysetTerm[]
  /** Points in time carry six digits of fraction here, so that no row is skipped that differs beyond the millisecond. */
  readonly values: readonly (Value | null)[] | null
}

export type Page = NumberedPage | KeysetPage

/** Rows of one base: entities, a projection or groups. */
export interface RowPlan {
  /** entity: resource objects; projection: `fields`; groups: groupby and aggregates. */
  readonly shape: 'entity' | 'projection' | 'groups'
  readonly from: Source
  readonly joins: readonly PlannedJoin[]
  readonly where: readonly Condition[]
  readonly groupBy: readonly (ColumnRef | BucketRef)[]
  readonly having: readonly Condition[]
  readonly output: readonly Output[]
  readonly order: readonly PlannedOrder[]
  /** True when a to-many join could repeat base rows: joins and conditions then choose keys in a subquery. */
  readonly distinctBase: boolean
}

/** Related objects inside each row of `rows`: one statement per relation, whatever the number of parents. */
export interface EmbedPlan {
  readonly relation: ResolvedRelation
  /** The related rows; `from` is the target. */
  readonly rows: RowPlan
  /** `books.limit=3`: rows per parent. */
  readonly limit: number | null
  readonly embeds: readonly EmbedPlan[]
  readonly links: readonly ResolvedRelation[]
}

/** A read, complete: what `execute` does and `serialize` writes. */
export interface ReadPlan {
  readonly action: 'GET_MANY' | 'GET_ONE' | 'RELATION_GET_MANY' | 'RELATION_GET_ONE'
  readonly rows: RowPlan
  readonly embeds: readonly EmbedPlan[]
  /** Relations written as URLs. */
  readonly links: readonly ResolvedRelation[]
  readonly count: 'exact' | 'capped' | 'none'
}

/** A list, with the page it shows. */
export interface ListPlan extends ReadPlan {
  readonly page: Page
}
