// The plan: a query whose names are resolved and whose values are typed. `read-plan.ts` makes it, policies narrow its sources, `compile`
// turns it into SQL. Plain data without SQL; the client's strings occur only as values, which are sent as parameters. Types only.

import type { RelatedLookUp } from '../../dialect/related-look-up.ts'
import type { SearchIndex } from '../../model/dialect-column.ts'
import type { AggregateFunction, Comparison } from '../../model/query-words/operators.ts'
import type {
  AggregateColumn,
  NamedColumn,
  ResolvedRelation,
  Resource,
} from '../../model/registry/resource.ts'

/**
 * A value by column type: bigint as bigint, decimal as canonical digits, date `YYYY-MM-DD`, datetime `YYYY-MM-DDTHH:MM:SS.sssZ`,
 * time `HH:MM:SS`.
 */
export type Value = string | number | bigint | boolean

/** One table the plan reads, under one alias. Access policies narrow its rows; `compile` turns it into a table or a derived table. */
export interface Source {
  readonly resource: Resource
  /** Alias in SQL: the relation's name, or the table's name for the base; with a number if it is already used. */
  readonly alias: string
  /** The relation that leads here, null for the base. */
  readonly relation: ResolvedRelation | null
  /**
   * The rows of the junction table of a many-to-many, if that table has a published model: the model's access rules and soft delete
   * apply to them.
   */
  readonly junction?: Source
  /** Whether several rows may be read: false for GET of one record and for to-one relations. */
  readonly many: boolean
  /** Whether soft-deleted rows are read, too. */
  readonly includeDeleted: boolean
}

declare const resolved: unique symbol

/** A column of a source. Branded, so that only `query/plan/names.ts` can create one. */
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
  /** Set if `count` is over a column that is never NULL: it compiles to `count(*)`, which reads no value. */
  readonly countsRows?: true
}

/** A calendar bucket of a date or datetime column. */
export interface BucketRef {
  readonly kind: 'bucket'
  readonly unit: 'year' | 'month' | 'day'
  readonly of: ColumnRef
}

/**
 * An aggregate over the rows that are related to a row of `from`. It is a source of its own: joins, embeds and pages of the query do not
 * change it. Several conditions and outputs may share one.
 */
export interface RelatedRef {
  readonly kind: 'related'
  readonly function: AggregateFunction
  readonly from: Source
  /** The relations from `from` to the aggregated rows, of which at least one is to-many. */
  readonly path: readonly RelatedStep[]
  /** Conditions on a row at the end of the path. */
  readonly where: readonly Condition[]
  /** The aggregated column; absent for `count`, which counts rows. */
  readonly of?: ColumnRef
  /** Set if the model of `from` declares the aggregate, which is then a column of it. */
  readonly declared?: AggregateColumn
}

/** One relation of a path; `from` is the source of the step before. */
export type RelatedStep = Omit<PlannedJoin, 'type'>

/** What a condition tests, an order sorts by or an output shows. */
export type Operand = ColumnRef | AggregateRef | BucketRef | RelatedRef

/**
 * Where a condition's value is in the request: at this offset of the raw query, at this index of the path's key, or at this index of
 * the values of a policy's scope. A cached plan takes the value of a later request from the same position.
 */
export type Slot = { readonly query: number } | { readonly key: number } | ScopeSlot

/** The slot of a value of a policy's scope. */
export interface ScopeSlot {
  readonly scope: number
}

