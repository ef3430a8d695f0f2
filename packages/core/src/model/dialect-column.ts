// DialectColumn and DialectTable: what a dialect is told of columns and tables. They stand in this room because the registry makes them of models
// (`registry/dialect-tables.ts`). Types only.

import type { ColumnType, ItemType, JsonPathType } from './column.ts'

/** What a dialect needs to know of a column. */
export interface DialectColumn {
  /** The field name, for messages. */
  readonly name: string
  readonly type: ColumnType
  readonly nullable: boolean
  /** Set for an integer or bigint without negative values. */
  readonly unsigned?: boolean
  /** Total digits of a decimal. */
  readonly precision?: number
  /** Digits after the decimal point. */
  readonly scale?: number
  /** The type of a list's items. */
  readonly items?: ItemType
  /** The members of an `enum` column, or of a list of them. */
  readonly enum?: readonly string[]
  /** `'database'`: compare and order text by the column's own collation. */
  readonly collation?: 'database'
  /** The name of the collation by which values are compared with the column, instead of its own; set by `comparedWith`. */
  readonly comparedBy?: string
  /** `'text'`: a decimal that is stored as text. */
  readonly storage?: 'text'
  /** Set for a json column whose model declares paths into it. `jsonValue` gets each path, so dialects do not read this. */
  readonly paths?: unknown
  /**
   * The expression passed with this column is the result of `comparable`, `bucket` or an aggregate's `comparable`, not a column
   * of a table. GROUP BY works on such expressions, so SELECT, ORDER BY and comparisons must use them unchanged.
   */
  readonly comparable?: true
  /** Set with `comparable` if the expression is an exact aggregate: a sum of integers, or a sum or average of bigints or decimals. */
  readonly aggregate?: 'sum' | 'avg'
  /**
   * Set if the query of a hook computes the values: the column of the table whose place they take. They have its type and collation.
   * What else is known of stored values, such as their format, their digits and where an index finds them, does not apply.
   */
  readonly inPlaceOf?: DialectColumn
}

/**
 * A table that the API serves. A dialect is given all tables when it is made. Its functions later receive the same objects for the columns,
 * so these objects can be keys of a Map.
 */
export interface DialectTable {
  /** The database schema. Default: the connection's own. */
  readonly schema?: string
  readonly table: string
  readonly columns: readonly DialectTableColumn[]
  /** The columns of relations that refer to others, each with the column to which it refers. */
  readonly references?: readonly ColumnReference[]
  /** The index that searches of the table use, if its model declares one. */
  readonly search?: SearchIndex
  /** The rules by which no two rows overlap, if the model declares any. */
  readonly exclusions?: readonly DialectExclusion[]
}

/** A rule by which no two rows of a table overlap, with the names of its columns in the database. */
export interface DialectExclusion {
  /** Identifies the rule. */
  readonly rule: object
  /** The columns whose values must be equal. */
  readonly equal: readonly string[]
  readonly start: string
  readonly end: string
  /** Whether the rule has conditions, besides that rows are not marked as deleted. */
  readonly isConditional: boolean
  /** The column that marks deleted rows, and how it says that a row is not deleted; undefined if that is another condition. */
  readonly active?: { readonly column: string; readonly is: 'null' | 'false' } | undefined
}

/** A column of a relation, and the column whose values it holds. */
export interface ColumnReference {
  readonly held: DialectColumn
  readonly key: DialectColumn
}

/** The full-text index of a table. */
export interface SearchIndex {
  readonly schema?: string
  readonly table: string
  /** The name of the index, as the model declares it. */
  readonly index: string
  /** The text search configuration, for databases that have several. */
  readonly language: string
  /** The columns that the index covers. */
  readonly columns: readonly DialectTableColumn[]
  /** The primary key of the table. */
  readonly key: readonly DialectTableColumn[]
}

/** A column of a table. */
export interface DialectTableColumn extends DialectColumn {
  /** The column's name in the database. */
  readonly dbName: string
  /** Set if the model computes the column by an SQL expression, so that the table has no such column. Dialects only test whether it is. */
  readonly computed?: unknown
}

/** A path into the values of a json column, as the model declares it. */
export interface JsonPath {
  /** The names of members, from the outermost object inwards: letters, digits, `_` and `-`, not beginning with a digit. */
  readonly keys: readonly string[]
  /** The expected type. A value of another JSON type counts as NULL. */
  readonly type: JsonPathType
}
