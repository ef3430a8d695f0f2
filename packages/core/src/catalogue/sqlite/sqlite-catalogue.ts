// Reads the SQLite schema: columns, unique keys and foreign keys through pragmas, collations and CHECK constraints from the table's text, and what
// columns store from samples. `introspect` makes models of the tables, the check at start-up compares them with models.

import { isKeyword, splitTokens, sqlTokens } from '../../dialect/shared/sql/sql-tokens.ts'
import { classifySqlite } from '../../dialect/sqlite/sqlite-errors.ts'
import { amongTables } from '../../dialect/sqlite/stored/among-tables.ts'
import { sqliteCollations } from '../../dialect/sqlite/stored/collate-clauses.ts'
import { grouped } from '../../lib/grouped.ts'
import type { AnyDatabase } from '../../lib/sql/any-database.ts'
import { type Fragment, sql } from '../../lib/sql/fragment.ts'
import { rowsOf } from '../../lib/sql/statement.ts'
import { columnTypes } from '../../model/column-types.ts'
import type {
  CatalogueColumn,
  CatalogueForeignKey,
  CatalogueTable,
  Projection,
  RowReader,
} from '../shared/catalogue.ts'
import type { CheckRule } from '../shared/check-rules.ts'
import { columnChecks } from '../shared/column-checks.ts'
import { constantDefault, jsonOfConstant } from '../shared/default-value.ts'
import { deleteRule } from '../shared/delete-rule.ts'
import { partialKey } from '../shared/partial-key.ts'
import { projectionOf } from '../shared/projection.ts'
import { readViewQuery } from '../shared/view-query.ts'
import { type SampledColumn, sampledStorage, sampleRows } from './sampled-storage.ts'
import { sqliteChecks } from './sqlite-catalogue-checks.ts'
import { type SqliteShape, sqliteShape, textKey } from './sqlite-catalogue-types.ts'
import { mayLoseDigits } from './unshown-digits.ts'

interface TableRow {
  readonly table: string
  /** `table`, `view`, `virtual` or `shadow`. */
  readonly kind: string
  /** 1 for a table WITHOUT ROWID. */
  readonly without_rowid: number
  /** The text of CREATE TABLE or CREATE VIEW. */
  readonly text: string | null
}

interface ColumnRow {
  readonly table: string
  readonly column: string
  /** The declared type; empty if there is none. */
  readonly declared: string
  readonly not_null: number
  readonly default_value: string | null
  /** The column's position in the primary key, from 1; 0 if it is not part of the key. */
  readonly key: number
  /** 1: hidden; 2 and 3: generated. */
  readonly hidden: number
}

interface KeyRow {
  readonly table: string
  readonly index: string
  /** `pk` for the primary key's own index. */
  readonly origin: string
  /** Null for an expression. */
  readonly column: string | null
  readonly partial: number
  /** The text of CREATE INDEX of a partial index; null for other indexes. */
  readonly text: string | null
}

interface ForeignKeyRow {
  readonly table: string
  readonly key: number
  readonly column: string
  readonly target_table: string
  /** Null if REFERENCES names no columns, which means the primary key. */
  readonly target_column: string | null
  readonly delete_rule: string
}

