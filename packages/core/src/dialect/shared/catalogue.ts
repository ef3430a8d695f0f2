// Catalogue: what the three catalogue readers bring home, in one neutral shape. Types only.

import type { JsonValue } from '../../json/json-value.ts'
import type { Column } from '../../model/column.ts'

/** The part of a `Column` that a database type decides. */
export type Shape = Pick<
  Column,
  'type' | 'precision' | 'scale' | 'items' | 'enum' | 'storage' | 'collation' | 'readOnly'
> &
  ColumnLimits

/** The limits of values that a CHECK sets, as a `Column` declares them. */
export type ColumnLimits = Pick<
  Column,
  'minimum' | 'maximum' | 'exclusiveMinimum' | 'exclusiveMaximum' | 'minLength' | 'maxLength'
>

/** What the CHECK constraints of a table say of one column. */
export interface ColumnChecks {
  readonly limits: ColumnLimits
  /** The only strings that pass. */
  readonly members?: readonly string[]
  /** False where the database takes other spellings for equal, such as other letter cases. */
  readonly isExact?: boolean
}

export interface CatalogueColumn {
  readonly name: string
  /** The type as the database writes it, for notes. */
  readonly declared: string
  /** Undefined where no column type can carry the values; `note` then says why. */
  readonly shape: Shape | undefined
  readonly nullable: boolean
  /** The database makes the value: identity, auto-increment, sequence, row id. */
  readonly generated: boolean
  readonly hasDefault: boolean
  /** The default, where it is a constant. */
  readonly databaseDefault?: JsonValue
  readonly checks?: ColumnChecks
  /** Computed by the database from other columns. */
  readonly readOnly: boolean
  readonly description?: string
  /** Of a bigint column: whether JSON numbers hold every value that was looked at; absent where none was. */
  readonly fitsNumber?: boolean
  /** Set where a view shows a credential under a name that does not say so. */
  readonly credential?: true
  /** What the reader of the result should know of this column. */
  readonly note?: string
}

export interface CatalogueForeignKey {
  /** Our columns, paired with `references`. */
  readonly columns: readonly string[]
  readonly table: string
  readonly references: readonly string[]
  /** The database does not check it, so its columns may hold values that the target does not have. */
  readonly unchecked?: true
  /** Set where the target lies in another schema. */
  readonly schema?: string
}

/** What a table is if it is not an ordinary one. */
export type TableKind = 'view' | 'materialised view' | 'foreign table'

/** A view whose rows are rows of one table or view of the same schema. */
export interface Projection {
  readonly table: string
  /** By position of the view's columns: the column of the table that it shows unchanged, or null. */
  readonly columns: readonly (string | null)[]
}

export interface CatalogueTable {
  /** Unique among the tables that are read together: `schema.table` where these are of several schemas. */
  readonly name: string
  /** The parts of `name`, if it has a schema. */
  readonly place?: { readonly schema: string; readonly table: string }
  /** Absent for an ordinary table. */
  readonly kind?: TableKind
  /** The comment of the table or view. */
  readonly description?: string
  readonly projection?: Projection
  /** Set for a view that reads credentials in a way that does not tell which of its columns show them. */
  readonly credential?: true
  /** The text of a view's query, where the user may read it. */
  readonly query?: string
  /** Set where the table cannot be served whatever its columns: a partition, no privilege. */
  readonly unusable?: string
  readonly columns: readonly CatalogueColumn[]
  readonly primaryKey: readonly string[]
  /** Column sets of unique constraints and whole unique indexes, the primary key not among them. */
  readonly uniqueKeys: readonly (readonly string[])[]
  readonly foreignKeys: readonly CatalogueForeignKey[]
}

/** A schema and how many tables and views it has. */
export interface SchemaSize {
  readonly schema: string
  readonly tables: number
  /** It is the one that is read without the name of another. */
  readonly isOwn: boolean
}

/** The table's name without its schema. */
export const ownName = ({ name, place }: CatalogueTable): string => place?.table ?? name

/** A list under construction, by table and by key within the table. */
export function grouped<Row, Key>(rows: readonly Row[], key: (row: Row) => Key): Map<Key, Row[]> {
  const groups = new Map<Key, Row[]>()
  for (const row of rows) {
    const group = groups.get(key(row))
    if (group === undefined) groups.set(key(row), [row])
    else group.push(row)
  }
  return groups
}
