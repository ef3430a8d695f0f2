// Catalogue: what the three catalogue readers bring home, in one neutral shape. Types only.

import type { Column } from '../../model/column.ts'

/** The part of a `Column` that a database type decides. */
export type Shape = Pick<
  Column,
  'type' | 'maxLength' | 'precision' | 'scale' | 'enum' | 'storage' | 'collation'
>

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
  /** Computed by the database from other columns. */
  readonly readOnly: boolean
  readonly description?: string
  /** What the reader of the result should know of this column. */
  readonly note?: string
}

export interface CatalogueForeignKey {
  /** Our columns, paired with `references`. */
  readonly columns: readonly string[]
  readonly table: string
  readonly references: readonly string[]
  /** Set where the target lies in another schema. */
  readonly schema?: string
}

export interface CatalogueTable {
  readonly name: string
  /** Set where the table cannot be served whatever its columns: a view, a partition, no privilege. */
  readonly unusable?: string
  readonly columns: readonly CatalogueColumn[]
  readonly primaryKey: readonly string[]
  /** Column sets of unique constraints and whole unique indexes, the primary key not among them. */
  readonly uniqueKeys: readonly (readonly string[])[]
  readonly foreignKeys: readonly CatalogueForeignKey[]
}

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