/** Reads every table, or the tables named in `only`, of the attached database `schema`. */
export async function readSqlite(
  db: AnyDatabase,
  schema = 'main',
  only?: readonly string[],
): Promise<CatalogueTable[]> {
  const tables = await tableRows(db, schema, only)
  const columns = grouped(await columnRows(db, schema, only), (row) => row.table)
  const unreadable = new Map<string, string>()
  for (const { table, kind } of tables) {
    if (kind !== 'view') continue
    const rows = await viewColumnRows(db, schema, table)
    if (typeof rows === 'string') unreadable.set(table, rows)
    else columns.set(table, [...rows])
  }
  const keys = grouped(await keyRows(db, schema, only), (row) => row.table)
  const references = await foreignKeyRows(db, schema, only)
  const foreignKeys = grouped(references, (row) => row.table)
  const primaryKeys = await referencedKeys(db, schema, references, columns)

  const result: CatalogueTable[] = []
  for (const table of tables) {
    const rows = columns.get(table.table) ?? []
    const unusable = whyUnusable(table) ?? unreadable.get(table.table)
    const withNull =
      unusable === undefined
        ? await nullInKey(db, sql.id(schema, table.table), table, rows)
        : undefined
    const keyColumns = { referenced: referencedByForeignKeys(table.table, references), withNull }
    const { read, rowIds } =
      unusable === undefined
        ? await readColumns(db, schema, table, rows, keyColumns)
        : { read: [], rowIds: [] }
    const isView = table.kind === 'view'
    const indexes = [...grouped(keys.get(table.table) ?? [], (row) => row.index).values()].filter(
      (group) => group.every((row) => row.origin !== 'pk' && row.column !== null),
    )
    const names = (group: readonly KeyRow[]): string[] => group.flatMap((row) => row.column ?? [])
    result.push({
      name: table.table,
      kind: isView ? 'view' : undefined,
      projection: isView ? projectionOfView(table, schema, columns) : undefined,
      query: (isView && table.text) || undefined,
      unusable,
      columns: read,
      primaryKey: withNull === undefined ? primaryKey(rows) : [],
      rowIds,
      whyNoKey: withNull && `its key column ${withNull} is NULL in some rows`,
      uniqueKeys: [
        // Beside the rows with NULL, the key still differs in every row.
        ...(withNull === undefined ? [] : [primaryKey(rows)]),
        ...indexes.filter((group) => group[0]?.partial !== 1).map(names),
      ],
      partialKeys: indexes.flatMap((group) => {
        const { index = '', partial, text } = group[0] ?? {}
        return partial === 1 ? [partialKey(index, names(group), predicateOf(text ?? ''))] : []
      }),
      foreignKeys: [...grouped(foreignKeys.get(table.table) ?? [], (row) => row.key).values()]
        .reverse()
        .map((group) => foreignKey(group, primaryKeys)),
    })
  }
  return result
}

/** The columns of a table that foreign keys refer to, in lower case. */
const referencedByForeignKeys = (
  table: string,
  references: readonly ForeignKeyRow[],
): ReadonlySet<string> =>
  new Set(
    references
      .filter((row) => row.target_table.toLowerCase() === table.toLowerCase())
      .map((row) => (row.target_column ?? '').toLowerCase()),
  )

/** Returns why the table cannot be served; undefined if it can. */
function whyUnusable(table: TableRow): string | undefined {
  if (table.kind === 'virtual') return 'a virtual table'
  if (table.kind === 'shadow') return 'holds the data of a virtual table'
  return undefined
}

/** Returns the columns of the primary key, in its order. */
function primaryKey(rows: readonly ColumnRow[]): string[] {
  return rows
    .filter((row) => row.key > 0)
    .sort((a, b) => a.key - b.key)
    .map((row) => row.column)
}

/** The names of the row id, if the table has one; a table may use some of them for columns. */
function rowIdNames(
  { kind, without_rowid: isWithout }: TableRow,
  rows: readonly ColumnRow[],
): readonly string[] {
  if (kind !== 'table' || isWithout !== 0) return []
  const names = new Set(rows.map(({ column }) => column.toLowerCase()))
  return ['rowid', '_rowid_', 'oid'].filter((name) => !names.has(name))
}

/** The row id as a column: `rowid`. */
const rowIdColumn = (name: string, { shape, note }: SqliteShape): CatalogueColumn => ({
  name,
  databaseType: 'the row id',
  shape,
  nullable: false,
  generated: true,
  hasDefault: false,
  readOnly: false,
  note: `SQLite's number of the row, which VACUUM may change${note === undefined ? '' : `; ${note}`}`,
})

/** Runs a query with the result `found`. */
const foundBy = (db: AnyDatabase, query: Fragment): Promise<{ readonly found: unknown }[]> =>
  rowsOf<{ readonly found: unknown }>(db)`${query}`

