// Catalogue: the tables and columns that the three catalogue readers return, in one common shape. `introspect` makes models of them; the check
// at start-up compares them with models.

import type { RowCondition } from '../../dialect/shared/sql/row-condition.ts'
import type { JsonValue } from '../../lib/json/json-value.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import type { Column } from '../../model/column.ts'
import type { DeleteRule } from './delete-rule.ts'

/** The options of a `Column` that follow from a database type: `varchar(80)` → `{ type: 'string', maxLength: 80 }` */
export type ColumnShape = Pick<
  Column,
  | 'type'
  | 'unsigned'
  | 'precision'
  | 'scale'
  | 'items'
  | 'enum'
  | 'storage'
  | 'collation'
  | 'readOnly'
> &
  ColumnLimits

/** The limits of values that a CHECK sets, as a `Column` declares them. */
export type ColumnLimits = Pick<
  Column,
  'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum' | 'minLength' | 'maxLength'
>

/** The rules that the CHECK constraints of a table set for one column. */
export interface ColumnChecks {
  readonly limits: ColumnLimits
  /** The only strings that the constraints accept. */
  readonly members?: readonly string[]
  /** False if the database compares other spellings as equal, such as other letter cases. */
  readonly isExact?: boolean
}

/** A column of a table or view, with everything that introspection and the check need to know of it. */
export interface CatalogueColumn {
  readonly name: string
  /** The type as the database writes it, for messages: `character varying(80)`. */
  readonly databaseType: string
  /** What introspection declares for the column. Undefined if no column type can represent the values; `note` then says why. */
  readonly shape: ColumnShape | undefined
  readonly nullable: boolean
  /** The database generates the value: identity, auto-increment, sequence, row id. */
  readonly generated: boolean
  readonly hasDefault: boolean
  /** The default, where it is a constant. */
  readonly databaseDefault?: JsonValue | undefined
  /** Absent if no CHECK sets limits or members. */
  readonly checks?: ColumnChecks | undefined
  /** Computed by the database from other columns. */
  readonly readOnly: boolean
  readonly description?: string | undefined
  /** For a bigint column: whether every sampled value fits a JSON number; absent if no values were sampled. */
  readonly fitsNumber?: boolean | undefined
  /** Whether it is a key of integers that is served as text, because it holds texts too. */
  readonly isTextKey?: boolean | undefined
  /** Whether values may differ only in digits of a date or time that responses omit, so that no path tells their rows apart. */
  readonly responsesLoseDigits?: boolean | undefined
  /** Whether sampled values are texts, in a database that does not enforce types. */
  readonly holdsTexts?: boolean | undefined
  /**
   * True if the column of a view shows a credential under a name that does not say so; false if it is none, whatever its name. Absent: the
   * name decides.
   */
  readonly credential?: boolean
  /** A note about this column for the reader of the result. */
  readonly note?: string | undefined
}

/** A unique key of only those rows that fulfil a condition, such as a partial unique index. */
export interface PartialKey {
  /** The name of the index. */
  readonly name: string
  readonly columns: readonly string[]
  /** The condition, for messages. */
  readonly condition: string
  /** The same condition, read from the text, if it tests one column; undefined for any other condition. */
  readonly rows: RowCondition | undefined
}

/** A foreign key of a table. */
export interface CatalogueForeignKey {
  /** The columns of this table, paired with `references`. */
  readonly columns: readonly string[]
  /** The target: the table of `references`. */
  readonly table: string
  readonly references: readonly string[]
  /** True if the database does not enforce the foreign key, so its columns may contain values that the target does not have. */
  readonly unchecked?: boolean
  /** The schema of the target table, if it is another one. */
  readonly schema?: string | undefined
  /** Undefined if the database refuses to delete the target's row, or sets a default. */
  readonly onDelete?: DeleteRule | undefined
}

/** The kind of a table that is not an ordinary one. */
export type TableKind = 'view' | 'materialised view' | 'foreign table'

/** A view whose rows are rows of one table or view of the same schema. */
export interface Projection {
  readonly table: string
  /** For each column of the view, in order: the column of the table that it shows unchanged, or null. */
  readonly columns: readonly (string | null)[]
}

/** A table or view, with its columns and keys. All names are those of the database. */
export interface CatalogueTable {
  /** A name that is unique among all tables that are read: `schema.table` if these are of several schemas. */
  readonly name: string
  /** The parts of `name`, if it has a schema. */
  readonly place?: { readonly schema: string; readonly table: string }
  /** Absent for an ordinary table. */
  readonly kind?: TableKind | undefined
  /** The comment of the table or view. */
  readonly description?: string | undefined
  /** The one table that a view shows; absent for tables, and for views that read several or combine rows. */
  readonly projection?: Projection | undefined
  /**
   * True for a view that reads credentials, if its query does not show which columns contain them; false for a table of none, whatever its
   * name. Absent: the name decides.
   */
  readonly credential?: boolean
  /** The text of a view's query, where the user may read it. */
  readonly query?: string | undefined
  /** Why the table cannot be served at all: it is a partition, or the user has no privilege. Absent if it can be served. */
  readonly unusable?: string | undefined
  readonly columns: readonly CatalogueColumn[]
  readonly primaryKey: readonly string[]
  /** Why the primary key that the table declares does not identify its rows; `primaryKey` is then empty. Absent for other tables. */
  readonly whyNoKey?: string | undefined
  /**
   * The columns that number the rows and that no declaration names: in SQLite the row id, under each of its names that no column has. One
   * of them is the key of a table that has no other.
   */
  readonly rowIds?: readonly CatalogueColumn[] | undefined
  /** Column sets of unique constraints and of unique indexes without a condition, excluding the primary key. */
  readonly uniqueKeys: readonly (readonly string[])[]
  readonly partialKeys: readonly PartialKey[]
  readonly foreignKeys: readonly CatalogueForeignKey[]
}

/** Reads catalogue rows about the tables of a schema; if `only` is given, only about these tables, by name or oid. */
export type RowReader<Row> = (
  db: AnyDatabase,
  schema: string,
  only: readonly string[] | undefined,
) => Promise<Row[]>

/** A schema and how many tables and views it has. */
export interface SchemaSize {
  readonly schema: string
  readonly tables: number
  /** Whether it is the connection's default schema. */
  readonly isOwn: boolean
}

/** A table that is no view, and how many rows the database expects in it; null or negative if that is unknown. */
export interface TableEstimate {
  readonly name: string
  readonly rows: unknown
}

/** A row of a query for `SchemaSize`; `own` is 1 for the connection's default schema. */
export interface SchemaSizeRow {
  readonly name: string
  readonly size: unknown
  readonly own: unknown
}

/** Converts the numbers, which drivers may return as texts or bigints. */
export const schemaSizes = (rows: readonly SchemaSizeRow[]): readonly SchemaSize[] =>
  rows.map(({ name, size, own }) => ({
    schema: name,
    tables: Number(size),
    isOwn: Number(own) === 1,
  }))

/** Whether the key of the table is the row id of SQLite. */
export const isKeyedByRowId = ({ primaryKey, rowIds = [] }: CatalogueTable): boolean =>
  rowIds.some(({ name }) => primaryKey.includes(name))

/** Returns the table's name without its schema. */
export const ownName = ({ name, place }: CatalogueTable): string => place?.table ?? name
