// Reads the SQLite schema: columns, unique keys and foreign keys through pragmas, collations from the table's text.

import type { AnyDatabase } from '../../sql/any-database.ts'
import { sql } from '../../sql/fragment.ts'
import { rowsOf } from '../../sql/statement.ts'
import {
  type CatalogueColumn,
  type CatalogueForeignKey,
  type CatalogueTable,
  grouped,
} from '../shared/catalogue.ts'
import { sqliteCollations } from './catalogue-collations.ts'
import { type StorageClasses, sqliteNeedsValues, sqliteShape } from './catalogue-types.ts'

interface TableRow {
  readonly table: string
  /** `table`, `view`, `virtual` or `shadow`. */
  readonly kind: string
  readonly without_rowid: number
  readonly text: string | null
}

interface ColumnRow {
  readonly table: string
  readonly column: string
  readonly declared: string
  readonly not_null: number
  readonly default_value: string | null
  /** Position in the primary key from 1, or 0. */
  readonly key: number
  /** 1 hidden, 2 and 3 computed. */
  readonly hidden: number
}

interface KeyRow {
  readonly table: string
  readonly index: string
  /** `pk` for the primary key's own index. */
  readonly origin: string
  /** Null for an expression. */
  readonly column: string | null
}

interface ForeignKeyRow {
  readonly table: string
  readonly key: number
  readonly column: string
  readonly target_table: string
  /** Null when the clause names no columns: then the target's primary key. */
  readonly target_column: string | null
}

/** Rows to read for the storage classes of a column whose declared type is not enough. */
const sampleRows = 1000

/** Every table of one attached database; `main` without a name. */
export async function readSqlite(db: AnyDatabase, schema = 'main'): Promise<CatalogueTable[]> {
  const tables = await tableRows(db, schema)
  const columns = grouped(await columnRows(db, schema), (row) => row.table)
  const keys = grouped(await keyRows(db, schema), (row) => row.table)
  const foreignKeys = grouped(await foreignKeyRows(db, schema), (row) => row.table)

  // SQLite's names ignore case, so a foreign key may spell its target differently.
  const primaryKeys = new Map<string, string[]>()
  for (const [table, rows] of columns) primaryKeys.set(table.toLowerCase(), primaryKey(rows))

  const result: CatalogueTable[] = []
  for (const table of tables) {
    const own = columns.get(table.table) ?? []
    const unusable = whyUnusable(table)
    const read = unusable === undefined ? await readColumns(db, schema, table, own) : []
    result.push({
      name: table.table,
      ...(unusable === undefined ? {} : { unusable }),
      columns: read,
      primaryKey: primaryKey(own),
      uniqueKeys: [...grouped(keys.get(table.table) ?? [], (row) => row.index).values()]
        .filter((group) => group.every((row) => row.origin !== 'pk' && row.column !== null))
        .map((group) => group.flatMap((row) => row.column ?? [])),
      foreignKeys: [...grouped(foreignKeys.get(table.table) ?? [], (row) => row.key).values()]
        .reverse()
        .map((group) => foreignKey(group, primaryKeys)),
    })
  }
  return result
}

function whyUnusable(table: TableRow): string | undefined {
  if (table.kind === 'view') return 'a view, which has no primary key'
  if (table.kind === 'virtual') return 'a virtual table'
  if (table.kind === 'shadow') return 'holds the data of a virtual table'
  return undefined
}

function primaryKey(rows: readonly ColumnRow[]): string[] {
  return rows
    .filter((row) => row.key > 0)
    .sort((a, b) => a.key - b.key)
    .map((row) => row.column)
}