/** Returns the column of the primary key that is NULL in a row. SQLite allows it unless the column is NOT NULL or the row id. */
async function nullInKey(
  db: AnyDatabase,
  from: Fragment,
  table: TableRow,
  rows: readonly ColumnRow[],
): Promise<string | undefined> {
  if (table.without_rowid !== 0) return undefined
  const key = rows.filter((row) => row.key > 0)
  for (const row of key) {
    const isRowId = key.length === 1 && /^integer$/i.test(row.declared)
    if (row.not_null !== 0 || isRowId) continue
    const inFirstRows = sql`select exists(select 1 from (select typeof(${sql.id(row.column)}) as kind from ${from} limit ${sampleRows}) where kind = 'null') as found`
    // The index of the key finds a NULL of its first column, if the driver has its collation.
    const inAllRows = sql`select exists(select 1 from ${from} where ${sql.id(row.column)} is null) as found`
    const [found] = await (row.key === 1
      ? foundBy(db, inAllRows).catch((error: unknown) => {
          if (classifySqlite(error).kind === 'other') return foundBy(db, inFirstRows)
          throw error
        })
      : foundBy(db, inFirstRows))
    if (Number(found?.found) === 1) return row.column
  }
  return undefined
}

const isInteger = ({ shape }: SqliteShape): boolean => columnTypes[shape.type].number === 'whole'

const largeInteger: SqliteShape = {
  shape: { type: 'bigint' },
  note: 'it holds numbers beyond 2^53-1, which JSON readers round, so it is served as bigint',
}

const plainInteger: SqliteShape = { shape: { type: 'integer' } }

/** What is known of the keys of a table before its columns are read. */
interface KeyColumns {
  /** The columns that foreign keys refer to, in lower case. */
  readonly referenced: ReadonlySet<string>
  /** The column of the primary key that is NULL in a row. */
  readonly withNull: string | undefined
}

/** Returns the columns of a table or view, and its row id under each name that no column has. Samples its rows. */
async function readColumns(
  db: AnyDatabase,
  schema: string,
  table: TableRow,
  rows: readonly ColumnRow[],
  { referenced, withNull }: KeyColumns,
): Promise<Pick<CatalogueTable, 'rowIds'> & { readonly read: readonly CatalogueColumn[] }> {
  const collations = sqliteCollations(table.text ?? '')
  const rules = sqliteChecks(table.text ?? '')
  const key = rows.filter((row) => row.key > 0)
  const columns: CatalogueColumn[] = []
  // Only a single `INTEGER PRIMARY KEY` column is an alias of the row id.
  const isRowId = (row: ColumnRow): boolean =>
    key.length === 1 &&
    row.key === 1 &&
    table.without_rowid === 0 &&
    /^integer$/i.test(row.declared)
  const from = sql.id(schema, table.table)
  const [rowIdName, ...otherNames] = rowIdNames(table, rows)
  const rowId = rowIdName === undefined ? undefined : sql.id(rowIdName)
  // An alias of the row id is the key of its table, which needs no other.
  const alias = rows.find(isRowId)?.column
  const unnamed = alias === undefined && rowIdName !== undefined ? [rowIdName, ...otherNames] : []
  const sample = await sampledStorage(
    db,
    from,
    rows.map(({ column, declared }) => ({ name: column, type: sqliteShape(declared).shape.type })),
    rowId,
  )
  const sampled = (row: ColumnRow): SampledColumn | undefined => sample.columns.get(row.column)
  const holdsLarge = (row: ColumnRow): boolean =>
    row.column === alias ? sample.hasLargeRowId : sampled(row)?.holdsLarge === true
  const isBigint = (row: ColumnRow): boolean => sqliteShape(row.declared).shape.type === 'bigint'
  const shapeOf = (row: ColumnRow): SqliteShape => {
    const classes = sampled(row)?.classes
    const isKey = row.key > 0 || referenced.has(row.column.toLowerCase())
    const isLarge =
      !isBigint(row) && isInteger(sqliteShape(row.declared, classes)) && holdsLarge(row)
    return isLarge ? largeInteger : sqliteShape(row.declared, classes, isKey)
  }
  for (const row of rows) {
    const { shape, note } = shapeOf(row)
    const isText = shape !== undefined && columnTypes[shape.type].text === 'any'
    const collation = collations.get(row.column.toLowerCase()) ?? 'BINARY'
    const checks = columnChecks(
      { shape, isExact: collation === 'BINARY' },
      rules.filter((rule) => isRuleOf(row, rule)),
    )
    const hasDefault = row.default_value !== null && !/^null$/i.test(row.default_value)
    const constant = hasDefault ? constantDefault(row.default_value ?? '', 'plain') : undefined
    columns.push({
      name: row.column,
      databaseType: row.declared,
      shape:
        isText && collation !== 'BINARY' && shape !== undefined
          ? { ...shape, collation: 'database' }
          : shape,
      nullable: row.not_null === 0 && (row.key === 0 || row.column === withNull),
      generated: isRowId(row),
      hasDefault,
      databaseDefault: constant && jsonOfConstant(shape, constant),
      checks,
      readOnly: row.hidden > 1,
      holdsTexts: sampled(row)?.classes.has('text'),
      isTextKey: note === textKey,
      fitsNumber: isBigint(row) ? !holdsLarge(row) : undefined,
      responsesLoseDigits: sampled(row)?.responsesLoseDigits === true && mayLoseDigits(shape.type),
      note,
    })
  }
  const numbers = sample.hasLargeRowId ? largeInteger : plainInteger
  return { read: columns, rowIds: unnamed.map((name) => rowIdColumn(name, numbers)) }
}