/** A condition on a row, by its kind; `compile/rows/condition.ts` compiles each. `negated` makes it NOT. */
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
      readonly slot?: Slot
    }
  | {
      readonly kind: 'oneOf'
      readonly operand: Operand
      readonly values: readonly Value[]
      readonly negated: boolean
      readonly slot?: Slot
    }
  | {
      /** The columns have the values of one of the keys, of which there is at least one. */
      readonly kind: 'keys'
      readonly source: Source
      readonly columns: readonly NamedColumn[]
      readonly keys: readonly (readonly Value[])[]
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
  | {
      /** A test of a list column: it has all of the values, or at least one. */
      readonly kind: 'items'
      readonly operand: Operand
      readonly match: 'contains' | 'overlaps'
      readonly values: readonly Value[]
      readonly slot?: Slot
    }
  | {
      /** The full-text index finds every word in the row. If the database lacks the index, the conditions `plain` apply instead. */
      readonly kind: 'found'
      /** The first of the searched columns. */
      readonly operand: ColumnRef
      readonly index: SearchIndex
      readonly words: readonly string[]
      readonly plain: readonly Condition[]
    }
  | {
      readonly kind: 'isNull'
      readonly operand: Operand
      readonly negated: boolean
      readonly slot?: Slot
    }
  | { readonly kind: 'and' | 'or'; readonly all: readonly Condition[] }
  | { readonly kind: 'not'; readonly one: Condition }
  | {
      readonly kind: 'exists'
      /** The row the relation starts from. */
      readonly from: Source
      readonly relation: ResolvedRelation
      /** The related rows. */
      readonly source: Source
      /** The conditions that one related row must meet. */
      readonly where: readonly Condition[]
      readonly negated: boolean
      /** Whether the database looks them up for each row or once for all (`dialect/related-look-up.ts`). */
      readonly lookUp: RelatedLookUp
      /**
       * Set if the result must be true or false but never NULL, even if the key of the starting row is NULL: NOT would leave a NULL
       * result NULL.
       */
      readonly exact?: true
    }
  | {
      /** The related rows of one parent, for a relation route such as `/authors/1/books`. */
      readonly kind: 'linked'
      readonly relation: ResolvedRelation
      readonly source: Source
      /** The parent's values of `relation.from`, in order; empty until `withParentKey` adds them. */
      readonly key: readonly Value[]
    }

/** A relation joined to the query. Its `from` is the base or the source of an earlier join. */
export interface PlannedJoin {
  readonly from: Source
  readonly relation: ResolvedRelation
  readonly source: Source
  readonly type: 'inner' | 'left' | 'right'
}

/** One selected value: a member of the result object, or a key column that links and embeds need. */
export interface Output {
  /** JSON key. */
  readonly key: string
  readonly value: Operand
  /** False for values that the response does not show, such as keys read for links and embeds. */
  readonly visible: boolean
  /** Set if the request does not name it: it is left out if the policy of an aggregated source refuses the caller. */
  readonly unasked?: true
}

/** One term of ORDER BY. */
export interface PlannedOrder {
  readonly operand: Operand
  readonly descending: boolean
  /** Where NULLs are sorted; by default last if ascending and first if descending. */
  readonly nulls: 'first' | 'last'
}

/** A page chosen by `page` and `limit`: `limit` rows after `offset`. */
export interface NumberedPage {
  readonly kind: 'numbered'
  readonly number: number
  readonly limit: number
  readonly offset: number
}

/** One term of the order whose values make up a cursor. */
export interface KeysetTerm {
  readonly ref: ColumnRef
  readonly descending: boolean
  readonly nulls: 'first' | 'last'
  /** Whether the value can be NULL; also true for a NOT NULL column of an outer-joined table. */
  readonly mayBeNull: boolean
}

/** A page chosen by `after`, `before` or `paging=cursor`: `limit` rows beyond the cursor's row. */
export interface KeysetPage {
  readonly kind: 'keyset'
  readonly limit: number
  /** Names the order inside cursors, so that a cursor is refused with any other order. */
  readonly signature: string
  readonly direction: 'after' | 'before'
  readonly terms: readonly KeysetTerm[]
  /** The indexes of the terms that are the primary key of the base rows; undefined if these have none. */
  readonly key: ReadonlySet<number> | undefined
  /** The indexes of the terms whose values the cursor leaves out, because they are long; `values` has null in their place. */
  readonly unread: readonly number[]
  /**
   * The values of the cursor's row, one per term; null for the first page. Datetimes and times have six fractional digits,
   * so that rows that differ by less than a millisecond are not skipped.
   */
  readonly values: readonly (Value | null)[] | null
}

/** Which rows of a list are read. */
export type Page = NumberedPage | KeysetPage

/** The rows of a statement: those of one base table with its joins. */
export interface RowPlan {
  /** records: objects of the resource; projection: `fields`; groups: groupby and aggregates. */
  readonly shape: 'records' | 'projection' | 'groups'
  readonly from: Source
  readonly joins: readonly PlannedJoin[]
  readonly where: readonly Condition[]
  readonly groupBy: readonly (ColumnRef | BucketRef)[]
  readonly having: readonly Condition[]
  readonly output: readonly Output[]
  readonly order: readonly PlannedOrder[]
  /** Columns of the base: of the rows that are equal in them, only the first by the order is read. Absent: all rows. */
  readonly distinctOn?: readonly ColumnRef[]
  /** True if a to-many join could repeat base rows: joins and conditions then select base rows in a subquery. */
  readonly distinctBase: boolean
}

/** Related objects to embed in each parent object. One statement reads them for all parents. */
export interface EmbedPlan {
  readonly relation: ResolvedRelation
  /** The related rows; its `from` is the relation's target. */
  readonly rows: RowPlan
  /** Maximum rows per parent, as in `books.limit=3`; null without a limit. */
  readonly limit: number | null
  /** The relations embedded in the related rows. */
  readonly embeds: readonly EmbedPlan[]
  /** Their relations that are written as URLs. */
  readonly links: readonly ResolvedRelation[]
}

/** A complete read: what `query/run` reads and `query/serialize` writes. */
export interface ReadPlan {
  readonly action: 'GET_MANY' | 'GET_ONE' | 'RELATION_GET_MANY' | 'RELATION_GET_ONE'
  readonly rows: RowPlan
  readonly embeds: readonly EmbedPlan[]
  /** Relations written as URLs. */
  readonly links: readonly ResolvedRelation[]
  /** Which total the response has: of all rows, of at most 10,000, or none. */
  readonly count: 'exact' | 'capped' | 'none'
}

/** A read of one page of a list. */
export interface ListPlan extends ReadPlan {
  readonly page: Page
}