async function readColumns(
  db: AnyDatabase,
  schema: string,
  table: TableRow,
  rows: readonly ColumnRow[],
): Promise<CatalogueColumn[]> {
  const collations = sqliteCollations(table.text ?? '')
  const key = rows.filter((row) => row.key > 0)
  const columns: CatalogueColumn[] = []
  for (const row of rows) {
    const values = sqliteNeedsValues(row.declared)
      ? await storageClasses(db, schema, table.table, row.column)
      : undefined
    const { shape, note } = sqliteShape(row.declared, values)
    const isText = shape?.type === 'string' || shape?.type === 'text'
    const collation = collations.get(row.column.toLowerCase()) ?? 'BINARY'
    // Only a single `INTEGER PRIMARY KEY` column is an alias of the row id.
    const rowId =
      key.length === 1 &&
      row.key === 1 &&
      table.without_rowid === 0 &&
      /^integer$/i.test(row.declared)
    columns.push({
      name: row.column,
      declared: row.declared,
      shape:
        isText && collation !== 'BINARY' && shape !== undefined
          ? { ...shape, collation: 'database' }
          : shape,
      nullable: row.not_null === 0 && row.key === 0,
      generated: rowId,
      hasDefault: row.default_value !== null && !/^null$/i.test(row.default_value),
      readOnly: row.hidden > 1,
      ...(note === undefined ? {} : { note }),
    })
  }
  return columns
}

function foreignKey(
  rows: readonly ForeignKeyRow[],
  primaryKeys: ReadonlyMap<string, readonly string[]>,
): CatalogueForeignKey {
  const table = rows[0]?.target_table ?? ''
  const key = primaryKeys.get(table.toLowerCase()) ?? []
  return {
    columns: rows.map((row) => row.column),
    table,
    references: rows.map((row, index) => row.target_column ?? key[index] ?? ''),
  }
}

async function tableRows(db: AnyDatabase, schema: string): Promise<TableRow[]> {
  const rows = await rowsOf<{ name: string }>(db)`
    select name from pragma_database_list order by seq`
  if (!rows.some((row) => row.name === schema)) {
    const known = rows.map((row) => `"${row.name}"`).join(', ')
    throw new Error(`There is no attached database "${schema}". There is: ${known}.`)
  }
  const tables = await rowsOf<TableRow>(db)`
    select t.name as "table", t.type as kind, t.wr as without_rowid, m.sql as text
    from pragma_table_list t left join ${sql.id(schema, 'sqlite_master')} m
      on m.name = t.name and m.type in ('table', 'view')
    where t.schema = ${schema} and t.name not like 'sqlite!_%' escape '!'
    order by t.name`
  return tables
}

async function columnRows(db: AnyDatabase, schema: string): Promise<ColumnRow[]> {
  return rowsOf<ColumnRow>(db)`
    select t.name as "table", c.name as "column", c.type as declared, c."notnull" as not_null,
      c.dflt_value as default_value, c.pk as key, c.hidden as hidden
    from ${sql.id(schema, 'sqlite_master')} t, pragma_table_xinfo(t.name, ${schema}) c
    where t.type = 'table' and t.sql not like 'create virtual %'
    order by t.name, c.cid`
}

/** Partial indexes are excluded: they are unique for some rows only. */
async function keyRows(db: AnyDatabase, schema: string): Promise<KeyRow[]> {
  return rowsOf<KeyRow>(db)`
    select t.name as "table", i.name as "index", i.origin as origin, c.name as "column"
    from ${sql.id(schema, 'sqlite_master')} t, pragma_index_list(t.name, ${schema}) i,
      pragma_index_info(i.name, ${schema}) c
    where t.type = 'table' and i."unique" = 1 and i.partial = 0
    order by t.name, i.seq, c.seqno`
}

/** SQLite's pragma returns the foreign key declared last first. */
async function foreignKeyRows(db: AnyDatabase, schema: string): Promise<ForeignKeyRow[]> {
  return rowsOf<ForeignKeyRow>(db)`
    select t.name as "table", f.id as key, f."from" as "column", f."table" as target_table,
      f."to" as target_column
    from ${sql.id(schema, 'sqlite_master')} t, pragma_foreign_key_list(t.name, ${schema}) f
    where t.type = 'table'
    order by t.name, f.id, f.seq`
}

async function storageClasses(
  db: AnyDatabase,
  schema: string,
  table: string,
  column: string,
): Promise<StorageClasses> {
  const rows = await rowsOf<{ kind: string }>(db)`
    select distinct typeof(value) as kind from (
      select ${sql.id(column)} as value from ${sql.id(schema, table)} limit ${sampleRows}
    ) where value is not null`
  return new Set(rows.map((row) => row.kind))
}