/**
 * Whether the rule holds for the column's values as they are stored. If a rule compares text with a number, SQLite converts one of
 * them by the affinity of the declared type, so rules for text need a text type, and rules for numbers need another type.
 */
function isRuleOf({ column, declared }: ColumnRow, rule: CheckRule): boolean {
  const convertsToText = /CHAR|CLOB|TEXT/i.test(declared) && !/INT/i.test(declared)
  const isText = rule.kind !== 'bound'
  return column.toLowerCase() === rule.column.toLowerCase() && isText === convertsToText
}

/** Returns the text after WHERE of CREATE INDEX, whose tokens are separated by single spaces. */
const predicateOf = (createIndex: string): string => {
  const [, predicate = []] = splitTokens(sqlTokens(createIndex, 'plain'), (token) =>
    isKeyword(token, 'where'),
  )
  return predicate.map(({ raw }) => raw).join(' ')
}

/** Makes the foreign key of its rows, one for each column. */
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
    // SQLite enforces foreign keys only if the connection enables it; the default is off.
    unchecked: true,
    onDelete: deleteRule(rows[0]?.delete_rule),
  }
}

/**
 * Returns primary keys by the lower-case names of tables: SQLite's names ignore case, so a foreign key may spell its target
 * differently.
 */
async function referencedKeys(
  db: AnyDatabase,
  schema: string,
  references: readonly ForeignKeyRow[],
  columns: ReadonlyMap<string, readonly ColumnRow[]>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const keys = new Map<string, readonly string[]>()
  const add = (tables: typeof columns): void => {
    for (const [table, rows] of tables) keys.set(table.toLowerCase(), primaryKey(rows))
  }
  add(columns)
  const targets = references.flatMap(({ target_column: column, target_table: table }) =>
    column === null && !keys.has(table.toLowerCase()) ? [table] : [],
  )
  if (targets.length > 0) {
    add(grouped(await columnRows(db, schema, [...new Set(targets)]), (row) => row.table))
  }
  return keys
}

/** Reads the names and texts of tables and views; throws if there is no such attached database. */
async function tableRows(
  db: AnyDatabase,
  schema: string,
  only: readonly string[] | undefined,
): Promise<TableRow[]> {
  const rows = await rowsOf<{ name: string }>(db)`
    select name from pragma_database_list order by seq`
  if (!rows.some((row) => row.name === schema)) {
    const known = rows.map((row) => `"${row.name}"`).join(', ')
    throw new Error(`There is no attached database "${schema}". There is: ${known}.`)
  }
  const tables = await rowsOfNumbers<TableRow>(db)`
    select t.name as "table", t.type as kind, t.wr as without_rowid, m.sql as text
    from pragma_table_list t left join (
      select name, sql from ${sql.id(schema, 'sqlite_master')}
      where type in ('table', 'view')${amongTables(sql`name`, only)}) m on m.name = t.name
    where t.schema = ${schema} and t.name not like 'sqlite!_%' escape '!'${amongTables(sql`t.name`, only)}
    order by t.name`
  return tables
}

/** Like `rowsOf`. A driver may return whole numbers as bigints, such as `better-sqlite3` after `defaultSafeIntegers`. */
const rowsOfNumbers =
  <R>(db: AnyDatabase) =>
  async (...statement: Parameters<ReturnType<typeof rowsOf>>): Promise<R[]> =>
    (await rowsOf<Readonly<Record<string, unknown>>>(db)(...statement)).map(
      (row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            typeof value === 'bigint' ? Number(value) : value,
          ]),
        ) as R,
    )

const columnRows: RowReader<ColumnRow> = (db, schema, only) => rowsOfNumbers<ColumnRow>(db)`
    select t.name as "table", c.name as "column", c.type as declared, c."notnull" as not_null,
      c.dflt_value as default_value, c.pk as key, c.hidden as hidden
    from ${sql.id(schema, 'sqlite_master')} t, pragma_table_xinfo(t.name, ${schema}) c
    where t.type = 'table' and t.sql not like 'create virtual %'${amongTables(sql`t.name`, only)}
    order by t.name, c.cid`

/** Reads the columns of a view. Returns a sentence if the view cannot be read, for example because its tables were dropped. */
async function viewColumnRows(
  db: AnyDatabase,
  schema: string,
  view: string,
): Promise<readonly ColumnRow[] | string> {
  try {
    return await rowsOfNumbers<ColumnRow>(db)`
      select ${view} as "table", c.name as "column", c.type as declared, 0 as not_null,
        null as default_value, 0 as key, 0 as hidden
      from pragma_table_xinfo(${view}, ${schema}) c order by c.cid`
  } catch (error) {
    return `it cannot be read: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** Finds which column of its one table each column of a view shows. SQLite's names ignore case. */
function projectionOfView(
  { table, text }: TableRow,
  schema: string,
  columns: ReadonlyMap<string, readonly ColumnRow[]>,
): Projection | undefined {
  const query = readViewQuery(text ?? '')
  if (query === undefined || (query.schema ?? schema).toLowerCase() !== schema.toLowerCase()) {
    return undefined
  }
  const base = [...columns].find(([name]) => name.toLowerCase() === query.table.toLowerCase())
  if (base === undefined || base[0] === table) return undefined
  const named = (rows: readonly ColumnRow[]) => ({ columns: rows.map(({ column }) => column) })
  const names = new Map(base[1].map(({ column }) => [column.toLowerCase(), column]))
  const projection = projectionOf(query, named(columns.get(table) ?? []), named(base[1]))
  return (
    projection && {
      table: base[0],
      columns: projection.columns.map((name) => names.get(name?.toLowerCase() ?? '') ?? null),
    }
  )
}

const keyRows: RowReader<KeyRow> = (db, schema, only) => rowsOfNumbers<KeyRow>(db)`
    select t.name as "table", i.name as "index", i.origin as origin, c.name as "column",
      i.partial as partial,
      case when i.partial = 1 then (
        select x.sql from ${sql.id(schema, 'sqlite_master')} x where x.type = 'index' and x.name = i.name
      ) end as text
    from ${sql.id(schema, 'sqlite_master')} t, pragma_index_list(t.name, ${schema}) i,
      pragma_index_info(i.name, ${schema}) c
    where t.type = 'table' and i."unique" = 1${amongTables(sql`t.name`, only)}
    order by t.name, i.seq, c.seqno`

/** SQLite's pragma returns foreign keys in the reverse order of their declarations. */
const foreignKeyRows: RowReader<ForeignKeyRow> = (db, schema, only) => rowsOfNumbers<ForeignKeyRow>(
  db,
)`
    select t.name as "table", f.id as key, f."from" as "column", f."table" as target_table,
      f."to" as target_column, f.on_delete as delete_rule
    from ${sql.id(schema, 'sqlite_master')} t, pragma_foreign_key_list(t.name, ${schema}) f
    where t.type = 'table'${amongTables(sql`t.name`, only)}
    order by t.name, f.id, f.seq`
